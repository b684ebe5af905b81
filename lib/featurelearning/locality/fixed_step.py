"""The equations of motion with a fixed step: the same arithmetic for two students, step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from featurelearning.locality.flow import Trajectory
from featurelearning.locality.general import CommitteeModel, general_error, general_rhs

__all__ = ["solve_fixed_step"]


def solve_fixed_step(model: CommitteeModel, dt: float, steps: int, Q0: NDArray, R0: NDArray) -> Trajectory:
    """Classical Runge-Kutta solution (fourth order) at the times ``0, dt, .., steps * dt``.

    Parameters
    ----------
    model : CommitteeModel
    dt : float
        Step, positive.
    steps : int
        Number of steps, at least 1.
    Q0, R0 : (n_b, n_b) and (n_b, M) arrays
        Order parameters at time 0.

    Returns
    -------
    Trajectory

    Raises
    ------
    ValueError
        If the step or the number of steps is not positive.
    """
    if not dt > 0 or steps < 1:
        raise ValueError(f"dt = {dt}, steps = {steps}: both must be positive")
    constants = model.constants
    path = [(np.array(Q0, dtype=float), np.array(R0, dtype=float))]
    for _ in range(steps):
        Q, R = path[-1]
        Q1, R1 = general_rhs(Q, R, *constants)
        Q2, R2 = general_rhs(Q + 0.5 * dt * Q1, R + 0.5 * dt * R1, *constants)
        Q3, R3 = general_rhs(Q + 0.5 * dt * Q2, R + 0.5 * dt * R2, *constants)
        Q4, R4 = general_rhs(Q + dt * Q3, R + dt * R3, *constants)
        path.append((Q + dt / 6 * (Q1 + 2 * Q2 + 2 * Q3 + Q4), R + dt / 6 * (R1 + 2 * R2 + 2 * R3 + R4)))
    E = np.array([general_error(Q, R, *constants) for Q, R in path])
    return Trajectory(dt * np.arange(steps + 1), E, *(np.array(part) for part in zip(*path)))
