"""Equations of state of the two-layer network."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.separation import (
    CNN, ConvergenceError, adaptation_slope, cnn_free_energy, cnn_kernel, condition, kernel_gradient,
    solve_cnn, teacher_data,
)

LINEAR = teacher_data("linear", n=50, P=8, S=10)
ERF = teacher_data("erf", n=50, P=8, S=10)
TASKS = {"linear": LINEAR, "erf": ERF}

# activation, chi, C, lambda, test error, alpha; five digits to 1e-5, the others to 1e-3.
TABLE = [
    ("linear", 1, 30, 1.61698, 0.19000, 0.96235, 1e-5),
    ("linear", 30, 100, 2.37585, 0.44650, None, 1e-5),
    ("erf", 1, 30, 1.86664, 0.36026, 0.92976, 1e-5),
    ("erf", 30, 100, 1.78477, 0.76221, None, 1e-5),
    ("linear", 1, 300, 1.0741, 0.3403, 0.9511, 1e-3),
    ("linear", 1, 10, 2.4717, 0.0714, 0.9713, 1e-3),
    ("linear", 30, 30, 5.4213, 0.2280, 0.7338, 1e-3),
    ("erf", 1, 10, 3.1437, 0.2154, 0.9467, 1e-3),
    ("erf", 30, 30, 3.9833, 0.6023, 0.4444, 1e-3),
    ("linear", 1, np.inf, 1, 0.36995, 0.94881, 1e-5),
    ("erf", 30, np.inf, 1, 0.86178, 0.28854, 1e-5),
]


@pytest.mark.parametrize("activation, chi, C, lam, test, alpha, tolerance", TABLE)
def test_reference_values(activation, chi, C, lam, test, alpha, tolerance):
    solution = solve_cnn(TASKS[activation], C=C, activation=activation, sigma2=0.05, chi=chi)
    assert solution.residual < 1e-10
    assert solution.teacher_eigenvalue == pytest.approx(lam, abs=tolerance)
    assert solution.test_mse == pytest.approx(test, abs=tolerance)
    if alpha is not None:
        assert solution.alpha == pytest.approx(alpha, abs=tolerance)


@pytest.mark.parametrize("activation, slope", [("linear", 22.858862), ("erf", 31.130570)])
def test_first_order_adaptation(activation, slope):
    assert adaptation_slope(TASKS[activation], activation=activation, sigma2=0.05) == pytest.approx(slope,
                                                                                                    abs=1e-6)


@pytest.mark.parametrize("kind, values", [
    ("linear", [19.054, 27.493, 52.309, 69.936]), ("erf", [34.244, 50.669, 96.745, 161.735]),
])
def test_emergent_scale(kind, values):
    for n, value in zip((16, 32, 64, 128), values):
        data = teacher_data(kind, n=n, P=8, S=10)
        solution = solve_cnn(data, C=np.inf, activation=kind, sigma2=0.05)
        assert solution.emergent_scale == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("C, linear, erf",
                         [(30, 5.4213, 3.9833), (100, 5.4878, 3.9954), (10000, 5.5160, 4.0005)])
def test_mean_field_scaling_adapts_at_any_width(C, linear, erf):
    for activation, value in (("linear", linear), ("erf", erf)):
        solution = solve_cnn(TASKS[activation], C=C, activation=activation, sigma2=1.5 / C, chi=C)
        assert solution.teacher_eigenvalue == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("activation", ["linear", "erf"])
def test_gradients_match_finite_differences(activation):
    data = teacher_data(activation, n=12, P=3, S=4)
    model = CNN(data, activation, 0.1, 3.0, 1.2, 0.8)
    root = np.random.default_rng(0).standard_normal((4, 6))
    Sigma = model.S0 * root @ root.T / 6
    A = condition(cnn_kernel(model, Sigma), data.y, 0.1).pull
    h = 1e-6
    _, gradient = cnn_free_energy(model, 7.0, Sigma)
    B = kernel_gradient(model, A, Sigma)
    for i, j in [(0, 0), (1, 3), (2, 2)]:
        step = np.zeros((4, 4))
        step[i, j] = step[j, i] = h
        size = np.sum(step != 0)
        up, down = (cnn_free_energy(model, 7.0, Sigma + s * step)[0] for s in (1, -1))
        assert (up - down) / (2 * h) == pytest.approx(size * gradient[i, j], rel=1e-7, abs=1e-7)
        up, down = (np.sum(A * cnn_kernel(model, Sigma + s * step)) for s in (1, -1))
        assert (up - down) / (2 * h) == pytest.approx(size * B[i, j], rel=1e-6)


def test_without_the_task_filters_shrink():
    model = CNN(LINEAR, "linear", 0.05)
    Sigma0 = model.S0 * np.eye(10)
    inverse = condition(cnn_kernel(model, Sigma0), LINEAR.y, 0.05).inverse
    assert np.linalg.eigvalsh(kernel_gradient(model, -inverse, Sigma0))[-1] < 0


def test_the_solution_minimises_the_free_energy():
    solution = solve_cnn(ERF, C=30, activation="erf", sigma2=0.05)
    model, rng = CNN(ERF, "erf", 0.05), np.random.default_rng(1)
    Sigma = model.S0 * solution.covariance
    for _ in range(5):
        kick = rng.standard_normal((10, 10))
        moved = Sigma + 0.01 * model.S0 * (kick + kick.T)
        assert cnn_free_energy(model, 30, moved)[0] > solution.free_energy


def test_an_aligned_start_finds_the_same_solution():
    data = teacher_data("he3", n=100, P=1, S=12)
    start = 0.3 * np.eye(12) + 6 * np.outer(data.w, data.w)
    setting = dict(C=30, activation="erf", sigma2=0.05, chi=30, sa2=2)
    one, two = solve_cnn(data, **setting), solve_cnn(data, start=start, **setting)
    assert one.teacher_eigenvalue == pytest.approx(two.teacher_eigenvalue, rel=1e-8)


def test_an_unreachable_tolerance_raises_with_residual_and_last_good_width():
    with pytest.raises(ConvergenceError, match=r"residual .*last good width"):
        solve_cnn(LINEAR, C=10, activation="linear", sigma2=0.05, tolerance=1e-17)


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="C = 0"):
        solve_cnn(LINEAR, C=0, activation="linear", sigma2=0.05)
    with pytest.raises(ValueError, match="activation = 'relu'"):
        solve_cnn(LINEAR, C=10, activation="relu", sigma2=0.05)
    with pytest.raises(ValueError, match="sigma2 = -1"):
        solve_cnn(LINEAR, C=10, activation="linear", sigma2=-1)
