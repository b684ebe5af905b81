"""The Gaussian ReLU kernel K(t) of two unit directions at angle t, its slopes and its gradient.

``K(t) = E[relu(s.x) relu(s'.x)]`` over x ~ N(0, I). One function serves both ends of the angle,
``b(s) = (sin s - s cos s) / (2 pi)``: ``K(t) = b(pi - |t|)`` and ``K(t) = cos(t)/2 + b(|t|)``.
All functions here are accurate to rounding *relative* to their value, also where that value vanishes
(t near 0 and near pi).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "angle", "relu_gradient", "relu_kernel", "relu_kernel_cosine_slope", "relu_kernel_slope",
    "relu_remainder",
]

# pi is this float plus this remainder; with both, pi - |t| keeps its relative accuracy near t = pi.
_PI_REMAINDER = 1.2246467991473532e-16
# Below this argument sin s - s cos s cancels, and seven terms of its series are exact to rounding.
_SERIES_BELOW = 0.5
# (sin s - s cos s) / s^3 = sum_n (-1)^n (2n+2) / (2n+3)! s^(2n), from n = 6 down to n = 0.
_SERIES = (14 / 1307674368000, -12 / 6227020800, 10 / 39916800, -8 / 362880, 6 / 5040, -4 / 120, 2 / 6)


def relu_kernel(t: ArrayLike) -> NDArray:
    """Kernel ``K(t) = [sin|t| + (pi - |t|) cos t] / (2 pi)``, t wrapped to (-pi, pi].

    ``K(t) = E[relu(s.x) relu(s'.x)]`` for unit vectors at angle t: the arc-cosine kernel of order
    one (Cho and Saul 2009) divided by 2. Even; ``K(0) = 1/2``, ``K(pi/2) = 1/(2 pi)``, ``K(pi) = 0``
    with ``K ~ (pi - |t|)^3 / (6 pi)``.

    Parameters
    ----------
    t : array_like
        Angles in radians, any shape, finite.

    Returns
    -------
    ndarray
        Values in [0, 1/2], shape of `t`.

    Raises
    ------
    ValueError
        If an angle is not finite.
    """
    return _sine_minus_arc(_from_opposite(_wrap(t))) / (2 * np.pi)


def relu_kernel_slope(t: ArrayLike) -> NDArray:
    """Slope ``K'(t) = -(pi - |t|) sin t / (2 pi)``, t wrapped to (-pi, pi].

    Odd; negative on (0, pi). Continuous, with a kink at 0: K is twice differentiable there, not thrice.

    Parameters
    ----------
    t : array_like
        Angles in radians, any shape, finite.

    Returns
    -------
    ndarray
        Shape of `t`.

    Raises
    ------
    ValueError
        If an angle is not finite.
    """
    t = _wrap(t)
    return -_from_opposite(t) * np.sin(t) / (2 * np.pi)


def relu_kernel_cosine_slope(t: ArrayLike) -> NDArray:
    """Slope in the cosine, ``dK/dc = (pi - |t|) / (2 pi)`` with ``c = cos t``.

    Non-negative, and decreasing in ``|t|``: K is convex in c, though not in t.

    Parameters
    ----------
    t : array_like
        Angles in radians, any shape, finite.

    Returns
    -------
    ndarray
        Values in [0, 1/2], shape of `t`.

    Raises
    ------
    ValueError
        If an angle is not finite.
    """
    return _from_opposite(_wrap(t)) / (2 * np.pi)


def relu_remainder(t: ArrayLike) -> NDArray:
    """Remainder ``B(t) = K(t) - cos(t)/2 = (sin|t| - |t| cos t) / (2 pi)`` past the linear kernel.

    Even, non-negative, ``B ~ |t|^3 / (6 pi)`` near 0. With it the loss of a network that almost
    equals its teacher has no cancelling terms of order one.

    Parameters
    ----------
    t : array_like
        Angles in radians, any shape, finite.

    Returns
    -------
    ndarray
        Values in [0, 1/2], shape of `t`.

    Raises
    ------
    ValueError
        If an angle is not finite.
    """
    return _sine_minus_arc(np.abs(_wrap(t))) / (2 * np.pi)


def relu_gradient(w: ArrayLike, u: ArrayLike) -> NDArray:
    """Gradient vector ``G(w, u) = E[relu(u.x) 1(w.x > 0) x] = (|u| sin t w/|w| + (pi - t) u) / (2 pi)``.

    Here t is the angle of w and u. G is the gradient in w of ``E[relu(w.x) relu(u.x)]``.

    Parameters
    ----------
    w, u : array_like, shape (..., d)
        Weight vectors; leading axes broadcast. `w` must not be zero; u = 0 gives G = 0.

    Returns
    -------
    ndarray, shape (..., d)

    Raises
    ------
    ValueError
        If a `w` is zero or not finite.
    """
    w, u = np.asarray(w, dtype=float), np.asarray(u, dtype=float)
    direction, _ = _unit(w, "w")
    length = np.linalg.norm(u, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        towards = np.where(length > 0, u / length, direction)
    t = _angle_of_units(direction, towards)[..., None]
    return (length * np.sin(t) * direction + _from_opposite(t) * u) / (2 * np.pi)


def angle(s: ArrayLike, s2: ArrayLike) -> NDArray:
    """Angle of two vectors, ``2 atan2(|s - s'|, |s + s'|)`` on their unit vectors.

    The arccosine of the inner product would lose half the digits near 0 and pi.

    Parameters
    ----------
    s, s2 : array_like, shape (..., d)
        Non-zero vectors of any length; leading axes broadcast.

    Returns
    -------
    ndarray, shape (...)
        Angles in [0, pi], in radians.

    Raises
    ------
    ValueError
        If a vector is zero or not finite.
    """
    return _angle_of_units(_unit(np.asarray(s, dtype=float), "s")[0],
                           _unit(np.asarray(s2, dtype=float), "s2")[0])


def _sine_minus_arc(s: NDArray) -> NDArray:
    """``sin s - s cos s`` for s in [0, pi], to relative rounding."""
    far = np.sin(s) - s * np.cos(s)
    small = s < _SERIES_BELOW
    if not small.any():
        return far
    square = s * s
    series = np.full_like(square, _SERIES[0])
    for coefficient in _SERIES[1:]:
        series = series * square + coefficient
    return np.where(small, s * square * series, far)


def _from_opposite(t: NDArray) -> NDArray:
    """``pi - |t|`` for wrapped t, exact to rounding (the float pi is not pi)."""
    return (np.pi - np.abs(t)) + _PI_REMAINDER


def _wrap(t: ArrayLike) -> NDArray:
    """`t` minus the multiple of 2 pi that brings it to (-pi, pi]."""
    t = np.asarray(t, dtype=float)
    if (np.abs(t) <= np.pi).all():
        return t
    if not np.isfinite(t).all():
        raise ValueError(f"t = {t} has an entry that is not finite; allowed: any finite angle in radians")
    turns = np.rint(t / (2 * np.pi))
    return (t - turns * (2 * np.pi)) - turns * (2 * _PI_REMAINDER)


def _angle_of_units(s: NDArray, s2: NDArray) -> NDArray:
    return 2 * np.arctan2(np.linalg.norm(s - s2, axis=-1), np.linalg.norm(s + s2, axis=-1))


def _unit(w: NDArray, name: str) -> tuple[NDArray, NDArray]:
    """Unit vectors and lengths along the last axis."""
    length = np.linalg.norm(w, axis=-1, keepdims=True)
    if not np.all((length > 0) & np.isfinite(length)):
        raise ValueError(f"{name} has a zero or non-finite vector (length {length.min()}), which has no "
                         f"direction; allowed: finite non-zero vectors")
    return w / length, length
