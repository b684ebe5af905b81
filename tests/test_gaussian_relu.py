"""The ReLU kernel against high precision, its slopes against differences, its gradient against samples."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featurelearning.gaussian import (
    angle, relu_gradient, relu_kernel, relu_kernel_cosine_slope, relu_kernel_slope, relu_remainder,
)

# Near both ends, where the plain formulas cancel, across the switch to the series, and between.
ANGLES = [0.0, 1e-12, 1e-8, 1e-4, 1e-2, 0.3, 0.4999, 0.5, 0.5001, 1.0, np.pi / 2, 2.0, np.pi - 0.5001,
          np.pi - 0.4999, 3.0, np.pi - 1e-2, np.pi - 1e-4, np.pi - 1e-8, np.pi - 1e-12, np.pi]

FORMULAS = {
    relu_kernel: lambda t: (mpmath.sin(t) + (mpmath.pi - t) * mpmath.cos(t)) / (2 * mpmath.pi),
    relu_kernel_slope: lambda t: -(mpmath.pi - t) * mpmath.sin(t) / (2 * mpmath.pi),
    relu_kernel_cosine_slope: lambda t: (mpmath.pi - t) / (2 * mpmath.pi),
    relu_remainder: lambda t: (mpmath.sin(t) - t * mpmath.cos(t)) / (2 * mpmath.pi),
}


@pytest.mark.parametrize("function", FORMULAS, ids=lambda function: function.__name__)
def test_relative_accuracy_everywhere(function):
    values = function(ANGLES)
    with mpmath.workdps(60):
        for t, value in zip(ANGLES, values, strict=True):
            exact = FORMULAS[function](mpmath.mpf(t))
            assert abs(value - exact) <= 1e-12 * abs(exact), (t, value, exact)


def test_values_solved_by_hand():
    assert relu_kernel(0.0) == 0.5
    assert relu_kernel(np.pi / 2) == pytest.approx(1 / (2 * np.pi), rel=1e-15)
    assert relu_kernel_cosine_slope(0.0) == pytest.approx(0.5, rel=1e-15)
    assert relu_kernel(np.pi - 1e-5) == pytest.approx(1e-15 / (6 * np.pi), rel=1e-9)
    # Near 0 the third-order term is |t|^3/(6 pi): a kink in the second derivative.
    t = 1e-3
    assert relu_kernel(t) - 0.5 + t**2 / 4 == pytest.approx(t**3 / (6 * np.pi), rel=1e-2)


@given(st.floats(-50, 50))
def test_symmetry_and_period(t):
    assert relu_kernel(-t) == relu_kernel(t)
    assert relu_kernel_slope(-t) == -relu_kernel_slope(t)
    assert relu_kernel(t + 2 * np.pi) == pytest.approx(relu_kernel(t), abs=1e-14)
    assert relu_kernel(t) == pytest.approx(np.cos(t) / 2 + relu_remainder(t), abs=1e-14)
    assert 0 <= relu_kernel(t) <= 0.5 and 0 <= relu_remainder(t) <= 0.5


@given(st.floats(0.05, 3.09))
def test_slopes_are_derivatives(t):
    h = 1e-4
    difference = (relu_kernel(t + h) - relu_kernel(t - h)) / (2 * h)
    assert relu_kernel_slope(t) == pytest.approx(difference, abs=1e-8)
    assert -np.sin(t) * relu_kernel_cosine_slope(t) == pytest.approx(relu_kernel_slope(t), rel=1e-12)


def test_kernel_and_gradient_against_samples():
    rng = np.random.default_rng(3)
    w, u = np.array([0.5, -1.0, 0.3]), np.array([1.0, 0.4, 2.0])
    x = rng.normal(size=(400_000, 3))
    lengths = np.linalg.norm(w) * np.linalg.norm(u)
    products = np.maximum(x @ w, 0) * np.maximum(x @ u, 0)
    vectors = np.maximum(x @ u, 0)[:, None] * (x @ w > 0)[:, None] * x
    # Five standard errors on each of four numbers: false-positive rate below 3e-6.
    error = products.std() / np.sqrt(len(x))
    assert abs(products.mean() - lengths * relu_kernel(angle(w, u))) < 5 * error
    errors = vectors.std(axis=0) / np.sqrt(len(x))
    assert np.all(np.abs(vectors.mean(axis=0) - relu_gradient(w, u)) < 5 * errors)
    # Control: the gradient with the two vectors exchanged must be told apart.
    assert np.any(np.abs(vectors.mean(axis=0) - relu_gradient(u, w)) > 5 * errors)


@given(st.integers(0, 10_000))
def test_gradient_is_the_gradient_of_the_kernel(seed):
    w, u = np.random.default_rng(seed).normal(size=(2, 4))

    def average(vector):
        return np.linalg.norm(vector) * np.linalg.norm(u) * relu_kernel(angle(vector, u))

    h = 1e-6
    difference = [(average(w + h * e) - average(w - h * e)) / (2 * h) for e in np.eye(4)]
    assert relu_gradient(w, u) == pytest.approx(np.array(difference), abs=1e-7)
    assert w @ relu_gradient(w, u) == pytest.approx(average(w), rel=1e-12)


def test_gradient_broadcasts_and_takes_a_zero_second_vector():
    w, u = np.random.default_rng(1).normal(size=(2, 5, 3))
    table = relu_gradient(w[:, None], u[None])
    assert table.shape == (5, 5, 3)
    assert table[2, 4] == pytest.approx(relu_gradient(w[2], u[4]), rel=1e-15)
    assert np.all(relu_gradient(w[0], np.zeros(3)) == 0)


@pytest.mark.parametrize("t", [1e-9, 1e-3, 1.0, np.pi - 1e-3, np.pi - 1e-9])
def test_angle_keeps_its_digits_near_the_ends(t):
    s, s2 = np.array([3.0, 0.0]), 0.2 * np.array([np.cos(t), np.sin(t)])
    assert angle(s, s2) == pytest.approx(t, abs=3e-16)
    # The arccosine of the inner product is what would lose them.
    if t == 1e-9:
        assert np.arccos(np.cos(t)) == 0


@pytest.mark.parametrize("call", [
    lambda: relu_kernel(np.nan), lambda: relu_kernel_slope([0.1, np.inf]),
    lambda: relu_gradient(np.zeros(2), np.ones(2)),
    lambda: angle(np.zeros(2), np.ones(2)), lambda: angle(np.array([np.nan, 1]), np.ones(2)),
])
def test_bad_input(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
