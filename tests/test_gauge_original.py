"""Weights under gradient flow on the population: gradients, loss, conservation, the reduced flow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featurelearning.gauge import (
    duplicate_copies, duplicate_weights, duplicates, from_weights, network, population_flow,
    population_gradients, population_loss, to_weights,
)
from featurelearning.gaussian import relu_gradient

# Two-sided false-positive rate 1e-6 for a standard normal statistic.
Z_LIMIT = 4.89


def random_network(seed, *, m=3, d=4, n=2):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(m), rng.standard_normal((m, d)), rng.standard_normal((n, d)),
            rng.standard_normal(n), rng.integers(1, 4, m).astype(float))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 5), st.integers(1, 3))
def test_gradients_are_those_of_the_loss(seed, m, d, n):
    a, W, U, c, copies = random_network(seed, m=m, d=d, n=n)
    grad_a, grad_W = population_gradients(a, W, U, c, copies)
    step = 1e-6
    for j in range(m):
        da = step * np.eye(m)[j]
        slope = (population_loss(a + da, W, U, c, copies) - population_loss(a - da, W, U, c,
                                                                            copies)) / (2 * step)
        # The loss counts every copy; the gradient is that of one.
        assert slope == pytest.approx(copies[j] * grad_a[j], abs=1e-6 * (1 + abs(slope)))
        for k in range(d):
            dW = np.zeros_like(W)
            dW[j, k] = step
            slope = (population_loss(a, W + dW, U, c, copies) - population_loss(a, W - dW, U, c,
                                                                                copies)) / (2 * step)
            assert slope == pytest.approx(copies[j] * grad_W[j, k], abs=1e-6 * (1 + abs(slope)))


def test_gradients_are_sums_of_gradient_vectors():
    a, W, U, c, copies = random_network(1)
    R = np.array([sum(n * b * relu_gradient(w, v) for n, b, v in zip(copies, a, W, strict=True))
                  - sum(b * relu_gradient(w, u) for b, u in zip(c, U, strict=True)) for w in W])
    grad_a, grad_W = population_gradients(a, W, U, c, copies)
    assert np.allclose(grad_a, np.sum(W * R, axis=1), rtol=0, atol=1e-13)
    assert np.allclose(grad_W, a[:, None] * R, rtol=0, atol=1e-13)


def loss_z_score(claimed, a, W, U, c, *, samples=200_000, seed=5):
    X = np.random.default_rng(seed).standard_normal((samples, W.shape[1]))
    values = (network(X, a, W) - network(X, c, U)) ** 2 / 2
    return (np.mean(values) - claimed) / (np.std(values) / np.sqrt(samples))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_loss_is_the_average_over_inputs(seed):
    a, W, U, c, _ = random_network(seed)
    assert abs(loss_z_score(population_loss(a, W, U, c), a, W, U, c)) < Z_LIMIT


def test_a_loss_wrong_by_three_percent_is_noticed():
    a, W, U, c, _ = random_network(0)
    assert abs(loss_z_score(1.03 * population_loss(a, W, U, c), a, W, U, c)) > Z_LIMIT


@given(st.integers(0, 2**32 - 1), st.floats(-3, 3))
def test_rescaling_nodes_changes_neither_function_nor_loss(seed, log_rho):
    a, W, U, c, _ = random_network(seed)
    rho = np.exp(log_rho * np.array([1, 0, -0.5]))
    X = np.random.default_rng(seed).standard_normal((20, W.shape[1]))
    assert np.allclose(network(X, a * rho, W / rho[:, None]), network(X, a, W), rtol=1e-12, atol=1e-12)
    assert population_loss(a * rho, W / rho[:, None], U, c) == pytest.approx(population_loss(a, W, U, c),
                                                                             rel=1e-11)


@given(st.floats(0.01, 3), st.floats(-300, 300), st.booleans())
def test_weights_and_coefficients_invert_each_other(q, delta, negative):
    q = -q if negative else q
    s = np.array([[0.6, 0.8, 0.0]])
    again_q, again_s, again_delta = from_weights(*to_weights([q], s, [delta]))
    assert again_q[0] == pytest.approx(q, rel=1e-13)
    assert np.allclose(again_s, s, atol=1e-14)
    assert again_delta[0] == pytest.approx(delta, rel=1e-12, abs=1e-12)


def test_flow_conserves_imbalances_and_lowers_the_loss():
    a, W, U, c, _ = random_network(3, m=4, d=5)
    path = population_flow(np.linspace(0, 5, 26), a, W, U, c)
    assert np.max(np.abs(path.delta - path.delta[0])) < 1e-11
    assert np.all(np.diff(population_loss(path.a, path.W, U, c)) < 0)


def test_a_batch_is_its_members():
    networks = [random_network(seed) for seed in (0, 1)]
    U, c = networks[0][2:4]
    batch = population_gradients(np.stack([n[0] for n in networks]), np.stack([n[1] for n in networks]), U, c)
    for index, (a, W, *_) in enumerate(networks):
        for together, alone in zip(batch, population_gradients(a, W, U, c), strict=True):
            assert np.allclose(together[index], alone, rtol=0, atol=1e-14)


@pytest.mark.parametrize("D", [4.0, 32.0, 256.0])
@pytest.mark.parametrize("m", [2, 4, 8, 16, 32])
def test_weights_follow_the_reduced_flow(m, D):
    phi, tau = np.pi / 3, np.linspace(0, 12, 13)
    plane = np.linalg.qr(np.random.default_rng(m).standard_normal((5, 2)))[0].T
    U, c = plane[:1], np.ones(1)
    path = population_flow(tau / D, *duplicate_weights(phi=phi, D=D, plane=plane, q=1 / m, units=m), U, c)
    flow = duplicates(tau, m=m, phi=phi, D=D)
    angles = np.arctan2(path.W @ plane[1], path.W @ plane[0])
    assert np.max(np.abs(path.q[:, 0] - flow.q)) < 1e-8
    assert np.max(np.abs(path.q[:, 1:].sum(axis=1) - flow.P)) < 1e-8
    assert np.max(np.abs(angles[:, 0] - flow.theta)) < 1e-8
    assert np.max(np.abs(angles[:, 1:] - flow.chi[:, None])) < 1e-8
    assert np.max(np.abs(population_loss(path.a, path.W, U, c) - flow.loss)) < 1e-8


def test_copies_stand_for_units():
    m, D, plane = 6, 16.0, np.eye(2, 3)
    U, c = plane[:1], np.ones(1)
    start = {"phi": 1.0, "D": D, "plane": plane, "q": 1 / m}
    every = population_gradients(*duplicate_weights(**start, units=m), U, c)
    pair = population_gradients(*duplicate_weights(**start, units=2), U, c, duplicate_copies(m))
    for full, short in zip(every, pair, strict=True):
        assert np.allclose(full[:2], short, rtol=0, atol=1e-14)
        assert np.allclose(full[2:], full[1], rtol=0, atol=1e-15)


def test_bad_input_is_explained():
    a, W, U, c, _ = random_network(0)
    with pytest.raises(ValueError, match="shapes"):
        population_loss(a[:2], W, U, c)
    with pytest.raises(ValueError, match="zero"):
        population_gradients(a, 0 * W, U, c)
    with pytest.raises(ValueError, match="unit vectors"):
        to_weights([1.0], [[1.0, 1.0]], [0.0])
    with pytest.raises(ValueError, match="non-zero"):
        from_weights([1.0], [[0.0, 0.0]])
    with pytest.raises(ValueError, match="0 < phi < pi"):
        duplicate_weights(phi=4.0, D=1.0, plane=np.eye(2), q=0.5, units=2)
