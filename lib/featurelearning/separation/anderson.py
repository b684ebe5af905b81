"""Anderson mixing: the next guess of a fixed-point iteration from its last few steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["anderson_mix"]


def anderson_mix(points: Sequence[np.ndarray], steps: Sequence[np.ndarray],
                 damping: float = 1.0) -> np.ndarray:
    r"""Next point of an iteration :math:`x \leftarrow x + f(x)` from its history.

    With differences :math:`\Delta x_i = x_{i+1} - x_i`, :math:`\Delta f_i` and :math:`\gamma =
    \arg\min\|f_k - \sum_i\gamma_i\Delta f_i\|`,

    .. math::

        x_{k+1} = x_k + \beta f_k - \sum_i\gamma_i(\Delta x_i + \beta\Delta f_i) .

    It is a multi-secant quasi-Newton step: exact in d steps if f is affine in d dimensions.

    Parameters
    ----------
    points, steps : sequences of arrays of one shape
        :math:`x_i` and :math:`f(x_i)`, oldest first, at least one.
    damping : float
        :math:`\beta > 0`.

    Returns
    -------
    array

    Notes
    -----
    D. G. Anderson, "Iterative procedures for nonlinear integral equations" (1965).
    """
    point, step = points[-1], steps[-1]
    if len(points) == 1:
        return point + damping * step
    df = np.array([(b - a).ravel() for a, b in zip(steps, steps[1:])])
    dx = np.array([(b - a).ravel() for a, b in zip(points, points[1:])])
    gamma = np.linalg.lstsq(df @ df.T, df @ step.ravel(), rcond=1e-12)[0]
    return point + damping * step - (gamma @ (dx + damping * df)).reshape(point.shape)
