"""Asymptotic error under label noise, from the stationary point of the equations of motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import root

from featurelearning.locality.averages import is_linear
from featurelearning.locality.correlation import equal_correlation
from featurelearning.locality.exchangeable import exchangeable_error, exchangeable_rhs
from featurelearning.locality.flow import committee_model
from featurelearning.locality.general import CommitteeModel, general_error, general_rhs
from featurelearning.locality.response import linear_response

__all__ = ["noise_floor"]


def noise_floor(student: str, *, P: int, c: ArrayLike, eta: float, sigma: float, activation: str = "erf",
                a: float | None = None) -> float:
    """Asymptotic error, from the stationary point of the equations of motion (exact in ``sigma``).

    Parameters
    ----------
    student : {"conv", "lcn"}
    P : int
        Number of positions.
    c : float or (P, P) array
        Correlation of the patches.
    eta, sigma : float
        Learning rate, ``0 < eta < eta_max``, and standard deviation of the label noise.
    activation : {"erf", "linear"}
    a : float, optional
        Output scale (default ``1/sqrt(P)``).

    Returns
    -------
    float
        Positive for ``sigma > 0``, zero for ``sigma = 0``.

    Raises
    ------
    ValueError
        If an argument is outside its range; at or above ``eta_max``, which the message names.
    RuntimeError
        If no stationary point is found near the teacher.
    """
    near = linear_response(student, P=P, C=c, eta=eta, sigma=sigma, activation=activation, a=a)
    if sigma == 0.0:
        return 0.0
    model = committee_model(student, P=P, C=c, eta=eta, sigma=sigma, activation=activation, a=a)
    equal = equal_correlation(c, P)
    if equal is None:
        return _general_floor(model, near.q[:1, :1] if student == "conv" else near.q)
    if student == "conv":
        state, q = (lambda y: (y[0], y[0], y[1])), near.q[0, 0]
    else:
        state, q = (lambda y: y), near.q[0, [0, -1]]
    constants = (student == "conv", is_linear(activation), P, equal, model.a, eta, sigma, 1.0)

    def motion(y: NDArray) -> NDArray:
        dQ, dO, dR = exchangeable_rhs(*state(y), *constants)
        return np.array([dQ, dO, dR] if len(y) == 3 else [dQ, dR])

    y = _stationary(motion, np.append(1 + q, 1.0), eta * model.a**2)
    return exchangeable_error(*state(y), *constants[1:5], 1.0)


def _general_floor(model: CommitteeModel, q: NDArray) -> float:
    """Error at the stationary point near ``Q = 1 + q, R = 1`` of all overlaps, one filter."""
    n = len(q)
    upper = np.triu_indices(n)
    constants = model.constants

    def overlaps(y: NDArray) -> tuple[NDArray, NDArray]:
        Q = np.zeros((n, n))
        Q[upper] = y[:-n]
        return np.triu(Q, 1).T + Q, np.ascontiguousarray(y[-n:, None])

    def motion(y: NDArray) -> NDArray:
        dQ, dR = general_rhs(*overlaps(y), *constants)
        return np.append(dQ[upper], dR[:, 0])

    y = _stationary(motion, np.append((1 + q)[upper], np.ones(n)), model.eta * model.a**2)
    return float(general_error(*overlaps(y), *constants))


def _stationary(motion, guess: NDArray, rate: float) -> NDArray:
    """Root of `motion` near `guess`; `rate` is the size of its slope."""
    found = root(lambda y: motion(y) / rate, guess, tol=1e-13)
    if np.max(np.abs(found.fun)) > 1e-11:
        raise RuntimeError(f"no stationary point near the teacher: {found.message}")
    return found.x
