"""Equations of motion of all order parameters, for any architecture, correlation and filter numbers.

The state is ``Q_bb' = w^b . w^b' / D`` between weight blocks and ``R_bm = w^b . B_m / D`` with the
teacher's filters. Student fields ``l_u = sum_bp A[u,b,p] w^b . x_p / sqrt D`` and teacher fields
``n_mp = B_m . x_p / sqrt D`` are stacked as ``z = (l_1..l_U, n_11..n_1P, .., n_M1..n_MP)``, with
weights ``alpha = (a v_u; -a v*_m)``, so that the error on one sample is
``Delta = sum_s alpha_s g(z_s) - sigma zeta``.

:mod:`featurelearning.locality.reference` has the same equations in slow, obvious form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from featurelearning.locality.averages import H, I2, J, is_linear

__all__ = ["CommitteeModel", "field_covariance", "general_error", "general_rhs"]

TWO_OVER_PI = 2.0 / np.pi


@dataclass(frozen=True)
class CommitteeModel:
    """A student with fixed output weights, its teacher and its inputs.

    Parameters
    ----------
    A : (U, n_b, P) array
        Architecture, see :func:`featurelearning.locality.architecture`.
    C : (P, P) array
        Correlation of the patches.
    T : (M, M) array
        Overlaps of the teacher's filters, ``B_m . B_n / D``, positive semi-definite.
    v, v_star : (U,) and (M,) arrays
        Output weights of student units and teacher filters.
    a : float
        Output scale.
    eta, sigma : float
        Learning rate, and standard deviation of the label noise.
    activation : {"erf", "linear"}
    """

    A: NDArray
    C: NDArray
    T: NDArray
    v: NDArray
    v_star: NDArray
    a: float
    eta: float
    sigma: float
    activation: str = "erf"

    @property
    def taps(self) -> tuple[NDArray, NDArray, NDArray]:
        """Per unit: its number of (block, patch) pairs, their blocks and their patches, padded with 0."""
        pairs = [np.argwhere(unit) for unit in self.A]
        count = np.array([len(pair) for pair in pairs])
        block = np.zeros((len(pairs), count.max()), dtype=np.int64)
        patch = np.zeros_like(block)
        for u, pair in enumerate(pairs):
            block[u, : len(pair)], patch[u, : len(pair)] = pair.T
        return count, block, patch

    @property
    def constants(self) -> tuple:
        """What the compiled functions take after ``Q`` and ``R``."""
        weights = np.concatenate([self.a * self.v, -self.a * np.repeat(self.v_star, len(self.C))])
        return (*self.taps, self.C, self.T, weights, self.a * self.v, float(self.eta), float(self.sigma),
                is_linear(self.activation))


@njit(cache=True)
def general_error(Q, R, count, block, patch, C, T, alpha, av, eta, sigma, linear):
    """Generalisation error ``E = 1/2 sum_rs alpha_r alpha_s I2(r, s)``.

    Parameters
    ----------
    Q, R : (n_b, n_b) and (n_b, M) arrays
        Order parameters.
    count, ..., linear
        ``CommitteeModel.constants``.

    Returns
    -------
    float
        Non-negative.
    """
    cov = field_covariance(Q, R, count, block, patch, C, T)
    total = 0.0
    for r in range(len(alpha)):
        total += 0.5 * alpha[r] * alpha[r] * I2(linear, cov[r, r], cov[r, r], cov[r, r])
        for s in range(r):
            total += alpha[r] * alpha[s] * I2(linear, cov[r, r], cov[r, s], cov[s, s])
    return max(total, 0.0)


@njit(cache=True)
def general_rhs(Q, R, count, block, patch, C, T, alpha, av, eta, sigma, linear):
    """Time derivatives of ``Q`` and ``R`` under online SGD with step ``eta / D``, time ``steps / D``.

    The mean update of block b lies in the span of all weights, ``-eta (F w + G B)_b``, because
    ``<Delta g'(l_u) z> = sum_s (alpha_s J_us + delta_us h_u) <z_s z>`` with
    ``J_us = <g'(l_u) g'(z_s)>``, ``h_u = sum_s alpha_s <g''(l_u) g(z_s)>`` (Stein). Hence

    ``dR/dt = -eta (F R + G T)``,
    ``dQ/dt = -eta (F Q + G R^T + transpose) + eta^2 S``,

    where ``S_bb' = a^2 sum_uu'pq A[u,b,p] A[u',b',q] C_pq v_u v_u' <Delta^2 g'(l_u) g'(l_u')>``.
    Derived here; for one position these are the equations of Saad and Solla (1995).

    Parameters
    ----------
    Q, R, count, ..., linear
        As for :func:`general_error`.

    Returns
    -------
    dQ, dR : (n_b, n_b) and (n_b, M) arrays
    """
    cov = field_covariance(Q, R, count, block, patch, C, T)
    F, G = _mean_update(cov, len(Q), len(T), count, block, patch, C, alpha, av, linear)
    S = _squared_update(cov, len(Q), count, block, patch, C, alpha, av, sigma, linear)
    drift = F @ Q + G @ R.T
    dQ = -eta * (drift + drift.T) + eta * eta * S
    return dQ, -eta * (F @ R + G @ T)


@njit(cache=True)
def field_covariance(Q, R, count, block, patch, C, T):
    """Covariance of all fields, ``C_pq`` times ``Q``, ``R`` or ``T`` summed over the units' patches.

    ``<l_u l_w> = sum A[u,b,p] A[w,b',q] C_pq Q_bb'``, ``<l_u n_mq> = sum A[u,b,p] C_pq R_bm``,
    ``<n_mp n_nq> = T_mn C_pq``.

    Parameters
    ----------
    Q, R : (n_b, n_b) and (n_b, M) arrays
        Order parameters.
    count, block, patch : arrays of int
        ``CommitteeModel.taps``.
    C, T : (P, P) and (M, M) arrays
        Correlation of the patches, overlaps of the teacher's filters.

    Returns
    -------
    (U + M P, U + M P) array
        Symmetric positive semi-definite.
    """
    U, P, M = len(count), len(C), len(T)
    cov = np.zeros((U + M * P, U + M * P))
    for u in range(U):
        for i in range(count[u]):
            b, p = block[u, i], patch[u, i]
            for w in range(u + 1):
                for j in range(count[w]):
                    cov[u, w] += C[p, patch[w, j]] * Q[b, block[w, j]]
            for m in range(M):
                for q in range(P):
                    cov[u, U + m * P + q] += C[p, q] * R[b, m]
    for m in range(M):
        for n in range(M):
            for p in range(P):
                for q in range(P):
                    cov[U + m * P + p, U + n * P + q] = C[p, q] * T[m, n]
    for u in range(U):
        for s in range(u + 1, len(cov)):
            if s < U:
                cov[u, s] = cov[s, u]
            else:
                cov[s, u] = cov[u, s]
    return cov


@njit(cache=True)
def _mean_update(cov, n_b, M, count, block, patch, C, alpha, av, linear):
    """Coefficients F, G of ``sum_up A[u,b,p] a v_u <Delta g'(l_u) x_p> = (F w + G B)_b``."""
    U, P = len(count), len(C)
    F, G = np.zeros((n_b, n_b)), np.zeros((n_b, M))
    for u in range(U):
        h = 0.0
        for s in range(len(alpha)):
            h += alpha[s] * H(linear, cov[u, u], cov[u, s], cov[s, s])
        for s in range(len(alpha)):
            k = av[u] * alpha[s] * J(linear, cov[u, u], cov[u, s], cov[s, s])
            if s == u:
                k += av[u] * h
            for i in range(count[u]):
                b, p = block[u, i], patch[u, i]
                if s < U:
                    for j in range(count[s]):
                        F[b, block[s, j]] += k * C[p, patch[s, j]]
                else:
                    G[b, (s - U) // P] += k * C[p, (s - U) % P]
    return F, G


@njit(cache=True)
def _squared_update(cov, n_b, count, block, patch, C, alpha, av, sigma, linear):
    """Sum over pairs of units of ``a^2 v_u v_w C_pq <Delta^2 g'(l_u) g'(l_w)>`` by blocks."""
    U = len(count)
    S = np.zeros((n_b, n_b))
    for u in range(U):
        for w in range(u + 1):
            coupled = False
            for i in range(count[u]):
                for j in range(count[w]):
                    coupled = coupled or C[patch[u, i], patch[w, j]] != 0.0
            if not coupled:
                continue
            N = av[u] * av[w] * _weighted_square(cov, u, w, alpha, sigma, linear)
            for i in range(count[u]):
                for j in range(count[w]):
                    term = N * C[patch[u, i], patch[w, j]]
                    S[block[u, i], block[w, j]] += term
                    if u != w:
                        S[block[w, j], block[u, i]] += term
    return S


@njit(cache=True)
def _weighted_square(cov, u, w, alpha, sigma, linear):
    """Average ``<Delta^2 g'(l_u) g'(l_w)>``.

    For erf units ``g'(l_u) g'(l_w)`` is a Gaussian factor: it lowers all covariances by those with
    l_u and l_w, so one change of covariance serves all pairs of fields (see ``erf_I4``).
    """
    fields = len(alpha)
    total = 0.0
    if linear:
        for r in range(fields):
            for s in range(fields):
                total += alpha[r] * alpha[s] * cov[r, s]
        return total + sigma * sigma
    x = cov[u] / np.sqrt(1.0 + cov[u, u])
    y = cov[w] - x[w] * x
    left = 1.0 + max(y[w], 0.0)
    y = y / np.sqrt(left)
    scale = np.empty(fields)
    for r in range(fields):
        scale[r] = 1.0 / np.sqrt(1.0 + max(cov[r, r] - x[r] * x[r] - y[r] * y[r], 0.0))
    for r in range(fields):
        partial = 0.5 * alpha[r] * np.arcsin(min(1.0 - scale[r] * scale[r], 1.0))
        for s in range(r):
            ratio = (cov[r, s] - x[r] * x[s] - y[r] * y[s]) * scale[r] * scale[s]
            partial += alpha[s] * np.arcsin(min(max(ratio, -1.0), 1.0))
        total += 2.0 * alpha[r] * partial
    weight = TWO_OVER_PI / np.sqrt((1.0 + cov[u, u]) * left)
    return weight * (TWO_OVER_PI * total + sigma * sigma)
