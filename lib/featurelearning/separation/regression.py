"""Gaussian-process regression: the predictor of a network whose kernel is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

__all__ = ["Posterior", "Prediction", "condition", "predict", "relative_distance"]


@dataclass(frozen=True)
class Posterior:
    r"""What the targets do to a GP with kernel :math:`K` and noise :math:`\sigma^2`.

    Parameters
    ----------
    t : array, shape (n,)
        Scaled discrepancy :math:`t = \tilde K^{-1} y`, :math:`\tilde K = K + \sigma^2 1`.
    inverse : array, shape (n, n)
        :math:`\tilde K^{-1}`.
    energy : float
        Negative log evidence without its constant, :math:`\tfrac12 y\cdot t + \tfrac12 \log\det\tilde K`.
    """

    t: np.ndarray
    inverse: np.ndarray
    energy: float

    @property
    def pull(self) -> np.ndarray:
        r""":math:`A = t t^T - \tilde K^{-1}`, twice the derivative of the log evidence by the kernel."""
        return np.outer(self.t, self.t) - self.inverse


@dataclass(frozen=True)
class Prediction:
    """Mean and variance of a GP's predictions.

    Parameters
    ----------
    train, test : arrays, shapes (n,) and (n_test,)
        Predictive means.
    variance : array, shape (n_test,)
        Posterior variance of the function at the test inputs.
    train_variance : float
        Mean posterior variance of the function at the training inputs.
    """

    train: np.ndarray
    test: np.ndarray
    variance: np.ndarray
    train_variance: float


def condition(K: np.ndarray, y: np.ndarray, sigma2: float) -> Posterior:
    r"""Condition a GP with kernel matrix `K` on `y`.

    Parameters
    ----------
    K : array, shape (n, n)
        Symmetric positive semidefinite.
    y : array, shape (n,)
    sigma2 : float
        Noise variance, > 0.

    Returns
    -------
    Posterior

    Raises
    ------
    ValueError
        If `sigma2` is not positive.
    """
    if not sigma2 > 0:
        raise ValueError(f"sigma2 = {sigma2}; the noise variance must be > 0")
    factor = cho_factor(K + sigma2 * np.eye(len(y)), lower=True)
    t = cho_solve(factor, y)
    log_det = 2 * np.sum(np.log(np.diagonal(factor[0])))
    return Posterior(t, cho_solve(factor, np.eye(len(y))), 0.5 * float(y @ t) + 0.5 * log_det)


def predict(K, posterior: Posterior, sigma2: float, y, K_cross, k_test) -> Prediction:
    r"""Predictive mean :math:`k_x^T t` and variance :math:`k_{xx} - k_x^T \tilde K^{-1} k_x`.

    At the training inputs the mean is :math:`y - \sigma^2 t` and the mean variance is :math:`\mathrm{tr}(K
    - K\tilde K^{-1}K)/n = \sigma^2(1 - \sigma^2\,\mathrm{tr}\tilde K^{-1}/n)`.

    Parameters
    ----------
    K : array, shape (n, n)
    posterior : Posterior
        Of the same `K`, `y` and `sigma2`.
    sigma2 : float
    y : array, shape (n,)
    K_cross : array, shape (n_test, n)
    k_test : array, shape (n_test,)
        Prior variances at the test inputs.

    Returns
    -------
    Prediction
    """
    explained = np.sum((K_cross @ posterior.inverse) * K_cross, axis=1)
    return Prediction(
        train=y - sigma2 * posterior.t,
        test=K_cross @ posterior.t,
        variance=k_test - explained,
        train_variance=sigma2 * (1 - sigma2 * np.trace(posterior.inverse) / len(K)),
    )


def relative_distance(kernel: np.ndarray, predicted: np.ndarray) -> float:
    r"""Relative Frobenius distance :math:`\|K - K'\|_F/\|K\|_F` of two kernel matrices."""
    return float(np.linalg.norm(kernel - predicted) / np.linalg.norm(kernel))
