"""Scaled coordinates, units in the plane, d dimensions, node rescaling: routes that must agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featurelearning.gauge import (
    coefficient_direction_velocity, coefficient_rate, direction_velocities, duplicates, loss_gradients,
    network_output, population_gradients, rescale_node, scaled_flow, scaled_start, scaled_velocity,
    single_flow, to_weights, units_flow, units_function, velocity_from_weights,
)
from featurelearning.gauge.integrate import landing

PHI = np.pi / 3


def at(angle):
    return np.array([np.cos(angle), np.sin(angle), 0.0])


@pytest.mark.parametrize(("m", "D"), [(2, 4.0), (5, 32.0)])
def test_scaled_flow_is_the_flow_of_duplicates(m, D):
    tau = np.array([0.0, 1.0, 5.0, 12.0])
    start = scaled_start(q=1 / m, s=at(PHI), p=1 / m, s_redundant=at(PHI), D=D)
    path = scaled_flow(tau, start, m=m, D=D, teacher=at(0.0))
    reduced = duplicates(tau, m=m, phi=PHI, D=D)
    contribution = path.b[:, None] * path.z
    assert contribution[:, 0] == pytest.approx(reduced.q * np.cos(reduced.theta), abs=1e-10)
    assert contribution[:, 1] == pytest.approx(reduced.q * np.sin(reduced.theta), abs=1e-10)
    assert (m - 1) * path.p * np.linalg.norm(path.v, axis=-1) == pytest.approx(reduced.P, abs=1e-10)
    selected, redundant = path.imbalances(D)
    assert selected == pytest.approx(D, abs=1e-10 * D)
    assert redundant == pytest.approx(-D, abs=1e-10 * D)


def test_scaled_flow_passes_through_zero():
    # A redundant coefficient that starts negative grows through zero; the direction does not notice.
    m, D, tau = 3, 8.0, np.linspace(0, 4, 41)
    start = scaled_start(q=0.4, s=at(0.5), p=-0.05, s_redundant=at(1.0), D=D)
    path = scaled_flow(tau, start, m=m, D=D, teacher=at(0.0))
    assert path.p[0] < 0 < path.p.max()
    q, theta = units_flow(tau / D, q=[0.4, -0.05, -0.05], theta=[0.5, 1.0, 1.0], delta=[D, -D, -D])
    assert path.p * np.linalg.norm(path.v, axis=-1) == pytest.approx(q[:, 1], abs=1e-9)
    assert np.arctan2(path.v[:, 1], path.v[:, 0]) == pytest.approx(theta[:, 1], abs=1e-9)
    zero = scaled_start(q=0.4, s=at(0.5), p=0.0, s_redundant=at(1.0), D=D)
    assert zero.p == 0 and np.all(np.isfinite(scaled_velocity(zero, m=m, D=D, teacher=at(0.0)).v))


def test_one_euler_step_is_one_step_of_gradient_descent():
    m, D, h, teacher = 4, 16.0, 0.1, at(0.0)
    state = scaled_start(q=0.3, s=at(0.9), p=0.2, s_redundant=at(1.1), D=D)
    velocity = scaled_velocity(state, m=m, D=D, teacher=teacher)
    a = np.array([np.sqrt(D) * state.b] + [state.p / np.sqrt(D)] * (m - 1))
    W = np.stack([state.z / np.sqrt(D)] + [np.sqrt(D) * state.v] * (m - 1))
    grad_a, grad_W = population_gradients(a, W, teacher[None], np.ones(1))
    a, W = a - h / D * grad_a, W - h / D * grad_W
    assert a[0] / np.sqrt(D) == pytest.approx(state.b + h * velocity.b, abs=1e-14)
    assert W[0] * np.sqrt(D) == pytest.approx(state.z + h * velocity.z, abs=1e-14)
    assert a[1] * np.sqrt(D) == pytest.approx(state.p + h * velocity.p, abs=1e-14)
    assert W[1] / np.sqrt(D) == pytest.approx(state.v + h * velocity.v, abs=1e-14)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([0.5, 32.0, 1000.0]))
def test_velocity_in_coordinates_is_that_of_the_weights(seed, D):
    rng = np.random.default_rng(seed)
    s, U = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (rng.normal(size=(5, 6)),
                                                                    rng.normal(size=(2, 6))))
    q, c, delta = rng.uniform(0.1, 1, 5) * rng.choice([-1, 1],
                                                      5), rng.normal(size=2), D * rng.choice([-1.0, 1.0], 5)
    a, W = to_weights(q, s, delta)
    grad_a, grad_W = population_gradients(a, W, U, c)
    dq, ds = velocity_from_weights(a, W, -grad_a, -grad_W)
    expected_q, expected_s = coefficient_direction_velocity(q, s, delta, U, c)
    assert dq == pytest.approx(expected_q, abs=1e-12 * np.max(np.abs(expected_q)))
    assert ds == pytest.approx(expected_s, abs=1e-12 * np.max(np.abs(expected_s)))
    # The gauge's sign is invisible in the coefficients' velocities.
    assert coefficient_direction_velocity(q, s, -delta, U, c)[0] == pytest.approx(expected_q, rel=1e-12)
    assert 2 * a * grad_a == pytest.approx(2 * np.sum(W * grad_W, axis=-1),
                                           abs=1e-11 * np.max(np.abs(a * grad_a)))


@pytest.mark.parametrize("delta", [3.0, 1e-3, -2.0])
def test_equal_duplicates_are_one_student(delta):
    m, t = 5, np.array([0.3, 1.0, 3.0])
    q, theta = units_flow(t, q=np.full(m, 1 / m), theta=np.full(m, PHI), delta=np.full(m, delta))
    single_q, single_theta = single_flow(t, q0=1.0, theta0=PHI, delta=m * delta)
    assert q.sum(axis=1) == pytest.approx(single_q, abs=1e-10)
    assert theta[:, 0] == pytest.approx(single_theta, abs=1e-10)
    assert np.ptp(q, axis=1).max() < 1e-13


def test_the_function_does_not_see_the_gauge():
    x = np.random.default_rng(0).normal(size=(50, 2))
    q, theta = np.array([0.3, -0.2, 0.7]), np.array([0.1, 1.0, -2.0])
    functions = [units_function(x, q=q, theta=theta, delta=np.array(delta)) for delta in ([1, 1, 1],
                                                                                          [-50, 9, 0.1])]
    assert functions[0] == pytest.approx(functions[1], abs=1e-14)
    assert np.all(coefficient_rate(q, [1, 1, 1]) != coefficient_rate(q, [-50, 9, 0.1]))


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_gradients_and_rescaling_of_a_deep_network(loss):
    rng = np.random.default_rng(4)
    weights = [rng.normal(size=shape) for shape in ((5, 4), (6, 5), (2, 6))]
    x = rng.normal(size=(20, 4))
    y = rng.normal(size=(20, 2)) if loss == "squared" else rng.choice([-1.0, 1.0], size=(20, 2))

    def value(W):
        f = network_output(W, x)
        return np.mean(np.sum((f - y) ** 2 / 2 if loss == "squared" else np.log1p(np.exp(-y * f)), axis=1))

    gradients, h = loss_gradients(weights, x, y, loss), 1e-6
    for layer, (i, j) in ((0, (2, 1)), (1, (3, 4)), (2, (1, 5))):
        up, down = ([W.copy() for W in weights] for _ in range(2))
        up[layer][i, j] += h
        down[layer][i, j] -= h
        assert gradients[layer][i, j] == pytest.approx((value(up) - value(down)) / (2 * h), rel=1e-5,
                                                       abs=1e-8)
    for rho in (3.0, 10.0):
        scaled = rescale_node(weights, 1, 3, rho)
        assert network_output(scaled, x) == pytest.approx(network_output(weights, x), abs=1e-12)
        before = direction_velocities(weights, gradients, 1, 3)
        after = direction_velocities(scaled, loss_gradients(scaled, x, y, loss), 1, 3)
        assert after[0] == pytest.approx(rho**2 * before[0], rel=1e-9)
        assert after[1] == pytest.approx(before[1] / rho**2, rel=1e-9)


def test_landing_reaches_every_time_at_full_accuracy():
    times = np.array([0.0, 0.1, 0.1001, 7.0, 20.0])
    y = landing(lambda _, y: np.array([y[1], -y[0]]), np.array([0.0, 1.0]), times)
    assert y[:, 0] == pytest.approx(np.sin(times), abs=1e-12)


@pytest.mark.parametrize("call", [
    lambda: scaled_start(q=0.0, s=at(0), p=0.1, s_redundant=at(1), D=8.0),
    lambda: scaled_start(q=0.1, s=2 * at(0), p=0.1, s_redundant=at(1), D=8.0),
    lambda: scaled_start(q=0.1, s=at(0), p=0.1, s_redundant=at(1), D=np.inf),
    lambda: units_flow([1.0], q=[1.0, 2.0], theta=[1.0], delta=[1.0]),
    lambda: rescale_node([np.ones((2, 2))] * 2, 1, 0, 2.0),
    lambda: rescale_node([np.ones((2, 2))] * 2, 0, 0, 0.0),
    lambda: loss_gradients([np.ones((2, 2))] * 2, np.ones((1, 2)), np.ones((1, 2)), "hinge"),
    lambda: velocity_from_weights(np.ones(1), np.zeros((1, 2)), np.ones(1), np.ones((1, 2))),
])
def test_bad_input(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
