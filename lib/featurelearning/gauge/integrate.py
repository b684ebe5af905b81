"""Integration of ordinary differential equations that lands on every requested time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import DOP853

__all__ = ["increasing_times", "landing", "steps"]

# As tight as the arithmetic allows; the claims compare trajectories to 1e-8 and motions of order D^-2.
RTOL, ATOL = 1e-13, 1e-14


def landing(rhs: Callable[[float, NDArray], NDArray], start: NDArray, times: NDArray) -> NDArray:
    """States at `times`, each one the end of a step of the 8th-order Runge-Kutta method DOP853.

    The dense output of a step is a polynomial of lower order, good to about 1e-8 only; here every
    time is reached by a step, so the answer has the accuracy of the steps (relative tolerance 1e-13).

    Parameters
    ----------
    rhs : callable
        ``rhs(t, y) -> dy/dt`` for arrays of the shape of `start`.
    start : ndarray
        State at ``times[0]``, any shape.
    times : ndarray, shape (T,)
        Strictly increasing.

    Returns
    -------
    ndarray, shape (T, *start.shape)
    """
    states = np.empty((len(times), *start.shape))
    states[0] = start
    solver = _solver(rhs, start, times[0], times[-1])
    for row, time in enumerate(times[1:], start=1):
        solver.t_bound, solver.status = time, "running"
        while solver.status == "running":
            _step(solver)
        states[row] = solver.y.reshape(start.shape)
    return states


def steps(rhs: Callable[[float, NDArray], NDArray], start: NDArray,
          end: float) -> Iterator[tuple[float, NDArray]]:
    """Yield ``(time, state)`` at time 0 and at the end of every step that DOP853 takes up to `end`."""
    solver = _solver(rhs, start, 0.0, end)
    yield 0.0, start
    while solver.status == "running":
        _step(solver)
        yield solver.t, solver.y.reshape(start.shape).copy()


def increasing_times(times: ArrayLike, name: str) -> NDArray:
    """`times` as an array of at least one value that starts at or after 0 and strictly increases.

    Raises
    ------
    ValueError
        Otherwise.
    """
    times = np.atleast_1d(np.asarray(times, dtype=float))
    if times.ndim != 1 or not np.all(np.isfinite(times)) or times[0] < 0 or np.any(np.diff(times) <= 0):
        raise ValueError(f"{name} = {times}; allowed: a list of finite times >= 0 that strictly increases")
    return times


def _solver(rhs: Callable, start: NDArray, begin: float, end: float) -> DOP853:
    def flat(t: float, y: NDArray) -> NDArray:
        return rhs(t, y.reshape(start.shape)).ravel()

    return DOP853(flat, begin, start.ravel(), end, rtol=RTOL, atol=ATOL)


def _step(solver: DOP853) -> None:
    message = solver.step()
    if solver.status == "failed":
        raise ArithmeticError(f"integration stopped at time {solver.t:g}: {message}")
