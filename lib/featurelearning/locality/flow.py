"""Solutions of the order-parameter equations in time."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import ODEintWarning, odeint

from featurelearning.locality.architecture import architecture
from featurelearning.locality.averages import is_linear
from featurelearning.locality.correlation import correlation_matrix, equal_correlation
from featurelearning.locality.exchangeable import exchangeable_error, exchangeable_rhs
from featurelearning.locality.general import CommitteeModel, general_error, general_rhs

__all__ = ["Trajectory", "committee_model", "integrate", "solve", "solve_exchangeable", "solve_general"]


@dataclass(frozen=True)
class Trajectory:
    """Order parameters and generalisation error at the times `t`, in units of D steps.

    Parameters
    ----------
    t, E : (n,) arrays
    Q : (n, n_b, n_b) array
        Overlaps of the student's weight blocks.
    R : (n, n_b, M) array
        Overlaps of the blocks with the teacher's filters.
    """

    t: NDArray
    E: NDArray
    Q: NDArray
    R: NDArray


def solve(
    student: str, t: ArrayLike, *, P: int, C: ArrayLike, eta: float, sigma: float, Q0: ArrayLike = 0.5,
    R0: ArrayLike = 0.0, activation: str = "erf", kernel: int = 1, boundary: str = "periodic",
    filters: int = 1, teachers: int = 1, T: ArrayLike | None = None, v: ArrayLike | None = None,
    v_star: ArrayLike | None = None, a: float | None = None, reduce: bool = True, rtol: float = 1e-10,
    atol: float = 1e-12,
) -> Trajectory:
    """Order parameters of online SGD in the limit ``D -> infinity`` at fixed learning rate.

    One step moves the weights by ``eta / sqrt D`` times the gradient of half the squared error on one
    fresh sample, and ``t = steps / D``. With equal correlations, one filter and a kernel of the
    teacher's size three scalars suffice; otherwise all order parameters are integrated.

    Parameters
    ----------
    student : {"conv", "lcn"}
        Shared or free weights.
    t : (n,) array
        Increasing times, ``t >= 0``.
    P : int
        Number of positions.
    C : float or (P, P) array
        Correlation of the patches.
    eta, sigma : float
        Learning rate (> 0) and standard deviation of the label noise (>= 0).
    Q0 : float or (n_b, n_b) array
        Initial overlaps of the weight blocks; a number means independent blocks of that norm.
    R0 : float or (n_b, M) array
        Initial overlaps with the teacher.
    activation : {"erf", "linear"}
    kernel, boundary, filters
        As for :func:`featurelearning.locality.architecture`.
    teachers : int
        Number of teacher filters M.
    T : (M, M) array, optional
        Overlaps of the teacher's filters (default: orthonormal).
    v, v_star : (U,) and (M,) arrays, optional
        Output weights (default: ones).
    a : float, optional
        Output scale (default ``1/sqrt(P)``).
    reduce : bool
        Use the three scalars where they suffice.
    rtol, atol : float
        Tolerances of the integrator.

    Returns
    -------
    Trajectory

    Raises
    ------
    ValueError
        If an argument is outside its range.
    RuntimeError
        If the integration does not reach the last time (the error diverges, for instance).
    """
    model = committee_model(
        student, P=P, C=C, eta=eta, sigma=sigma, activation=activation, kernel=kernel, boundary=boundary,
        filters=filters, teachers=teachers, T=T, v=v, v_star=v_star, a=a,
    )
    t = _times(t)
    n_b, M = model.A.shape[1], len(model.T)
    Q = np.array(Q0, dtype=float) if np.ndim(Q0) else float(Q0) * np.eye(n_b)
    R = np.array(R0, dtype=float) if np.ndim(R0) else np.full((n_b, M), float(R0))
    if Q.shape != (n_b, n_b) or R.shape != (n_b, M):
        raise ValueError(f"Q0 and R0 have shapes {Q.shape}, {R.shape}; numbers or {(n_b, n_b)}, {(n_b, M)} "
                         f"are needed")
    gram = np.block([[Q, R], [R.T, model.T]])
    if not np.allclose(Q, Q.T) or np.linalg.eigvalsh(gram)[0] < -1e-9 * np.trace(gram):
        raise ValueError("Q0, R0 and T are no overlaps of vectors: [[Q, R], [R^T, T]] must be positive "
                         "semi-definite")

    c = equal_correlation(C, P)
    matched = kernel == 1 and filters == 1 and teachers == 1 and v is None and v_star is None
    off = Q[~np.eye(n_b, dtype=bool)]
    alike = np.ptp(np.diag(Q)) == 0 and np.ptp(R) == 0 and (off.size == 0 or np.ptp(off) == 0)
    if not (reduce and matched and c is not None and alike):
        return solve_general(model, t, Q, R, rtol=rtol, atol=atol)
    overlap = off[0] if off.size else Q[0, 0]
    E, y = solve_exchangeable(student, t, (Q[0, 0], overlap, R[0, 0]), P=P, c=c, eta=eta, sigma=sigma,
                              activation=activation, a=model.a, T=model.T[0, 0], rtol=rtol, atol=atol)
    eye = np.eye(n_b)
    return Trajectory(t, E, y[:, 0, None, None] * eye + y[:, 1, None, None] * (1 - eye),
                      np.repeat(y[:, 2, None, None], n_b, axis=1))


def committee_model(
    student: str, *, P: int, C: ArrayLike, eta: float, sigma: float, activation: str = "erf", kernel: int = 1,
    boundary: str = "periodic", filters: int = 1, teachers: int = 1, T: ArrayLike | None = None,
    v: ArrayLike | None = None, v_star: ArrayLike | None = None, a: float | None = None,
) -> CommitteeModel:
    """The student and teacher that :func:`solve` describes, with its defaults; same arguments."""
    A = architecture(student, P, kernel=kernel, boundary=boundary, filters=filters)
    if not (np.isfinite(eta) and eta > 0):
        raise ValueError(f"eta = {eta}: the learning rate must be positive")
    if not (np.isfinite(sigma) and sigma >= 0):
        raise ValueError(f"sigma = {sigma}: the standard deviation of the label noise must be at least 0")
    is_linear(activation)
    T = np.eye(teachers) if T is None else np.array(T, dtype=float)
    v = np.ones(len(A)) if v is None else np.array(v, dtype=float)
    v_star = np.ones(teachers) if v_star is None else np.array(v_star, dtype=float)
    if T.shape != (teachers, teachers) or v.shape != (len(A),) or v_star.shape != (teachers,):
        raise ValueError(f"T, v, v_star have shapes {T.shape}, {v.shape}, {v_star.shape}; "
                         f"needed {(teachers, teachers)}, {(len(A),)}, {(teachers,)}")
    return CommitteeModel(A, correlation_matrix(C, P), T, v, v_star, P**-0.5 if a is None else float(a),
                          float(eta), float(sigma), activation)


def solve_general(
    model: CommitteeModel, t: ArrayLike, Q0: NDArray, R0: NDArray, *, rtol: float = 1e-10, atol: float = 1e-12
) -> Trajectory:
    """All order parameters at the times `t`, from ``Q0`` (n_b, n_b) and ``R0`` (n_b, M) at time 0."""
    t = _times(t)
    n_b, M = R0.shape
    upper = np.triu_indices(n_b)
    y = integrate(_general_flow, np.concatenate([Q0[upper], np.ravel(R0)]), t, (n_b, M, *model.constants),
                  rtol, atol)
    Q = np.zeros((len(t), n_b, n_b))
    Q[:, upper[0], upper[1]] = Q[:, upper[1], upper[0]] = y[:, : len(upper[0])]
    R = np.ascontiguousarray(y[:, len(upper[0]):]).reshape(len(t), n_b, M)
    constants = model.constants
    return Trajectory(t, np.array([general_error(q, r, *constants) for q, r in zip(Q, R)]), Q, R)


def solve_exchangeable(
    student: str, t: ArrayLike, state: tuple[float, float, float], *, P: int, c: float, eta: float,
    sigma: float, activation: str = "erf", a: float | None = None, T: float = 1.0, t0: float = np.inf,
    rtol: float = 1e-10, atol: float = 1e-12,
) -> tuple[NDArray, NDArray]:
    """Errors (n,) and states ``(Q, O, R)`` (n, 3) at times `t`, from `state` at time 0; all positions alike.

    The learning rate is ``eta / (1 + t/t0)``; it is constant for the default ``t0``. A convolution has
    ``O = Q``, whatever the given ``O``.
    """
    shared, a = student == "conv", P**-0.5 if a is None else a
    Q, O, R = map(float, state)
    linear, c, T = is_linear(activation), float(c), float(T)
    constants = (shared, linear, P, c, a, float(eta), float(sigma), T, float(t0))
    y = integrate(_exchangeable_flow, np.array([Q, Q if shared else O, R]), _times(t), constants, rtol, atol)
    return np.array([exchangeable_error(*row, linear, P, c, a, T) for row in y]), y


def integrate(rhs, y0: NDArray, t: NDArray, args: tuple, rtol: float, atol: float) -> NDArray:
    """States (n, len(y0)) at times `t` of ``dy/dt = rhs(y, t, *args)``, ``y(0) = y0``, by LSODA.

    Raises
    ------
    RuntimeError
        If a state is not finite or the integrator stops early.
    """
    grid = np.concatenate([[0.0], t])
    if grid[-1] == 0.0:
        return np.tile(y0, (len(t), 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ODEintWarning)
        y, info = odeint(rhs, y0, grid, args=args, rtol=rtol, atol=atol, mxstep=100_000, full_output=True)
    if info["message"] != "Integration successful." or not np.all(np.isfinite(y)):
        raise RuntimeError(f"the equations could not be integrated to t = {grid[-1]:g}: {info['message']}")
    return y[1:]


@njit(cache=True)
def _exchangeable_flow(y, t, shared, linear, P, c, a, eta, sigma, T, t0):
    dQ, dO, dR = exchangeable_rhs(y[0], y[1], y[2], shared, linear, P, c, a, eta / (1.0 + t / t0), sigma, T)
    return np.array([dQ, dO, dR])


@njit(cache=True)
def _general_flow(y, t, n_b, M, count, block, patch, C, T, alpha, av, eta, sigma, linear):
    Q, n = np.empty((n_b, n_b)), 0
    for b in range(n_b):
        for e in range(b, n_b):
            Q[b, e] = Q[e, b] = y[n]
            n += 1
    dQ, dR = general_rhs(Q, y[n:].reshape((n_b, M)), count, block, patch, C, T, alpha, av, eta, sigma, linear)
    dy, n = np.empty_like(y), 0
    for b in range(n_b):
        for e in range(b, n_b):
            dy[n] = dQ[b, e]
            n += 1
    dy[n:] = dR.ravel()
    return dy


def _times(t: ArrayLike) -> NDArray:
    t = np.atleast_1d(np.array(t, dtype=float))
    if t.ndim != 1 or not np.all(np.isfinite(t)) or t[0] < 0 or np.any(np.diff(t) < 0):
        raise ValueError("t must be a sequence of finite, increasing times that starts at 0 or later")
    return t
