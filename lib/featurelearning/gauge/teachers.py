"""Two orthogonal teachers: which student learns which feature, and what the imbalances have to do with it.

Four students start near the teachers (two near each), with nearly equal coefficients. The students at
imbalance +D are *designated*: they turn in fast time, the others hardly at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featurelearning.gauge.descent import descend
from featurelearning.gauge.empirical import empirical_gradients, empirical_loss
from featurelearning.gauge.original import (
    WeightTrajectory, population_gradients, population_loss, to_weights,
)
from featurelearning.gaussian import angle, relu_kernel

__all__ = ["ASSIGNED_WITHIN", "NEAR_WITHIN", "OUTCOMES", "TeacherRuns", "frozen_directions_loss",
           "imbalances", "orthogonal_teachers", "pair_outcomes", "students_near", "teacher_runs",
           "teacher_runs_on_samples"]

# A student holds a teacher's feature when its angle to the teacher is below this (our choice), ...
ASSIGNED_WITHIN = 0.2
# ... and two students at less than this from the same teacher both went for that one.
NEAR_WITHIN = 0.35
OUTCOMES = ("assigned", "swapped", "both near the first", "other")


@dataclass(frozen=True)
class TeacherRuns:
    """Runs of S seeds with m students and n teachers, at T fast times.

    Parameters
    ----------
    tau : ndarray, shape (T,)
        Fast times.
    q : ndarray, shape (T, S, m)
        Coefficients.
    angles : ndarray, shape (T, S, m, n)
        Angles of students and teachers, in [0, pi].
    moved : ndarray, shape (T, S, m)
        Angles of the students to their own starts.
    loss : ndarray, shape (T, S)
        Loss on the inputs that were trained on.
    """

    tau: NDArray
    q: NDArray
    angles: NDArray
    moved: NDArray
    loss: NDArray


def orthogonal_teachers(d: int) -> tuple[NDArray, NDArray]:
    """Teachers ``U = (e_1, e_2)``, shape (2, d), with output weights ``c = (1, 1)``."""
    if d < 2:
        raise ValueError(f"d = {d}; allowed: d >= 2, two orthogonal directions")
    return np.eye(2, d), np.ones(2)


def imbalances(designated: Sequence[int], D: float, m: int = 4) -> NDArray:
    """Imbalance +D for the designated students and -D for the others, shape (m,)."""
    if not (D > 0 and set(designated) <= set(range(m))):
        raise ValueError(f"designated = {designated}, D = {D}; allowed: students 0 to {m - 1}, D > 0")
    return np.where(np.isin(np.arange(m), list(designated)), D, -D)


def students_near(rng: np.random.Generator, U: NDArray, *, seeds: int, low: float, high: float,
                  q: float = 0.5, spread: float = 0.1) -> tuple[NDArray, NDArray]:
    """Two students near each teacher: coefficients (seeds, 2n) and directions (seeds, 2n, d).

    A student's angle to its teacher is uniform on [low, high], around it the direction is uniform; its
    coefficient is ``q (1 + spread u)`` with u uniform on [-1, 1]. Students 0 and 1 belong to teacher 0, and
    so on.

    Parameters
    ----------
    rng : numpy.random.Generator
    U : ndarray, shape (n, d)
        Orthonormal teachers, d >= 2.
    seeds : int
        Number of independent starts.
    low, high : float
        ``0 <= low <= high <= pi``.
    q, spread : float
        Mean coefficient, positive, and its relative spread, in [0, 1).

    Returns
    -------
    q, s : ndarray
        Coefficients and unit directions.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not (0 <= low <= high <= np.pi and q > 0 and 0 <= spread < 1 and seeds >= 1):
        raise ValueError(f"low = {low}, high = {high}, q = {q}, spread = {spread}, seeds = {seeds}; allowed: "
                         "0 <= low <= high <= pi, q > 0, 0 <= spread < 1, seeds >= 1")
    axis = np.repeat(U, 2, axis=0)
    around = rng.standard_normal((seeds, *axis.shape))
    around -= np.sum(around * axis, axis=-1, keepdims=True) * axis
    around /= np.linalg.norm(around, axis=-1, keepdims=True)
    tilt = rng.uniform(low, high, around.shape[:-1])[..., None]
    coefficients = q * (1 + spread * rng.uniform(-1, 1, around.shape[:-1]))
    return coefficients, np.cos(tilt) * axis + np.sin(tilt) * around


