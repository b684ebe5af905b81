r"""Online stochastic gradient descent itself, in the D-dimensional space of the patches.

.. math::

    w^b \leftarrow w^b - \frac{\eta a \Delta}{\sqrt D} \sum_{up} A_{ubp}\, g'(\lambda_u)\, x_p, \qquad
    \Delta = a\sum_u g(\lambda_u) - a\sum_{mp} g(\nu_{mp}) - \sigma\zeta, \qquad t = \mathrm{steps}/D,

one fresh example per step: :math:`x_p = \sum_q L_{pq} z_q` with normal :math:`z_q` and :math:`LL^T = C`.
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

__all__ = ["initial_weights", "reference_step", "simulate", "sgd_steps"]


def simulate(
    student: str | NDArray, t: ArrayLike, *, P: int, C: ArrayLike, eta: float, sigma: float, D: int,
    rng: np.random.Generator, runs: int = 1, Q0: ArrayLike = 0.5, R0: ArrayLike = 0.0,
    activation: str = "erf", kernel: int = 1, boundary: str = "periodic", filters: int = 1,
    teachers: int = 1, T: ArrayLike | None = None, a: float | None = None, start: str = "exact",
) -> Ensemble:
    r"""Online SGD :math:`w^b \leftarrow w^b - (\eta a\Delta/\sqrt D)\sum_{up} A_{ubp} g'(\lambda_u) x_p`.

    Parameters
    ----------
    student : {"conv", "lcn"} or ndarray, shape (U, n_b, P)
        Student network: a name, or any architecture tensor of 0 and 1.
    t : array_like, shape (n,)
        Times ``steps / D`` to record at, increasing, >= 0; rounded to whole steps.
    P : int
        Number of positions.
    C : float or ndarray, shape (P, P)
        Correlation of the patches, positive semidefinite.
    eta : float
        Learning rate; the step is ``eta / D`` in units where the weights have length ``sqrt(D)``.
    sigma : float
        Standard deviation of the label noise.
    D : int
        Dimension of a patch, at least ``n_b + M``.
    rng : numpy.random.Generator
        Source of randomness; the runs use it one after the other.
    runs : int
        Number of independent runs.
    Q0 : float or ndarray, shape (n_b, n_b)
        Initial student overlaps; a number means that times the identity.
    R0 : float or ndarray, shape (n_b, M)
        Initial overlaps with the teacher; a number means all equal.
    activation : {"erf", "linear", "relu"}
    kernel, boundary, filters
        Passed to :func:`featurelearning.locality.architecture.architecture`.
    teachers : int
        Number of teacher filters M.
    T : ndarray, shape (M, M), optional
        Overlaps of the teacher's filters, positive definite; default: orthonormal.
    a : float, optional
        Output scale; default ``1/sqrt(P)``.
    start : {"exact", "random"}
        "exact": the initial overlaps equal `Q0` and `R0`, as for the differential equations.
        "random": independent Gaussian initial weights that have these overlaps on average.

    Returns
    -------
    Ensemble

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    The model is our reconstruction of that in "The Independent Roles of Locality and Weight Sharing in
    Convolutional Neural Networks".
    """
    setting = problem(
        student, P=P, C=C, eta=eta, sigma=sigma, D=D, rng=rng, runs=runs, Q0=Q0, R0=R0,
        activation=activation, kernel=kernel, boundary=boundary, filters=filters,
        teachers=teachers, T=T, a=a, start=start,
    )
    counts, update = step_counts(t, D), setting.update
    Q = np.empty((runs, counts.size, setting.blocks, setting.blocks))
    R = np.empty((runs, counts.size, setting.blocks, setting.teachers))
    for run in range(runs):
        w, B = initial_weights(setting, rng)
        for record, steps in enumerate(np.diff(counts, prepend=0)):
            sgd_steps(w, B, *update, steps, rng)
            Q[run, record] = w @ w.T / D
            R[run, record] = w @ B.T / D
    return Ensemble(counts / D, generalisation_errors(setting, Q, R), Q, R, "SGD")


def initial_weights(setting: Problem, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    r"""Initial student :math:`w = \sqrt D(\text{along}V + \text{spread}Z)`, teacher :math:`B = \sqrt D S V`.

    V has orthonormal rows and :math:`SS^T=T`, so the teacher's overlaps are exact. The rows of Z are
    orthonormal and orthogonal to V ("exact"), or independent normals of variance 1/D ("random").

    Parameters
    ----------
    setting : Problem
    rng : numpy.random.Generator

    Returns
    -------
    w : ndarray, shape (n_b, D)
    B : ndarray, shape (M, D)

    Raises
    ------
    ValueError
        If the filters do not fit into D dimensions.
    """
    blocks, teachers, D = setting.blocks, setting.teachers, setting.D
    if D < blocks + teachers:
        raise ValueError(f"D = {D} is too small; allowed: D >= n_b + M = {blocks + teachers}")
    if setting.start == "exact":
        frame = np.linalg.qr(rng.standard_normal((D, teachers + blocks)))[0].T
        V, Z = frame[:teachers], frame[teachers:]
    else:
        V = np.linalg.qr(rng.standard_normal((D, teachers)))[0].T
        Z = rng.standard_normal((blocks, D)) / np.sqrt(D)
    w = np.sqrt(D) * (setting.along @ V + setting.spread @ Z)
    return w, np.sqrt(D) * (setting.teacher @ V)


@njit(cache=True)
def sgd_steps(w, B, L, count, block, patch, code, eta, a, sigma, steps, rng):
    """`steps` updates of the student `w` in place; compiled, one normal after the other from `rng`.

    Parameters
    ----------
    w, B : ndarray, shapes (n_b, D) and (M, D)
        Student and teacher.
    L, count, block, patch, code, eta, a, sigma
        :attr:`featurelearning.locality.problem.Problem.update`.
    steps : int
    rng : numpy.random.Generator
        Read in the order of :func:`reference_step`.
    """
    P, D = L.shape[0], w.shape[1]
    scale = 1.0 / math.sqrt(D)
    x = np.empty((P, D))
    lam = np.empty(count.size)
    for _ in range(steps):
        for p in range(P):
            row = x[p]
            for i in range(D):
                row[i] = rng.standard_normal()
        _correlate(x, L)
        difference = 0.0
        for u in range(count.size):
            lam[u] = 0.0
            for i in range(count[u]):
                lam[u] += scale * _dot(w[block[u, i]], x[patch[u, i]])
            difference += g(code, lam[u])
        for m in range(B.shape[0]):
            for p in range(P):
                difference -= g(code, scale * _dot(B[m], x[p]))
        delta = a * difference - sigma * rng.standard_normal()
        for u in range(count.size):
            step = -eta * a * delta * scale * g_prime(code, lam[u])
            for i in range(count[u]):
                _add(w[block[u, i]], step, x[patch[u, i]])


@njit(cache=True)
def _correlate(x, L):
    """``x_p <- sum_q L_pq x_q`` in place; from the last patch on, since L is lower triangular."""
    for p in range(L.shape[0] - 1, -1, -1):
        row = x[p]
        if L[p, p] != 1.0:
            for i in range(row.size):
                row[i] *= L[p, p]
        for q in range(p):
            if L[p, q] != 0.0:
                _add(row, L[p, q], x[q])


# Reassociation lets the sum use vector registers; it moves the last digits only.
@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def _dot(u, v):
    total = 0.0
    for i in range(u.size):
        total += u[i] * v[i]
    return total


@njit(cache=True)
def _add(y, factor, x):
    for i in range(y.size):
        y[i] += factor * x[i]


def reference_step(w: NDArray, B: NDArray, setting: Problem, rng: np.random.Generator) -> NDArray:
    """One step of :func:`sgd_steps` in plain numpy, from the same stream; returns the new student.

    Parameters
    ----------
    w, B : ndarray, shapes (n_b, D) and (M, D)
    setting : Problem
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n_b, D)
    """
    A, D, model = setting.model.A, setting.D, setting.model
    x = setting.L @ rng.standard_normal((setting.P, D))
    lam = np.einsum("ubp,bp->u", A, w @ x.T / np.sqrt(D))
    nu = B @ x.T / np.sqrt(D)
    units = np.array([g(setting.code, field) for field in lam])
    slopes = np.array([g_prime(setting.code, field) for field in lam])
    targets = np.array([g(setting.code, field) for field in nu.ravel()])
    delta = model.a * (units.sum() - targets.sum()) - model.sigma * rng.standard_normal()
    return w - model.eta * model.a * delta / np.sqrt(D) * np.einsum("ubp,u,pi->bi", A, slopes, x)
