"""When the designated unit of duplicates is selected, and when its coefficient reaches a level.

Selection is an event on the *vector* ``q s``: the angle alone crosses zero early, while q is still
small, swings to the other side and returns. Every trial time of the search is the end of an
integration step, so event times have the accuracy of the steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from featurelearning.gauge.duplicates import (
    SELECTED_WITHIN, duplicates_batch, duplicates_rhs, duplicates_start, selection_error,
)
from featurelearning.gauge.integrate import landing, steps

__all__ = ["coefficient_time", "selection_time"]


def selection_time(*, m: ArrayLike, phi: ArrayLike, D: ArrayLike, kappa: float = 1.0,
                   within: float = SELECTED_WITHIN, until: float = 1000.0) -> NDArray:
    """First fast time at which ``||q s - s*|| <= within`` for the selected unit.

    Parameters
    ----------
    m, phi, D, kappa
        As in :func:`featurelearning.gauge.duplicates`; m, phi and D broadcast.
    within : float
        Threshold, in (0, 1).
    until : float
        Fast time at which to give up, positive.

    Returns
    -------
    ndarray, shape of the batch
        ``numpy.inf`` where the unit is not selected by `until`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 0 < within < 1:
        raise ValueError(f"within = {within}; allowed: 0 < within < 1")
    return _first_time(lambda q, theta: selection_error(q, theta) - within, m, phi, D, kappa, until)


def coefficient_time(level: float, *, m: ArrayLike, phi: ArrayLike, D: ArrayLike, kappa: float = 1.0,
                     until: float = 1000.0) -> NDArray:
    """First fast time at which the selected coefficient q reaches `level`.

    Parameters
    ----------
    level : float
        In (0, 1).
    m, phi, D, kappa, until
        As in :func:`selection_time`.

    Returns
    -------
    ndarray, shape of the batch
        ``numpy.inf`` where it is not reached by `until`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 0 < level < 1:
        raise ValueError(f"level = {level}; allowed: 0 < level < 1")
    return _first_time(lambda q, theta: level - q, m, phi, D, kappa, until)


def _first_time(excess: Callable[[NDArray, NDArray], NDArray], m: ArrayLike, phi: ArrayLike, D: ArrayLike,
                kappa: float, until: float) -> NDArray:
    """First time at which ``excess(q, theta) <= 0``, case by case."""
    if not (np.isfinite(until) and until > 0):
        raise ValueError(f"until = {until}; allowed: a finite time > 0")
    m, phi, D = duplicates_batch(m, phi, D)
    found = np.full(m.shape, np.inf)
    earlier, before = 0.0, duplicates_start(m=m, phi=phi, kappa=kappa)
    for time, state in steps(lambda _, y: duplicates_rhs(y, m=m, phi=phi, D=D), before, until):
        reached = excess(state[0], state[1]) <= 0
        for index in zip(*np.nonzero(np.atleast_1d(reached & np.isinf(found))), strict=True):
            index = index if m.ndim else ()
            here = {"m": m[index], "phi": phi[index], "D": D[index]}
            found[index] = _crossing(excess, before[:, *index], earlier, time, here) if time > 0 else 0.0
        if np.all(np.isfinite(found)):
            break
        earlier, before = time, state
    return found


def _crossing(excess: Callable[[NDArray, NDArray], NDArray], state: NDArray, earlier: float, later: float,
              case: dict[str, NDArray]) -> float:
    """Time in (earlier, later] at which one case, at `state` earlier, reaches ``excess = 0``."""
    def at(time: float) -> float:
        here = state if time == earlier else landing(
            lambda _, y: duplicates_rhs(y, **case), state, np.array([earlier, time]))[-1]
        return float(excess(here[0], here[1]))

    # The single case takes other steps than its batch and may cross a rounding error later.
    return brentq(at, earlier, later + 1e-9 * (1 + later), xtol=1e-13)
