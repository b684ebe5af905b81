"""The finite-D chain: against numpy, against direct SGD in law, and its failure when the law is spoilt."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp
from test_locality_sgd import CASES, DEFAULTS, FALSE_POSITIVES, Z, linear_mean, setting

from featurelearning.locality.architecture import fully_connected
from featurelearning.locality.chain import (
    chain_steps, initial_coordinates, overlaps, reference_chain_step, simulate_chain,
)
from featurelearning.locality.hitting import hitting_times, logarithmic_fit
from featurelearning.locality.sgd import simulate

MODEL = {key: DEFAULTS[key] for key in ("P", "C", "eta", "sigma")}


@pytest.mark.parametrize(("student", "changes"), CASES)
def test_compiled_chain_is_the_numpy_step_on_the_same_stream(student, changes):
    case = setting(student, **changes)
    along, across = initial_coordinates(case, np.random.default_rng(1))
    Q, R = overlaps(along, across, case.teacher)
    fast_stream, slow_stream = np.random.default_rng(2), np.random.default_rng(2)
    chain_steps(along, across, case.teacher, *case.update, case.D, case.freedom, 1000, fast_stream)
    for _ in range(1000):
        Q, R = reference_chain_step(Q, R, case, slow_stream)
    fast_Q, fast_R = overlaps(along, across, case.teacher)
    np.testing.assert_allclose(fast_Q, Q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(fast_R, R, rtol=0, atol=1e-10)
    assert fast_stream.bit_generator.state == slow_stream.bit_generator.state


def pvalues(first, second):
    """Kolmogorov-Smirnov p-values that E, each Q and each R at the last time have the same law."""
    sides = [
        np.column_stack([values[:, -1].reshape(path.runs, -1) for values in (path.E, path.Q, path.R)])
        for path in (first, second)
    ]
    return np.array([ks_2samp(a, b).pvalue for a, b in zip(sides[0].T, sides[1].T, strict=True)])


@pytest.mark.parametrize(("student", "changes"), [
    ("conv", {}),
    ("lcn", {}),
    ("conv", {"kernel": 2, "start": "random", "C": 0.9}),
    ("lcn", {"kernel": 2, "boundary": "zero"}),
    ("conv", {"filters": 2, "teachers": 2, "activation": "linear", "eta": 0.5}),
    (fully_connected(3, 2), {"activation": "relu", "eta": 0.5}),
])
def test_chain_has_the_law_of_direct_sgd(student, changes):
    model = {**MODEL, "D": 20, "runs": 3000, **changes}
    direct = simulate(student, [0.5, 3.0], rng=np.random.default_rng(10), **model)
    chain = simulate_chain(student, [0.5, 3.0], rng=np.random.default_rng(11), **model)
    assert (direct.method, chain.method) == ("SGD", "chain")
    assert pvalues(direct, chain).min() > FALSE_POSITIVES


def test_the_wrong_degrees_of_freedom_are_caught():
    """Negative control: D instead of D - n_b - M degrees of freedom, at D = 20, must fail the same test."""
    case = setting("lcn", D=20)
    direct = simulate("lcn", [3.0], rng=np.random.default_rng(12), **{**MODEL, "D": 20, "runs": 3000})
    rng, Q = np.random.default_rng(13), np.empty(3000)
    for run in range(3000):
        along, across = initial_coordinates(case, rng)
        chain_steps(along, across, case.teacher, *case.update, case.D, case.D, 60, rng)
        Q[run] = overlaps(along, across, case.teacher)[0][0, 0]
    assert ks_2samp(direct.Q[:, -1, 0, 0], Q).pvalue < FALSE_POSITIVES


def test_linear_unit_has_its_exact_mean():
    path = simulate_chain("conv", [2.0], P=1, C=0.0, eta=0.8, sigma=0.3, D=10, rng=np.random.default_rng(14),
                          runs=20000, activation="linear")
    assert abs(path.mean[0] - linear_mean(10, 0.8, 0.3, 20, 1.5) / 2) < Z * path.standard_error[0]


def test_smallest_dimension():
    simulate_chain("lcn", [1.0], D=7, rng=np.random.default_rng(0), **MODEL)
    with pytest.raises(ValueError, match=r"D = 6 is too small .* D >= n_b \+ M \+ P = 7"):
        simulate_chain("lcn", [1.0], D=6, rng=np.random.default_rng(0), **MODEL)


def test_hitting_time_is_the_first_record_below_the_threshold():
    t = np.arange(0.0, 40.0, 0.5)
    path = simulate_chain("conv", t, D=40, rng=np.random.default_rng(15), **MODEL)
    threshold = 0.1 * path.E[0, 0]
    found = hitting_times("conv", threshold, t_max=40.0, dt=0.5, D=40, rng=np.random.default_rng(15),
                          start="exact", **MODEL)
    assert found[0] == t[np.argmax(path.E[0] <= threshold)]


def test_hitting_time_that_is_not_reached_is_infinite():
    rng = np.random.default_rng(16)
    found = hitting_times("conv", 1e-9, t_max=1.0, dt=0.5, D=40, rng=rng, runs=2, **MODEL)
    assert np.all(np.isinf(found))
    with pytest.raises(ValueError, match="threshold = 0"):
        hitting_times("conv", 0.0, t_max=1.0, dt=0.5, D=40, rng=rng, **MODEL)


def test_logarithmic_fit_of_a_line():
    D = np.array([50.0, 100.0, 400.0])
    fit = logarithmic_fit(D, 3.0 + 2.0 * np.log(D), np.array([0.1, 0.2, 0.1]))
    assert (fit.intercept, fit.slope) == pytest.approx((3.0, 2.0), abs=1e-10)
    # equal errors s: variance of the slope s^2 / sum (ln D - mean)^2
    equal = logarithmic_fit(D, np.log(D), np.full(3, 0.1))
    assert equal.slope_error == pytest.approx(0.1 / np.sqrt(3 * np.var(np.log(D))), rel=1e-12)