def teacher_runs(q: NDArray, s: NDArray, delta: NDArray, U: NDArray, c: NDArray, *,
                 D: float, h: float, steps: int, times: int = 51) -> TeacherRuns:
    """Population gradient descent of all starts together, learning rate ``h/D``.

    Parameters
    ----------
    q, s : ndarray, shapes (S, m) and (S, m, d)
        Coefficients and unit directions at the start.
    delta : ndarray, shape (m,)
        Imbalances at the start.
    U, c : ndarray, shapes (n, d) and (n,)
        Teachers.
    D, h : float
        Unit of fast time and step in fast time, positive.
    steps : int
        Number of steps, positive.
    times : int
        At most this many states are returned, the first and the last among them.

    Returns
    -------
    TeacherRuns
    """
    _check_run(D, h, steps, times)
    path = descend(lambda a, W: population_gradients(a, W, U, c),
                   *to_weights(q, s, np.broadcast_to(delta, q.shape)), eta=h / D, steps=steps)
    kept = _kept(path, times)
    return _runs(kept, U, D, population_loss(kept.a, kept.W, U, c))


def teacher_runs_on_samples(rng: np.random.Generator, q: NDArray, s: NDArray, delta: NDArray, U: NDArray,
                            c: NDArray,
                            *, N: int, D: float, h: float, steps: int, times: int = 51) -> TeacherRuns:
    """Full-batch gradient descent, each start on its own sample of N Gaussian inputs.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws the inputs.
    N : int
        Sample size, positive.
    q, s, delta, U, c, D, h, steps, times
        As in :func:`teacher_runs`.

    Returns
    -------
    TeacherRuns
    """
    _check_run(D, h, steps, times)
    if N < 1:
        raise ValueError(f"N = {N}; allowed: a sample size >= 1")
    a, W = to_weights(q, s, np.broadcast_to(delta, q.shape))
    paths, losses = [], []
    for start_a, start_W in zip(a, W, strict=True):
        X = rng.standard_normal((N, U.shape[1]))
        y = np.maximum(X @ U.T, 0) @ c
        kept = _kept(descend(lambda a, W, X=X, y=y: empirical_gradients(X, y, a, W), start_a, start_W,
                             eta=h / D, steps=steps), times)
        paths.append(kept)
        losses.append([empirical_loss(X, y, *weights) for weights in zip(kept.a, kept.W, strict=True)])
    together = WeightTrajectory(paths[0].t, np.stack([path.a for path in paths], axis=1),
                                np.stack([path.W for path in paths], axis=1))
    return _runs(together, U, D, np.array(losses).T)


def pair_outcomes(angles: NDArray) -> dict[str, int]:
    """How two designated students ended, as counts by :data:`OUTCOMES`.

    "assigned": student 0 at teacher 0 and student 1 at teacher 1; "swapped": the other way round; "both near
    the first": both close to teacher 0; "other": none of these.

    Parameters
    ----------
    angles : ndarray, shape (S, 2, 2)
        Final angles, by seed, student and teacher.

    Returns
    -------
    dict of int
        Adding up to S.
    """
    assigned = np.all(angles[:, [0, 1], [0, 1]] < ASSIGNED_WITHIN, axis=1)
    swapped = np.all(angles[:, [0, 1], [1, 0]] < ASSIGNED_WITHIN, axis=1)
    near = np.all(angles[:, :, 0] < NEAR_WITHIN, axis=1)
    other = ~(assigned | swapped | near)
    return dict(zip(OUTCOMES, (int(np.sum(each)) for each in (assigned, swapped, near, other)), strict=True))


def frozen_directions_loss(s: NDArray, U: NDArray, c: NDArray) -> NDArray:
    """Least loss at given directions, ``min_q L = (c^T K_UU c - b^T K_ss^{-1} b)/2`` with ``b = K_sU c``.

    Parameters
    ----------
    s : ndarray, shape (..., m, d)
        Students' directions, no two equal (K_ss must be positive definite).
    U, c : ndarray, shapes (n, d) and (n,)
        Teachers' unit directions and output weights.

    Returns
    -------
    ndarray, shape (...)
    """
    K_ss = relu_kernel(angle(s[..., :, None, :], s[..., None, :, :]))
    b = relu_kernel(angle(s[..., :, None, :], U)) @ c
    best = np.linalg.solve(K_ss, b[..., None])[..., 0]
    return (c @ relu_kernel(angle(U[:, None], U)) @ c - np.sum(b * best, axis=-1)) / 2


def _kept(path: WeightTrajectory, times: int) -> WeightTrajectory:
    index = np.unique(np.linspace(0, len(path.t) - 1, times).astype(int))
    return WeightTrajectory(path.t[index], path.a[index], path.W[index])


def _runs(path: WeightTrajectory, U: NDArray, D: float, loss: NDArray) -> TeacherRuns:
    return TeacherRuns(D * path.t, path.q, angle(path.W[..., None, :], U), angle(path.W, path.W[:1]), loss)


def _check_run(D: float, h: float, steps: int, times: int) -> None:
    if not (D > 0 and h > 0 and steps >= 1 and times >= 2):
        raise ValueError(f"D = {D}, h = {h}, steps = {steps}, times = {times}; allowed: D, h > 0, steps >= "
                         "1, times >= 2")
