"""Gradients on a finite sample: against a loop, finite differences, and the population."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featurelearning.gauge import (
    descend, duplicate_copies, duplicate_weights, empirical_gradients, empirical_gradients_reference,
    empirical_loss, network, population_gradients, trajectory_distance,
)

# Two-sided, for a standard normal statistic: 1e-6 in all for the largest of 12 of them.
Z_LIMIT = 5.35


def problem(seed, *, N=30, m=3, d=4):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((N, d)), rng.standard_normal(N), rng.standard_normal(m),
            rng.standard_normal((m, d)), rng.integers(1, 4, m).astype(float))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_gradients_agree_with_the_loop(seed):
    X, y, a, W, copies = problem(seed)
    for fast, slow in zip(empirical_gradients(X, y, a, W, copies),
                          empirical_gradients_reference(X, y, a, W, copies), strict=True):
        assert np.allclose(fast, slow, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_gradients_are_those_of_the_loss(seed):
    X, y, a, W, copies = problem(seed)
    grad_a, grad_W = empirical_gradients(X, y, a, W, copies)
    rng, step = np.random.default_rng(seed), 1e-6
    da, dW = rng.standard_normal(a.shape), rng.standard_normal(W.shape)
    slope = (empirical_loss(X, y, a + step * da, W + step * dW, copies)
             - empirical_loss(X, y, a - step * da, W - step * dW, copies)) / (2 * step)
    assert slope == pytest.approx(np.sum(copies * grad_a * da) + np.sum(copies[:, None] * grad_W * dW),
                                  abs=1e-6)


def test_the_slope_of_relu_at_zero_is_zero():
    X, W = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    grad_a, grad_W = empirical_gradients(X, np.array([5.0]), np.array([1.0]), W)
    assert np.all(grad_a == 0)
    assert np.all(grad_W == 0)


def gradient_z_scores(expected, X, y, a, W):
    """Standardised differences of the sample's mean gradients and expected ones, per component."""
    each = [np.concatenate([part.ravel() for part in empirical_gradients(X[n:n + 1], y[n:n + 1], a, W)])
            for n in range(len(y))]
    error = np.std(each, axis=0) / np.sqrt(len(y))
    return (np.mean(each, axis=0) - np.concatenate([part.ravel() for part in expected])) / error


def test_gradients_average_to_the_population_ones():
    _, _, a, W, _ = problem(7, m=3, d=3)
    U, c = np.eye(1, 3), np.ones(1)
    X = np.random.default_rng(8).standard_normal((20_000, 3))
    y = np.maximum(X @ U[0], 0)
    right = population_gradients(a, W, U, c)
    assert np.max(np.abs(gradient_z_scores(right, X, y, a, W))) < Z_LIMIT
    # A control: the gradients of a teacher 20% stronger must be told apart.
    wrong = population_gradients(a, W, U, 1.2 * c)
    assert np.max(np.abs(gradient_z_scores(wrong, X, y, a, W))) > Z_LIMIT


def test_copies_stand_for_units_along_descent():
    m, D, d = 6, 32.0, 5
    X = np.random.default_rng(1).standard_normal((500, d))
    y = np.maximum(X[:, 0], 0)
    start = {"phi": np.pi / 3, "D": D, "plane": np.eye(2, d), "q": 1 / m}
    copies = duplicate_copies(m)
    every = descend(lambda a, W: empirical_gradients(X, y, a, W), *duplicate_weights(**start, units=m),
                    eta=0.1 / D, steps=100)
    pair = descend(lambda a, W: empirical_gradients(X, y, a, W, copies), *duplicate_weights(**start, units=2),
                   eta=0.1 / D, steps=100)
    first_two = type(every)(every.t, every.a[:, :2], every.W[:, :2])
    assert trajectory_distance(first_two, pair, copies) < 1e-12


def test_network_is_a_sum_of_rectified_units():
    X, _, a, W, copies = problem(2, N=4)
    slow = [sum(n * b * max(w @ x, 0) for n, b, w in zip(copies, a, W, strict=True)) for x in X]
    assert np.allclose(network(X, a, W, copies), slow, rtol=0, atol=1e-13)
