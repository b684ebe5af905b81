"""Starts that are only nearly duplicates: does the designated unit still win, and who comes second?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featurelearning.gauge.descent import descend
from featurelearning.gauge.duplicates import SELECTED_WITHIN
from featurelearning.gauge.original import population_gradients, to_weights

__all__ = ["Entries", "first_entries", "perturbed_starts"]


@dataclass(frozen=True)
class Entries:
    """When units came within the threshold of the teacher, and where they ended; arrays over S starts, m
    units.

    Parameters
    ----------
    tau : ndarray, shape (S, m)
        First fast time at which ``||q_j s_j - s*|| <= within``; ``numpy.inf`` if never.
    q : ndarray, shape (S, m)
        Final coefficients.
    """

    tau: NDArray
    q: NDArray

    @property
    def designated_first(self) -> NDArray:
        """Whether unit 0 entered, with every other unit still outside; boolean, shape (S,)."""
        return np.isfinite(self.tau[:, 0]) & np.all(self.tau[:, 1:] > self.tau[:, :1], axis=1)


def perturbed_starts(rng: np.random.Generator, *, starts: int, m: int, d: int, phi: float, D: float,
                     kappa: float = 1.0, q_spread: float = 0.0, tilt: float = 0.0,
                     D_spread: float = 0.0) -> tuple[NDArray, NDArray, NDArray]:
    """Coefficients, directions and imbalances of duplicates, perturbed unit by unit.

    Coefficients and imbalances are multiplied by ``1 + spread u`` with u uniform on [-1, 1]; a direction
    turns by an angle uniform on [0, tilt], whichever way. Unit 0 has imbalance +D, the others -D; the teacher
    is ``e_1``.

    Parameters
    ----------
    rng : numpy.random.Generator
    starts, m, d : int
        Number of starts, of units (at least 2), of input dimensions (at least 2).
    phi, D, kappa : float
        Angle, imbalance and total coefficient of the unperturbed duplicates.
    q_spread, D_spread : float
        Relative spreads, in [0, 1): signs are kept.
    tilt : float
        Largest turn of a direction, in radians, in [0, pi].

    Returns
    -------
    q, s, delta : ndarray, shapes (starts, m), (starts, m, d), (starts, m)

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not (0 <= q_spread < 1 and 0 <= D_spread < 1 and 0 <= tilt <= np.pi):
        raise ValueError(f"q_spread = {q_spread}, D_spread = {D_spread}, tilt = {tilt}; allowed: spreads in "
                         "[0, 1), tilt in [0, pi]")
    if not (m >= 2 and d >= 2 and starts >= 1 and D > 0 and 0 < phi < np.pi and kappa > 0):
        raise ValueError(f"starts = {starts}, m = {m}, d = {d}, phi = {phi}, D = {D}, kappa = {kappa}; "
                         "allowed: starts >= 1, m >= 2, d >= 2, 0 < phi < pi, D > 0, kappa > 0")
    common = np.cos(phi) * np.eye(d)[0] + np.sin(phi) * np.eye(d)[1]
    around = rng.standard_normal((starts, m, d))
    around -= (around @ common)[..., None] * common
    around /= np.linalg.norm(around, axis=-1, keepdims=True)
    turn = rng.uniform(0, tilt, (starts, m, 1))
    q = kappa / m * (1 + q_spread * rng.uniform(-1, 1, (starts, m)))
    delta = np.where(np.arange(m) == 0, D, -D) * (1 + D_spread * rng.uniform(-1, 1, (starts, m)))
    return q, np.cos(turn) * common + np.sin(turn) * around, delta


def first_entries(q: NDArray, s: NDArray, delta: NDArray, *, D: float, h: float, steps: int,
                  within: float = SELECTED_WITHIN) -> Entries:
    """Population gradient descent of all starts together, against the teacher ``e_1``; when each unit enters.

    Parameters
    ----------
    q, s, delta : ndarray
        As :func:`perturbed_starts` returns.
    D, h : float
        Unit of fast time and step in fast time: the learning rate is ``h/D``.
    steps : int
        Number of steps.
    within : float
        Threshold, in (0, 1).

    Returns
    -------
    Entries

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not (D > 0 and h > 0 and steps >= 1 and 0 < within < 1):
        raise ValueError(f"D = {D}, h = {h}, steps = {steps}, within = {within}; allowed: D, h > 0, steps >= "
                         "1, 0 < within < 1")
    teacher = np.eye(s.shape[-1])[:1]
    path = descend(lambda a, W: population_gradients(a, W, teacher, np.ones(1)), *to_weights(q, s, delta),
                   eta=h / D, steps=steps)
    inside = np.linalg.norm(path.contributions - teacher[0], axis=-1) <= within
    tau = np.where(np.any(inside, axis=0), h * np.argmax(inside, axis=0), np.inf)
    return Entries(tau, path.q[-1])
