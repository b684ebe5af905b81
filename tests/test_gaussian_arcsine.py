"""The arcsine kernel and its entrywise derivative."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import erf

from featurelearning.gaussian import (
    arcsine_cross_kernel, arcsine_derivative, arcsine_diagonal, arcsine_kernel,
)


def covariance(seed, n=5):
    root = np.random.default_rng(seed).standard_normal((n, n + 1))
    return root @ root.T / n


@pytest.mark.parametrize("seed", [0, 1])
def test_kernel_is_the_gaussian_average(seed):
    G = covariance(seed, n=2)
    x, weight = hermegauss(80)
    L = np.linalg.cholesky(G)
    u = L[0, 0] * x[:, None] + 0 * x
    v = L[1, 0] * x[:, None] + L[1, 1] * x
    average = np.sum(weight[:, None] * weight * erf(u) * erf(v)) / (2 * np.pi)
    assert arcsine_kernel(G)[0, 1] == pytest.approx(average, abs=1e-6)


def numerical(A, G, h=1e-6):
    """Entrywise derivative by central differences; G is varied without keeping it symmetric."""
    def total(matrix):
        v = np.sqrt(1 + 2 * np.diagonal(matrix))
        return np.sum(A * (2 / np.pi) * np.arcsin(2 * matrix / np.outer(v, v)))

    D = np.empty_like(G)
    for index in np.ndindex(*G.shape):
        step = np.zeros_like(G)
        step[index] = h
        D[index] = (total(G + step) - total(G - step)) / (2 * h)
    return D


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_derivative_matches_finite_differences(seed):
    G = covariance(seed)
    A = covariance(seed + 1) - 1.0
    assert np.allclose(arcsine_derivative(A, G), numerical(A, G), atol=1e-7)


def test_wrong_diagonal_would_be_caught():
    G, A = covariance(3), covariance(4)
    v = 1 + 2 * np.diagonal(G)
    rho = 2 * G / np.sqrt(np.outer(v, v))
    off_diagonal_formula = (4 / np.pi) * A / np.sqrt(1 - rho**2) / np.sqrt(np.outer(v, v))
    assert np.abs(off_diagonal_formula - numerical(A, G)).max() > 1e-2


def test_batches_cross_kernel_and_diagonal_agree():
    G = np.array([covariance(5), covariance(6)])
    K = arcsine_kernel(G)
    assert np.array_equal(K[1], arcsine_kernel(G[1]))
    variance = np.diagonal(G[0])
    assert np.allclose(arcsine_cross_kernel(G[0][:2], variance[:2], variance), K[0][:2])
    assert np.allclose(arcsine_diagonal(variance), np.diagonal(K[0]))
    D = arcsine_derivative(G, G)
    assert np.allclose(D[1], arcsine_derivative(G[1], G[1]))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 100))
def test_kernel_is_positive_and_bounded(seed, scale):
    K = arcsine_kernel(scale * covariance(seed))
    assert np.abs(K).max() < 1
    assert np.linalg.eigvalsh(K)[0] > -1e-12


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="square"):
        arcsine_kernel(np.ones((2, 3)))
    with pytest.raises(ValueError, match="variances are >= 0"):
        arcsine_kernel(-np.eye(2))
    with pytest.raises(ValueError, match="must agree"):
        arcsine_derivative(np.eye(3), np.eye(2))
