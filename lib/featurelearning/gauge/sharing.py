"""Small imbalance: below a critical D the redundant units align too and keep a share of the feature.

Above it the selected unit is faster by enough to leave the redundant ones nothing to learn. Below it
all directions reach the teacher, algebraically slowly, and the coefficients stop at a shared sum of 1.
The critical imbalance is a number of a finite time: the largest D at which the redundant units
still hold more than a stated coefficient at a stated time. Not in the paper as far as its summary shows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from featurelearning.gauge.duplicates import duplicates_rhs, duplicates_start

__all__ = ["SHARED_ABOVE", "critical_imbalance", "late_state"]

# The feature counts as shared while the redundant units together hold more than this.
SHARED_ABOVE = 0.01
# Below this the state lies in the basin of the selected solution, where P only decays further.
_DECIDED_BELOW = 1e-5


def late_state(*, m: int, phi: float, D: float, kappa: float = 1.0, until: float = 3e4) -> NDArray:
    """State ``(q, theta, P, chi)`` of duplicates at the *original* time `until` (fast time ``D until``).

    Stops before `until` once P has decayed to 1e-5: the selected solution is stable and P only decays
    from there. Uses an implicit multistep method, since late motion is slow while relaxation stays fast.

    Parameters
    ----------
    m, phi, D, kappa
        As in :func:`featurelearning.gauge.duplicates`, scalars, D finite.
    until : float
        Time, positive.

    Returns
    -------
    ndarray, shape (4,)

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not (m >= 2 and 0 < phi < np.pi and 0 < D < np.inf and 0 < until < np.inf):
        raise ValueError(f"m = {m}, phi = {phi}, D = {D}, until = {until}; allowed: m >= 2, 0 < phi < pi, "
                         f"finite D > 0 and until > 0")
    def decided(_: float, y: NDArray) -> float:
        return y[2] - _DECIDED_BELOW

    decided.terminal = True
    solution = solve_ivp(lambda _, y: duplicates_rhs(y, m=m, phi=phi, D=D), (0, D * until),
                         duplicates_start(m=m, phi=phi, kappa=kappa), method="LSODA", events=decided,
                         rtol=1e-8, atol=1e-10)
    if not solution.success:
        raise ArithmeticError(f"integration stopped: {solution.message}")
    q, theta, P, x = solution.y[:, -1]
    return np.array([q, theta, P, phi + x / D**2])


def critical_imbalance(*, m: int, phi: float, kappa: float = 1.0, until: float = 3e4,
                       relative: float = 2e-3, bracket: tuple[float, float] = (1e-2, 1e2)) -> float:
    """Critical imbalance D_c by bisection in log D: shared below, selected above.

    Parameters
    ----------
    m, phi, kappa
        As in :func:`featurelearning.gauge.duplicates`, scalars.
    until : float
        Original time at which the redundant coefficient is read.
    relative : float
        Relative width at which the bisection ends.
    bracket : tuple of float
        Imbalances of which the first must share and the second select.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is out of range or the bracket does not hold the transition.
    """
    def shares(D: float) -> bool:
        return bool(late_state(m=m, phi=phi, D=D, kappa=kappa, until=until)[2] > SHARED_ABOVE)

    low, high = bracket
    if not 0 < low < high or not shares(low) or shares(high):
        raise ValueError(f"bracket = {bracket}; allowed: 0 < low < high with sharing at low and selection at "
                         f"high (m = {m}, phi = {phi}, until = {until})")
    while high / low > 1 + relative:
        middle = np.sqrt(low * high)
        low, high = (middle, high) if shares(middle) else (low, middle)
    return float(np.sqrt(low * high))
