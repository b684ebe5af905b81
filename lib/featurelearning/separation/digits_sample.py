"""What sampled deep CNNs do on digits: Gaussianity of both layers, second moments, and three predictors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.special import erf

from featurelearning.gaussian import arcsine_kernel
from featurelearning.separation.diagnostics import ChainMean, chain_mean
from featurelearning.separation.digits import (
    FIRST, SECOND, DeepCNNPotential, layer_kernel, second_layer_moments, windows,
)
from featurelearning.separation.hmc import Draws
from featurelearning.separation.regression import condition, relative_distance

__all__ = ["DigitsSample", "Score", "gp_score", "nngp_score", "observe_digits"]


@dataclass(frozen=True)
class Score:
    """Test predictions of a model of the digits, their mean squared error and accuracy."""

    predictions: np.ndarray
    mse: float
    accuracy: float


@dataclass(frozen=True)
class DigitsSample:
    """Posterior averages of the deep CNN; pairs hold the first and the second hidden layer.

    Parameters
    ----------
    network, gp : Score
        Mean predictor of the sampled networks, and of the GP built from their second moments alone.
    coordinate_kurtosis : pair of float
        Excess kurtosis of single pre-activations, averaged over inputs and positions.
    principal_kurtosis : pair of array, shape (9,)
        Along the nine leading principal directions of a channel's pre-activations.
    principal_values : pair of array, shape (9, channels x draws)
        The values that these come from.
    closure : pair of float
        Relative Frobenius distance between the mean activation kernel and the arcsine kernel of the mean
        second moment.
    alpha : ChainMean
        Learned fraction of the training labels, as a diagnostic.
    """

    network: Score
    gp: Score
    coordinate_kurtosis: tuple[float, float]
    principal_kurtosis: tuple[np.ndarray, np.ndarray]
    principal_values: tuple[np.ndarray, np.ndarray]
    closure: tuple[float, float]
    alpha: ChainMean


def observe_digits(potential: DeepCNNPotential, draws: Draws, every: int = 2) -> DigitsSample:
    """Posterior averages from each `every`-th draw.

    Parameters
    ----------
    potential : DeepCNNPotential
    draws : Draws
        Of that potential, at least two chains.
    every : int
        Thinning, >= 1.

    Returns
    -------
    DigitsSample
    """
    data, C = potential.data, potential.C
    n = len(data.y)
    patches = windows(np.concatenate([data.X, data.X_test])[..., None])
    kept = draws.q[:, ::every]
    count = kept.shape[0] * kept.shape[1]
    h1 = np.empty((count, n * FIRST**2, C))
    h2 = np.empty((count, n * SECOND**2, C))
    moments = np.zeros((SECOND**2, len(patches) // FIRST**2, len(patches) // FIRST**2))
    active1, active2 = np.zeros((n, n)), np.zeros((n, n))
    predictions, alphas = [], []
    for k, q in enumerate(kept.reshape(count, -1)):
        all1, all2, _ = potential.hidden(q, patches)
        h1[k], h2[k] = all1[: n * FIRST**2], all2[: n * SECOND**2]
        by_position = all2.reshape(-1, SECOND**2, C).transpose(1, 0, 2)
        moments += by_position @ by_position.transpose(0, 2, 1) / (C * count)
        phi1, phi2 = erf(h1[k]).reshape(n, -1), erf(all2).reshape(len(patches) // FIRST**2, -1)
        active1 += phi1 @ phi1.T / (FIRST**2 * C * count)
        active2 += phi2[:n] @ phi2[:n].T / (SECOND**2 * C * count)
        K = potential.weight * (phi2 @ phi2[:n].T)
        t = condition(K[:n], data.y, potential.sigma2).t
        predictions.append(K[n:] @ t)
        alphas.append(1 - potential.sigma2 * (t @ data.y) / (data.y @ data.y))
    filters = np.array([potential.layers(q)[0] for q in kept.reshape(count, -1)]).reshape(count * C, -1)
    inputs = potential.patches.reshape(n, FIRST**2, -1).transpose(1, 0, 2)
    first_moments = inputs @ (filters.T @ filters / (count * C)) @ inputs.transpose(0, 2, 1)
    principal = _principal(h1), _principal(h2)
    return DigitsSample(
        network=_score(np.mean(predictions, axis=0), data.y_test),
        gp=gp_score(potential, layer_kernel(moments)),
        coordinate_kurtosis=(_coordinate_kurtosis(h1), _coordinate_kurtosis(h2)),
        principal_kurtosis=(_kurtosis(principal[0]), _kurtosis(principal[1])),
        principal_values=principal,
        closure=(
            relative_distance(active1, layer_kernel(first_moments)),
            relative_distance(active2, layer_kernel(moments[:, :n, :n])),
        ),
        alpha=chain_mean(np.reshape(alphas, kept.shape[:2])),
    )


def gp_score(potential: DeepCNNPotential, activation_kernel: np.ndarray) -> Score:
    """Test score of the GP with output kernel (sa2/chi) times `activation_kernel` (all inputs, training
    first)."""
    data, n = potential.data, len(potential.data.y)
    K = potential.sa2 / potential.chi * activation_kernel
    return _score(K[n:, :n] @ condition(K[:n, :n], data.y, potential.sigma2).t, data.y_test)


def nngp_score(potential: DeepCNNPotential) -> Score:
    """Test score of the infinitely wide network."""
    images = np.concatenate([potential.data.X, potential.data.X_test])
    by_position = windows(images[..., None]).reshape(len(images), FIRST**2, -1).transpose(1, 0, 2)
    first = arcsine_kernel(potential.sw2 / by_position.shape[2] * by_position @ by_position.transpose(0, 2,
                                                                                                      1))
    return gp_score(potential, layer_kernel(second_layer_moments(first, potential.sw2)))


def _score(predictions: np.ndarray, y: np.ndarray) -> Score:
    return Score(predictions, float(np.mean((predictions - y) ** 2)),
                 float(np.mean(np.sign(predictions) == y)))


def _coordinate_kurtosis(h: np.ndarray) -> float:
    square = h**2
    second, fourth = np.mean(square, axis=(0, 2)), np.mean(square**2, axis=(0, 2))
    # Blank patches of an image have no pre-activation.
    seen = second > 0
    return float(np.mean(fourth[seen] / second[seen] ** 2 - 3))


def _principal(h: np.ndarray, directions: int = 9) -> np.ndarray:
    """Coordinates, shape (directions, samples), of channels along their leading principal directions."""
    samples = h.transpose(1, 0, 2).reshape(h.shape[1], -1)
    second_moment = LinearOperator(2 * (len(samples),), matvec=lambda v: samples @ (samples.T @ v),
                                   dtype=float)
    leading = eigsh(second_moment, k=directions, v0=np.ones(len(samples)))[1][:, ::-1]
    return leading.T @ samples


def _kurtosis(z: np.ndarray) -> np.ndarray:
    return np.mean(z**4, axis=1) / np.mean(z**2, axis=1) ** 2 - 3
