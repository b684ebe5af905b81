r"""Linear response to label noise: how far the noise drives the weights from the teacher.

One teacher filter of norm ``B . B / D = 1``, a student of the matched size, output scale ``a``.
Near the teacher ``w_p = B + delta_p``, and only the second moments ``q_pq = delta_p . delta_q / D``
matter: with the averages over teacher fields ``F_pq = <g'_p g'_q>`` and
``K_pqrs = <g'_p g'_q g'_r g'_s>``, and ``M_pq = C_pq F_pq``,

``dq_pq/dt = -eta a^2 (M q + q M)_pq + eta^2 a^2 C_pq (sigma^2 F_pq + a^2 sum_rs C_rs K_pqrs q_rs)``,
``E = (a^2/2) sum_pq M_pq q_pq``

for free weights. Shared ones have a single q, with ``G = sum_pq C_pq g'_p g'_q``:
``dq/dt = -2 eta a^2 <G> q + eta^2 a^2 (sigma^2 <G> + a^2 <G^2> q)``. At small eta both give
``E = eta sigma^2/4`` times the trace of the Hessian over D. Derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.gaussian import erf_J, erf_J4
from featurelearning.locality.architecture import STUDENTS
from featurelearning.locality.averages import J, J4, is_linear
from featurelearning.locality.correlation import correlation_matrix, equal_correlation

__all__ = ["LinearResponse", "leading_floor", "linear_response"]


@dataclass(frozen=True)
class LinearResponse:
    """Asymptotic error at first order in ``sigma^2``, limit of stability, and moments of the weights.

    Parameters
    ----------
    E_inf : float
    eta_max : float
        Rates at or above it do not settle at the teacher.
    q : (P, P) array
        ``delta_p . delta_q / D``, positive semi-definite.
    """

    E_inf: float
    eta_max: float
    q: NDArray


def leading_floor(student: str, *, P: int, C: ArrayLike, eta: float, sigma: float, activation: str = "erf",
                  a: float | None = None) -> float:
    """Asymptotic error at small learning rate, ``(eta sigma^2 / 4)`` times the trace of the Hessian over D.

    The trace is ``a^2 sum_p F_pp`` for free weights, which no correlation enters, and
    ``a^2 sum_pq C_pq F_pq`` for shared weights.

    Parameters
    ----------
    student, P, C, eta, sigma, activation, a
        As for :func:`linear_response`.

    Returns
    -------
    float
    """
    _check(student, eta, sigma)
    C = correlation_matrix(C, P)
    F = np.ones((P, P)) if is_linear(activation) else erf_J(np.ones((P, P)), C, np.ones((P, P)))
    trace = np.sum(C * F) if student == "conv" else np.trace(F)
    return 0.25 * eta * sigma**2 * (1 / P if a is None else a**2) * trace


def linear_response(student: str, *, P: int, C: ArrayLike, eta: float, sigma: float, activation: str = "erf",
                    a: float | None = None) -> LinearResponse:
    """Asymptotic error for small label noise at any stable learning rate, and the limit of stability.

    Shared weights:
    ``E_inf = (a^2/2) eta sigma^2 <G>^2 / (2 <G> - eta a^2 <G^2>)``, ``eta_max = 2 <G> / (a^2 <G^2>)``.
    Free weights: the stationary q of the module's equation solves a linear system, and ``eta_max``
    is the rate at which that turns singular. For equal correlations q has two different entries and
    the system two unknowns.

    Parameters
    ----------
    student : {"conv", "lcn"}
    P : int
        Number of positions; for a matrix `C` the work grows like ``P^4`` (shared) or ``P^6`` (free).
    C : float or (P, P) array
        Correlation of the patches.
    eta, sigma : float
        Learning rate, ``0 < eta < eta_max``, and standard deviation of the label noise.
    activation : {"erf", "linear"}
    a : float, optional
        Output scale (default ``1/sqrt(P)``).

    Returns
    -------
    LinearResponse

    Raises
    ------
    ValueError
        If an argument is outside its range; at or above ``eta_max``, which the message names.
    """
    _check(student, eta, sigma)
    a2 = 1 / P if a is None else a**2
    c = equal_correlation(C, P)
    linear = is_linear(activation)
    # drift, growth act on the distinct entries of q; M is their weight in the error, n how often they occur
    if c is None:
        drift, growth, M, n = _moment_equations(correlation_matrix(C, P), linear)
    else:
        drift, growth, M, n = _exchangeable_moment_equations(P, c, linear)
    growth = a2 * growth
    if student == "conv":
        G, G_squared = n @ M, np.sum(n @ growth)
        eta_max = 2 * G / G_squared
        _require_stable(student, eta, eta_max)
        q = np.full(len(n), eta * sigma**2 * G / (2 * G - eta * G_squared))
    else:
        # modes that no input excites (c = 1) do not move: pseudo-inverses leave them at rest, in the
        # coordinates in which the sum of squares is that of the whole matrix q
        root_n = np.sqrt(n)
        drift, growth = (root_n[:, None] * matrix / root_n for matrix in (drift, growth))
        eta_max = 1 / np.max(np.abs(np.linalg.eigvals(np.linalg.pinv(drift, rcond=1e-12) @ growth)))
        _require_stable(student, eta, eta_max)
        q = np.linalg.lstsq(drift - eta * growth, eta * sigma**2 * M * root_n, rcond=1e-12)[0] / root_n
    moments = q.reshape(P, P) if c is None else np.where(np.eye(P, dtype=bool), q[0], q[-1])
    return LinearResponse(float(0.5 * a2 * np.sum(n * M * q)), float(eta_max), moments)


def _moment_equations(C: NDArray, linear: bool) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Matrices of ``M q + q M`` and ``C_pq sum_rs C_rs K_pqrs q_rs`` on all entries of q, M, and ones."""
    P = len(C)
    p, q, r, s = np.ogrid[:P, :P, :P, :P]
    unit = np.ones((1, 1, 1, 1))
    F, K = np.ones((P, P)), np.ones((P, P, P, P))
    if not linear:
        F = erf_J(F, C, F)
        K = erf_J4(unit, C[p, q], C[p, r], C[p, s], unit, C[q, r], C[q, s], unit, C[r, s], unit)
    M = C * F
    drift = np.kron(M, np.eye(P)) + np.kron(np.eye(P), M)
    growth = (C[:, :, None, None] * K * C).reshape(P * P, P * P)
    return drift, growth, M.ravel(), np.ones(P * P)


