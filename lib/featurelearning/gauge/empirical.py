"""Full-batch gradients on a finite sample: the mean over inputs x_n in place of the Gaussian average.

    L = 1/(2N) sum_n (f(x_n) - y_n)^2,   relu'(0) = 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["empirical_gradients", "empirical_gradients_reference", "empirical_loss", "network"]


def network(X: NDArray, a: NDArray, W: NDArray, copies: ArrayLike = 1.0) -> NDArray:
    """Function ``f(x_n) = sum_j n_j a_j relu(w_j.x_n)``, n_j the copies of unit j.

    Parameters
    ----------
    X : ndarray, shape (N, d)
    a : ndarray, shape (m,)
    W : ndarray, shape (m, d)
    copies : array_like, shape (m,), optional

    Returns
    -------
    ndarray, shape (N,)
    """
    return (copies * a) @ np.maximum(W @ X.T, 0)


def empirical_loss(X: NDArray, y: NDArray, a: NDArray, W: NDArray, copies: ArrayLike = 1.0) -> float:
    """Loss ``sum_n (f(x_n) - y_n)^2 / (2N)``; arguments as in :func:`empirical_gradients`."""
    return float(np.mean((network(X, a, W, copies) - y) ** 2) / 2)


def empirical_gradients(X: NDArray, y: NDArray, a: NDArray, W: NDArray,
                        copies: ArrayLike = 1.0) -> tuple[NDArray, NDArray]:
    """Gradients ``dL/da_j = mean(e relu(w_j.x))``, ``dL/dw_j = a_j mean(e 1(w_j.x > 0) x)``, ``e = f - y``.

    Of one copy of each unit; as three matrix products.

    Parameters
    ----------
    X : ndarray, shape (N, d)
        Inputs.
    y : ndarray, shape (N,)
        Targets.
    a, W : ndarray, shapes (m,) and (m, d)
        Weights.
    copies : array_like, shape (m,), optional
        How many identical copies of each unit the network has.

    Returns
    -------
    grad_a, grad_W : ndarray, shapes (m,) and (m, d)
    """
    active = np.maximum(W @ X.T, 0)
    error = ((copies * a) @ active - y) / len(y)
    return active @ error, a[:, None] * (np.where(active > 0, error, 0) @ X)


def empirical_gradients_reference(X: NDArray, y: NDArray, a: NDArray, W: NDArray,
                                  copies: ArrayLike = 1.0) -> tuple[NDArray, NDArray]:
    """The same gradients, one sample and one unit at a time."""
    grad_a, grad_W = np.zeros_like(a), np.zeros_like(W)
    copies = np.broadcast_to(copies, a.shape)
    for x, target in zip(X, y, strict=True):
        error = sum(n * a_j * max(w @ x, 0) for n, a_j, w in zip(copies, a, W, strict=True)) - target
        for j, w in enumerate(W):
            if w @ x > 0:
                grad_a[j] += error * (w @ x) / len(y)
                grad_W[j] += error * a[j] * x / len(y)
    return grad_a, grad_W
