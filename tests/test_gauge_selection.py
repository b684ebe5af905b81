"""Selection is an event on the vector; limits, rates and critical imbalance against reference values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featurelearning.gauge import (
    coefficient_time, critical_imbalance, decay_rate, duplicates, duplicates_loss, hessian, late_state,
    limit_rates, selection_error, selection_time,
)
from featurelearning.gaussian import relu_kernel, relu_kernel_slope

PHI = np.pi / 3


def test_reference_times():
    times = selection_time(m=[2, 4, 8, 16, 32], phi=PHI, D=256.0)
    assert times == pytest.approx(np.array([4.91149, 6.01883, 5.98721, 5.92085, 5.87861]), abs=1e-5)


def test_the_event_is_on_the_vector_not_on_the_angle():
    time = float(selection_time(m=4, phi=PHI, D=32.0))
    at = duplicates([time], m=4, phi=PHI, D=32.0)
    assert selection_error(at.q, at.theta)[0] == pytest.approx(0.25, abs=1e-9)
    # An event on the angle alone, at the same size, fires long before, with the coefficient still small.
    tau = np.linspace(0, time, 400)
    run = duplicates(tau, m=4, phi=PHI, D=32.0)
    early = np.argmax(np.abs(run.theta) <= 0.25)
    assert tau[early] < 0.2 * time and run.q[early] < 0.3
    assert selection_error(run.q, run.theta)[early] > 0.7
    # And before the event the vector has never been inside.
    assert np.all(selection_error(run.q, run.theta)[:-1] > 0.25)


def test_times_of_a_batch_are_those_of_its_members():
    batch = selection_time(m=[2, 16], phi=[PHI, 1.5], D=[8.0, np.inf])
    singles = [selection_time(m=2, phi=PHI, D=8.0), selection_time(m=16, phi=1.5, D=np.inf)]
    assert batch == pytest.approx(np.array(singles), abs=1e-9)


def test_no_selection_is_infinite():
    assert selection_time(m=4, phi=PHI, D=0.1, until=20.0) == np.inf


def test_limit_reference():
    m = [2, 4, 8, 32]
    limit = duplicates([1.0], m=m, phi=PHI, D=np.inf)
    assert limit.q[0] == pytest.approx(np.array([0.462, 0.328, 0.297, 0.286]), abs=6e-4)
    times = selection_time(m=m, phi=PHI, D=np.inf)
    assert times == pytest.approx(np.array([4.92, 6.03, 6.00, 5.88]), abs=1.5e-2)
    # dq/dtau <= (1 - q)/2 gives 2 ln((1 - q0)/(1 - level)).
    times = coefficient_time(0.75, m=m, phi=PHI, D=np.inf)
    assert np.all(times >= 2 * np.log((1 - 1 / np.array(m)) / 0.25))
    assert times.min() == pytest.approx(4.24137, abs=1e-5)


def test_motion_after_selection_reference():
    for m, expected in ((2, 0.069553), (4, 0.014595)):
        times = np.array([float(selection_time(m=m, phi=PHI, D=256.0)), 16 / limit_rates(m=m, phi=PHI)[0]])
        turn = duplicates(times, m=m, phi=PHI, D=256.0).scaled_turn
        assert abs(turn[1] - turn[0]) == pytest.approx(expected, abs=2e-6)


@given(st.floats(0.05, 3.1))
def test_hessian_eigenvalues(phi):
    n = np.hypot(relu_kernel(phi), relu_kernel_slope(phi))
    expected = np.array([0.5 - n, 0.5, 0.5 + n])
    assert np.linalg.eigvalsh(hessian(phi)) == pytest.approx(expected, abs=1e-14)
    assert limit_rates(m=2, phi=phi) == pytest.approx(expected, abs=1e-14)
    assert n < 0.5
    # Uniform in m: the least rate lies between its values at m = 2 and at infinity, and grows with m.
    least = [limit_rates(m=m, phi=phi)[0] for m in (2, 4, 64, 4096)]
    assert np.all(np.diff(least) >= -1e-12) and least[-1] <= 0.5 - 2 * n**2 + 1e-12


def test_hessian_is_that_of_the_loss():
    h, H = 1e-4, hessian(PHI)

    def loss(x):
        q = 1 + x[0]
        return duplicates_loss(q, x[1] / q, x[2], PHI)

    for i, e in enumerate(np.eye(3)):
        for j, f in enumerate(np.eye(3)):
            along, across = loss(h * (e + f)) + loss(-h * (e + f)), loss(h * (e - f)) + loss(h * (f - e))
            difference = (along - across) / (4 * h**2)
            assert H[i, j] == pytest.approx(difference, abs=2e-4)


def test_rates_reference():
    assert limit_rates(m=2, phi=PHI)[0] == pytest.approx(0.0804134, abs=1e-7)
    for m, expected in ((2, 0.0804191), (4, 0.1179714), (8, 0.1340528), (32, 0.1447857)):
        end = duplicates([100.0], m=m, phi=PHI, D=32.0)
        assert decay_rate(m=m, chi=float(end.chi[0]), D=32.0) == pytest.approx(expected, abs=2e-7)
    assert decay_rate(m=4, chi=PHI, D=np.inf) == limit_rates(m=4, phi=PHI)[0]


@pytest.mark.parametrize(("m", "phi", "expected"),
                         [(2, PHI, 0.5063), (4, PHI, 0.3182), (8, np.pi / 2, 0.0851)])
def test_critical_imbalance_reference(m, phi, expected):
    critical = critical_imbalance(m=m, phi=phi, bracket=(0.5 * expected, 2 * expected))
    # A number of a finite time, stated to 2%.
    assert critical == pytest.approx(expected, rel=0.02)


def test_both_sides_of_the_critical_imbalance():
    shared, selected = (late_state(m=4, phi=PHI, D=D) for D in (0.2, 0.6))
    assert shared[2] > 0.1 and abs(shared[3]) < 0.05
    assert shared[0] + shared[2] == pytest.approx(1, abs=1e-3)
    assert selected[2] < 1e-4 and selected[3] > 0.3


@pytest.mark.parametrize("call", [
    lambda: selection_time(m=4, phi=PHI, D=32.0, within=0.0),
    lambda: selection_time(m=4, phi=PHI, D=32.0, until=0.0),
    lambda: coefficient_time(1.5, m=4, phi=PHI, D=32.0), lambda: hessian(0.0),
    lambda: limit_rates(m=1, phi=1.0),
    lambda: decay_rate(m=4, chi=1.0, D=-1.0), lambda: late_state(m=4, phi=PHI, D=np.inf),
    lambda: critical_imbalance(m=4, phi=PHI, bracket=(1.0, 2.0)),
])
def test_bad_input(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
