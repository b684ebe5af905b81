"""Solvers that the equations of state share, the cubic, and GP regression."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featurelearning.separation import (
    CNN, anderson_mix, cnn_pull, condition, cubic_eigenvalue, cubic_roots, damped_iteration,
    minimise_covariance, predict, relative_distance, solve_cnn, teacher_data,
)


def test_anderson_solves_an_affine_problem_in_as_many_steps_as_dimensions():
    rng = np.random.default_rng(0)
    A, b = 0.9 * np.linalg.qr(rng.standard_normal((3, 3)))[0], rng.standard_normal(3)
    points, steps = [np.zeros(3)], []
    for _ in range(5):
        steps.append(A @ points[-1] + b - points[-1])
        points.append(anderson_mix(points, steps))
    assert np.allclose(points[-1], np.linalg.solve(np.eye(3) - A, b), atol=1e-8)


def test_both_solvers_find_a_known_covariance():
    """With a constant pull G the stationary covariance is the inverse of 1 - G."""
    pull = np.diag([0.5, -0.3, 0.0]) + 0.1
    expected = np.linalg.inv(np.eye(3) - pull)
    found = minimise_covariance(lambda covariance: (-0.5 * np.sum(pull * covariance), pull), np.eye(3))
    assert np.allclose(found, expected, atol=1e-6)
    end = damped_iteration(lambda covariance: pull, np.eye(3), eta=0.5)
    assert np.allclose(end.covariance, expected, atol=1e-10)
    assert end.residual < 1e-12


@pytest.mark.parametrize("eta, settles", [(0.3, True), (0.1, True), (0.5, False), (1.0, False)])
def test_plain_iteration_cycles_and_damped_iteration_settles(eta, settles):
    data = teacher_data("linear", n=50, P=8, S=10)
    model = CNN(data, "linear", 0.05)
    end = damped_iteration(lambda S: cnn_pull(model, 10, S), np.eye(10), eta=eta, tolerance=1e-10, steps=400)
    if settles:
        assert data.w @ end.covariance @ data.w == pytest.approx(2.47171, abs=1e-5)
        assert len(end.residuals) == pytest.approx({0.3: 102, 0.1: 324}[eta], abs=2)
    else:
        assert end.residuals[-50:].min() > 0.1


def test_bad_damping_is_refused():
    with pytest.raises(ValueError, match="eta = 0"):
        damped_iteration(lambda S: S, np.eye(2), eta=0)


def test_cubic_against_the_matrix_equation():
    cubic = cubic_eigenvalue(P=8, S=10, C=10, tau=0.05 / 200)
    matrix = solve_cnn(teacher_data("linear", n=200, P=8, S=10), C=10, activation="linear", sigma2=0.05)
    assert cubic == pytest.approx(2.91375, abs=1e-5)
    assert matrix.teacher_eigenvalue == pytest.approx(2.90520, abs=1e-5)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 20), st.integers(1, 40), st.floats(1, 100), st.floats(1e-5, 1), st.floats(1, 1000))
def test_one_root_for_wide_networks_and_it_solves_the_equation(P, S, ratio, tau, chi):
    C = ratio * P
    roots = cubic_roots(P=P, S=S, C=C, tau=tau, chi=chi)
    assert len(roots) == 1
    lam, k = roots[0] / S, 1 / (chi * P)
    spread = k * lam + tau
    terms = np.array([1 / lam, -S, k / C / spread**2, -k / C * P / spread])
    assert abs(terms.sum()) < 1e-6 * np.abs(terms).sum()


def test_cubic_refuses_what_it_cannot_answer():
    with pytest.raises(ValueError, match="tau = 0"):
        cubic_roots(P=8, S=10, C=10, tau=0)


def test_regression_against_the_slow_formulas():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((9, 12))
    K_all, y, sigma2 = root @ root.T, rng.standard_normal(6), 0.3
    K, cross = K_all[:6, :6], K_all[6:, :6]
    inverse = np.linalg.inv(K + sigma2 * np.eye(6))
    posterior = condition(K, y, sigma2)
    seen = predict(K, posterior, sigma2, y, cross, np.diagonal(K_all)[6:])
    assert np.allclose(seen.test, cross @ inverse @ y)
    assert np.allclose(seen.train, K @ inverse @ y)
    assert np.allclose(seen.variance, np.diagonal(K_all[6:, 6:] - cross @ inverse @ cross.T))
    assert seen.train_variance == pytest.approx(np.trace(K - K @ inverse @ K) / 6)
    _, log_det = np.linalg.slogdet(K + sigma2 * np.eye(6))
    assert posterior.energy == pytest.approx(0.5 * y @ inverse @ y + 0.5 * log_det)
    assert relative_distance(2 * K, K) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="sigma2 = 0"):
        condition(K, y, 0)
