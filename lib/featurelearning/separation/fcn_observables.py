"""What sampled three-layer networks do: both kernels, their fluctuations, their predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.diagnostics import ChainMean, chain_mean
from featurelearning.separation.fcn_equations import first_kernel
from featurelearning.separation.hmc import Draws
from featurelearning.separation.observables import excess_kurtosis
from featurelearning.separation.posterior import FCN3Potential
from featurelearning.separation.regression import condition

__all__ = ["FCN3Sample", "observe_fcn3", "partial_correlation"]


@dataclass(frozen=True)
class FCN3Sample:
    r"""Draws and averages of the three-layer network; pairs hold the first and the second layer.

    Parameters
    ----------
    first : array, shape (chains, draws)
        :math:`w^TMw/S_0` with :math:`M = W_1^TW_1/N_1`.
    link : array, shape (chains, draws)
        :math:`u^TQ_1u`, :math:`Q_1` from the activations of the first layer, :math:`u = y/|y|`.
    second : array, shape (chains, draws)
        :math:`u^TK_2u`, :math:`K_2 = h_2h_2^T/N_2`.
    teacher_eigenvalue, kernel_growth, alpha, test_mse : ChainMean
        Counterparts of the fields of :class:`.Solution`.
    moments, activations : pair of arrays, shape (n, n)
        Mean second moments of pre-activations, and of activations.
    kurtosis : dict of str to ChainMean
        Excess kurtosis of ``"h1 along w"``, ``"h2 along u"`` and ``"h2 orthogonal"`` (one direction).
    """

    first: np.ndarray
    link: np.ndarray
    second: np.ndarray
    teacher_eigenvalue: ChainMean
    kernel_growth: ChainMean
    alpha: ChainMean
    test_mse: ChainMean
    moments: tuple[np.ndarray, np.ndarray]
    activations: tuple[np.ndarray, np.ndarray]
    kurtosis: dict[str, ChainMean]

    @property
    def scalars(self) -> tuple[ChainMean, ...]:
        """The scalars whose chains are diagnosed."""
        return self.teacher_eigenvalue, self.kernel_growth, self.alpha


def observe_fcn3(potential: FCN3Potential, draws: Draws, data: TeacherData, every: int = 1) -> FCN3Sample:
    """Posterior averages from each `every`-th draw; the readout is averaged exactly.

    Parameters
    ----------
    potential : FCN3Potential
    draws : Draws
        Of that potential, at least two chains.
    data : TeacherData
        Holds the test set and the teacher's direction.
    every : int
        Thinning, >= 1.

    Returns
    -------
    FCN3Sample
    """
    model = potential.model
    u = data.y / np.linalg.norm(data.y)
    across = np.roll(data.y, 1) - u * (u @ np.roll(data.y, 1))
    across /= np.linalg.norm(across)
    N1, N2 = potential.widths
    kept = draws.q[:, ::every]
    shape, count = kept.shape[:2], kept.shape[0] * kept.shape[1]
    means = np.zeros((4, len(u), len(u)))
    rows, predictions, along = [], [], {"h1 along w": [], "h2 along u": [], "h2 orthogonal": []}
    for q in kept.reshape(count, -1):
        W1, W2 = potential.layers(q)
        h1, h2 = potential.pre_activations(q)
        phi1, phi2 = erf(h1), erf(h2)
        means += np.array([h1 @ h1.T / N1, phi1 @ phi1.T / N1, h2 @ h2.T / N2, phi2 @ phi2.T / N2]) / count
        weight = model.sa2 / (model.chi * N2)
        t = condition(weight * (phi2 @ phi2.T), data.y, model.sigma2).t
        alpha = 1 - model.sigma2 * (t @ data.y) / (data.y @ data.y)
        phi2_test = erf(erf(data.X_test[:, 0] @ W1.T) @ W2.T)
        predictions.append(weight * (phi2_test @ (phi2.T @ t)))
        link = model.sw2 * np.sum((u @ phi1) ** 2) / N1
        rows.append([np.mean((W1 @ data.w) ** 2) / model.S0, link, np.sum((u @ h2) ** 2) / N2, alpha])
        for name, values in zip(along, (W1 @ data.w, u @ h2, across @ h2)):
            along[name].append(values)
    first, link, second, alpha = np.array(rows).T.reshape(4, *shape)
    prior = first_kernel(model, model.S0 * np.eye(data.S))
    test = np.array(predictions).reshape(*shape, -1)
    mean = test.mean(axis=(0, 1))
    error = mean - data.y_test
    return FCN3Sample(
        first=first, link=link, second=second,
        teacher_eigenvalue=chain_mean(first),
        kernel_growth=chain_mean(second / (u @ prior @ u)),
        alpha=chain_mean(alpha),
        test_mse=chain_mean(np.mean(error**2) + 2 * np.mean(error * (test - mean), axis=2)),
        moments=(means[0], means[2]),
        activations=(means[1], means[3]),
        kurtosis={name: excess_kurtosis(np.array(z).reshape(*shape, -1)) for name, z in along.items()},
    )


def partial_correlation(x: np.ndarray, y: np.ndarray, given: np.ndarray) -> tuple[float, float]:
    r"""Correlation of x and y, and what is left of it once both are regressed on a third variable.

    Parameters
    ----------
    x, y, given : arrays of one shape
        Flattened.

    Returns
    -------
    tuple of float
        :math:`r_{xy}` and :math:`(r_{xy} - r_{xz}r_{yz})/\sqrt{(1-r_{xz}^2)(1-r_{yz}^2)}`.
    """
    r = np.corrcoef([x.ravel(), y.ravel(), given.ravel()])
    partial = (r[0, 1] - r[0, 2] * r[1, 2]) / np.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2))
    return float(r[0, 1]), float(partial)
