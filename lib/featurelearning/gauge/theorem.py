"""Why one selected unit ends as the only owner: stationary points and the invariant region of the limit.

At infinite imbalance the redundant directions stand still at the angle phi and the limit flow of
(q, theta, P) stays in the region

    Omega = {0 < q <= 1, P >= 0, -(pi - phi) <= theta <= phi, q k(phi - theta) <= k(phi)},  k = 2K,

where a stationary point with theta = -x would need F_phi(x) = 0. F_phi > 0 on (0, pi - phi] then leaves
the selected solution (q, theta, P) = (1, 0, 0) alone. Derived here: the paper's own region and function
may be normalised differently.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from featurelearning.gauge.duplicates import duplicates_rhs, duplicates_start
from featurelearning.gaussian import relu_kernel, relu_kernel_slope

__all__ = ["face_products", "in_region", "kernel_excess", "kernel_excess_product", "region_margin",
           "region_path", "stationarity", "stationarity_formula", "stationarity_slope_at_zero"]


def stationarity_formula(x: Any, phi: Any, ops: ModuleType | SimpleNamespace) -> Any:
    """F_phi(x) in any arithmetic that has `ops.sin`, `ops.cos` and `ops.pi`: floats, balls or power series.

        F = (pi - x) sin x (1 - k(phi+x)^2) - (pi - phi - x) sin(phi+x) (k(phi) - k(x) k(phi+x)),
        k(t) = [sin t + (pi - t) cos t]/pi.

    It is ``2 pi (1 - k(phi+x)^2)`` times the angular velocity q theta' at theta = -x, once q' = P' = 0 have
    been solved for q and P. ``F_phi(0) = 0`` identically, since k(0) = 1.

    Parameters
    ----------
    x, phi : number
        ``phi`` in (0, pi), ``x`` in [0, pi - phi], in the arithmetic of `ops`.
    ops : module or namespace
        E.g. ``numpy``.

    Returns
    -------
    number
        In the arithmetic of `ops`.
    """
    def k(t: Any) -> Any:
        return (ops.sin(t) + (ops.pi - t) * ops.cos(t)) / ops.pi

    total = phi + x
    return ((ops.pi - x) * ops.sin(x) * (1 - k(total) ** 2)
            - (ops.pi - total) * ops.sin(total) * (k(phi) - k(x) * k(total)))


def stationarity(x: ArrayLike, phi: ArrayLike) -> NDArray:
    """Stationarity function F_phi(x) of :func:`stationarity_formula`, in floating point.

    Parameters
    ----------
    x, phi : array_like
        Angles in radians, ``0 < phi < pi`` and ``0 <= x <= pi - phi``; they broadcast.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    x, phi = np.asarray(x, dtype=float), np.asarray(phi, dtype=float)
    _check_phi(phi)
    # The float pi - phi may exceed the real one by a rounding.
    if not np.all((x >= 0) & (x + phi <= np.pi * (1 + 1e-15))):
        raise ValueError(f"x = {x}, phi = {phi}; allowed: 0 <= x <= pi - phi")
    return stationarity_formula(x, phi, np)


def stationarity_slope_at_zero(phi: ArrayLike) -> NDArray:
    """Slope ``F_phi'(0) = pi (1 - k(phi)^2 - k'(phi)^2)``; positive on (0, pi), ``~ 4 phi^3/3`` for small
    phi."""
    phi = np.asarray(phi, dtype=float)
    _check_phi(phi)
    return np.pi * (1 - 4 * relu_kernel(phi) ** 2 - 4 * relu_kernel_slope(phi) ** 2)


def kernel_excess(t: ArrayLike, u: ArrayLike) -> NDArray:
    """Excess ``k(t) k(u) - k'(t) k'(u) - k(t + u)`` with k = 2K; never positive for t, u >= 0, t + u <= pi.

    Parameters
    ----------
    t, u : array_like
        Angles in radians; they broadcast.

    Returns
    -------
    ndarray
    """
    t, u = np.asarray(t, dtype=float), np.asarray(u, dtype=float)
    return (4 * relu_kernel(t) * relu_kernel(u) - 4 * relu_kernel_slope(t) * relu_kernel_slope(u)
            - 2 * relu_kernel(t + u))


def kernel_excess_product(t: ArrayLike, u: ArrayLike) -> NDArray:
    """The same excess as ``[(sin t - t cos t)(sin u - u cos u) - t u sin t sin u] / pi^2``.

    Divided by ``t u sin t sin u`` the bracket is ``r(t) r(u) - 1`` with ``r(t) = 1/t - cot t`` increasing, so
    its largest value is at ``u = pi - t``; there it is ``4/pi^2 - 1 < 0``, at t = pi/2. Derived here.

    Parameters
    ----------
    t, u : array_like
        Angles in radians, ``t, u >= 0``, ``t + u <= pi``; they broadcast.

    Returns
    -------
    ndarray
        Not positive.
    """
    t, u = np.asarray(t, dtype=float), np.asarray(u, dtype=float)
    first = (np.sin(t) - t * np.cos(t)) * (np.sin(u) - u * np.cos(u))
    return (first - t * u * np.sin(t) * np.sin(u)) / np.pi**2


