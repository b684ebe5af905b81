"""Gradient descent: the same gradients, in steps.

A step of learning rate ``eta = h/D`` is an Euler step h of fast time tau = D t, in the coordinates of
:mod:`featurelearning.gauge.scaled`. Descent does not conserve the imbalance: one step changes it by
``eta^2 (|dL/da|^2 - |dL/dw|^2)``, down for the selected unit and up for the redundant ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featurelearning.gauge.duplicates import duplicates_loss
from featurelearning.gauge.original import WeightTrajectory, population_gradients, to_weights

__all__ = ["DescentTrajectory", "descend", "duplicate_copies", "duplicate_weights", "population_gd",
           "stability_bound", "trajectory_distance"]

# A weight beyond this never comes back, and its square would soon overflow.
_DIVERGED = 1e100

Gradients = Callable[[NDArray, NDArray], tuple[NDArray, NDArray]]


@dataclass(frozen=True)
class DescentTrajectory:
    """Duplicates under gradient descent; arrays of shape (T,), T = steps + 1.

    Parameters
    ----------
    tau : ndarray
        Fast times ``h * step``.
    q, theta : ndarray
        Coefficient and signed angle of the selected unit.
    P, chi : ndarray
        Total coefficient and signed angle of the redundant units.
    loss : ndarray
        ``E (f - f*)^2 / 2``.
    delta : ndarray, shape (T, 2)
        Imbalances of the selected unit and of each redundant one.
    """

    tau: NDArray
    q: NDArray
    theta: NDArray
    P: NDArray
    chi: NDArray
    loss: NDArray
    delta: NDArray


def population_gd(*, m: int, phi: float, D: float, h: float, steps: int,
                  kappa: float = 1.0) -> DescentTrajectory:
    """Gradient descent ``a -= eta dL/da``, ``W -= eta dL/dW`` of m duplicates, ``eta = h/D``.

    The m - 1 redundant units are one unit with m - 1 copies, which keeps them identical, in the plane of
    start and teacher.

    Parameters
    ----------
    m : int
        Number of units, at least 2.
    phi : float
        Common initial angle, in (0, pi).
    D : float
        Imbalance, positive and finite.
    h : float
        Step in fast time, positive.
    steps : int
        Number of steps, at least 0.
    kappa : float
        Total initial coefficient, positive.

    Returns
    -------
    DescentTrajectory

    Warns
    -----
    UserWarning
        If h exceeds :func:`stability_bound`.

    Raises
    ------
    ValueError
        If an argument is out of range.
    ArithmeticError
        If the weights diverge.
    """
    if not (np.isfinite(h) and h > 0 and steps >= 0):
        raise ValueError(f"h = {h}, steps = {steps}; allowed: a finite step > 0, steps >= 0")
    plane = np.eye(2)
    a, W = duplicate_weights(phi=phi, D=D, plane=plane, q=kappa / _units(m), units=2)
    copies, U, c = duplicate_copies(m), plane[:1], np.ones(1)
    if h > stability_bound(m):
        warnings.warn(f"h = {h:g} exceeds the stability bound 4/(m-1) = {stability_bound(m):g} of the "
                      "redundant units: expect overshoot, which shrinks their imbalance", stacklevel=2)
    path = descend(lambda a, W: population_gradients(a, W, U, c, copies), a, W, eta=h / D, steps=steps)
    q, P = path.q[:, 0], (m - 1) * path.q[:, 1]
    theta, chi = np.arctan2(path.W[..., 1], path.W[..., 0]).T
    return DescentTrajectory(h * np.arange(steps + 1), q, theta, P, chi, duplicates_loss(q, theta, P, chi),
                             path.delta)


def stability_bound(m: int) -> float:
    """Largest stable step of fast time, about ``4/(m - 1)``: the redundant total relaxes at (m - 1)/2."""
    return 4 / (_units(m) - 1)


def descend(gradients: Gradients, a: NDArray, W: NDArray, *, eta: float, steps: int) -> WeightTrajectory:
    """Gradient descent from (a, W); all ``steps + 1`` states, at times ``eta * step``.

    Parameters
    ----------
    gradients : callable
        ``gradients(a, W) -> (dL/da, dL/dW)``.
    a, W : ndarray, shapes (..., m) and (..., m, d)
        Start.
    eta : float
        Learning rate.
    steps : int
        Number of steps.

    Returns
    -------
    WeightTrajectory

    Raises
    ------
    ArithmeticError
        If the weights diverge.
    """
    a_path, W_path = np.empty((steps + 1, *a.shape)), np.empty((steps + 1, *W.shape))
    a_path[0], W_path[0] = a, W
    for step in range(steps):
        grad_a, grad_W = gradients(a_path[step], W_path[step])
        a_path[step + 1] = a_path[step] - eta * grad_a
        W_path[step + 1] = W_path[step] - eta * grad_W
        # NaN fails this comparison too.
        if not max(np.max(np.abs(a_path[step + 1])), np.max(np.abs(W_path[step + 1]))) < _DIVERGED:
            raise ArithmeticError(f"descent with eta = {eta:g} diverged at step {step + 1}; take a smaller "
                                  "step")
    return WeightTrajectory(eta * np.arange(steps + 1), a_path, W_path)


def duplicate_weights(*, phi: float, D: float, plane: NDArray, q: float, units: int) -> tuple[NDArray,
                                                                                              NDArray]:
    """Weights of `units` duplicates at the angle phi in a plane, the first at imbalance +D, the others at -D.

    Parameters
    ----------
    phi : float
        Angle to ``plane[0]``, the teacher's direction, in (0, pi).
    D : float
        Imbalance, positive and finite.
    plane : ndarray, shape (2, d)
        Orthonormal.
    q : float
        Coefficient of each unit, positive.
    units : int
        Number of units, at least 2. (Two, with copies, stand for any number of duplicates.)

    Returns
    -------
    a, W : ndarray, shapes (units,) and (units, d)

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not (0 < phi < np.pi and 0 < D < np.inf and 0 < q < np.inf):
        raise ValueError(f"phi = {phi}, D = {D}, q = {q}; allowed: 0 < phi < pi, finite D > 0 and q > 0")
    s = np.array([np.cos(phi), np.sin(phi)]) @ plane
    delta = np.where(np.arange(_units(units)) == 0, D, -D)
    return to_weights(np.full(units, q), np.tile(s, (units, 1)), delta)


def duplicate_copies(m: int) -> NDArray:
    """Copies ``(1, m - 1)`` with which two units stand for m duplicates."""
    return np.array([1.0, _units(m) - 1.0])


def trajectory_distance(first: WeightTrajectory, second: WeightTrajectory, copies: NDArray) -> float:
    """Largest distance over time, ``sup_t sqrt(sum_j |n_j d(q_j s_j)|^2)``, n_j the copies of unit j.

    Parameters
    ----------
    first, second : WeightTrajectory
        At the same times, of shapes (T, m, d).
    copies : ndarray, shape (m,)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the shapes differ.
    """
    if first.W.shape != second.W.shape:
        raise ValueError(f"trajectories have shapes {first.W.shape} and {second.W.shape}; allowed: equal "
                         "ones")
    gap = copies[:, None] * (first.contributions - second.contributions)
    return float(np.sqrt(np.max(np.sum(gap**2, axis=(-2, -1)))))


def _units(m: int) -> int:
    if not (m >= 2 and m == int(m)):
        raise ValueError(f"m = {m}; allowed: a whole number of units >= 2")
    return int(m)
