"""When the generalisation error first falls below a threshold."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from featurelearning.locality.flow import solve

__all__ = ["time_to_error"]


def time_to_error(student: str, threshold: float, *, t_max: float = 1e4, points: int = 64, **model) -> float:
    """First time ``t`` at which ``E(t) = threshold``; NaN if it is not reached by `t_max`.

    The crossing is bracketed on a grid over ever longer stretches of time (each ends three times
    later than the last) and refined by integrating again from the left end of the bracket.

    Parameters
    ----------
    student : {"conv", "lcn"}
    threshold : float
        Positive error.
    t_max : float
        Longest time to look at.
    points : int
        Grid times in a stretch; a dip below the threshold between two of them is missed.
    **model
        As for :func:`featurelearning.locality.solve`.

    Returns
    -------
    float
        Time in units of D steps.

    Raises
    ------
    ValueError
        If the threshold or `t_max` is not positive.
    """
    if not (threshold > 0 and t_max > 0):
        raise ValueError(f"threshold = {threshold}, t_max = {t_max}: both must be positive")
    start, end = 0.0, min(1.0, t_max)
    while start < t_max:
        grid = np.linspace(0.0, end - start, points)
        path = solve(student, grid, **model)
        below = np.flatnonzero(path.E <= threshold)
        if below.size:
            break
        model = {**model, "Q0": path.Q[-1], "R0": path.R[-1]}
        start, end = end, min(3.0 * end, t_max)
    else:
        return np.nan
    if below[0] == 0:
        return start
    left = below[0] - 1
    from_left = {**model, "Q0": path.Q[left], "R0": path.R[left]}

    def excess(dt: float) -> float:
        return np.log(solve(student, [dt], **from_left).E[0] / threshold)

    step = grid[left + 1] - grid[left]
    return float(start + grid[left] + brentq(excess, 0.0, step, xtol=1e-9 * end, rtol=1e-9))
