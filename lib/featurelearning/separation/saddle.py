r"""Finding the covariance that minimises a free energy, and the damped fixed-point iteration.

Both work on :math:`\Sigma = S_0 L L^T` with the stationarity condition :math:`\Sigma^{-1} = (1 - G)/S_0`,
where the pull :math:`G(\Sigma)` is a symmetric matrix that the layer above exerts (:math:`S_0 B/C` for the
two-layer network).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from featurelearning.separation.anderson import anderson_mix

__all__ = ["ConvergenceError", "FixedPoint", "damped_iteration", "minimise_covariance",
           "stationarity_residual"]


class ConvergenceError(RuntimeError):
    """A solver that did not reach its tolerance; the message holds the residual and the last good width."""


@dataclass(frozen=True)
class FixedPoint:
    """Where an iteration ended.

    Parameters
    ----------
    covariance : array, shape (S, S)
        In units of the prior variance.
    residuals : array, shape (steps,)
        Residual before each step and after the last one.
    """

    covariance: np.ndarray
    residuals: np.ndarray

    @property
    def residual(self) -> float:
        """The last residual."""
        return float(self.residuals[-1])


def stationarity_residual(covariance: np.ndarray, pull: np.ndarray) -> float:
    r"""Relative residual :math:`\|1 - \hat\Sigma(1 - G)\|_F/\sqrt S` of the equation of state."""
    S = len(covariance)
    return float(np.linalg.norm(np.eye(S) - covariance @ (np.eye(S) - pull)) / np.sqrt(S))


def damped_iteration(
    pull: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    *,
    eta: float,
    memory: int = 0,
    tolerance: float = 1e-12,
    steps: int = 2000,
) -> FixedPoint:
    r"""Iterate :math:`\hat\Sigma^{-1} \leftarrow (1-\eta)\hat\Sigma^{-1} + \eta(1 - G(\hat\Sigma))`.

    With a memory, Anderson mixing extrapolates the last steps. A step that would shrink the smallest
    eigenvalue of the precision below a tenth is halved until it does not. The iteration may well end in a
    cycle: look at the residual.

    Parameters
    ----------
    pull : callable
        :math:`G`, from an (S, S) array to one.
    start : array, shape (S, S)
        Positive definite, in units of the prior variance.
    eta : float
        Damping, 0 < eta <= 1; 1 without memory is the plain iteration.
    memory : int
        How many earlier steps to mix, >= 0.
    tolerance : float
        Residual at which to stop.
    steps : int
        Largest number of steps.

    Returns
    -------
    FixedPoint

    Raises
    ------
    ValueError
        If `eta` is not in (0, 1] or `memory` is negative.
    """
    if not 0 < eta <= 1 or memory < 0:
        raise ValueError(f"eta = {eta}, memory = {memory}; allowed: 0 < eta <= 1, memory >= 0")
    identity = np.eye(len(start))
    covariance, precision = start, np.linalg.inv(start)
    current = pull(covariance)
    residuals = [stationarity_residual(covariance, current)]
    points, moves = [], []
    while residuals[-1] > tolerance and len(residuals) <= steps:
        points = points[max(len(points) - memory, 0):] + [precision]
        moves = moves[max(len(moves) - memory, 0):] + [identity - current - precision]
        move = anderson_mix(points, moves, eta) - precision
        if not np.all(np.isfinite(move)):
            residuals.append(np.nan)
            break
        floor = 0.1 * np.linalg.eigvalsh(precision)[0]
        while np.linalg.eigvalsh(precision + move)[0] <= floor:
            move = 0.5 * move
        precision = precision + move
        covariance = np.linalg.inv(precision)
        covariance = 0.5 * (covariance + covariance.T)
        current = pull(covariance)
        residuals.append(stationarity_residual(covariance, current))
    return FixedPoint(covariance, np.array(residuals))


def minimise_covariance(
    free_energy: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    *,
    ftol: float = 1e-15,
    gtol: float = 1e-9,
    steps: int = 500,
) -> np.ndarray:
    r"""Minimise a free energy over the Cholesky factor of :math:`\hat\Sigma` by L-BFGS.

    The whole free energy is :math:`\tfrac12[\mathrm{tr}\hat\Sigma - \log\det\hat\Sigma - S] +
    E(\hat\Sigma)` with :math:`dE = -\tfrac12\mathrm{tr}(G\,d\hat\Sigma)`; in :math:`\hat\Sigma = LL^T` its
    gradient is the lower triangle of :math:`L - L^{-T} - G L`.

    Parameters
    ----------
    free_energy : callable
        From :math:`\hat\Sigma`, shape (S, S), to :math:`(E, G)`.
    start : array, shape (S, S)
        Positive definite.
    ftol, gtol, steps : float, float, int
        Of :func:`scipy.optimize.minimize` with ``"L-BFGS-B"``.

    Returns
    -------
    array, shape (S, S)
        The minimiser, positive definite, in units of the prior variance.
    """
    S = len(start)
    lower = np.tril_indices(S)
    diagonal = np.arange(S)

    def unpack(entries):
        L = np.zeros((S, S))
        L[lower] = entries
        return L

    def objective(entries):
        L = unpack(entries)
        size = np.abs(L[diagonal, diagonal])
        if size.min() < 1e-12:
            return np.inf, np.zeros_like(entries)
        energy, pull = free_energy(L @ L.T)
        value = 0.5 * (np.sum(L**2) - 2 * np.sum(np.log(size)) - S) + energy
        gradient = L - pull @ L
        gradient[diagonal, diagonal] -= 1 / L[diagonal, diagonal]
        return value, gradient[lower]

    found = minimize(
        objective, np.linalg.cholesky(start)[lower], jac=True, method="L-BFGS-B",
        options={"ftol": ftol, "gtol": gtol, "maxiter": steps, "maxcor": 30},
    )
    L = unpack(found.x)
    return L @ L.T
