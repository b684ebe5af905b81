"""Node rescaling at any depth: the same function, other speeds of its incoming and outgoing directions.

Scaling a hidden ReLU node's incoming weights by 1/rho and its outgoing weights by rho leaves the function as
it is. The chain rule then scales the incoming gradient by rho and the outgoing one by 1/rho, so under
gradient flow the incoming *direction* turns rho^2 times as fast and the outgoing one rho^-2 times.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["direction_velocities", "loss_gradients", "network_output", "rescale_node"]

LOSSES = ("squared", "logistic")


def network_output(weights: Sequence[NDArray], inputs: NDArray) -> NDArray:
    """Output of the bias-free ReLU network ``W_L relu(... relu(W_1 x))``.

    Parameters
    ----------
    weights : sequence of ndarray
        ``W_l`` of shape (n_l, n_{l-1}).
    inputs : ndarray, shape (N, n_0)

    Returns
    -------
    ndarray, shape (N, n_L)
    """
    return _layers(weights, inputs)[-1]


def loss_gradients(weights: Sequence[NDArray], inputs: NDArray, targets: NDArray, loss: str) -> list[NDArray]:
    """Gradients of the mean loss in every weight matrix, by back-propagation.

    Parameters
    ----------
    weights : sequence of ndarray
        As in :func:`network_output`.
    inputs : ndarray, shape (N, n_0)
    targets : ndarray, shape (N, n_L)
        Values for ``"squared"`` (``sum (f - y)^2 / 2``), labels -1 or 1 for ``"logistic"``
        (``sum ln(1 + exp(-y f))``).
    loss : {"squared", "logistic"}

    Returns
    -------
    list of ndarray
        Shapes of `weights`.

    Raises
    ------
    ValueError
        If the loss is unknown.
    """
    if loss not in LOSSES:
        raise ValueError(f"loss = {loss!r}; allowed: {' or '.join(LOSSES)}")
    layers = _layers(weights, inputs)
    output = layers[-1]
    error = output - targets if loss == "squared" else -targets / (1 + np.exp(targets * output))
    gradients = []
    for W, below in zip(weights[::-1], layers[-2::-1], strict=True):
        gradients.append(error.T @ below / len(inputs))
        error = (error @ W) * (below > 0)
    return gradients[::-1]


def rescale_node(weights: Sequence[NDArray], layer: int, node: int, rho: float) -> list[NDArray]:
    """Weights after ``w -> w/rho`` into and ``v -> rho v`` out of one hidden node: the same function.

    Parameters
    ----------
    weights : sequence of ndarray
        As in :func:`network_output`.
    layer, node : int
        Hidden layer (0 is the first) and node in it.
    rho : float
        Positive.

    Returns
    -------
    list of ndarray
        New arrays.

    Raises
    ------
    ValueError
        If there is no such node or rho is not positive.
    """
    if not (0 <= layer < len(weights) - 1 and 0 <= node < len(weights[layer])):
        raise ValueError(f"layer = {layer}, node = {node}; allowed: a node of one of {len(weights) - 1} "
                         "hidden layers")
    if not (np.isfinite(rho) and rho > 0):
        raise ValueError(f"rho = {rho}; allowed: a finite factor > 0")
    scaled = [W.copy() for W in weights]
    scaled[layer][node] /= rho
    scaled[layer + 1][:, node] *= rho
    return scaled


def direction_velocities(weights: Sequence[NDArray], gradients: Sequence[NDArray], layer: int,
                     node: int) -> tuple[NDArray, NDArray]:
    """Velocities of a node's incoming and outgoing unit vectors under gradient flow, ``-P_perp grad / |w|``.

    Parameters
    ----------
    weights, gradients : sequence of ndarray
        As in :func:`loss_gradients`.
    layer, node : int
        As in :func:`rescale_node`.

    Returns
    -------
    incoming, outgoing : ndarray, shapes (n_{l-1},), (n_{l+1},)
    """
    def velocity(w: NDArray, gradient: NDArray) -> NDArray:
        s = w / np.linalg.norm(w)
        return -(gradient - s * (s @ gradient)) / np.linalg.norm(w)

    return (velocity(weights[layer][node], gradients[layer][node]),
            velocity(weights[layer + 1][:, node], gradients[layer + 1][:, node]))


def _layers(weights: Sequence[NDArray], inputs: NDArray) -> list[NDArray]:
    """Inputs, hidden activations, output."""
    layers = [inputs]
    for W in weights[:-1]:
        layers.append(np.maximum(layers[-1] @ W.T, 0))
    return [*layers, layers[-1] @ weights[-1].T]