def _exchangeable_moment_equations(P: int, c: float, linear: bool) -> tuple[NDArray, NDArray, NDArray,
                                                                            NDArray]:
    """The same on one diagonal and one off-diagonal entry of q, and how often these occur."""
    F, f = J(linear, 1.0, 1.0, 1.0), c * J(linear, 1.0, c, 1.0)

    def K(*positions: int) -> float:
        """Average ``<g'_p g'_q g'_r g'_s>`` for position labels p, q, r, s."""
        cov = [1.0 if positions[i] == positions[j] else c for i in range(4) for j in range(i, 4)]
        return J4(linear, *cov)

    if P == 1:
        return np.array([[2 * F]]), np.array([[K(0, 0, 0, 0)]]), np.array([F]), np.array([1.0])
    n = P - 1
    drift = 2 * np.array([[F, n * f], [f, F + (P - 2) * f]])
    same = [K(0, 0, 0, 0) + n * K(0, 0, 1, 1), 2 * n * c * K(0, 0, 0, 1)]
    other = [2 * K(0, 1, 0, 0), 2 * c * K(0, 1, 0, 1)]
    if P > 2:
        same[1] += n * (n - 1) * c * K(0, 0, 1, 2)
        other[0] += (P - 2) * K(0, 1, 2, 2)
        other[1] += 4 * (P - 2) * c * K(0, 1, 0, 2)
    if P > 3:
        other[1] += (P - 2) * (P - 3) * c * K(0, 1, 2, 3)
    growth = np.array([same, [c * value for value in other]])
    return drift, growth, np.array([F, f]), np.array([P, P * n], dtype=float)


def _check(student: str, eta: float, sigma: float) -> None:
    if student not in STUDENTS:
        raise ValueError(f"student = {student!r} is unknown; allowed: {' or '.join(STUDENTS)}")
    if not eta > 0 or not sigma >= 0:
        raise ValueError(f"eta = {eta}, sigma = {sigma}: the learning rate must be positive, the noise at "
                         f"least 0")


def _require_stable(student: str, eta: float, eta_max: float) -> None:
    if eta >= eta_max:
        raise ValueError(f"eta = {eta:g} of the {student} student is not below eta_max = {eta_max:.6g}, "
                         f"above which the error does not settle near zero")
