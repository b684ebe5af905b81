"""What sampled two-layer networks do: their filters, their kernel, their predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from featurelearning.separation.diagnostics import ChainMean, chain_mean, moment_ratio
from featurelearning.separation.hmc import Draws
from featurelearning.separation.posterior import CNNPotential
from featurelearning.separation.regression import condition
from featurelearning.separation.solution import direction_statistics

__all__ = [
    "CNNSample", "channel_coupling", "excess_kurtosis", "observe_cnn", "orthogonal_basis", "projections",
    "second_moments",
]


@dataclass(frozen=True)
class CNNSample:
    r"""Posterior averages of the two-layer network.

    Parameters
    ----------
    second_moment : array, shape (S, S)
        Mean of :math:`M = W^TW/C` in units of :math:`S_0`.
    kernel : array, shape (n, n)
        Mean output kernel.
    teacher_eigenvalue, orthogonal_eigenvalue, alpha : ChainMean
        Counterparts of the fields of :class:`.Solution`.
    overlap : float
        :math:`|v_1\cdot w|` of the leading eigenvector of the mean second moment.
    gap : float
        Ratio of its two largest eigenvalues.
    test_mse : ChainMean
        Mean squared error of the posterior mean predictor; its error by the delta method.
    """

    second_moment: np.ndarray
    kernel: np.ndarray
    teacher_eigenvalue: ChainMean
    orthogonal_eigenvalue: ChainMean
    alpha: ChainMean
    overlap: float
    gap: float
    test_mse: ChainMean

    @property
    def rhat(self) -> float:
        """The largest R-hat of the scalars."""
        return max(mean.rhat for mean in self._scalars)

    @property
    def ess(self) -> float:
        """The smallest effective sample size of the scalars."""
        return min(mean.ess for mean in self._scalars)

    @property
    def _scalars(self) -> tuple[ChainMean, ...]:
        return self.teacher_eigenvalue, self.orthogonal_eigenvalue, self.alpha


def observe_cnn(potential: CNNPotential, draws: Draws, every: int = 4) -> CNNSample:
    """Posterior averages from draws; kernels and predictions from each `every`-th one.

    The readout is averaged exactly: for given filters the predictor is the GP mean.

    Parameters
    ----------
    potential : CNNPotential
    draws : Draws
        Of that potential, at least two chains.
    every : int
        Thinning, >= 1.

    Returns
    -------
    CNNSample
    """
    data, S = potential.model.data, potential.model.data.S
    M = second_moments(potential, draws)
    along = np.einsum("cdst,s,t->cd", M, data.w, data.w)
    trace = np.trace(M, axis1=2, axis2=3)
    mean = M.mean(axis=(0, 1))
    leading = np.linalg.eigvalsh(mean)
    kernels = draws.observe(potential.kernel, every)
    regressions = draws.observe(lambda q: _predictor(potential, q), every)
    return CNNSample(
        second_moment=mean,
        kernel=kernels.mean(axis=(0, 1)),
        teacher_eigenvalue=chain_mean(along),
        orthogonal_eigenvalue=chain_mean((trace - along) / (S - 1)),
        alpha=chain_mean(regressions[..., 0]),
        overlap=direction_statistics(mean, data.w)[2],
        gap=float(leading[-1] / leading[-2]),
        test_mse=_mean_predictor_error(regressions[..., 1:], data.y_test),
    )


def second_moments(potential: CNNPotential, draws: Draws) -> np.ndarray:
    r""":math:`W^TW/(C S_0)` of each draw, shape (chains, draws, S, S)."""
    q = draws.q.reshape(*draws.q.shape[:2], potential.C, -1)
    return q.transpose(0, 1, 3, 2) @ q / potential.C


def projections(potential: CNNPotential, draws: Draws, direction: np.ndarray) -> np.ndarray:
    r"""Filters along a direction, in units of the prior's standard deviation.

    Parameters
    ----------
    potential, draws
    direction : array, shape (S,) or (S, k)

    Returns
    -------
    array, shape (chains, draws, C) or (chains, draws, C, k)
    """
    return draws.q.reshape(*draws.q.shape[:2], potential.C, -1) @ direction


def orthogonal_basis(w: np.ndarray) -> np.ndarray:
    """An orthonormal basis, shape (S, S - 1), of the directions orthogonal to w."""
    return np.linalg.svd(w[None, :])[2][1:].T


def excess_kurtosis(z: np.ndarray) -> ChainMean:
    r"""Excess kurtosis :math:`\langle z^4\rangle/\langle z^2\rangle^2 - 3` over channels and draws.

    The mean is zero by symmetry.

    Parameters
    ----------
    z : array, shape (chains, draws, ...)
        The trailing axes are pooled.

    Returns
    -------
    ChainMean
    """
    axes = tuple(range(2, z.ndim))
    return moment_ratio(np.mean(z**4, axis=axes), np.mean(z**2, axis=axes), power=2, shift=3)


def channel_coupling(z: np.ndarray) -> ChainMean:
    r"""Normalised covariance of the squared projections of two channels.

    :math:`\langle z_c^2 z_{c'}^2\rangle/\langle z^2\rangle^2 - 1` for :math:`c\ne c'`, averaged over all
    pairs. Since the sum over channels has a variance, it is at least :math:`-(2+\kappa)/(C-1)` for excess
    kurtosis :math:`\kappa`.

    Parameters
    ----------
    z : array, shape (chains, draws, C)

    Returns
    -------
    ChainMean
    """
    C = z.shape[2]
    square = np.sum(z**2, axis=2)
    pairs = (square**2 - np.sum(z**4, axis=2)) / (C * (C - 1))
    return moment_ratio(pairs, square / C, power=2, shift=1)


def _predictor(potential: CNNPotential, q: np.ndarray) -> np.ndarray:
    """alpha, then the mean predictions at the test inputs."""
    model, data = potential.model, potential.model.data
    h, h_test = (potential.pre_activations(q, rows) for rows in (potential.rows, potential.test_rows))
    phi, phi_test = (erf(h), erf(h_test)) if model.activation == "erf" else (h, h_test)
    weight = model.p / potential.C
    t = condition(weight * (phi @ phi.T), data.y, model.sigma2).t
    alpha = 1 - model.sigma2 * (t @ data.y) / (data.y @ data.y)
    return np.concatenate([[alpha], weight * (phi_test @ (phi.T @ t))])


def _mean_predictor_error(predictions: np.ndarray, y: np.ndarray) -> ChainMean:
    residual = predictions.mean(axis=(0, 1)) - y
    mse = np.mean(residual**2)
    return chain_mean(mse + 2 * np.mean(residual * (predictions - predictions.mean(axis=(0, 1))), axis=2))
