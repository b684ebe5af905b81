"""Linear learning curves in closed form, tuned learning rates and the transition between the students."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from featurelearning.locality import (
    annealed_error, crossings, error_after, first_order_transition, linear_error, linear_initial_error, linear_transition, phase_diagram, solve, transition_time, tuned_error,
    tuned_log_ratio,
)

MODEL = {"P": 4, "c": 0.3, "sigma": 0.3}


@pytest.mark.parametrize("c", [-0.3, 0.0, 0.4, 1.0])
@pytest.mark.parametrize("student", ["conv", "lcn"])
def test_linear_curves_solve_the_equations(student, c):
    t = np.linspace(0, 20, 9)
    closed = linear_error(student, t, P=4, c=c, eta=0.3, sigma=0.3)
    assert closed == pytest.approx(solve(student, t, P=4, C=c, eta=0.3, sigma=0.3, activation="linear").E,
                                   rel=1e-7)
    assert closed[0] == pytest.approx(linear_initial_error(student, P=4, c=c), rel=1e-14)


@pytest.mark.parametrize("eta", [0.01, 0.5, 1.9, 2.2])
@pytest.mark.parametrize("c", [0.0, 0.3, 0.9, 1.0])
def test_two_modes_are_a_matrix_exponential(eta, c):
    P, sigma, Q0 = 5, 0.4, 0.5
    mu = 1 + (P - 1) * c
    h, r, n = eta * mu / P, (1 - c) / mu, P - 1
    generator = np.array([
        [-2 * h + h**2, h**2, h**2 * sigma**2 / 2],
        [n * h**2 * r**2, -2 * h * r + n * h**2 * r**2, n * h**2 * r**2 * sigma**2 / 2], [0, 0, 0]])
    start = [mu / 2 * (1 + Q0 / P), n * (1 - c) * Q0 / (2 * P), 1]
    for t in (0.3, 20.0):
        modes = expm(t * generator) @ start
        assert linear_error("lcn", t, P=P, c=c, eta=eta, sigma=sigma) == pytest.approx(modes[0] + modes[1],
                                                                                       rel=1e-11)


def test_exercise_speed_up_of_linear_units():
    model = {"P": 4, "c": 0.0, "eta": 0.8, "sigma": 0.2}
    assert linear_error("lcn", 4.0, **model) == pytest.approx(linear_error("conv", 1.0, **model), rel=1e-13)


def test_full_correlation_leaves_the_ratio_of_initial_errors():
    """At c = 1 without noise free linear weights win at every time by (1 + Q0) / (1 + Q0 / P)."""
    for T in (0.1, 1.0, 10.0):
        ratio = tuned_log_ratio(T, P=4, c=1.0, sigma=0.0, activation="linear")
        assert np.exp(ratio) == pytest.approx(4 / 3, rel=1e-6)


def test_overflow_is_infinite_not_undefined():
    for student in ("conv", "lcn"):
        assert linear_error(student, 1e4, P=4, c=0.5, eta=9.0, sigma=0.1) == np.inf
    assert error_after("conv", 100.0, 50.0, activation="linear", **MODEL) == 1e3


# Transition times of an independent prototype.
LINEAR = dict(zip(np.round(np.arange(0.1, 1.0, 0.1), 1),
                  (0.1314, 0.2669, 0.4287, 0.6299, 0.8814, 1.1974, 1.6028, 2.1541, 3.0409), strict=True))
OTHERS = [({"c": 0.1}, 0.2050), ({}, 0.6560), ({"c": 0.6}, 1.6284), ({"c": 0.9}, 3.7105),
          ({"sigma": 0.1}, 0.5979),
          ({"P": 8}, 0.9198), ({"Q0": 0.1}, 0.2434), ({"sigma": 1.0}, 1.3224),
          ({"c": 0.4, "tied": True}, 0.123),
          ({"c": 0.7, "tied": True}, 1.103), ({"c": 0.9, "tied": True}, 2.844)]


@pytest.mark.parametrize("c", LINEAR)
def test_transition_of_linear_units(c):
    assert transition_time(P=4, c=c, sigma=0.3, activation="linear") == pytest.approx(LINEAR[c], rel=1e-3)


@pytest.mark.parametrize(("changes", "expected"), OTHERS)
def test_transition_of_erf_units(changes, expected):
    assert transition_time(**{**MODEL, **changes}) == pytest.approx(expected, rel=5e-3)


def test_no_transition_without_a_random_start():
    assert np.isnan(transition_time(Q0=1e-6, **MODEL))
    assert np.isnan(transition_time(tied=True, **MODEL))


def test_predictions_of_the_transition():
    assert linear_transition(P=4, c=0.1, sigma=0.3) == pytest.approx(0.1413, abs=1e-4)
    small = transition_time(P=4, c=0.01, sigma=0.0, activation="linear", low=1e-4)
    assert small == pytest.approx(linear_transition(P=4, c=0.01, sigma=0.0), rel=0.02)
    assert first_order_transition(P=4, c=0.1, sigma=0.3) == pytest.approx(0.1808, abs=1e-4)
    assert first_order_transition(P=4, c=0.3, sigma=0.3) == pytest.approx(0.4807, abs=1e-4)


@pytest.mark.parametrize(("student", "eta", "E"), [
    ("conv", (1.2818, 0.9463), (0.40332, 0.06649, 6.735e-4)),
    ("lcn", (3.1981, 2.2381), (0.35900, 0.14797, 1.380e-3)),
])
def test_tuned_errors(student, eta, E):
    found, rates = tuned_error(student, [0.3, 3.0, 300.0], **MODEL)
    assert found == pytest.approx(E, rel=5e-4)
    assert rates[:2] == pytest.approx(eta, rel=1e-3)


def test_tuned_error_falls_below_every_floor():
    E, _ = tuned_error("conv", [1000.0, 3000.0], **MODEL)
    assert E[0] == pytest.approx(2.43e-4, rel=5e-3)
    assert E[1] == pytest.approx(9.43e-5, rel=5e-3) and E[1] < 1e-4


def test_the_best_rate_is_a_minimum_and_a_warm_start_finds_it():
    times = np.geomspace(0.1, 100, 7)
    for student in ("conv", "lcn"):
        warm = tuned_error(student, times, **MODEL)
        cold = [tuned_error(student, T, **MODEL) for T in times]
        assert warm[0] == pytest.approx([E for E, _ in cold], rel=1e-5)
        for T, E, eta in zip(times, *warm, strict=True):
            assert min(error_after(student, T, factor * eta, **MODEL) for factor in (0.9, 1.1)) > E


# Each upper bound is a minimum found by an independent search, which may have ended in a worse one.
@pytest.mark.parametrize(("student", "T", "found"), [
    ("conv", 0.3, 0.4043), ("lcn", 0.3, 0.3595), ("conv", 1.0, 0.2475), ("lcn", 1.0, 0.2746),
    ("conv", 10.0, 0.00885), ("lcn", 10.0, 0.0449), ("conv", 100.0, 5.14e-4), ("lcn", 100.0, 2.62e-3),
])
def test_annealed_errors(student, T, found):
    E, eta0, t0 = annealed_error(student, T, **MODEL)
    assert 0.95 * found < E < 1.002 * found
    assert error_after(student, T, eta0, t0=t0, **MODEL) == pytest.approx(E, rel=1e-9)


def test_two_crossings_at_one_rate():
    t = np.geomspace(0.01, 300, 400)
    for c, expected in ((0.1, (0.3353, 64.48)), (0.3, (0.5434, 43.42)), (0.6, (0.6340, 29.56))):
        conv, lcn = (solve(student, t, P=4, C=c, eta=0.5, sigma=0.3).E for student in ("conv", "lcn"))
        assert crossings(t, conv - lcn) == pytest.approx(expected, rel=5e-3)


def test_phase_diagram_is_the_log_ratio():
    T = np.array([0.2, 1.0, 5.0])
    diagram = phase_diagram([0.3, 0.6], T, P=4, sigma=0.3)
    assert diagram[0] == pytest.approx(tuned_log_ratio(T, **MODEL), abs=1e-12)
    assert diagram[0, 0] > 0 > diagram[0, 2]


def test_bad_times():
    with pytest.raises(ValueError, match="positive"):
        tuned_error("conv", 0.0, **MODEL)
    with pytest.raises(ValueError, match="student"):
        linear_error("dense", 1.0, P=4, c=0.1, eta=0.1, sigma=0.1)
