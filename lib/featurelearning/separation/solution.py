"""What a solved equation of state predicts about a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.regression import Posterior, Prediction

__all__ = ["Solution", "direction_statistics", "summarise"]


@dataclass(frozen=True)
class Solution:
    r"""Predictions of the equations of state at one width.

    Parameters
    ----------
    width : float or tuple of float
        C, or (N1, N2).
    covariance : array, shape (S, S)
        :math:`\Sigma/S_0`, the covariance of a filter in units of its prior variance.
    K : array, shape (n, n)
        Output kernel on the training inputs.
    posterior : Posterior
        Of the GP with that kernel.
    prediction : Prediction
    teacher_eigenvalue : float
        :math:`\lambda_w/S_0 = w^T\Sigma w/S_0`; 1 if the kernel does not adapt.
    orthogonal_eigenvalue : float
        Mean of :math:`\Sigma/S_0` over the directions orthogonal to w.
    overlap : float
        :math:`|v_1\cdot w|` of the leading eigenvector of :math:`\Sigma`; NaN at infinite width, where
        every direction is one.
    test_mse, train_mse : float
        Mean squared errors of the mean predictor.
    alpha : float
        Learned fraction :math:`f\cdot y/y\cdot y` on the training set.
    test_variance : float
        Mean posterior variance over the test inputs.
    emergent_scale : float
        :math:`t^T K t` (two layers) or :math:`t^T Q_1 t` (three layers).
    residual : float
        Relative residual of the equations of state.
    free_energy : float
        At the solution, without the constants of the Gaussian evidence.
    kernel_growth : float
        :math:`u^T K_1 u/u^T Q_1(\Sigma_0) u`, :math:`u = y/|y|`, of the three-layer network; NaN for two
        layers.
    discrepancy : array
        :math:`s` of the three-layer network, shape (n, n); empty for two layers.
    """

    width: float | tuple[float, float]
    covariance: np.ndarray
    K: np.ndarray
    posterior: Posterior
    prediction: Prediction
    teacher_eigenvalue: float
    orthogonal_eigenvalue: float
    overlap: float
    test_mse: float
    train_mse: float
    alpha: float
    test_variance: float
    emergent_scale: float
    residual: float
    free_energy: float
    kernel_growth: float
    discrepancy: np.ndarray


def direction_statistics(covariance: np.ndarray, w: np.ndarray) -> tuple[float, float, float]:
    r"""Eigenvalue along w, mean eigenvalue orthogonal to it, and overlap of the leading eigenvector.

    Parameters
    ----------
    covariance : array, shape (S, S)
        Symmetric.
    w : array, shape (S,)
        Of length 1.

    Returns
    -------
    tuple of float
        :math:`w^T\Sigma w`, :math:`(\mathrm{tr}\Sigma - w^T\Sigma w)/(S-1)` (NaN for S = 1) and
        :math:`|v_1\cdot w|`.
    """
    along = float(w @ covariance @ w)
    rest = float(np.trace(covariance)) - along
    leading = np.linalg.eigh(covariance)[1][:, -1]
    return along, rest / (len(w) - 1) if len(w) > 1 else np.nan, abs(float(leading @ w))


def summarise(
    data: TeacherData,
    *,
    width,
    covariance: np.ndarray,
    K: np.ndarray,
    posterior: Posterior,
    prediction: Prediction,
    emergent_scale: float,
    residual: float,
    free_energy: float,
    kernel_growth: float = np.nan,
    discrepancy: np.ndarray | None = None,
) -> Solution:
    """The :class:`Solution` of a solved equation of state (arguments as its fields)."""
    along, rest, overlap = direction_statistics(covariance, data.w)
    return Solution(
        width=width,
        covariance=covariance,
        K=K,
        posterior=posterior,
        prediction=prediction,
        teacher_eigenvalue=along,
        orthogonal_eigenvalue=rest,
        overlap=overlap if np.all(np.isfinite(width)) else np.nan,
        test_mse=float(np.mean((prediction.test - data.y_test) ** 2)),
        train_mse=float(np.mean((prediction.train - data.y) ** 2)),
        alpha=float(prediction.train @ data.y / (data.y @ data.y)),
        test_variance=float(np.mean(prediction.variance)),
        emergent_scale=emergent_scale,
        residual=residual,
        free_energy=free_energy,
        kernel_growth=kernel_growth,
        discrepancy=np.zeros((0, 0)) if discrepancy is None else discrepancy,
    )
