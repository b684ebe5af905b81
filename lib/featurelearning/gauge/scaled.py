"""Scaled Cartesian coordinates of duplicates: smooth also where the redundant coefficient passes zero.

    a_1 = sqrt(D) b,  w_1 = z/sqrt(D)   (selected),     a_r = p/sqrt(D),  w_r = sqrt(D) v   (redundant)

with z, v in R^d. The selected unit contributes ``b relu(z.x)`` and each of the M redundant ones
``p relu(v.x)``; the imbalances +D and -D read ``b^2 = 1 + |z|^2/D^2`` and ``|v|^2 = 1 + p^2/D^2``. With the
residual ``R(w) = G(w, s*) - b G(w, z) - M p G(w, v)``, in fast time,

    b' = z.R(z)/D^2,   z' = b R(z),   p' = v.R(v),   v' = p R(v)/D^2.

One gradient-descent step of size ``eta = h/D`` in the original parameters is exactly one Euler step h
of this system. At z = 0 the selected direction is undefined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.gauge.integrate import increasing_times, landing
from featurelearning.gauge.rates import layer_norms
from featurelearning.gaussian import relu_gradient

__all__ = ["ScaledState", "scaled_flow", "scaled_start", "scaled_velocity"]


@dataclass(frozen=True)
class ScaledState:
    """State ``(b, z, p, v)`` of one selected unit and of identical redundant ones, or its velocity.

    `b` and `p` have shape (...), `z` and `v` shape (..., d).
    """

    b: NDArray
    z: NDArray
    p: NDArray
    v: NDArray

    def imbalances(self, D: float) -> tuple[NDArray, NDArray]:
        """Imbalances ``a^2 - |w|^2`` of the selected and of each redundant unit."""
        selected = D * self.b**2 - np.sum(self.z**2, axis=-1) / D
        redundant = self.p**2 / D - D * np.sum(self.v**2, axis=-1)
        return selected, redundant


def scaled_start(*, q: float, s: ArrayLike, p: float, s_redundant: ArrayLike, D: float) -> ScaledState:
    """State of coefficients q, p and unit directions at imbalances +D and -D.

    Parameters
    ----------
    q : float
        Selected coefficient, not zero.
    s, s_redundant : array_like, shape (d,)
        Unit directions.
    p : float
        Coefficient of each redundant unit, of any sign, zero included.
    D : float
        Imbalance, positive and finite.

    Returns
    -------
    ScaledState

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    s, s_redundant = np.asarray(s, dtype=float), np.asarray(s_redundant, dtype=float)
    if not (np.isfinite(D) and D > 0):
        raise ValueError(f"D = {D}; allowed: a finite imbalance > 0")
    for name, direction in (("s", s), ("s_redundant", s_redundant)):
        if direction.ndim != 1 or not abs(np.linalg.norm(direction) - 1) < 1e-12:
            raise ValueError(f"{name} = {direction}; allowed: a unit vector of shape (d,)")
    a, r = layer_norms(q, D)
    # At imbalance -D the larger factor is the input length: r^2 = (S + D)/2, and a = p/r may be zero.
    r_redundant = np.sqrt((np.hypot(D, 2 * p) + D) / 2)
    return ScaledState(a / np.sqrt(D), np.sqrt(D) * r * s,
                       np.sqrt(D) * p / r_redundant, r_redundant / np.sqrt(D) * s_redundant)


def scaled_velocity(state: ScaledState, *, m: int, D: float, teacher: ArrayLike) -> ScaledState:
    """Fast-time velocity ``(b', z', p', v')`` (the equations of this module).

    Parameters
    ----------
    state : ScaledState
        With z and v not zero.
    m : int
        Number of units; m - 1 are redundant.
    D : float
        Imbalance, positive; ``numpy.inf`` freezes b and v.
    teacher : array_like, shape (d,)
        Unit vector s*, teacher coefficient 1.

    Returns
    -------
    ScaledState
    """
    b, z, p, v = state.b, state.z, state.p, state.v

    def residual(w: NDArray) -> NDArray:
        return relu_gradient(w, teacher) - b * relu_gradient(w, z) - (m - 1) * p * relu_gradient(w, v)

    at_selected, at_redundant = residual(z), residual(v)
    return ScaledState(z @ at_selected / D**2, b * at_selected, v @ at_redundant, p * at_redundant / D**2)


def scaled_flow(tau: ArrayLike, start: ScaledState, *, m: int, D: float, teacher: ArrayLike) -> ScaledState:
    """States at the fast times `tau`, arrays of shape (T,) and (T, d).

    Parameters
    ----------
    tau : array_like, shape (T,)
        Fast times >= 0, strictly increasing.
    start : ScaledState
        State at time 0, e.g. of :func:`scaled_start`.
    m, D, teacher
        As in :func:`scaled_velocity`.

    Returns
    -------
    ScaledState

    Raises
    ------
    ValueError
        If the times are not increasing.
    """
    tau = increasing_times(tau, "tau")
    d = len(start.z)

    def unpack(y: NDArray) -> ScaledState:
        return ScaledState(y[..., 0], y[..., 1:d + 1], y[..., d + 1], y[..., d + 2:])

    def pack(state: ScaledState) -> NDArray:
        return np.concatenate([[state.b], state.z, [state.p], state.v])

    times = tau if tau[0] == 0 else np.concatenate(([0.0], tau))
    states = landing(lambda _, y: pack(scaled_velocity(unpack(y), m=m, D=D, teacher=teacher)), pack(start),
                     times)
    return unpack(states[len(times) - len(tau):])
