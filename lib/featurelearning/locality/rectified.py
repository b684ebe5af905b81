r"""Asymptotic error of rectified linear units under label noise, at small learning rate.

The trace law :math:`E_\infty = (\eta\sigma^2/4)\,\mathrm{tr}(\text{Hessian})/D` needs only the averages
:math:`F_{pq} = \langle g'_p g'_q\rangle = \frac14 + \arcsin(C_{pq})/2\pi` over two fields; the equations of
motion need averages over four, which ReLU does not have in closed form
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from featurelearning.gaussian import relu_J
from featurelearning.locality.architecture import STUDENTS
from featurelearning.locality.correlation import correlation_matrix

__all__ = ["relu_leading_floor", "relu_relaxation_time", "relu_response"]


def relu_leading_floor(
    student: str, *, P: int, C: ArrayLike, eta: float, sigma: float, a: float | None = None
) -> float:
    r"""Asymptotic error :math:`\frac{\eta\sigma^2a^2}{4} S` of ReLU units, to first order in eta.

    Free weights: :math:`S = \sum_p F_{pp} = P/2`, whatever the correlation. Shared weights:
    :math:`S = \sum_{pq} C_{pq}F_{pq}`, which is :math:`P/2 + P(P-1)c\,(\frac14 + \frac{\arcsin c}{2\pi})` for
    equal correlations c. The teacher has one filter with ``T = 1``. Derived here.

    Parameters
    ----------
    student : {"conv", "lcn"}
    P : int
        Number of positions.
    C : float or ndarray, shape (P, P)
        Correlation of the patches, positive semidefinite.
    eta, sigma : float
        Learning rate (> 0), standard deviation of the label noise (>= 0).
    a : float, optional
        Output scale; default ``1/sqrt(P)``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.
    """
    if not sigma >= 0:
        raise ValueError(f"sigma = {sigma}; allowed: sigma >= 0")
    hessian = _hessian(student, P, C, eta)
    S = np.sum(hessian) if student == "conv" else np.trace(hessian)
    a = P**-0.5 if a is None else a
    return float(0.25 * eta * sigma**2 * a**2 * S)


def relu_response(
    student: str, *, P: int, c: float, eta: float, sigma: float, a: float | None = None
) -> float:
    r"""Asymptotic error of ReLU units to first order in the noise, at any stable learning rate.

    With :math:`M = C\circ F` and :math:`K_{pqrs} = \langle g'_p g'_q g'_r g'_s\rangle`, shared weights have

    .. math::

        E_\infty = \frac{a^2}{2}\,
            \frac{\eta\sigma^2 \langle G\rangle^2}{2\langle G\rangle - \eta a^2\langle G^2\rangle}, \qquad
        \langle G\rangle = \sum_{pq} M_{pq}, \quad \langle G^2\rangle = \sum_{pqrs} C_{pq}K_{pqrs}C_{rs},

    and free weights :math:`E_\infty = (a^2/2)\sum_{pq} M_{pq}q_{pq}` with
    :math:`(Mq + qM)_{pq} = \eta C_{pq}(\sigma^2 F_{pq} + a^2\sum_{rs} K_{pqrs} C_{rs} q_{rs})`. Equally
    correlated fields are independent given their common part z, so that K is the average over z of
    :math:`\Phi(z\sqrt{c/(1-c)})^k`, k being the number of different positions among p, q, r, s. Derived here.

    Parameters
    ----------
    student : {"conv", "lcn"}
    P : int
        Number of positions; the work grows like ``P^6`` for free weights.
    c : float
        Correlation of two positions, ``0 <= c < 1``.
    eta, sigma, a
        As of :func:`relu_leading_floor`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed; also at an unstable learning rate.
    """
    if not 0 <= c < 1:
        raise ValueError(f"c = {c}; allowed: 0 <= c < 1")
    M = _hessian(student, P, c, eta)
    C = correlation_matrix(c, P)
    z, weight = np.polynomial.hermite_e.hermegauss(120)
    positive = ndtr(z * np.sqrt(c / (1 - c)))
    moments = np.array([weight @ positive**k / weight.sum() for k in range(5)])
    labels = np.sort(np.indices((P,) * 4).reshape(4, -1), axis=0)
    K = moments[1 + np.count_nonzero(np.diff(labels, axis=0), axis=0)].reshape(P * P, P * P)
    a2 = 1 / P if a is None else a**2
    growth = a2 * C.ravel()[:, None] * K * C.ravel()
    if student == "conv":
        drift, growth, source = np.array([[2 * M.sum()]]), np.array([[growth.sum()]]), np.array([M.sum()])
    else:
        drift, source = np.kron(M, np.eye(P)) + np.kron(np.eye(P), M), M.ravel()
    largest = np.max(np.abs(np.linalg.eigvals(np.linalg.solve(drift, growth))))
    if eta * largest >= 1:
        raise ValueError(f"eta = {eta} of the {student} student; allowed: eta < eta_max = {1 / largest:.6g}")
    q = np.linalg.solve(drift - eta * growth, eta * sigma**2 * source)
    return float(0.5 * a2 * source @ q)


def relu_relaxation_time(student: str, *, P: int, C: ArrayLike, eta: float, a: float | None = None) -> float:
    r"""Time :math:`1/(2\eta a^2\lambda)` in which the slowest part of the error of ReLU units falls to 1/e.

    :math:`\lambda` is the smallest positive eigenvalue of :math:`C\circ F` for free weights, and the sum
    of its entries for shared ones; near the teacher and to first order in the learning rate. Derived here.

    Parameters
    ----------
    student, P, C, eta, a
        As of :func:`relu_leading_floor`.

    Returns
    -------
    float
        In units of D steps.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.
    """
    hessian = _hessian(student, P, C, eta)
    eigenvalues = np.linalg.eigvalsh(hessian)
    slowest = np.sum(hessian) if student == "conv" else eigenvalues[eigenvalues > 1e-10].min()
    a = P**-0.5 if a is None else a
    return float(1 / (2 * eta * a**2 * slowest))


def _hessian(student: str, P: int, C: ArrayLike, eta: float) -> NDArray:
    """Matrix ``C_pq F_pq`` over the positions."""
    if student not in STUDENTS:
        raise ValueError(f"student = {student!r} is unknown; allowed: {' or '.join(STUDENTS)}")
    if not eta > 0:
        raise ValueError(f"eta = {eta}; allowed: eta > 0")
    C = correlation_matrix(C, P)
    return C * relu_J(np.ones_like(C), C, np.ones_like(C))
