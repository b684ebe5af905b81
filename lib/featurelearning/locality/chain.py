r"""The exact Markov chain of the overlaps at finite D: online SGD at a cost independent of D.

A step of SGD uses the patches only through their components along the weights and the teacher, and through
the Gram matrix of what remains. Given :math:`w` and :math:`B` (f = n_b + M vectors), choose an orthonormal
frame of their span, teacher first. Then the D-dimensional normals :math:`z_p` have

.. math::

    \text{components } \xi_p \sim N(0, I_f) \text{ in the frame, and remainders with Gram matrix }
    W \sim \mathrm{Wishart}_P(D - f) = bb^T,

b being lower triangular with chi-distributed diagonal (Bartlett). So :math:`x_p = \sum_q L_{pq}(\xi_q, b_q)`
in an orthonormal basis of f + P directions has exactly the law that SGD sees; after the step the
student's coordinates are brought back to f dimensions by a Cholesky factor. Derived here; (Q, R) has
the law of direct SGD for every D, though not its path for the same seed.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from featurelearning.locality.activation import g, g_prime
from featurelearning.locality.error import generalisation_errors
from featurelearning.locality.problem import Problem, problem, step_counts
from featurelearning.locality.trajectory import Ensemble

__all__ = [
    "chain_problem", "chain_steps", "initial_coordinates", "overlaps", "reference_chain_step",
    "simulate_chain",
]


def simulate_chain(
    student: str | NDArray, t: ArrayLike, *, P: int, C: ArrayLike, eta: float, sigma: float, D: int,
    rng: np.random.Generator, runs: int = 1, Q0: ArrayLike = 0.5, R0: ArrayLike = 0.0,
    activation: str = "erf", kernel: int = 1, boundary: str = "periodic", filters: int = 1,
    teachers: int = 1, T: ArrayLike | None = None, a: float | None = None, start: str = "exact",
) -> Ensemble:
    r"""Chain :math:`(Q, R) \to (Q', R')` with the law of online SGD in D dimensions.

    Parameters
    ----------
    student, t, P, C, eta, sigma, rng, runs, Q0, R0, ..., start
        As of :func:`featurelearning.locality.sgd.simulate`.
    D : int
        Dimension of a patch, at least ``n_b + M + P``.

    Returns
    -------
    Ensemble
        With ``method = "chain"``.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.
    """
    setting = chain_problem(problem(
        student, P=P, C=C, eta=eta, sigma=sigma, D=D, rng=rng, runs=runs, Q0=Q0, R0=R0,
        activation=activation, kernel=kernel, boundary=boundary, filters=filters,
        teachers=teachers, T=T, a=a, start=start,
    ))
    counts, update = step_counts(t, D), setting.update
    Q = np.empty((runs, counts.size, setting.blocks, setting.blocks))
    R = np.empty((runs, counts.size, setting.blocks, setting.teachers))
    for run in range(runs):
        along, across = initial_coordinates(setting, rng)
        for record, steps in enumerate(np.diff(counts, prepend=0)):
            chain_steps(along, across, setting.teacher, *update, D, setting.freedom, steps, rng)
            Q[run, record], R[run, record] = overlaps(along, across, setting.teacher)
    return Ensemble(counts / D, generalisation_errors(setting, Q, R), Q, R, "chain")


def initial_coordinates(setting: Problem, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    r"""Initial student in the teacher's frame: :math:`w/\sqrt D` = (`along`, `across`).

    "exact" gives (along, spread) of the setting; "random" adds spread times normals of variance 1/D,
    whose part outside the teacher's span enters by its Bartlett factor with D - M degrees of freedom.

    Parameters
    ----------
    setting : Problem
    rng : numpy.random.Generator

    Returns
    -------
    along : ndarray, shape (n_b, M)
    across : ndarray, shape (n_b, n_b)
        Lower triangular.
    """
    if setting.start == "exact":
        return setting.along.copy(), setting.spread.copy()
    n, M, D = setting.blocks, setting.teachers, setting.D
    normals = rng.standard_normal((n, M))
    factor = np.tril(rng.standard_normal((n, n)), -1) + np.diag(np.sqrt(rng.chisquare(D - M - np.arange(n))))
    return setting.along + setting.spread @ normals / np.sqrt(D), setting.spread @ factor / np.sqrt(D)


def chain_problem(setting: Problem) -> Problem:
    """The setting unchanged; raises ValueError if D is below ``n_b + M + P``: no chain there."""
    needed = setting.blocks + setting.teachers + setting.P
    if setting.D < needed:
        raise ValueError(
            f"D = {setting.D} is too small for the chain: the patches need P = {setting.P} directions "
            f"outside the span of the weights and the teacher; allowed: D >= n_b + M + P = {needed}"
        )
    return setting


@njit(cache=True)
def overlaps(along, across, teacher):
    """``Q = along along^T + across across^T`` and ``R = along teacher^T``."""
    return along @ along.T + across @ across.T, along @ teacher.T


@njit(cache=True)
def chain_steps(along, across, teacher, L, count, block, patch, code, eta, a, sigma, D, freedom, steps, rng):
    """`steps` steps of the chain, `along` and `across` in place; compiled.

    Parameters
    ----------
    along, across : ndarray, shapes (n_b, M) and (n_b, n_b)
        Coordinates of the student, divided by ``sqrt(D)``; `across` lower triangular.
    teacher : ndarray, shape (M, M)
        Lower Cholesky factor of the teacher's overlaps.
    L, count, block, patch, code, eta, a, sigma
        :attr:`featurelearning.locality.problem.Problem.update`.
    D, freedom : int
        Dimension of a patch, and of the space outside the span of weights and teacher, ``D - n_b - M``.
    steps : int
    rng : numpy.random.Generator
        Read in the order of :func:`reference_chain_step`.
    """
    n_b, M = along.shape
    P = L.shape[0]
    f = n_b + M
    z = np.zeros((P, f + P))
    x = np.zeros((P, f + P))
    moved = np.empty((n_b, n_b + P))
    lam = np.empty(count.size)
    for _ in range(steps):
        for p in range(P):
            for i in range(f + p):
                z[p, i] = rng.standard_normal()
            z[p, f + p] = math.sqrt(rng.chisquare(freedom - p))
        for p in range(P):
            for i in range(f + p + 1):
                total = 0.0
                for q in range(max(0, i - f), p + 1):
                    total += L[p, q] * z[q, i]
                x[p, i] = total
        difference = 0.0
        for u in range(count.size):
            lam[u] = 0.0
            for k in range(count[u]):
                b, p = block[u, k], patch[u, k]
                for i in range(M):
                    lam[u] += along[b, i] * x[p, i]
                for i in range(b + 1):
                    lam[u] += across[b, i] * x[p, M + i]
            difference += g(code, lam[u])
        for m in range(M):
            for p in range(P):
                nu = 0.0
                for i in range(m + 1):
                    nu += teacher[m, i] * x[p, i]
                difference -= g(code, nu)
        delta = a * difference - sigma * rng.standard_normal()
        for b in range(n_b):
            for i in range(n_b + P):
                moved[b, i] = across[b, i] if i <= b else 0.0
        for u in range(count.size):
            step = -eta * a * delta / D * g_prime(code, lam[u])
            for k in range(count[u]):
                b, p = block[u, k], patch[u, k]
                for i in range(M):
                    along[b, i] += step * x[p, i]
                for i in range(n_b + p + 1):
                    moved[b, i] += step * x[p, M + i]
        _refactor(moved, across)


@njit(cache=True)
def _refactor(moved, across):
    """Lower Cholesky factor `across` of ``moved moved^T``; a pivot that rounds below zero counts as zero."""
    for b in range(across.shape[0]):
        for c in range(b + 1):
            total = 0.0
            for i in range(moved.shape[1]):
                total += moved[b, i] * moved[c, i]
            for i in range(c):
                total -= across[b, i] * across[c, i]
            if c == b:
                across[b, b] = math.sqrt(max(total, 0.0))
            else:
                across[b, c] = total / across[c, c] if across[c, c] > 0.0 else 0.0


def reference_chain_step(
    Q: NDArray, R: NDArray, setting: Problem, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    r"""One step of the chain on the overlaps themselves, in plain numpy, from the same stream.

    .. math::

        Q' &= Q - \frac{\eta a\Delta}{D}(X + X^T)
              + \Bigl(\frac{\eta a\Delta}{D}\Bigr)^2 s\,L(\xi\xi^T + W)L^T s^T, \\
        R' &= R - \frac{\eta a\Delta}{D} X_R,

    with :math:`s_{bp} = \sum_u A_{ubp} g'(\lambda_u)`, :math:`X = s\,(\text{fields of the student})^T` and
    :math:`X_R = s\,(\text{fields of the teacher})^T`; the fields come from the Cholesky factor of
    :math:`((T, R^T), (R, Q))`.

    Parameters
    ----------
    Q, R : ndarray, shapes (n_b, n_b) and (n_b, M)
        Overlaps; with T they must be positive definite.
    setting : Problem
    rng : numpy.random.Generator

    Returns
    -------
    Q, R : ndarray
        After the step.
    """
    model, M, P, f = setting.model, setting.teachers, setting.P, setting.blocks + setting.teachers
    xi, bartlett = np.empty((P, f)), np.zeros((P, P))
    for p in range(P):
        xi[p] = rng.standard_normal(f)
        bartlett[p, :p] = rng.standard_normal(p)
        bartlett[p, p] = np.sqrt(rng.chisquare(setting.D - f - p))
    fields = np.linalg.cholesky(np.block([[model.T, R.T], [R, Q]])) @ xi.T @ setting.L.T
    gram = setting.L @ (xi @ xi.T + bartlett @ bartlett.T) @ setting.L.T
    lam = np.einsum("ubp,bp->u", model.A, fields[M:])
    output = sum(g(setting.code, field) for field in lam)
    target = sum(g(setting.code, field) for field in fields[:M].ravel())
    delta = model.a * (output - target) - model.sigma * rng.standard_normal()
    s = np.einsum("ubp,u->bp", model.A, np.array([g_prime(setting.code, field) for field in lam]))
    rate = model.eta * model.a * delta / setting.D
    X = s @ fields[M:].T
    return Q - rate * (X + X.T) + rate**2 * s @ gram @ s.T, R - rate * s @ fields[:M].T
