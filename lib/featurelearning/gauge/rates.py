"""How fast a unit's coefficient and direction move: the rates S and A set by its imbalance.

A ReLU unit with output weight a and input weight w contributes ``q relu(s.x)`` with coefficient
``q = a |w|`` and direction ``s = w/|w|``. Its imbalance ``delta = a^2 - |w|^2`` is conserved by
gradient flow and invisible in the function: the gauge. Under any loss and data

    dq/dt = S (-dL/dq),   ds/dt = A h,   S = a^2 + |w|^2,   A = a/|w|,

with ``-q h`` the gradient of L in the direction s (Kunin et al. 2024, at equal learning rates).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["coefficient_rate", "direction_rate", "fast_coefficient_rate", "fast_redundant_direction_rate",
           "fast_selected_direction_rate", "layer_norms"]


def coefficient_rate(q: ArrayLike, delta: ArrayLike) -> NDArray:
    """Rate of the coefficient, ``S = sqrt(delta^2 + 4 q^2) = a^2 + r^2``; the same for +delta and -delta.

    Parameters
    ----------
    q, delta : array_like
        Coefficient and imbalance, broadcast together; any sign.

    Returns
    -------
    ndarray
        Non-negative.

    Raises
    ------
    ValueError
        If an entry is not finite.
    """
    q, delta = _finite(q, delta)
    return np.hypot(delta, 2 * q)


def direction_rate(q: ArrayLike, delta: ArrayLike) -> NDArray:
    """Rate of the direction, ``A = (delta + S)/(2q) = 2q/(S - delta) = a/r``; its sign is that of q.

    The first form is used for delta > 0 and the second for delta <= 0, where the other cancels.
    For delta > 0 it grows as delta/q near q = 0; for delta < 0 it is regular there.

    Parameters
    ----------
    q, delta : array_like
        Coefficient and imbalance, broadcast together.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If an entry is not finite, or ``q = 0`` with ``delta >= 0`` (no direction there).
    """
    q, delta = _finite(q, delta)
    if np.any((q == 0) & (delta >= 0)):
        raise ValueError("q = 0 with delta >= 0: the unit has no direction; allowed: q != 0, or delta < 0")
    S = np.hypot(delta, 2 * q)
    positive = delta > 0
    return np.where(positive, (delta + S) / np.where(positive, 2 * q, 1),
                    2 * q / np.where(positive, 1, S - delta))


def layer_norms(q: ArrayLike, delta: ArrayLike) -> tuple[NDArray, NDArray]:
    """Output weight a and input length r of a unit: ``a^2 = (S + delta)/2``, ``r^2 = (S - delta)/2``.

    The inverse of ``q = a r``, ``delta = a^2 - r^2``; the smaller factor is computed from ``q = a r``.

    Parameters
    ----------
    q, delta : array_like
        Coefficient and imbalance, broadcast together, ``q != 0``.

    Returns
    -------
    a, r : ndarray
        `a` has the sign of q, `r` is positive.

    Raises
    ------
    ValueError
        If an entry is not finite or a q is zero.
    """
    q, delta = _finite(q, delta)
    if np.any(q == 0):
        raise ValueError("q = 0: the sign of the output weight is undefined; allowed: q != 0")
    larger = np.sqrt((np.hypot(delta, 2 * q) + np.abs(delta)) / 2)
    smaller = np.abs(q) / larger
    return np.sign(q) * np.where(delta > 0, larger, smaller), np.where(delta > 0, smaller, larger)


def fast_coefficient_rate(q: NDArray, D: ArrayLike) -> NDArray:
    """``S(q, +-D)/D = sqrt(1 + 4 q^2/D^2)``: the coefficient's rate in fast time; 1 at D = infinity."""
    return np.hypot(1.0, 2 * q / D)


def fast_selected_direction_rate(q: NDArray, D: ArrayLike) -> NDArray:
    """``A(q, D)/D = (1 + S/D)/(2q)``: direction rate at imbalance +D in fast time; 1/q at D = infinity."""
    return (1 + fast_coefficient_rate(q, D)) / (2 * q)


def fast_redundant_direction_rate(q: NDArray, D: ArrayLike) -> NDArray:
    """``D A(q, -D) = 2q/(1 + S/D)``: direction rate at -D in fast time, times D^2; q at D = infinity."""
    return 2 * q / (1 + fast_coefficient_rate(q, D))


def _finite(q: ArrayLike, delta: ArrayLike) -> tuple[NDArray, NDArray]:
    q, delta = np.broadcast_arrays(np.asarray(q, dtype=float), np.asarray(delta, dtype=float))
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(delta))):
        raise ValueError(f"q = {q}, delta = {delta}: allowed are finite numbers")
    return q, delta
