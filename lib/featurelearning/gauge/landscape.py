"""The loss of the limit around the selected solution: eigenvalues, quadratic bounds, gradient bound.

In the coordinates ``z = (q - 1, q theta, P)`` the loss E is a quadratic form of z near 0 with the
Hessian H of :func:`featurelearning.gauge.hessian`, whose least eigenvalue ``1/2 - n`` is positive. So
E lies between ``(lambda_min/2 - O(r)) r^2`` and ``(lambda_max/2 + O(r)) r^2`` on a sphere of radius r,
and ``|grad E|^2 >= (2 lambda_min - O(r)) E``: exponential convergence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.gauge.duplicates import duplicates_loss, duplicates_rhs
from featurelearning.gauge.limit import hessian
from featurelearning.gaussian import relu_kernel, relu_kernel_slope

__all__ = ["CUBIC_BOUND", "SphereBounds", "hessian_half_gap", "hessian_half_gap_squared", "sphere_bounds"]

# On the unit sphere the cubic terms of E are at most |z0| z1^2/4 + |P| z1^2/4 + |z1|^3/(6 pi) < this: with
# |z0| + |P| <= sqrt(2) sqrt(1 - z1^2), the first two add up to at most sqrt(2)/4 * 2/(3 sqrt(3)).
CUBIC_BOUND = np.sqrt(2) / 4 * 2 / (3 * np.sqrt(3)) + 1 / (6 * np.pi)


@dataclass(frozen=True)
class SphereBounds:
    """Extremes over spheres of radius `r` around the selected solution; arrays of shape (R,)."""

    r: NDArray
    loss_low: NDArray
    loss_high: NDArray
    gradient_low: NDArray


def hessian_half_gap(phi: ArrayLike) -> NDArray:
    """``n(phi) = sqrt(K^2 + K'^2)``: the eigenvalues of the Hessian are 1/2 - n, 1/2 and 1/2 + n.

    Below 1/2 for 0 < phi < pi; ``1/2 - n ~ phi^3/(3 pi)`` for small phi.
    """
    return np.hypot(relu_kernel(phi), relu_kernel_slope(phi))


def hessian_half_gap_squared(phi: ArrayLike) -> NDArray:
    """``4 pi^2 n^2 = u^2 + sin^2 u - u sin 2u`` with ``u = pi - phi``.

    Its derivative in u is ``4 u sin^2 u > 0`` and its value at u = pi is pi^2: hence n < 1/2. Derived here.
    """
    u = np.pi - np.asarray(phi, dtype=float)
    return u**2 + np.sin(u) ** 2 - u * np.sin(2 * u)


def sphere_bounds(phi: float, r: ArrayLike, *, points: int = 20_000) -> SphereBounds:
    """Extremes of ``E/|z|^2`` and of ``|grad E|^2/E`` over spheres around the selected solution.

    The gradient is that of the metric ``dq^2 + q^2 dtheta^2 + dP^2``. Directions: a spiral of evenly spread
    points, and the eigenvectors of the Hessian of either sign.

    Parameters
    ----------
    phi : float
        Redundant angle, in (0, pi).
    r : array_like, shape (R,)
        Radii, in (0, 1).
    points : int
        Points of the spiral, at least 1.

    Returns
    -------
    SphereBounds

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    r = np.atleast_1d(np.asarray(r, dtype=float))
    if not np.all((r > 0) & (r < 1)) or points < 1:
        raise ValueError(f"r = {r}, points = {points}; allowed: radii in (0, 1), at least one point")
    vectors = np.linalg.eigh(hessian(phi))[1]
    directions = np.concatenate([_spiral(points), vectors.T, -vectors.T])
    loss, gradient = zip(*(_ratios(radius * directions, phi) for radius in r), strict=True)
    return SphereBounds(r, np.min(loss, axis=1), np.max(loss, axis=1), np.min(gradient, axis=1))


def _ratios(z: NDArray, phi: float) -> tuple[NDArray, NDArray]:
    q, P = 1 + z[:, 0], z[:, 2]
    theta = z[:, 1] / q
    loss = duplicates_loss(q, theta, P, phi)
    # With one redundant unit (m = 2) the limit flow is minus the gradient in the metric above.
    dq, dtheta, dP, _ = duplicates_rhs(np.stack([q, theta, P, 0 * q]), m=2, phi=phi, D=np.inf)
    return loss / np.sum(z**2, axis=1), (dq**2 + (q * dtheta) ** 2 + dP**2) / loss


def _spiral(points: int) -> NDArray:
    """Points spread evenly over the unit sphere along a spiral of golden angle."""
    height = 1 - (2 * np.arange(points) + 1) / points
    around = np.pi * (3 - np.sqrt(5)) * np.arange(points)
    radius = np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(around), radius * np.sin(around), height], axis=1)
