"""Alignment times at large imbalance: two integrals whose ratio times D^2 separates the two signs.

At +D the direction turns in fast time while q follows: ``T_+ -> tau_+ / D``. At -D the coefficient
first relaxes to ``q = 2 K(theta)``, then ``dtheta/dt = (2K/D) K'``: ``T_- -> D I``. So
``T_- / T_+ -> D^2 I / tau_+``, with corrections of relative order D^-2.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad, solve_ivp

from featurelearning.gaussian import relu_kernel, relu_kernel_slope

__all__ = ["decayed_alignment_time", "fast_alignment_time", "slow_alignment_integral"]


def fast_alignment_time(*, q0: float, theta0: float, stop: float) -> float:
    """Time ``tau_+`` of the limit flow ``dq/dtau = K - q/2``, ``dtheta/dtau = K'/q`` from `theta0` to `stop`.

    Computed with the angle as the clock: ``dq/dtheta = q (K - q/2)/K'``, ``dtau/dtheta = q/K'``.

    Parameters
    ----------
    q0 : float
        Initial coefficient, positive.
    theta0, stop : float
        ``0 < stop < theta0 < pi``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    _check(theta0, stop)
    if not (np.isfinite(q0) and q0 > 0):
        raise ValueError(f"q0 = {q0}; allowed: a finite initial coefficient > 0")

    def by_angle(theta: float, state: np.ndarray) -> np.ndarray:
        q = state[0]
        return np.array([q * (relu_kernel(theta) - q / 2), q]) / relu_kernel_slope(theta)

    solution = solve_ivp(by_angle, (theta0, stop), [q0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13)
    return float(solution.y[1, -1])


def slow_alignment_integral(*, theta0: float, stop: float) -> float:
    """Integral ``I = int_stop^theta0 dt / (2 K(t) |K'(t)|)``.

    Parameters
    ----------
    theta0, stop : float
        ``0 < stop < theta0 < pi``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    _check(theta0, stop)
    return quad(lambda t: 1 / (2 * relu_kernel(t) * -relu_kernel_slope(t)), stop, theta0, epsabs=0,
                epsrel=1e-12)[0]


def decayed_alignment_time(slow_time: float, weight_decay: float) -> float:
    """Alignment time at imbalance -D under weight decay lambda, ``ln(1 + 2 lambda D I) / (2 lambda)``.

    Weight decay shrinks the imbalance as ``e^{-2 lambda t}``, so the direction, whose rate is
    ``~ 1/|delta|``, speeds up. Leading order in large imbalance: valid while
    ``D / (1 + 2 lambda D I)``, the imbalance left at that time, is large. Derived here.

    Parameters
    ----------
    slow_time : float
        ``D I``, the time without weight decay.
    weight_decay : float
        lambda >= 0.

    Returns
    -------
    float
    """
    if not (slow_time > 0 and weight_decay >= 0):
        raise ValueError(f"slow_time = {slow_time}, weight_decay = {weight_decay}; allowed: slow_time > 0, "
                         "lambda >= 0")
    if weight_decay == 0:
        return slow_time
    return float(np.log1p(2 * weight_decay * slow_time) / (2 * weight_decay))


def _check(theta0: float, stop: float) -> None:
    if not 0 < stop < theta0 < np.pi:
        raise ValueError(f"stop = {stop}, theta0 = {theta0}; allowed: 0 < stop < theta0 < pi")
