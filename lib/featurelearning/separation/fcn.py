"""Solver of the three-layer equations of state: the first layer outside, the second inside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from featurelearning.gaussian import arcsine_cross_kernel, arcsine_diagonal, arcsine_kernel
from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.fcn_equations import (
    FCN3, Hidden, fcn3_free_energy, fcn3_pull, first_kernel, solve_hidden,
)
from featurelearning.separation.regression import predict
from featurelearning.separation.saddle import ConvergenceError, damped_iteration, stationarity_residual
from featurelearning.separation.solution import Solution, summarise

__all__ = ["solve_fcn3"]

# Ratios of the widths at which a solution is followed from a nearly infinite network to the wanted one.
RUNGS = (100.0, 30.0, 10.0, 5.0, 3.0, 2.0, 1.4, 1.0)


def solve_fcn3(
    data: TeacherData,
    *,
    N1: float,
    N2: float,
    sigma2: float,
    chi: float = 1.0,
    sw2: float = 2.0,
    sa2: float = 2.0,
    tolerance: float = 1e-7,
) -> Solution:
    """Solve the equations of state from the prior.

    If that fails, the solution is followed down from a nearly infinite network.

    Parameters
    ----------
    data : TeacherData
        Inputs of one patch, S = d.
    N1, N2 : float
        Widths; both ``numpy.inf`` give the NNGP.
    sigma2, chi, sw2, sa2 : float
        As in :class:`FCN3`.
    tolerance : float
        Relative residual to reach, in both equations.

    Returns
    -------
    Solution

    Raises
    ------
    ConvergenceError
        If a residual stays above the tolerance.
    ValueError
        As :class:`FCN3`, or if the inputs have several patches.
    """
    if data.P != 1:
        raise ValueError(f"the inputs have P = {data.P} patches; a fully connected network takes P = 1")
    model = FCN3(data.X[:, 0, :], data.y, N1, N2, sigma2, chi, sw2, sa2)
    covariance = np.eye(data.S)
    if np.isinf(N1):
        return _summary(data, model, covariance, solve_hidden(model, model.S0 * covariance), 0.0)
    covariance, hidden, residual = _solve_once(model, covariance, None, tolerance)
    if not residual <= tolerance:
        covariance, hidden, residual = _descend(model, tolerance)
    return _summary(data, model, covariance, hidden, residual)


def _descend(model: FCN3, tolerance: float) -> tuple[np.ndarray, Hidden, float]:
    covariance, s, last_good = np.eye(model.X.shape[1]), None, "none"
    for ratio in RUNGS:
        rung = replace(model, N1=ratio * model.N1, N2=ratio * model.N2)
        covariance, hidden, residual = _solve_once(rung, covariance, s, tolerance)
        if not residual <= tolerance:
            raise ConvergenceError(
                f"equations of state at N1 = {rung.N1:g}, N2 = {rung.N2:g}: residual {residual:.2e}, "
                f"{tolerance:.0e} needed; last good width: {last_good}"
            )
        s, last_good = hidden.s, f"N1 = {rung.N1:g}, N2 = {rung.N2:g}"
    return covariance, hidden, residual


def _solve_once(model: FCN3, covariance, s, tolerance: float) -> tuple[np.ndarray, Hidden, float]:
    """Mix the outer equation; the inner one is kept a hundred times more accurate than the outer so far."""
    finest = 1e-4 * tolerance
    follow = {"s": s, "accuracy": 1e-3}

    def pull(candidate):
        hidden = solve_hidden(model, model.S0 * candidate, follow["s"], tolerance=follow["accuracy"])
        G = model.S0 * model.N2 / model.N1 * fcn3_pull(model, model.S0 * candidate, hidden)
        follow.update(s=hidden.s, accuracy=np.clip(0.01 * stationarity_residual(candidate, G), finest, 1e-3))
        return G

    found = damped_iteration(pull, covariance, eta=0.5, memory=6, tolerance=0.01 * tolerance, steps=60)
    hidden = solve_hidden(model, model.S0 * found.covariance, follow["s"], tolerance=finest)
    return found.covariance, hidden, max(found.residual, hidden.residual)


def _summary(data: TeacherData, model: FCN3, covariance, hidden: Hidden, residual: float) -> Solution:
    X, X_test, Sigma = model.X, data.X_test[:, 0, :], model.S0 * covariance
    before, v_test = (X_test @ Sigma) @ X.T, np.sum((X_test @ Sigma) * X_test, axis=1)
    v_train = np.sum((X @ Sigma) * X, axis=1)
    q = model.sw2 * arcsine_cross_kernel(before, v_test, v_train)
    k1 = q + q @ hidden.s @ hidden.K1
    k1_test = model.sw2 * arcsine_diagonal(v_test) + np.sum((q @ hidden.A1) * q, axis=1)
    weight = model.sa2 / model.chi
    K = weight * arcsine_kernel(hidden.K1)
    cross = weight * arcsine_cross_kernel(k1, k1_test, np.diagonal(hidden.K1))
    t = hidden.posterior.t
    u = data.y / np.linalg.norm(data.y)
    rest = first_kernel(model, model.S0 * np.eye(data.S))
    energy = hidden.posterior.energy if np.isinf(model.N1) else fcn3_free_energy(model, Sigma, hidden)[0]
    return summarise(
        data, width=(model.N1, model.N2), covariance=covariance, K=K, posterior=hidden.posterior,
        prediction=predict(K, hidden.posterior, model.sigma2, data.y, cross,
                           weight * arcsine_diagonal(k1_test)),
        emergent_scale=float(t @ hidden.Q1 @ t), residual=residual,
        free_energy=energy,
        kernel_growth=float(u @ hidden.K1 @ u / (u @ rest @ u)), discrepancy=hidden.s,
    )
