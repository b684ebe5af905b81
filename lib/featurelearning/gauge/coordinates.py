"""Coefficient-direction coordinates in d dimensions: gradient flow in them, and velocities from weights.

    dq_j/dt = S_j g_j,   g_j = sum_k c_k K(t_jk) - sum_i q_i K(t_ji),
    ds_j/dt = A_j h_j,   h_j = P_perp(s_j) [sum_k c_k k_c(t_jk) u_k - sum_i q_i k_c(t_ji) s_i],

with ``k_c = dK/dc = (pi - t)/(2 pi)``, teachers of unit directions u_k and coefficients c_k, and P_perp the
projection off s_j. Derived here; the form is that of Section 3.1 of the paper.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featurelearning.gauge.rates import coefficient_rate, direction_rate
from featurelearning.gaussian import angle, relu_kernel, relu_kernel_cosine_slope

__all__ = ["coefficient_direction_velocity", "velocity_from_weights"]


def coefficient_direction_velocity(q: NDArray, s: NDArray, delta: NDArray, U: NDArray,
                                   c: NDArray) -> tuple[NDArray, NDArray]:
    """Velocities ``(dq/dt, ds/dt)`` of gradient flow, in original time (the equations of this module).

    Parameters
    ----------
    q, delta : ndarray, shape (m,)
        Coefficients and imbalances.
    s : ndarray, shape (m, d)
        Unit directions.
    U, c : ndarray, shapes (n, d) and (n,)
        Unit directions and coefficients of the teachers.

    Returns
    -------
    dq : ndarray, shape (m,)
    ds : ndarray, shape (m, d)
        Each row orthogonal to its s.

    Raises
    ------
    ValueError
        If a direction is zero, or undefined (q = 0 with delta >= 0).
    """
    directions, coefficients = np.concatenate([U, s]), np.concatenate([c, -q])
    t = angle(s[:, None], directions[None])
    g = relu_kernel(t) @ coefficients
    pull = (relu_kernel_cosine_slope(t) * coefficients) @ directions
    h = pull - np.sum(s * pull, axis=-1, keepdims=True) * s
    return coefficient_rate(q, delta) * g, direction_rate(q, delta)[:, None] * h


def velocity_from_weights(a: NDArray, W: NDArray, da: NDArray, dW: NDArray) -> tuple[NDArray, NDArray]:
    """Velocities ``dq = r da + a s.dw`` and ``ds = (dw - (s.dw) s)/r`` that weight velocities amount to.

    Parameters
    ----------
    a, da : ndarray, shape (m,)
        Output weights and their velocities.
    W, dW : ndarray, shape (m, d)
        Input weights, non-zero, and their velocities.

    Returns
    -------
    dq : ndarray, shape (m,)
    ds : ndarray, shape (m, d)

    Raises
    ------
    ValueError
        If an input weight is zero.
    """
    r = np.linalg.norm(W, axis=-1, keepdims=True)
    if not np.all(r > 0):
        raise ValueError("an input weight is zero and has no direction; allowed: non-zero vectors")
    s = W / r
    dr = np.sum(s * dW, axis=-1, keepdims=True)
    return r[:, 0] * da + a * dr[:, 0], (dW - dr * s) / r
