"""Reading a learning curve the other way round: samples needed for a given error."""

from __future__ import annotations

import numpy as np

__all__ = ["samples_to_reach"]


def samples_to_reach(level: float, n: np.ndarray, error: np.ndarray) -> float:
    """Where a falling curve first crosses a level, by interpolation of log n in log error.

    Parameters
    ----------
    level : float
        Error to reach, > 0.
    n, error : arrays, shape (k,)
        Sample sizes, ascending, and errors there, > 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the curve starts below the level or never reaches it.
    """
    below = np.flatnonzero(error <= level)
    if len(below) == 0 or below[0] == 0:
        raise ValueError(f"level = {level} is not crossed; the curve goes from {error[0]:.4g} to "
                         f"{error.min():.4g}")
    i = below[0]
    share = np.log(error[i - 1] / level) / np.log(error[i - 1] / error[i])
    return float(n[i - 1] * (n[i] / n[i - 1]) ** share)
