"""One student: times, paths and limits at both signs of the imbalance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featurelearning.gauge import (
    alignment_path, alignment_time, decayed_alignment_time, direction_rate, fast_alignment_time, nullcline,
    path_curvature, single_flow, single_velocity, slow_alignment_integral, velocity_determinant,
)
from featurelearning.gaussian import relu_kernel

PHI, STOP = np.pi / 3, 0.1
CASE = {"theta0": PHI, "stop": STOP}


def test_reference_integrals():
    assert slow_alignment_integral(**CASE) == pytest.approx(6.5222140, abs=1e-7)
    assert fast_alignment_time(q0=0.5, **CASE) == pytest.approx(3.9197742, abs=1e-7)
    wide = {"theta0": 2 * np.pi / 3, "stop": STOP}
    ratio = slow_alignment_integral(**wide) / fast_alignment_time(q0=0.5, **wide)
    assert ratio == pytest.approx(4.83436, abs=1e-5)


def test_times_approach_their_limits():
    slow, fast = slow_alignment_integral(**CASE), fast_alignment_time(q0=0.5, **CASE)
    errors = np.array([[D * alignment_time(D, q0=0.5, **CASE) / fast - 1,
                        alignment_time(-D, q0=0.5, **CASE) / (D * slow) - 1] for D in (32.0, 64.0, 128.0)])
    # Second order in 1/D: doubling D quarters the error.
    assert np.abs(errors[:-1] / errors[1:]) == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("delta", [4.0, -4.0, 0.3, 0.0])
def test_the_angle_as_clock_agrees_with_the_flow_in_time(delta):
    path = alignment_path(np.linspace(PHI, STOP, 9), q0=0.5, delta=delta)
    q, theta = single_flow(path.t, q0=0.5, theta0=PHI, delta=delta)
    assert q == pytest.approx(path.q, abs=1e-8)
    assert theta == pytest.approx(path.theta, abs=1e-8)
    assert alignment_time(delta, q0=0.5, **CASE) == pytest.approx(path.t[-1], rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(q0=st.floats(0.05, 2), theta0=st.floats(0.1, 3.0), delta=st.floats(-20, 20))
def test_invariants_of_the_flow(q0, theta0, delta):
    t = np.linspace(0, 20 / (1 + abs(delta)), 15)
    q, theta = single_flow(t, q0=q0, theta0=theta0, delta=delta)
    loss = (1 + q**2 - 4 * q * relu_kernel(theta)) / 4
    assert np.all(np.diff(loss) <= 1e-14)
    assert np.all(np.diff(np.cos(theta)) >= -1e-14)
    assert np.all(q >= min(q0, 2 * relu_kernel(theta0)) - 1e-12)
    assert np.all(q <= max(q0, 1) + 1e-12)


def test_reference_paths():
    D = np.array([4.0, 16.0, 64.0])
    assert velocity_determinant(0.5, PHI, D) == pytest.approx(np.array([-0.970, -0.993, -0.994]), abs=1e-3)
    assert np.all(velocity_determinant(nullcline(PHI), PHI, D) == 0)
    curvature = path_curvature(PHI, np.array([4.0, -4.0]))
    assert curvature == pytest.approx(np.array([0.830, 37.45]), rel=1e-3)
    on = nullcline(PHI)
    ratio = curvature[1] / curvature[0]
    assert ratio == pytest.approx(direction_rate(on, 4) / direction_rate(on, -4), rel=1e-12)
    assert ratio == pytest.approx(45.1, abs=0.05)


def test_coefficient_velocity_ignores_the_sign_of_the_gauge():
    dq_plus, dtheta_plus = single_velocity(0.5, PHI, 8.0)
    dq_minus, dtheta_minus = single_velocity(0.5, PHI, -8.0)
    assert dq_plus == dq_minus
    assert dtheta_plus < dtheta_minus < 0


@pytest.mark.parametrize(("product", "D", "expected"),
                         [(0.01, 512, 0.93995), (0.1, 512, 0.64000), (1.0, 512, 0.2026)])
def test_weight_decay_reference(product, D, expected):
    slow = D * slow_alignment_integral(**CASE)
    time = alignment_time(-D, q0=0.5, weight_decay=product / D, **CASE)
    assert time / slow == pytest.approx(expected, abs=1e-4)
    assert decayed_alignment_time(slow, product / D) == pytest.approx(time, rel=1e-3)


def test_weight_decay_law_by_hand():
    # At lambda D I = 1/2 the time is ln 2 in units of D I; without decay it is D I.
    assert decayed_alignment_time(10.0, 0.05) == pytest.approx(10 * np.log(2), rel=1e-15)
    assert decayed_alignment_time(10.0, 0.0) == 10.0


def test_weight_decay_against_the_weights_themselves():
    # Euler steps of (a, w) in the plane, a slow and obvious reference.
    decay, dt, q0, delta = 0.05, 1e-4, 0.5, -2.0
    a, r = np.sqrt((np.hypot(delta, 1) + delta) / 2), np.sqrt((np.hypot(delta, 1) - delta) / 2)
    w, time = r * np.array([np.cos(PHI), np.sin(PHI)]), 0.0
    while np.arctan2(w[1], w[0]) > 0.5:
        length, theta = np.hypot(*w), np.arctan2(w[1], w[0])
        s, turn = w / length, np.array([-w[1], w[0]]) / length
        radial = relu_kernel(theta) - a * length / 2
        across = -(np.pi - theta) * np.sin(theta) / (2 * np.pi)
        a, w = (a + dt * (length * radial - decay * a),
                w + dt * (a * (radial * s + across * turn) - decay * w))
        time += dt
    measured = alignment_time(delta, q0=q0, theta0=PHI, stop=0.5, weight_decay=decay)
    assert measured == pytest.approx(time, rel=1e-3)


@pytest.mark.parametrize("call", [
    lambda: alignment_time(4, q0=0.5, theta0=0.1, stop=0.2), lambda: alignment_time(4, q0=0.0, **CASE),
    lambda: alignment_time(4, q0=0.5, weight_decay=-1, **CASE),
    lambda: alignment_path([0.1, 0.2], q0=1, delta=1),
    lambda: slow_alignment_integral(theta0=4, stop=0.1), lambda: fast_alignment_time(q0=-1, **CASE),
    lambda: single_flow([1, 0], q0=1, theta0=1, delta=1),
    lambda: single_flow([0, 1], q0=1, theta0=4, delta=1),
    lambda: decayed_alignment_time(-1, 0),
])
def test_bad_input(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
