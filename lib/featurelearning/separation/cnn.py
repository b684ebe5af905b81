r"""Equations of state of the two-layer network with non-overlapping patches.

The student is :math:`f(x) = \sum_{ic} a_{ic}\,\phi(w_c\cdot x_i)` with P patches, C channels, :math:`w_c
\sim N(0, S_0 1)`, :math:`S_0 = \sigma_w^2/S`, and :math:`a_{ic} \sim N(0, \sigma_a^2/(\chi P C))`. If each
filter is Gaussian with covariance :math:`\Sigma`, the best such Gaussian obeys

.. math::

    \Sigma^{-1} = \Sigma_0^{-1} - B(\Sigma)/C,\qquad
    B = \partial\,\mathrm{tr}(A K(\Sigma))/\partial\Sigma,\qquad A = t t^T - \tilde K^{-1} .
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from featurelearning.gaussian import (
    arcsine_cross_kernel, arcsine_derivative, arcsine_diagonal, arcsine_kernel,
)
from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.regression import Posterior, condition, predict
from featurelearning.separation.saddle import (
    ConvergenceError, damped_iteration, minimise_covariance, stationarity_residual,
)
from featurelearning.separation.solution import Solution, summarise

__all__ = [
    "ACTIVATIONS", "CNN", "adaptation_slope", "cnn_free_energy", "cnn_kernel", "cnn_pull",
    "kernel_gradient", "solve_cnn", "cnn_test_kernels",
]

ACTIVATIONS = ("linear", "erf")


@dataclass(frozen=True)
class CNN:
    r"""The student and its training data.

    Parameters
    ----------
    data : TeacherData
    activation : {"linear", "erf"}
        :math:`\phi`.
    sigma2 : float
        Noise variance :math:`\sigma^2 > 0`.
    chi : float
        Readout scaling: 1 is standard (NNGP), proportional to C is mean-field; > 0.
    sw2, sa2 : float
        Variances :math:`\sigma_w^2, \sigma_a^2 > 0`.

    Raises
    ------
    ValueError
        If the activation is unknown or a variance is not positive.
    """

    data: TeacherData
    activation: str
    sigma2: float
    chi: float = 1.0
    sw2: float = 1.0
    sa2: float = 1.0

    def __post_init__(self):
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation = {self.activation!r}; allowed: {', '.join(ACTIVATIONS)}")
        for name in ("sigma2", "chi", "sw2", "sa2"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} = {getattr(self, name)}; allowed: {name} > 0")

    @property
    def S0(self) -> float:
        """Prior variance of a filter's entry."""
        return self.sw2 / self.data.S

    @property
    def p(self) -> float:
        r"""Weight :math:`\sigma_a^2/(\chi P)` of a patch in the output kernel."""
        return self.sa2 / (self.chi * self.data.P)

    @cached_property
    def patches(self) -> np.ndarray:
        """Training inputs by patch, shape (P, n, S)."""
        return np.ascontiguousarray(self.data.X.transpose(1, 0, 2))

    @cached_property
    def test_patches(self) -> np.ndarray:
        """Test inputs by patch, shape (P, n_test, S)."""
        return np.ascontiguousarray(self.data.X_test.transpose(1, 0, 2))


def cnn_kernel(model: CNN, Sigma: np.ndarray) -> np.ndarray:
    r"""Output kernel :math:`K = p\sum_i k(X_i\Sigma X_i^T)`, with :math:`k` the identity for linear units.

    Parameters
    ----------
    model : CNN
    Sigma : array, shape (S, S)
        Covariance of a filter, positive definite.

    Returns
    -------
    array, shape (n, n)
    """
    gram = _patch_grams(model, Sigma)
    return model.p * np.sum(gram if model.activation == "linear" else arcsine_kernel(gram), axis=0)


def kernel_gradient(model: CNN, A: np.ndarray, Sigma: np.ndarray) -> np.ndarray:
    r"""Entrywise derivative :math:`B = p\sum_i X_i^T D[A; X_i\Sigma X_i^T] X_i` of
    :math:`\mathrm{tr}(AK(\Sigma))`.

    For linear units :math:`D = A`.

    Parameters
    ----------
    model : CNN
    A : array, shape (n, n)
        Symmetric, held fixed.
    Sigma : array, shape (S, S)

    Returns
    -------
    array, shape (S, S)
        Symmetric.
    """
    D = A if model.activation == "linear" else arcsine_derivative(A, _patch_grams(model, Sigma))
    B = model.p * np.sum(model.patches.transpose(0, 2, 1) @ (D @ model.patches), axis=0)
    return 0.5 * (B + B.T)


def cnn_pull(model: CNN, C: float, covariance: np.ndarray) -> np.ndarray:
    r"""The pull :math:`S_0 B(\Sigma)/C` at :math:`\Sigma = S_0\hat\Sigma` (see :mod:`.saddle`)."""
    return _energy_and_pull(model, C, covariance)[1]


def cnn_free_energy(model: CNN, C: float, Sigma: np.ndarray) -> tuple[float, np.ndarray]:
    r"""Free energy and its entrywise gradient.

    .. math::

        F &= \tfrac C2[\mathrm{tr}\Sigma/S_0 - \log\det(\Sigma/S_0) - S] + \tfrac12 y\cdot t
            + \tfrac12\log\det\tilde K, \\
        \partial F/\partial\Sigma &= \tfrac C2(\Sigma_0^{-1} - \Sigma^{-1}) - \tfrac12 B .

    Parameters
    ----------
    model : CNN
    C : float
        Width, > 0 and finite.
    Sigma : array, shape (S, S)
        Positive definite.

    Returns
    -------
    float, array of shape (S, S)
    """
    S, S0 = model.data.S, model.S0
    posterior = condition(cnn_kernel(model, Sigma), model.data.y, model.sigma2)
    divergence = np.trace(Sigma) / S0 - np.linalg.slogdet(Sigma / S0)[1] - S
    gradient = 0.5 * C * (np.eye(S) / S0 - np.linalg.inv(Sigma))
    return C / 2 * divergence + posterior.energy, gradient - 0.5 * kernel_gradient(model, posterior.pull,
                                                                                   Sigma)