def region_margin(q: ArrayLike, theta: ArrayLike, phi: ArrayLike) -> NDArray:
    """Margin ``k(phi) - q k(phi - theta)`` of the curved face of Omega; non-negative inside."""
    return 2 * relu_kernel(phi) - np.asarray(q) * 2 * relu_kernel(np.asarray(phi) - np.asarray(theta))


def in_region(q: ArrayLike, theta: ArrayLike, P: ArrayLike, phi: ArrayLike) -> NDArray:
    """Whether states (q, theta, P) lie in the region Omega of this module; boolean array."""
    q, theta, P = np.asarray(q), np.asarray(theta), np.asarray(P)
    return ((0 < q) & (q <= 1) & (P >= 0) & (-(np.pi - phi) <= theta) & (theta <= phi)
            & (region_margin(q, theta, phi) >= 0))


def face_products(phi: float, *, points: int = 60, P_max: float = 2.0) -> dict[str, NDArray]:
    """Outward component of the limit velocity on a grid of each face of Omega; never positive.

    The faces are ``theta = phi``, ``theta = -(pi - phi)``, ``q = 1``, ``P = 0`` and the curved one,
    ``q k(phi - theta) = k(phi)``. The normals are ``+-d theta``, ``dq``, ``-dP`` and ``d(q k(phi - theta))``.

    Parameters
    ----------
    phi : float
        Redundant angle, in (0, pi).
    points : int
        Grid points per axis, at least 2.
    P_max : float
        Largest P on the grid; the outward components fall with P, so none is larger beyond.

    Returns
    -------
    dict of ndarray
        Outward components by face, 1-D; the grid points of Omega on that face.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    _check_phi(np.asarray(phi))
    if not (points >= 2 and P_max > 0):
        raise ValueError(f"points = {points}, P_max = {P_max}; allowed: points >= 2, P_max > 0")
    part = np.linspace(0, 1, points + 1)[1:]
    P = np.linspace(0, P_max, points)
    theta = np.linspace(-(np.pi - phi), phi, points)
    below, above = np.linspace(-(np.pi - phi), 0, points), np.linspace(0, phi, points)
    faces = {
        "theta = phi": (2 * relu_kernel(phi) * part[:, None], phi, P),
        "theta = phi - pi": (part[:, None], -(np.pi - phi), P),
        "q = 1": (1.0, below[:, None], P),
        "P = 0": (part * _largest_q(theta, phi)[:, None], theta[:, None], 0.0),
        "curved": (_largest_q(above, phi)[:, None], above[:, None], P),
    }
    products = {}
    for name, state in faces.items():
        q, theta, P = (axis.ravel() for axis in np.broadcast_arrays(*state))
        dq, dtheta, dP, _ = duplicates_rhs(np.stack([q, theta, P, 0 * q]), m=2, phi=phi, D=np.inf)
        products[name] = {
            "theta = phi": dtheta, "theta = phi - pi": -dtheta, "q = 1": dq, "P = 0": -dP,
            "curved": 2 * (dq * relu_kernel(phi - theta) - q * relu_kernel_slope(phi - theta) * dtheta),
        }[name]
    return products


def region_path(*, m: int, phi: float, kappa: float = 1.0, until: float = 40.0) -> NDArray:
    """States (q, theta, P) along the limit flow of duplicates, at the steps of an implicit method.

    Implicit (LSODA), so that the relaxation rate (m - 1)/2 of P does not limit the steps when m is in the
    thousands.

    Parameters
    ----------
    m, phi, kappa
        As in :func:`featurelearning.gauge.duplicates`, scalars.
    until : float
        Fast time at the end, positive.

    Returns
    -------
    ndarray, shape (3, T)

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    _check_phi(np.asarray(phi))
    if not (m >= 2 and np.isfinite(until) and until > 0):
        raise ValueError(f"m = {m}, until = {until}; allowed: m >= 2, a finite time > 0")
    solution = solve_ivp(lambda _, y: duplicates_rhs(y, m=m, phi=phi, D=np.inf), (0, until),
                         duplicates_start(m=m, phi=phi, kappa=kappa), method="LSODA", rtol=1e-10, atol=1e-13)
    if not solution.success:
        raise ArithmeticError(f"integration stopped: {solution.message}")
    return solution.y[:3]


def _largest_q(theta: NDArray, phi: float) -> NDArray:
    """Largest q in Omega at angle theta: the curved face for theta > 0, else 1."""
    return np.where(theta > 0, relu_kernel(phi) / relu_kernel(phi - np.maximum(theta, 0)), 1.0)


def _check_phi(phi: NDArray) -> None:
    if not np.all((phi > 0) & (phi < np.pi)):
        raise ValueError(f"phi = {phi}; allowed: angles strictly between 0 and pi")
