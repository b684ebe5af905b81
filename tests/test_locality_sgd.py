"""Direct online SGD: compiled loop against plain numpy, exact finite-D means, the equations of motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from featurelearning.locality.architecture import fully_connected
from featurelearning.locality.correlation import chain_correlation
from featurelearning.locality.error import error_of_overlaps, generalisation_errors
from featurelearning.locality.flow import solve
from featurelearning.locality.general import general_error
from featurelearning.locality.problem import lower_factor, problem
from featurelearning.locality.rectified import relu_leading_floor, relu_response
from featurelearning.locality.sgd import initial_weights, reference_step, sgd_steps, simulate

DEFAULTS = dict(
    P=3, C=0.4, eta=1.0, sigma=0.2, D=40, runs=1, Q0=0.5, R0=0.0, activation="erf", kernel=1,
    boundary="periodic", filters=1, teachers=1, T=None, a=None, start="exact",
)
CASES = [
    ("conv", {}),
    ("lcn", {"C": chain_correlation(0.7, 3)}),
    # at c = 1 the largest stable rate is lower; above it the dynamics amplify rounding errors
    ("conv", {"kernel": 2, "C": 1.0, "eta": 0.3}),
    ("conv", {"kernel": 2, "boundary": "zero", "R0": np.array([[0.3], [0.1]])}),
    ("lcn", {"kernel": 2}),
    ("conv", {"filters": 2, "teachers": 2, "T": np.array([[1.0, 0.3], [0.3, 0.8]])}),
    (fully_connected(3, 2), {"activation": "relu", "C": 0.0}),
    ("lcn", {"activation": "linear"}),
]
# Two-sided false-positive rate of every statistical comparison below.
FALSE_POSITIVES = 1e-4
Z = norm.isf(FALSE_POSITIVES / 2)


def setting(student, **changes):
    return problem(student, rng=np.random.default_rng(0), **{**DEFAULTS, **changes})


@pytest.mark.parametrize(("student", "changes"), CASES)
def test_compiled_loop_is_the_numpy_step_on_the_same_stream(student, changes):
    case = setting(student, **changes)
    w, B = initial_weights(case, np.random.default_rng(1))
    slow = w.copy()
    fast_stream, slow_stream = np.random.default_rng(2), np.random.default_rng(2)
    sgd_steps(w, B, *case.update, 1000, fast_stream)
    for _ in range(1000):
        slow = reference_step(slow, B, case, slow_stream)
    np.testing.assert_allclose(w, slow, rtol=0, atol=1e-10)
    assert fast_stream.bit_generator.state == slow_stream.bit_generator.state


@pytest.mark.parametrize(("student", "changes"), CASES)
def test_exact_start_has_the_wanted_overlaps(student, changes):
    case = setting(student, **changes)
    w, B = initial_weights(case, np.random.default_rng(3))
    R0 = np.broadcast_to(changes.get("R0", 0.0), (case.blocks, case.teachers))
    np.testing.assert_allclose(w @ w.T / case.D, 0.5 * np.eye(case.blocks), atol=1e-12)
    np.testing.assert_allclose(w @ B.T / case.D, R0, atol=1e-12)
    np.testing.assert_allclose(B @ B.T / case.D, case.model.T, atol=1e-12)


def test_random_start_fluctuates_as_independent_weights_do():
    path = simulate("conv", [0.0], P=2, C=0.0, eta=1.0, sigma=0.0, D=50, rng=np.random.default_rng(4),
                    runs=4000, R0=0.2, start="random")
    for values, mean, variance in (
        (path.R[:, 0, 0, 0], 0.2, (0.5 - 0.2**2) / 50), (path.Q[:, 0, 0, 0], 0.5, None),
    ):
        assert abs(values.mean() - mean) < Z * values.std() / np.sqrt(4000)
        if variance is not None:
            assert abs(values.var() / variance - 1) < Z * np.sqrt(2 / 4000)


def test_start_at_the_teacher():
    path = simulate("lcn", [0.0, 1.0], P=3, C=0.5, eta=0.5, sigma=0.0, D=30, rng=np.random.default_rng(5),
                    Q0=np.ones((3, 3)), R0=1.0, activation="relu")
    np.testing.assert_allclose(path.E, 0.0, atol=1e-12)


def linear_mean(D, eta, sigma, steps, q):
    """Mean of ``|w - B|^2 / D`` of one linear unit, exact at every D: ``<x_i^2 |x|^2> = D + 2``."""
    for _ in range(steps):
        q = q * (1 - 2 * eta / D + eta**2 * (D + 2) / D**2) + eta**2 * sigma**2 / D
    return q


def test_linear_unit_has_its_exact_mean_and_not_that_of_infinite_D():
    D, eta, sigma, runs = 10, 0.8, 0.3, 20000
    path = simulate("conv", [2.0], P=1, C=0.0, eta=eta, sigma=sigma, D=D, rng=np.random.default_rng(6),
                    runs=runs, activation="linear")
    error = path.standard_error[0]
    assert abs(path.mean[0] - linear_mean(D, eta, sigma, 2 * D, 1.5) / 2) < Z * error
    limit = solve("conv", [2.0], P=1, C=0.0, eta=eta, sigma=sigma, activation="linear").E[0]
    assert abs(path.mean[0] - limit) > Z * error


@pytest.mark.parametrize("student", ["conv", "lcn"])
def test_runs_follow_the_equations_of_motion(student):
    t = np.linspace(0.0, 10.0, 41)
    model = dict(P=4, C=0.4, eta=1.0, sigma=0.2)
    path = simulate(student, t, D=200, rng=np.random.default_rng(7), runs=4, **model)
    distance = np.sqrt(np.mean((path.E - solve(student, t, **model).E) ** 2))
    assert distance < 0.25 / np.sqrt(200)


@pytest.mark.parametrize("activation", ["erf", "linear"])
def test_error_is_that_of_the_equations_of_motion(activation):
    case = setting("lcn", activation=activation, filters=2, teachers=2)
    w, B = initial_weights(setting("lcn", filters=2, teachers=2, start="random"), np.random.default_rng(8))
    Q, R = w @ w.T / case.D, w @ B.T / case.D
    ours = generalisation_errors(case, Q[None, None], R[None, None])[0, 0]
    assert ours == pytest.approx(general_error(Q, R, *case.model.constants), rel=1e-12)


def test_relu_error_is_the_mean_square_difference():
    case, rng = setting("conv", activation="relu", kernel=2), np.random.default_rng(9)
    Q, R = np.array([[0.6, 0.1], [0.1, 0.4]]), np.array([[0.3], [-0.2]])
    E = error_of_overlaps(Q, R, *case.model.taps, case.model.C, case.model.T, case.code, case.model.a)
    w = lower_factor(np.block([[Q, R], [R.T, np.eye(1)]]), "overlaps")
    fields = np.einsum("bf,nqf,pq->nbp", w, rng.standard_normal((400_000, 3, 3)), case.L)
    lam = np.einsum("ubp,nbp->nu", case.model.A, fields[:, :2])
    difference = case.model.a * (np.maximum(lam, 0).sum(1) - np.maximum(fields[:, 2], 0).sum(1))
    sample = difference**2 / 2
    assert abs(E - sample.mean()) < Z * sample.std() / np.sqrt(len(sample))


def test_relu_floor_values():
    # P/2 + P(P-1) c (1/4 + asin(c)/2 pi), evaluated by hand for P = 4, eta = 0.1, sigma = 0.3
    assert relu_leading_floor("conv", P=4, C=0.0, eta=0.1, sigma=0.3) == pytest.approx(0.001125, abs=1e-15)
    assert relu_leading_floor("conv", P=4, C=0.6, eta=0.1, sigma=0.3) == pytest.approx(0.002552, abs=5e-7)
    assert relu_leading_floor("lcn", P=4, C=0.6, eta=0.1, sigma=0.3) == pytest.approx(0.001125, abs=1e-15)


@pytest.mark.parametrize(("changes", "words"), [
    ({"D": 3}, "D = 3 is too small"),
    ({"eta": -1.0}, "eta = -1.0"),
    ({"sigma": np.nan}, "sigma = nan"),
    ({"runs": 0}, "runs = 0"),
    ({"activation": "tanh"}, "activation = 'tanh'"),
    ({"start": "zero"}, "start = 'zero'"),
    ({"Q0": np.eye(2)}, "Q0 has shape"),
    ({"R0": 0.9}, "positive semidefinite"),
    ({"rng": 3}, "rng = 3"),
    ({"t": [2.0, 1.0]}, "increasing order"),
    ({"T": np.zeros((1, 1))}, "singular"),
    ({"student": np.ones((2, 2))}, "student has shape"),
])
def test_bad_input_is_named(changes, words):
    good = dict(student="lcn", t=[1.0], P=3, C=0.0, eta=1.0, sigma=0.1, D=20, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=words):
        simulate(**{**good, **changes})


def test_relu_response_values():
    # P = 4, c = 0: <G> = 2 and, with P independent coins, <G^2> = 4 * 1/2 + 12 * 1/4 = 5
    expected = 0.125 * 0.1 * 0.09 * 4 / (4 - 0.1 * 0.25 * 5)
    assert relu_response("conv", P=4, c=0.0, eta=0.1, sigma=0.3) == pytest.approx(expected, rel=1e-12)
    assert relu_response("lcn", P=4, c=0.0, eta=0.1, sigma=0.3) == pytest.approx(expected, rel=1e-12)
    for student in ("conv", "lcn"):
        slow = relu_response(student, P=4, c=0.6, eta=1e-6, sigma=0.3)
        assert slow == pytest.approx(relu_leading_floor(student, P=4, C=0.6, eta=1e-6, sigma=0.3), rel=1e-5)
    with pytest.raises(ValueError, match="eta_max"):
        relu_response("conv", P=4, c=0.6, eta=2.0, sigma=0.3)
