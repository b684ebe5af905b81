"""Duplicate students, one selected by its imbalance: m equal units, one at +D and m - 1 at -D.

All units start at the same angle phi and coefficient kappa/m. By symmetry the M = m - 1 redundant
units stay identical, and the flow closes in four numbers: the selected coefficient q and angle theta,
and the redundant total coefficient P and angle chi. In fast time tau = D t

    q'     = S(q,D)/D   [K(theta) - q/2 - P K(chi - theta)]
    theta' = A(q,D)/D   [K'(theta) + P K'(chi - theta)]
    P'     = M S(p,-D)/D [K(chi) - P/2 - q K(chi - theta)],   p = P/M
    chi'   = A(p,-D)/D  [K'(chi) - q K'(chi - theta)].

Angles are signed in the plane of start and teacher. The redundant angle moves by O(D^-2) only, so the
state holds x = D^2 (chi - phi): accurate at any D, and with D = numpy.inf the very same code
is the limit system, in which chi = phi stands still while x keeps its limiting motion.
Derived here from the coefficient-direction form (Section 3.1 of the paper).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.gauge.integrate import increasing_times, landing
from featurelearning.gauge.rates import (
    fast_coefficient_rate, fast_redundant_direction_rate, fast_selected_direction_rate,
)
from featurelearning.gaussian import relu_kernel, relu_kernel_slope, relu_remainder

__all__ = ["SELECTED_WITHIN", "DuplicateTrajectory", "duplicates", "duplicates_batch", "duplicates_loss",
           "duplicates_rhs", "duplicates_start", "selection_error"]

# The designated unit counts as selected once ||q s - s*|| is this small (our choice of threshold).
SELECTED_WITHIN = 0.25


@dataclass(frozen=True)
class DuplicateTrajectory:
    """A trajectory of duplicates; arrays have shape (T, *batch), batch the broadcast shape of m, phi, D.

    Parameters
    ----------
    tau : ndarray, shape (T,)
        Fast times.
    q, theta : ndarray
        Coefficient and signed angle of the selected unit.
    P, chi : ndarray
        Total coefficient and signed angle of the redundant units.
    scaled_turn : ndarray
        ``D^2 (chi - phi)``, finite also at D = infinity.
    loss : ndarray
        ``E (f - f*)^2 / 2``, accurate to about 1e-16 absolute.
    """

    tau: NDArray
    q: NDArray
    theta: NDArray
    P: NDArray
    chi: NDArray
    scaled_turn: NDArray
    loss: NDArray


def duplicates(tau: ArrayLike, *, m: ArrayLike, phi: ArrayLike, D: ArrayLike,
               kappa: float = 1.0) -> DuplicateTrajectory:
    """Gradient flow of m duplicates at the fast times `tau` (the equations of this module).

    Parameters
    ----------
    tau : array_like, shape (T,)
        Fast times >= 0, strictly increasing. The flow starts at 0, whether or not 0 is among them.
    m : int or array_like of int
        Number of units, at least 2. `m`, `phi` and `D` broadcast to a batch that is solved together.
    phi : float or array_like
        Common initial angle, in (0, pi).
    D : float or array_like
        Imbalance, positive; ``numpy.inf`` gives the limit system.
    kappa : float
        Total initial coefficient, positive.

    Returns
    -------
    DuplicateTrajectory

    Raises
    ------
    ValueError
        If an argument is outside these ranges.
    """
    tau = increasing_times(tau, "tau")
    m, phi, D = duplicates_batch(m, phi, D)
    start = duplicates_start(m=m, phi=phi, kappa=kappa)
    times = tau if tau[0] == 0 else np.concatenate(([0.0], tau))
    states = landing(lambda _, state: duplicates_rhs(state, m=m, phi=phi, D=D), start, times)
    q, theta, P, x = np.moveaxis(states[len(times) - len(tau):], 1, 0)
    chi = phi + x / D**2
    return DuplicateTrajectory(tau, q, theta, P, chi, x, duplicates_loss(q, theta, P, chi))


def duplicates_start(*, m: ArrayLike, phi: ArrayLike, kappa: float = 1.0) -> NDArray:
    """Initial state ``(kappa/m, phi, kappa (m-1)/m, 0)``, shape (4, *batch)."""
    if not (np.isfinite(kappa) and kappa > 0):
        raise ValueError(f"kappa = {kappa}; allowed: a finite total coefficient > 0")
    m, phi = np.broadcast_arrays(np.asarray(m, dtype=float), np.asarray(phi, dtype=float))
    return np.stack([kappa / m, phi, kappa * (m - 1) / m, np.zeros_like(phi)])


def duplicates_rhs(state: NDArray, *, m: ArrayLike, phi: ArrayLike, D: ArrayLike) -> NDArray:
    """Fast-time velocity of ``state = (q, theta, P, D^2 (chi - phi))``, shape (4, *batch)."""
    q, theta, P, x = state
    M = np.asarray(m, dtype=float) - 1
    p = P / M
    chi = phi + x / np.square(D)
    angles = np.stack([theta, chi, chi - theta])
    K_theta, K_chi, K_gap = relu_kernel(angles)
    slope_theta, slope_chi, slope_gap = relu_kernel_slope(angles)
    return np.stack([
        fast_coefficient_rate(q, D) * (K_theta - q / 2 - P * K_gap),
        fast_selected_direction_rate(q, D) * (slope_theta + P * slope_gap),
        M * fast_coefficient_rate(p, D) * (K_chi - P / 2 - q * K_gap),
        fast_redundant_direction_rate(p, D) * (slope_chi - q * slope_gap),
    ])


def duplicates_loss(q: ArrayLike, theta: ArrayLike, P: ArrayLike, chi: ArrayLike) -> NDArray:
    """Loss ``E = [1/2 + q^2/2 + P^2/2 + 2 q P K(chi-theta) - 2 q K(theta) - 2 P K(chi)] / 2``.

    Computed without cancelling terms: with ``u = q s + P s_r - s*`` and ``B(t) = K(t) - cos(t)/2``,
    ``E = |u|^2/4 + q P B(chi-theta) - q B(theta) - P B(chi)``.

    Parameters
    ----------
    q, theta : array_like
        Coefficient and angle of the selected unit.
    P, chi : array_like
        Total coefficient and angle of the redundant units.

    Returns
    -------
    ndarray
        Non-negative up to rounding (about 1e-16).
    """
    q, theta, P, chi = (np.asarray(value, dtype=float) for value in (q, theta, P, chi))
    along = (q - 1) - 2 * q * np.sin(theta / 2) ** 2 + P * np.cos(chi)
    across = q * np.sin(theta) + P * np.sin(chi)
    return ((along**2 + across**2) / 4 + q * P * relu_remainder(chi - theta)
            - q * relu_remainder(theta) - P * relu_remainder(chi))


def selection_error(q: ArrayLike, theta: ArrayLike) -> NDArray:
    """Distance to the teacher, ``||q s - s*|| = sqrt((q - 1)^2 + 4 q sin^2(theta/2))``."""
    q, theta = np.asarray(q, dtype=float), np.asarray(theta, dtype=float)
    return np.sqrt((q - 1) ** 2 + 4 * q * np.sin(theta / 2) ** 2)


def duplicates_batch(m: ArrayLike, phi: ArrayLike, D: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """`m`, `phi` and `D` as arrays of one shape.

    Raises
    ------
    ValueError
        Unless m is whole and at least 2, ``0 < phi < pi``, and ``D > 0`` or infinite.
    """
    m, phi, D = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (m, phi, D)))
    if not np.all((m >= 2) & (m == np.rint(m)) & np.isfinite(m)):
        raise ValueError(f"m = {m}; allowed: whole numbers of units >= 2")
    if not np.all((phi > 0) & (phi < np.pi)):
        raise ValueError(f"phi = {phi}; allowed: angles strictly between 0 and pi")
    if not np.all(D > 0):
        raise ValueError(f"D = {D}; allowed: imbalances > 0, or numpy.inf")
    return m, phi, D
