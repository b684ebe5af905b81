r"""First times at which the error of online SGD falls to a threshold, for learning times against D."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from featurelearning.locality.chain import (
    chain_problem, chain_steps, initial_coordinates, overlaps,
)
from featurelearning.locality.error import error_of_overlaps
from featurelearning.locality.problem import problem

__all__ = ["LogarithmicFit", "hitting_times", "logarithmic_fit"]


def hitting_times(
    student: str | NDArray, threshold: float, *, t_max: float, dt: float, P: int, C: ArrayLike, eta: float,
    sigma: float, D: int, rng: np.random.Generator, runs: int = 1, Q0: ArrayLike = 0.5, R0: ArrayLike = 0.0,
    activation: str = "erf", kernel: int = 1, boundary: str = "periodic", filters: int = 1,
    teachers: int = 1, T: ArrayLike | None = None, a: float | None = None, start: str = "random",
) -> NDArray:
    r"""First times :math:`t` at which :math:`E(t) \le` `threshold`, from the chain, without storing it.

    Parameters
    ----------
    student, P, C, eta, sigma, D, rng, runs, Q0, R0, ..., start
        As of :func:`featurelearning.locality.chain.simulate_chain`.
    threshold : float
        Error to reach, positive.
    t_max : float
        Latest time, positive.
    dt : float
        Distance of the times at which the error is looked at, positive; rounded to whole steps.

    Returns
    -------
    ndarray, shape (runs,)
        Times, or infinity where `t_max` came first.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.
    """
    for name, value in (("threshold", threshold), ("t_max", t_max), ("dt", dt)):
        if not (np.isfinite(value) and value > 0):
            raise ValueError(f"{name} = {value}; allowed: {name} > 0 and finite")
    setting = chain_problem(problem(
        student, P=P, C=C, eta=eta, sigma=sigma, D=D, rng=rng, runs=runs, Q0=Q0, R0=R0,
        activation=activation, kernel=kernel, boundary=boundary, filters=filters,
        teachers=teachers, T=T, a=a, start=start,
    ))
    stride = max(1, round(dt * D))
    looks = math.ceil(t_max * D / stride)
    times = np.empty(runs)
    for run in range(runs):
        along, across = initial_coordinates(setting, rng)
        looked = _looks_until(along, across, setting.teacher, *setting.update, setting.D, setting.freedom,
                              setting.model.C, setting.model.T, threshold, stride, looks, rng)
        times[run] = looked * stride / D if looked >= 0 else np.inf
    return times


@njit(cache=True)
def _looks_until(along, across, teacher, L, count, block, patch, code, eta, a, sigma, D, freedom,
                 C, T, threshold, stride, looks, rng):
    """Number of strides after which the error is at most `threshold`, or -1."""
    for look in range(looks + 1):
        Q, R = overlaps(along, across, teacher)
        if error_of_overlaps(Q, R, count, block, patch, C, T, code, a) <= threshold:
            return look
        chain_steps(along, across, teacher, L, count, block, patch, code, eta, a, sigma, D, freedom, stride,
                    rng)
    return -1


@dataclass(frozen=True)
class LogarithmicFit:
    """Line ``intercept + slope ln D`` and the standard error of its slope."""

    intercept: float
    slope: float
    slope_error: float


def logarithmic_fit(D: ArrayLike, time: ArrayLike, error: ArrayLike) -> LogarithmicFit:
    r"""Least-squares line :math:`t = a + b\ln D` through times with known standard errors.

    With weights :math:`1/s_i^2`, the covariance of (a, b) is :math:`(X^T \mathrm{diag}(s^{-2}) X)^{-1}`.

    Parameters
    ----------
    D : array_like, shape (n,)
        Dimensions, positive, at least two different ones.
    time, error : array_like, shape (n,)
        Mean times and their standard errors, the latter positive.

    Returns
    -------
    LogarithmicFit

    Raises
    ------
    ValueError
        If the arguments do not determine a line.
    """
    D, time, error = (np.asarray(values, dtype=float) for values in (D, time, error))
    if not np.all(D > 0) or np.unique(D).size < 2 or not np.all(error > 0) or not np.all(np.isfinite(time)):
        raise ValueError("a line needs two different D > 0, finite times and positive errors; "
                         f"got D = {D.tolist()}, time = {time.tolist()}, error = {error.tolist()}")
    X = np.column_stack([np.ones_like(D), np.log(D)]) / error[:, None]
    covariance = np.linalg.inv(X.T @ X)
    intercept, slope = covariance @ X.T @ (time / error)
    return LogarithmicFit(float(intercept), float(slope), float(np.sqrt(covariance[1, 1])))
