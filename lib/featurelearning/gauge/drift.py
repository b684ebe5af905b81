"""How far gradient descent carries the imbalances that gradient flow conserves.

A step of descent changes ``delta = a^2 - |w|^2`` by exactly ``eta^2 (|dL/da|^2 - |dL/dw|^2)``: the terms of
order eta cancel, as ``a dL/da = w.dL/dw``. At large D this leaves, to first order in the step h of fast time,

    Delta delta = -(h/D) int (q'^2 + q^2 theta'^2) dtau   for the selected unit,
    Delta delta = +(h/D) int (P'/M)^2 dtau                for each of the M redundant ones,

along the limit flow. Minus the first plus M times the second is the loss that was lost. Derived here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featurelearning.gauge.duplicates import duplicates_rhs, duplicates_start
from featurelearning.gauge.integrate import landing

__all__ = ["imbalance_drift"]


def imbalance_drift(*, m: int, phi: float, until: float, kappa: float = 1.0) -> NDArray:
    """Drifts ``Delta delta D/h`` of the selected and of each redundant unit, by the integrals of this module.

    Parameters
    ----------
    m, phi, kappa
        As in :func:`featurelearning.gauge.duplicates`, scalars.
    until : float
        Fast time at the end, positive.

    Returns
    -------
    ndarray, shape (2,)
        Negative and positive.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not (np.isfinite(until) and until > 0 and m >= 2 and 0 < phi < np.pi):
        raise ValueError(f"m = {m}, phi = {phi}, until = {until}; allowed: m >= 2, 0 < phi < pi, a finite "
                         "time > 0")

    def rhs(_: float, state: NDArray) -> NDArray:
        velocity = duplicates_rhs(state[:4], m=m, phi=phi, D=np.inf)
        dq, dtheta, dP, _ = velocity
        return np.concatenate([velocity, [-dq**2 - (state[0] * dtheta) ** 2, (dP / (m - 1)) ** 2]])

    start = np.concatenate([duplicates_start(m=m, phi=phi, kappa=kappa), np.zeros(2)])
    return landing(rhs, start, np.array([0.0, until]))[-1, 4:]
