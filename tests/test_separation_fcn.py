"""Equations of state of the three-layer network, and the authors' printed numbers."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.separation import (
    FCN3, ConvergenceError, fcn3_free_energy, first_kernel, published_data, published_setting, solve_fcn3,
    solve_hidden, teacher_data,
)

TASK = teacher_data("fcn", n=80, P=1, S=10)

# chi, N, lambda, growth, alpha, test error; five digits to 1e-5, the others to 1e-3.
TABLE = [
    (30, 50, 2.31156, 4.88589, 0.94184, 0.03003, 1e-5),
    (30, 100, 1.933, 3.445, 0.9226, 0.0425, 1e-3),
    (30, 25, 2.728, 6.883, 0.9554, 0.0220, 1e-3),
    (1, 50, 1.310, 1.645, 0.9893, 0.0446, 1e-3),
    (1, 25, 1.474, 2.157, 0.9921, 0.0337, 1e-3),
    (30, np.inf, 1, 1, 0.79738, 0.12352, 1e-5),
]


@pytest.mark.parametrize("chi, N, lam, growth, alpha, test, tolerance", TABLE)
def test_reference_values(chi, N, lam, growth, alpha, test, tolerance):
    solution = solve_fcn3(TASK, N1=N, N2=N, sigma2=0.05, chi=chi)
    assert solution.residual < 1e-7
    assert solution.teacher_eigenvalue == pytest.approx(lam, abs=tolerance)
    assert solution.kernel_growth == pytest.approx(growth, abs=tolerance)
    assert solution.alpha == pytest.approx(alpha, abs=tolerance)
    assert solution.test_mse == pytest.approx(test, abs=tolerance)


def small(**changes):
    data = teacher_data("fcn", n=12, P=1, S=3)
    return FCN3(data.X[:, 0], data.y, **{"N1": 20, "N2": 30, "sigma2": 0.1, "chi": 4.0, **changes})


def test_the_gradient_is_that_of_the_free_energy():
    model = small()
    root = np.random.default_rng(0).standard_normal((3, 5))
    Sigma = model.S0 * root @ root.T / 5

    def value(matrix):
        return fcn3_free_energy(model, matrix, solve_hidden(model, matrix))[0]

    gradient = fcn3_free_energy(model, Sigma, solve_hidden(model, Sigma))[1]
    h = 1e-5
    for i, j in [(0, 0), (0, 2), (1, 1)]:
        step = np.zeros((3, 3))
        step[i, j] = step[j, i] = h
        numerical = (value(Sigma + step) - value(Sigma - step)) / (2 * h)
        assert numerical == pytest.approx(np.sum(step != 0) * gradient[i, j], rel=1e-7, abs=1e-7)


def test_the_inner_equation_holds_with_explicit_inverses():
    model = small()
    hidden = solve_hidden(model, model.S0 * np.eye(3))
    inverse = np.linalg.inv(first_kernel(model, model.S0 * np.eye(3)))
    assert hidden.residual < 1e-10
    assert np.allclose(np.linalg.inv(hidden.K1), inverse - hidden.s, rtol=1e-6,
                       atol=1e-6 * np.abs(inverse).max())
    assert np.allclose(hidden.A1, inverse @ hidden.K1 @ inverse - inverse,
                       atol=1e-6 * np.abs(hidden.A1).max())
    assert hidden.log_det == pytest.approx(np.linalg.slogdet(np.eye(12) - hidden.s @ hidden.Q1)[1], rel=1e-8)


def test_wide_networks_approach_the_infinite_one():
    infinite = solve_fcn3(TASK, N1=np.inf, N2=np.inf, sigma2=0.05)
    gaps = [solve_fcn3(TASK, N1=N, N2=N, sigma2=0.05).teacher_eigenvalue - 1 for N in (1e4, 1e5)]
    assert infinite.teacher_eigenvalue == pytest.approx(1)
    assert gaps[0] / gaps[1] == pytest.approx(10, rel=0.02)


def test_printed_emergent_scales():
    for draw, printed in enumerate((47859.4029, 99385.5891, 32084.5167)):
        solution = solve_fcn3(published_data(16, draw), N1=np.inf, N2=np.inf, **published_setting())
        assert solution.emergent_scale == pytest.approx(printed, rel=1e-6)


def test_failures_and_bad_settings_raise():
    with pytest.raises(ConvergenceError, match=r"residual .*last good width"):
        solve_fcn3(teacher_data("fcn", n=4, P=1, S=2), N1=20, N2=20, sigma2=0.1, tolerance=1e-18)
    with pytest.raises(ValueError, match="both finite or both"):
        solve_fcn3(TASK, N1=10, N2=np.inf, sigma2=0.05)
    with pytest.raises(ValueError, match="takes P = 1"):
        solve_fcn3(teacher_data("erf", n=5, P=2, S=3), N1=10, N2=10, sigma2=0.05)
    with pytest.raises(ValueError, match="chi = 0"):
        small(chi=0)
