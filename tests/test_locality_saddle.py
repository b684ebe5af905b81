"""The symmetric saddle of larger kernels, its growth rate, and the time that leaving it takes."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.locality import (
    committee_model, general_rhs, mean_recovery_time, recovery_time, solve, symmetric_flow, symmetric_saddle,
)


def test_reference_saddle():
    saddle = symmetric_saddle(P=4, k=2, c=0.0, eta=1.0, sigma=0.0)
    assert [saddle.Q11, saddle.Q12, saddle.R] == pytest.approx([0.197453, 0.173023, 0.425076], abs=1e-6)
    assert saddle.E == pytest.approx(0.009564, abs=1e-6)
    assert saddle.rate == pytest.approx(0.056907, abs=1e-6)


@pytest.mark.parametrize(("P", "k"), [(4, 2), (5, 2), (4, 4), (4, 3)])
def test_saddles_do_not_move(P, k):
    saddle = symmetric_saddle(P=P, k=k, c=0.1, eta=0.5, sigma=0.1)
    model = committee_model("conv", P=P, C=0.1, eta=0.5, sigma=0.1, kernel=k)
    dQ, dR = general_rhs(saddle.Q, saddle.overlaps[:, None].copy(), *model.constants)
    assert np.max(np.abs(dQ)) < 1e-10 and np.max(np.abs(dR)) < 1e-10
    assert saddle.rate > 0


@pytest.mark.parametrize(("c", "rate"), [(0.0, 0.027640), (0.1, 0.024323), (0.3, 0.017107), (0.5, 0.009989),
                                         (0.7, 0.004062)])
def test_correlation_slows_the_escape(c, rate):
    assert symmetric_saddle(P=4, k=2, c=c, eta=0.5, sigma=0.0).rate == pytest.approx(rate, rel=5e-4)


def test_an_asymmetry_grows_at_the_rate():
    saddle = symmetric_saddle(P=4, k=2, c=0.0, eta=1.0, sigma=0.0)
    t = np.linspace(40, 80, 9)
    path = solve("conv", t, P=4, C=0.0, eta=1.0, sigma=0.0, kernel=2, Q0=saddle.Q,
                 R0=saddle.overlaps[:, None] + [[1e-7], [-1e-7]], rtol=1e-11, atol=1e-14)
    growth = np.polyfit(t, np.log(path.R[:, 0, 0] - path.R[:, 1, 0]), 1)[0]
    assert growth == pytest.approx(saddle.rate, rel=1e-3)


def test_the_symmetric_flow_is_the_flow_until_rounding_breaks_it():
    model = {"P": 4, "eta": 1.0, "sigma": 0.0}
    kept = symmetric_flow([5.0, 50.0], k=2, c=0.0, **model)
    free = solve("conv", [5.0, 50.0], C=0.0, kernel=2, **model)
    assert kept.E == pytest.approx(free.E, rel=1e-6)
    assert kept.R[:, 0] == pytest.approx(kept.R[:, 1], abs=1e-12)


@pytest.mark.parametrize(("delta", "expected"), [(1e-2, 95.08), (1e-3, 136.94), (1e-4, 178.08),
                                                 (1e-5, 218.88)])
def test_recovery_takes_a_logarithmic_time(delta, expected):
    model = {"P": 4, "eta": 1.0, "sigma": 0.0}
    threshold = 0.02 * solve("conv", [0.0], C=0.0, kernel=2, **model).E[0]
    assert recovery_time(delta, c=0.0, threshold=threshold, **model) == pytest.approx(expected, rel=2e-4)


def test_zero_padding_recovers_at_once():
    model = {"P": 4, "eta": 1.0, "sigma": 0.0}
    threshold = 0.02 * solve("conv", [0.0], C=0.0, kernel=2, **model).E[0]
    time = recovery_time(0.0, c=0.0, threshold=threshold, boundary="zero", **model)
    assert time == pytest.approx(21.17, rel=1e-3)


def test_mean_recovery_time_of_random_starts():
    D = np.array([50, 100, 200, 400, 800, 1600, 3200, 6400])
    times = mean_recovery_time(D, P=3, c=0.0, eta=1.5, sigma=0.0, threshold=0.005497)
    expected = [51.7, 56.6, 61.4, 66.2, 70.8, 75.4, 80.1, 84.6]
    assert times == pytest.approx(expected, abs=0.15)
    # the slope in ln D tends to 1 / (2 Lambda)
    rate = symmetric_saddle(P=3, k=2, c=0.0, eta=1.5, sigma=0.0).rate
    assert 1 / (2 * rate) == pytest.approx(6.398, abs=1e-3)
    far = mean_recovery_time([1e7, 1e9], P=3, c=0.0, eta=1.5, sigma=0.0, threshold=0.005497)
    assert (far[1] - far[0]) / np.log(100) == pytest.approx(1 / (2 * rate), rel=0.01)


def test_bad_kernel():
    with pytest.raises(ValueError, match="k = 1"):
        symmetric_saddle(P=4, k=1, c=0.0, eta=1.0, sigma=0.0)
    with pytest.raises(ValueError, match="kernel = 5"):
        symmetric_saddle(P=4, k=5, c=0.0, eta=1.0, sigma=0.0)