def cnn_test_kernels(model: CNN, Sigma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kernel between test and training inputs, (n_test, n), and prior variance at the test inputs,
    (n_test,)."""
    X, X_test = model.patches, model.test_patches
    cross = (X_test @ Sigma) @ X.transpose(0, 2, 1)
    test = np.sum((X_test @ Sigma) * X_test, axis=2)
    if model.activation == "erf":
        train = np.sum((X @ Sigma) * X, axis=2)
        cross, test = arcsine_cross_kernel(cross, test, train), arcsine_diagonal(test)
    return model.p * np.sum(cross, axis=0), model.p * np.sum(test, axis=0)


def adaptation_slope(
    data: TeacherData, *, activation: str, sigma2: float, chi: float = 1.0, sw2: float = 1.0, sa2: float = 1.0
) -> float:
    r"""First-order adaptation :math:`S_0\,w^T B_0 w = \lim_{C\to\infty} C(\lambda_w/S_0 - 1)`.

    :math:`B_0` is the kernel's pull at the NNGP, so one GP regression tells how fast features are learned.
    Parameters as in :func:`solve_cnn`; derived here.
    """
    model = CNN(data, activation, sigma2, chi, sw2, sa2)
    Sigma0 = model.S0 * np.eye(data.S)
    A = condition(cnn_kernel(model, Sigma0), data.y, sigma2).pull
    return model.S0 * float(data.w @ kernel_gradient(model, A, Sigma0) @ data.w)


def solve_cnn(
    data: TeacherData,
    *,
    C: float,
    activation: str,
    sigma2: float,
    chi: float = 1.0,
    sw2: float = 1.0,
    sa2: float = 1.0,
    start: np.ndarray | None = None,
    tolerance: float = 1e-10,
) -> Solution:
    r"""Solve the equation of state :math:`\Sigma^{-1} = \Sigma_0^{-1} - B(\Sigma)/C`.

    L-BFGS on the free energy, then damped, mixed iteration to the tolerance. If that fails, the width is
    lowered to C in steps from a wide network.

    Parameters
    ----------
    data : TeacherData
    C : float
        Width, > 0; ``numpy.inf`` gives the NNGP, whose filters keep their prior.
    activation, sigma2, chi, sw2, sa2
        As in :class:`CNN`.
    start : array, shape (S, S), optional
        Where to start, in units of the prior variance (default: the prior).
    tolerance : float
        Relative residual to reach.

    Returns
    -------
    Solution

    Raises
    ------
    ConvergenceError
        If the residual stays above the tolerance.
    ValueError
        If C is not positive, or as :class:`CNN`.
    """
    if not C > 0:
        raise ValueError(f"C = {C}; allowed: C > 0, numpy.inf for the NNGP")
    model = CNN(data, activation, sigma2, chi, sw2, sa2)
    identity = np.eye(data.S)
    if np.isinf(C):
        return _summary(model, C, identity, 0.0)
    covariance, residual = _solve_once(model, C, identity if start is None else start)
    last_good, rung = np.inf, identity
    if not residual <= tolerance:
        for width in C * 4.0 ** np.arange(5, -1, -1):
            covariance, residual = _solve_once(model, width, rung)
            if not residual <= tolerance:
                raise ConvergenceError(
                    f"equation of state at C = {width:g}: residual {residual:.2e}, {tolerance:.0e} needed; "
                    f"last good width C = {last_good:g}"
                )
            last_good, rung = width, covariance
    return _summary(model, C, covariance, residual)


def _solve_once(model: CNN, C: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    covariance = minimise_covariance(lambda Sigma: _energy_and_pull(model, C, Sigma), start)
    residual = stationarity_residual(covariance, cnn_pull(model, C, covariance))
    polished = damped_iteration(
        lambda Sigma: cnn_pull(model, C, Sigma), covariance, eta=0.2, memory=10, steps=200
    )
    return (polished.covariance, polished.residual) if polished.residual < residual else (covariance,
                                                                                          residual)


def _patch_grams(model: CNN, Sigma: np.ndarray) -> np.ndarray:
    return (model.patches @ Sigma) @ model.patches.transpose(0, 2, 1)


def _energy_and_pull(model: CNN, C: float, covariance: np.ndarray) -> tuple[float, np.ndarray]:
    Sigma = model.S0 * covariance
    posterior = condition(cnn_kernel(model, Sigma), model.data.y, model.sigma2)
    return posterior.energy / C, model.S0 * kernel_gradient(model, posterior.pull, Sigma) / C


def _summary(model: CNN, C: float, covariance: np.ndarray, residual: float) -> Solution:
    data, Sigma = model.data, model.S0 * covariance
    K = cnn_kernel(model, Sigma)
    posterior: Posterior = condition(K, data.y, model.sigma2)
    energy = posterior.energy if np.isinf(C) else cnn_free_energy(model, C, Sigma)[0]
    return summarise(
        data, width=C, covariance=covariance, K=K, posterior=posterior,
        prediction=predict(K, posterior, model.sigma2, data.y, *cnn_test_kernels(model, Sigma)),
        emergent_scale=float(posterior.t @ K @ posterior.t), residual=residual, free_energy=energy,
    )
