"""Gradient flow of the weights themselves, on the loss averaged over Gaussian inputs.

    f(x) = sum_j a_j relu(w_j.x),   f*(x) = sum_k c_k relu(u_k.x),   L = E (f - f*)^2 / 2,
    dL/da_j = w_j.R_j,   dL/dw_j = a_j R_j,   R_j = sum_i a_i G(w_j, w_i) - sum_k c_k G(w_j, u_k),

with the gradient vector G of :func:`featurelearning.gaussian.relu_gradient`; the first line of gradients
uses ``w.G(w, u) = E[relu(w.x) relu(u.x)]``. Any number of units, teachers, inputs and leading batch axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.gauge.integrate import increasing_times, landing
from featurelearning.gauge.rates import layer_norms
from featurelearning.gaussian import angle, relu_kernel_cosine_slope, relu_remainder

__all__ = ["WeightTrajectory", "from_weights", "population_flow", "population_gradients", "population_loss",
           "to_weights"]


@dataclass(frozen=True)
class WeightTrajectory:
    """Weights along a path: times `t` (T,), output weights `a` (T, ..., m), input weights `W` (T, ..., m,
    d)."""

    t: NDArray
    a: NDArray
    W: NDArray

    @property
    def q(self) -> NDArray:
        """Coefficients ``a_j |w_j|``, shape (T, ..., m)."""
        return self.a * np.linalg.norm(self.W, axis=-1)

    @property
    def delta(self) -> NDArray:
        """Imbalances ``a_j^2 - |w_j|^2``, shape (T, ..., m)."""
        return self.a**2 - np.sum(self.W**2, axis=-1)

    @property
    def contributions(self) -> NDArray:
        """Vectors ``q_j s_j = a_j w_j`` of the units, shape (T, ..., m, d)."""
        return self.a[..., None] * self.W


def population_loss(a: NDArray, W: NDArray, U: NDArray, c: NDArray, copies: ArrayLike = 1.0) -> NDArray:
    """Loss ``L = E (f - f*)^2 / 2 = |sum_i v_i w_i|^2/4 + sum_ij v_i v_j |w_i||w_j| B(t_ij)/2``.

    The sums run over units and teachers, with ``v = (a_1, ..., -c_1, ...)``; ``B(t) = K(t) - cos(t)/2``
    replaces the kernel matrix ``v^T K v / 2`` by terms that do not cancel near a perfect fit.

    Parameters
    ----------
    a : ndarray, shape (..., m)
        Output weights.
    W : ndarray, shape (..., m, d)
        Input weights, non-zero.
    U, c : ndarray, shapes (n, d) and (n,)
        Teachers' directions times lengths (non-zero), and output weights.
    copies : array_like, shape (m,), optional
        How many identical copies of each unit the network has.

    Returns
    -------
    ndarray, shape (...)

    Raises
    ------
    ValueError
        If shapes do not fit or a vector is zero.
    """
    vectors, weights = _all_vectors(a, W, U, c, copies)
    scaled = weights * np.linalg.norm(vectors, axis=-1)
    bend = relu_remainder(angle(vectors[..., :, None, :], vectors[..., None, :, :]))
    sum_vector = (weights[..., None, :] @ vectors)[..., 0, :]
    return np.sum(sum_vector**2, axis=-1) / 4 + np.einsum("...i,...ij,...j->...", scaled, bend, scaled) / 2


def population_gradients(a: NDArray, W: NDArray, U: NDArray, c: NDArray,
                         copies: ArrayLike = 1.0) -> tuple[NDArray, NDArray]:
    """Gradients ``dL/da_j = w_j.R_j`` and ``dL/dw_j = a_j R_j`` of one copy of each unit.

    Parameters
    ----------
    a, W, U, c, copies
        As in :func:`population_loss`.

    Returns
    -------
    grad_a : ndarray, shape (..., m)
    grad_W : ndarray, shape (..., m, d)

    Raises
    ------
    ValueError
        If shapes do not fit or a vector is zero.
    """
    vectors, weights = _all_vectors(a, W, U, c, copies)
    t = angle(W[..., :, None, :], vectors[..., None, :, :])
    scaled = weights * np.linalg.norm(vectors, axis=-1)
    along = np.einsum("...ji,...i->...j", np.sin(t), scaled) / (2 * np.pi * np.linalg.norm(W, axis=-1))
    R = along[..., None] * W + (relu_kernel_cosine_slope(t) * weights[..., None, :]) @ vectors
    return np.einsum("...jd,...jd->...j", W, R), a[..., None] * R


def population_flow(t: ArrayLike, a: NDArray, W: NDArray, U: NDArray, c: NDArray,
                    copies: ArrayLike = 1.0) -> WeightTrajectory:
    """Gradient flow ``da/dt = -dL/da``, ``dW/dt = -dL/dW`` from (a, W) at t = 0.

    Integrated by an explicit 8th-order method at a relative tolerance of 1e-13, each time the end of a step.

    Parameters
    ----------
    t : array_like, shape (T,)
        Times >= 0 (original time: unit learning rates), strictly increasing.
    a, W, U, c, copies
        As in :func:`population_loss`.

    Returns
    -------
    WeightTrajectory

    Raises
    ------
    ValueError
        If an argument does not fit.
    """
    t = increasing_times(t, "t")
    start = np.concatenate([a[..., None], W], axis=-1)

    def rhs(_: float, state: NDArray) -> NDArray:
        grad_a, grad_W = population_gradients(state[..., 0], state[..., 1:], U, c, copies)
        return -np.concatenate([grad_a[..., None], grad_W], axis=-1)

    times = t if t[0] == 0 else np.concatenate(([0.0], t))
    states = landing(rhs, start, times)[len(times) - len(t):]
    return WeightTrajectory(t, states[..., 0], states[..., 1:])


def to_weights(q: ArrayLike, s: ArrayLike, delta: ArrayLike) -> tuple[NDArray, NDArray]:
    """Weights (a, W) of coefficients q, directions s and imbalances delta; inverse of :func:`from_weights`.

    Parameters
    ----------
    q, delta : array_like, shape (..., m)
        Coefficients, non-zero, and imbalances.
    s : array_like, shape (..., m, d)
        Unit vectors.

    Returns
    -------
    a : ndarray, shape (..., m)
    W : ndarray, shape (..., m, d)

    Raises
    ------
    ValueError
        If a coefficient is zero or a direction is not a unit vector.
    """
    s = np.asarray(s, dtype=float)
    if not np.allclose(np.linalg.norm(s, axis=-1), 1, rtol=0, atol=1e-9):
        raise ValueError(f"s has vectors of length {np.linalg.norm(s, axis=-1)}; allowed: unit vectors")
    a, r = layer_norms(q, delta)
    return a, r[..., None] * s


def from_weights(a: ArrayLike, W: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """Coefficient ``q = a |w|``, direction ``s = w/|w|`` and imbalance ``delta = a^2 - |w|^2`` of each unit.

    Parameters
    ----------
    a : array_like, shape (..., m)
    W : array_like, shape (..., m, d)
        Non-zero vectors.

    Returns
    -------
    q, s, delta : ndarray, shapes (..., m), (..., m, d), (..., m)

    Raises
    ------
    ValueError
        If an input weight is zero.
    """
    a, W = np.asarray(a, dtype=float), np.asarray(W, dtype=float)
    r = np.linalg.norm(W, axis=-1)
    if not np.all(r > 0):
        raise ValueError("an input weight is zero and has no direction; allowed: non-zero vectors")
    return a * r, W / r[..., None], a**2 - r**2


def _all_vectors(a: NDArray, W: NDArray, U: NDArray, c: NDArray, copies: ArrayLike) -> tuple[NDArray,
                                                                                             NDArray]:
    """Units then teachers: vectors (..., m + n, d) and signed output weights (..., m + n)."""
    if W.shape[:-1] != a.shape or U.shape != (*c.shape, W.shape[-1]) or c.ndim != 1:
        raise ValueError(f"a, W, U, c have shapes {a.shape}, {W.shape}, {U.shape}, {c.shape}; "
                         "allowed: (..., m), (..., m, d), (n, d), (n,)")
    batch = a.shape[:-1]
    return (np.concatenate([W, np.broadcast_to(U, (*batch, *U.shape))], axis=-2),
            np.concatenate([copies * a, np.broadcast_to(-c, (*batch, len(c)))], axis=-1))
