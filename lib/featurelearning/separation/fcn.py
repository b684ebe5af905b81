r"""Equations of state of the three-layer fully connected network with erf units.

Pre-activations :math:`h_1 = W_1 x` (N1 units), :math:`h_2 = W_2\,\mathrm{erf}(h_1)` (N2 units), output
:math:`a\cdot\mathrm{erf}(h_2)`. With :math:`Q_1(\Sigma) = \sigma_w^2 k(X\Sigma X^T)`,
:math:`Q_f(K_1) = (\sigma_a^2/\chi)\,k(K_1)` and :math:`D` the entrywise derivative of the arcsine kernel,

.. math::

    K_1^{-1} &= Q_1^{-1} - s, & s &= \tfrac{\sigma_a^2}{\chi N_2} D[A; K_1], & A &= tt^T - \tilde K^{-1}, \\
    \Sigma^{-1} &= \Sigma_0^{-1} - \tfrac{N_2}{N_1} B, & B &= \sigma_w^2 X^T D[A_1; X\Sigma X^T] X,
    & A_1 &= s + s K_1 s .

:math:`Q_1` is never inverted: :math:`K_1 = Q_1(1 - sQ_1)^{-1}`. :math:`\Sigma` is solved outside, :math:`s` inside,
since iterating both at once diverges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from featurelearning.gaussian import arcsine_cross_kernel, arcsine_derivative, arcsine_diagonal, arcsine_kernel
from featurelearning.separation.anderson import anderson_mix
from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.regression import Posterior, condition, predict
from featurelearning.separation.saddle import (
    ConvergenceError, damped_iteration, stationarity_residual,
)
from featurelearning.separation.solution import Solution, summarise

__all__ = ["FCN3", "Hidden", "first_kernel", "fcn3_free_energy", "solve_fcn3", "solve_hidden"]

# Ratios of the widths at which a solution is followed from a nearly infinite network to the wanted one.
RUNGS = (100.0, 30.0, 10.0, 5.0, 3.0, 2.0, 1.4, 1.0)
JITTER = 1e-10
HISTORY = 5


@dataclass(frozen=True)
class FCN3:
    r"""The student and its training data.

    Parameters
    ----------
    X, y : arrays, shapes (n, d) and (n,)
    N1, N2 : float
        Widths, > 0, both finite or both infinite.
    sigma2 : float
        Noise variance :math:`\sigma^2 > 0`.
    chi, sw2, sa2 : float
        Readout scaling and variances :math:`\sigma_w^2, \sigma_a^2`, all > 0.

    Raises
    ------
    ValueError
        If a width, variance or scaling is out of range.
    """

    X: np.ndarray
    y: np.ndarray
    N1: float
    N2: float
    sigma2: float
    chi: float = 1.0
    sw2: float = 2.0
    sa2: float = 2.0

    def __post_init__(self):
        for name in ("N1", "N2", "sigma2", "chi", "sw2", "sa2"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} = {getattr(self, name)}; allowed: {name} > 0")
        if np.isinf(self.N1) != np.isinf(self.N2):
            raise ValueError(f"N1 = {self.N1}, N2 = {self.N2}; allowed: both finite or both numpy.inf")

    @property
    def S0(self) -> float:
        """Prior variance of an entry of the first layer."""
        return self.sw2 / self.X.shape[1]


@dataclass(frozen=True)
class Hidden:
    r"""Second layer at fixed :math:`\Sigma`.

    Parameters
    ----------
    Q1, K1, s : arrays, shape (n, n)
        Kernel without and with the pull of the output, and that pull.
    posterior : Posterior
        Of the output GP.
    log_det : float
        :math:`\log\det(1 - sQ_1)`.
    residual : float
        Relative residual of :math:`s`.
    """

    Q1: np.ndarray
    K1: np.ndarray
    s: np.ndarray
    posterior: Posterior
    log_det: float
    residual: float

    @property
    def A1(self) -> np.ndarray:
        r""":math:`Q_1^{-1}K_1Q_1^{-1} - Q_1^{-1} = s + s K_1 s`."""
        return self.s + self.s @ self.K1 @ self.s


def first_kernel(model: FCN3, Sigma: np.ndarray) -> np.ndarray:
    r"""Kernel :math:`Q_1 = \sigma_w^2 k(X\Sigma X^T)` of the second pre-activations, with a relative jitter of 1e-10."""
    Q1 = model.sw2 * arcsine_kernel(model.X @ Sigma @ model.X.T)
    Q1[np.diag_indices_from(Q1)] += JITTER * np.trace(Q1) / len(Q1)
    return Q1


def solve_hidden(
    model: FCN3, Sigma: np.ndarray, s: np.ndarray | None = None, *, tolerance: float = 1e-11, steps: int = 200
) -> Hidden:
    r"""Solve :math:`s = (\sigma_a^2/\chi N_2)\,D[A; K_1(s)]` at fixed :math:`\Sigma` by Anderson mixing.

    A step that leaves :math:`1 - sQ_1` without a positive definite symmetric form is halved, and the
    history is forgotten whenever the residual doubles.

    Parameters
    ----------
    model : FCN3
    Sigma : array, shape (d, d)
    s : array, shape (n, n), optional
        Start (default: zero).
    tolerance : float
        Relative residual to reach; the best found is returned if it is not.
    steps : int

    Returns
    -------
    Hidden
    """
    Q1 = first_kernel(model, Sigma)
    R = np.linalg.cholesky(Q1)
    zero = np.zeros_like(Q1)
    hidden, target = _evaluate(model, Q1, R, zero if s is None else s) or _evaluate(model, Q1, R, zero)
    best, points, moves, damping = hidden, [], [], 1.0
    for _ in range(steps):
        if best.residual < tolerance:
            break
        points, moves = points[-HISTORY:] + [hidden.s], moves[-HISTORY:] + [target - hidden.s]
        move, here = anderson_mix(points, moves, damping) - hidden.s, None
        while here is None:
            here = _evaluate(model, Q1, R, hidden.s + move)
            move = 0.5 * move
        if here[0].residual > 2 * hidden.residual:
            points, moves, damping = [], [], max(0.5 * damping, 0.05)
        hidden, target = here
        best = min(best, hidden, key=lambda state: state.residual)
    return best


def _evaluate(model: FCN3, Q1, R, s) -> tuple[Hidden, np.ndarray] | None:
    """State at s, and the s that the equation asks for; None where 1 - s Q1 is not positive."""
    try:
        factor = np.linalg.cholesky(np.eye(len(Q1)) - R.T @ s @ R)
    except np.linalg.LinAlgError:
        return None
    half = solve_triangular(factor, R.T, lower=True)
    K1 = half.T @ half
    posterior = condition(model.sa2 / model.chi * arcsine_kernel(K1), model.y, model.sigma2)
    target = np.zeros_like(Q1)
    if np.isfinite(model.N2):
        target = model.sa2 / (model.chi * model.N2) * arcsine_derivative(posterior.pull, K1)
    residual = np.linalg.norm(s - target) / max(np.linalg.norm(target), np.finfo(float).tiny)
    log_det = 2 * np.sum(np.log(np.diagonal(factor)))
    return Hidden(Q1, K1, s, posterior, log_det, float(residual)), target


def fcn3_free_energy(model: FCN3, Sigma: np.ndarray, hidden: Hidden) -> tuple[float, np.ndarray]:
    r"""Free energy with :math:`K_1` at its stationary point, and its gradient by the envelope theorem.

    .. math::

        F &= \tfrac{N_1}{2}[\mathrm{tr}\Sigma/S_0 - \log\det(\Sigma/S_0) - d]
            + \tfrac{N_2}{2}[\mathrm{tr}(sK_1) + \log\det(1 - sQ_1)] + \tfrac12 y\cdot t + \tfrac12\log\det\tilde K, \\
        \partial F/\partial\Sigma &= \tfrac{N_1}{2}(\Sigma_0^{-1} - \Sigma^{-1}) - \tfrac{N_2}{2} B .

    Parameters
    ----------
    model : FCN3
        With finite widths.
    Sigma : array, shape (d, d)
        Positive definite.
    hidden : Hidden
        The second layer at that :math:`\Sigma`.

    Returns
    -------
    float, array of shape (d, d)
    """
    d, S0 = len(Sigma), model.S0
    first = np.trace(Sigma) / S0 - np.linalg.slogdet(Sigma / S0)[1] - d
    second = np.sum(hidden.s * hidden.K1) + hidden.log_det
    gradient = 0.5 * model.N1 * (np.eye(d) / S0 - np.linalg.inv(Sigma)) - 0.5 * model.N2 * _pull(model, Sigma, hidden)
    return 0.5 * model.N1 * first + 0.5 * model.N2 * second + hidden.posterior.energy, gradient


def _pull(model: FCN3, Sigma: np.ndarray, hidden: Hidden) -> np.ndarray:
    B = model.sw2 * model.X.T @ arcsine_derivative(hidden.A1, model.X @ Sigma @ model.X.T) @ model.X
    return 0.5 * (B + B.T)


def solve_fcn3(
    data: TeacherData,
    *,
    N1: float,
    N2: float,
    sigma2: float,
    chi: float = 1.0,
    sw2: float = 2.0,
    sa2: float = 2.0,
    tolerance: float = 1e-7,
) -> Solution:
    """Solve the equations of state from the prior.

    If that fails, the solution is followed down from a nearly infinite network.

    Parameters
    ----------
    data : TeacherData
        Inputs of one patch, S = d.
    N1, N2 : float
        Widths; both ``numpy.inf`` give the NNGP.
    sigma2, chi, sw2, sa2 : float
        As in :class:`FCN3`.
    tolerance : float
        Relative residual to reach, in both equations.

    Returns
    -------
    Solution

    Raises
    ------
    ConvergenceError
        If a residual stays above the tolerance.
    ValueError
        As :class:`FCN3`, or if the inputs have several patches.
    """
    if data.P != 1:
        raise ValueError(f"the inputs have P = {data.P} patches; a fully connected network takes P = 1")
    model = FCN3(data.X[:, 0, :], data.y, N1, N2, sigma2, chi, sw2, sa2)
    covariance = np.eye(data.S)
    if np.isinf(N1):
        return _summary(data, model, covariance, solve_hidden(model, model.S0 * covariance), 0.0)
    covariance, hidden, residual = _solve_once(model, covariance, None, tolerance)
    if residual > tolerance:
        covariance, hidden, residual = _descend(model, tolerance)
    return _summary(data, model, covariance, hidden, residual)


def _descend(model: FCN3, tolerance: float) -> tuple[np.ndarray, Hidden, float]:
    covariance, s, last_good = np.eye(model.X.shape[1]), None, "none"
    for ratio in RUNGS:
        rung = replace(model, N1=ratio * model.N1, N2=ratio * model.N2)
        covariance, hidden, residual = _solve_once(rung, covariance, s, tolerance)
        if residual > tolerance:
            raise ConvergenceError(
                f"equations of state at N1 = {rung.N1:g}, N2 = {rung.N2:g}: residual {residual:.2e}, "
                f"{tolerance:.0e} needed; last good width: {last_good}"
            )
        s, last_good = hidden.s, f"N1 = {rung.N1:g}, N2 = {rung.N2:g}"
    return covariance, hidden, residual


def _solve_once(model: FCN3, covariance, s, tolerance: float) -> tuple[np.ndarray, Hidden, float]:
    """Mix the outer equation; the inner one is kept a hundred times more accurate than the outer so far."""
    finest = 1e-4 * tolerance
    follow = {"s": s, "accuracy": 1e-3}

    def pull(candidate):
        hidden = solve_hidden(model, model.S0 * candidate, follow["s"], tolerance=follow["accuracy"])
        G = model.S0 * model.N2 / model.N1 * _pull(model, model.S0 * candidate, hidden)
        follow.update(s=hidden.s, accuracy=np.clip(0.01 * stationarity_residual(candidate, G), finest, 1e-3))
        return G

    found = damped_iteration(pull, covariance, eta=0.5, memory=6, tolerance=0.01 * tolerance, steps=60)
    hidden = solve_hidden(model, model.S0 * found.covariance, follow["s"], tolerance=finest)
    return found.covariance, hidden, max(found.residual, hidden.residual)


def _summary(data: TeacherData, model: FCN3, covariance, hidden: Hidden, residual: float) -> Solution:
    X, X_test, Sigma = model.X, data.X_test[:, 0, :], model.S0 * covariance
    before, v_test = (X_test @ Sigma) @ X.T, np.sum((X_test @ Sigma) * X_test, axis=1)
    v_train = np.sum((X @ Sigma) * X, axis=1)
    q = model.sw2 * arcsine_cross_kernel(before, v_test, v_train)
    k1 = q + q @ hidden.s @ hidden.K1
    k1_test = model.sw2 * arcsine_diagonal(v_test) + np.sum((q @ hidden.A1) * q, axis=1)
    weight = model.sa2 / model.chi
    K = weight * arcsine_kernel(hidden.K1)
    cross = weight * arcsine_cross_kernel(k1, k1_test, np.diagonal(hidden.K1))
    t = hidden.posterior.t
    u = data.y / np.linalg.norm(data.y)
    rest = first_kernel(model, model.S0 * np.eye(data.S))
    energy = hidden.posterior.energy if np.isinf(model.N1) else fcn3_free_energy(model, Sigma, hidden)[0]
    return summarise(
        data, width=(model.N1, model.N2), covariance=covariance, K=K, posterior=hidden.posterior,
        prediction=predict(K, hidden.posterior, model.sigma2, data.y, cross, weight * arcsine_diagonal(k1_test)),
        emergent_scale=float(t @ hidden.Q1 @ t), residual=residual,
        free_energy=energy,
        kernel_growth=float(u @ hidden.K1 @ u / (u @ rest @ u)), discrepancy=hidden.s,
    )
