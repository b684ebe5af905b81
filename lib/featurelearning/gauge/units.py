"""Any number of units in one plane, each with its own imbalance, in coefficient-direction form.

    dq_j/dt = S_j [K(t_j*) - sum_i q_i K(t_ji)],    dtheta_j/dt = A_j [K'(t_j*) - sum_i q_i K'(t_ji)],

with signed in-plane angles ``t_ji = theta_j - theta_i`` and the teacher at angle 0. Equal to gradient
flow of the original parameters for directions that span a plane with the teacher.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.gauge.integrate import increasing_times, landing
from featurelearning.gauge.rates import coefficient_rate, direction_rate, layer_norms
from featurelearning.gaussian import relu_kernel, relu_kernel_slope

__all__ = ["units_flow", "units_function", "units_velocity"]


def units_velocity(q: NDArray, theta: NDArray, delta: NDArray) -> tuple[NDArray, NDArray]:
    """Velocities ``(dq/dt, dtheta/dt)`` of m units, arrays of shape (m,), in original time."""
    gaps = theta[:, None] - theta[None, :]
    return (coefficient_rate(q, delta) * (relu_kernel(theta) - relu_kernel(gaps) @ q),
            direction_rate(q, delta) * (relu_kernel_slope(theta) - relu_kernel_slope(gaps) @ q))


def units_flow(t: ArrayLike, *, q: ArrayLike, theta: ArrayLike, delta: ArrayLike) -> tuple[NDArray, NDArray]:
    """Coefficients and angles at times `t` (original time), from the start (q, theta) at t = 0.

    Parameters
    ----------
    t : array_like, shape (T,)
        Times >= 0, strictly increasing.
    q, theta, delta : array_like, shape (m,)
        Initial coefficients and signed angles, and the conserved imbalances.

    Returns
    -------
    q, theta : ndarray, shape (T, m)

    Raises
    ------
    ValueError
        If shapes differ or a unit has no direction (q = 0 with delta >= 0).
    """
    t = increasing_times(t, "t")
    q, theta, delta = (np.asarray(value, dtype=float) for value in (q, theta, delta))
    if not (q.ndim == 1 and q.shape == theta.shape == delta.shape):
        raise ValueError(f"q, theta, delta have shapes {q.shape}, {theta.shape}, {delta.shape}; allowed: all "
                         "(m,)")
    times = t if t[0] == 0 else np.concatenate(([0.0], t))
    states = landing(lambda _, y: np.stack(units_velocity(y[0], y[1], delta)), np.stack([q, theta]), times)
    return states[len(times) - len(t):, 0], states[len(times) - len(t):, 1]


def units_function(inputs: NDArray, *, q: ArrayLike, theta: ArrayLike, delta: ArrayLike) -> NDArray:
    """Function ``f(x) = sum_j a_j relu(w_j.x)`` from the *parameters* that the imbalances give.

    Parameters
    ----------
    inputs : ndarray, shape (N, 2)
        Inputs in the plane; the teacher's direction is (1, 0).
    q, theta, delta : array_like, shape (m,)
        As in :func:`units_flow`.

    Returns
    -------
    ndarray, shape (N,)
    """
    a, r = layer_norms(q, delta)
    weights = r[:, None] * np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    return np.maximum(inputs @ weights.T, 0) @ a
