r"""Linear units, one matched filter, equal correlations: the error at all times in closed form.

Output scale ``a = 1/sqrt(P)``, teacher norm ``T = B . B / D``, independent initial weights of norm
``Q0`` with no overlap with the teacher. With ``mu = 1 + (P-1) c``, ``r = (1-c)/mu``, and the scaled
rate ``h = eta mu`` (shared weights) or ``h = eta mu / P`` (free weights):

shared: ``dE/dt = -h (2 - h) E + h^2 sigma^2 / 2``;
free: the mode that is uniform over positions and the P-1 others,
``dE_u/dt = -2 h E_u + h^2 (E + sigma^2/2)``,
``dE_o/dt = -2 h r E_o + (P-1) h^2 r^2 (E + sigma^2/2)``, ``E = E_u + E_o``.

Derived here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.locality.architecture import STUDENTS
from featurelearning.locality.correlation import equal_correlation

__all__ = ["linear_error", "linear_floor", "linear_initial_error", "linear_transition"]


def linear_initial_error(student: str, *, P: int, c: float, Q0: float = 0.5, T: float = 1.0,
                         tied: bool = False) -> float:
    """Error before training: ``(mu/2)(T + Q0)`` for shared weights, ``(T mu + Q0)/2`` for independent ones.

    Parameters
    ----------
    student, P, c, Q0, T, tied
        As for :func:`linear_error`.

    Returns
    -------
    float
    """
    return float(sum(_initial_modes(student, P, c, Q0, T, tied)))


def linear_error(student: str, t: ArrayLike, *, P: int, c: float, eta: float, sigma: float, Q0: float = 0.5,
                 T: float = 1.0, tied: bool = False) -> NDArray[np.float64]:
    """Generalisation error of a linear student at the times `t`.

    Shared: ``E(t) = E(0) e^{-h(2-h)t} + sigma^2 h / (2 (2-h)) (1 - e^{-h(2-h)t})``.
    Free: the exponential of the module's two linear equations, through their two eigenvalues.

    Parameters
    ----------
    student : {"conv", "lcn"}
    t : (n,) array or float
        Times, at least 0.
    P : int
        Number of positions.
    c : float
        Correlation of two positions, ``-1/(P-1) <= c <= 1``.
    eta, sigma : float
        Learning rate and standard deviation of the label noise.
    Q0 : float
        Norm of the initial weights.
    T : float
        Norm of the teacher.
    tied : bool
        Whether free weights start equal at all positions (they start independent otherwise).

    Returns
    -------
    (n,) array, or a scalar array for a number
        Infinite where it overflows (a rate above the limit of stability).

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    uniform, others = _initial_modes(student, P, c, Q0, T, tied)
    t = np.asarray(t, dtype=float)
    if np.any(t < 0) or not eta > 0 or not sigma >= 0:
        raise ValueError(f"t, eta, sigma = {t}, {eta}, {sigma}: t >= 0, eta > 0 and sigma >= 0 are needed")
    mu = 1 + (P - 1) * c
    noise = 0.5 * sigma**2
    # an overflow can end as a difference of infinities, or as zero noise times infinity: both are divergence
    if student == "conv":
        h = eta * mu
        # written so that h = 0 and h = 2 need no case of their own
        with np.errstate(over="ignore", invalid="ignore"):
            E = uniform * np.exp(-h * (2 - h) * t) + h**2 * noise * _integrated_decay(h * (2 - h), t)
        return np.where(np.isnan(E), np.inf, E)
    h, k = eta * mu / P, eta * (1 - c) / P
    n = P - 1
    generator = np.array([[-2 * h + h**2, h**2], [n * k**2, -2 * k + n * k**2]])
    source = noise * np.array([h**2, n * k**2])
    # the off-diagonal entries are not negative, so both eigenvalues are real
    middle = 0.5 * np.trace(generator)
    spread = np.sqrt((0.5 * (generator[0, 0] - generator[1, 1])) ** 2 + generator[0, 1] * generator[1, 0])
    low, high = middle - spread, middle + spread
    beyond = generator - low * np.eye(2)
    start = np.array([uniform, others])
    with np.errstate(over="ignore", invalid="ignore"):
        # f(A) = f(low) + (A - low) (f(high) - f(low)) / (high - low) for the exponential and its integral
        decay, growth = np.exp(low * t), _integrated_decay(-low, t)
        if high > low:
            decay_slope = (np.exp(high * t) - decay) / (high - low)
            growth_slope = (_integrated_decay(-high, t) - growth) / (high - low)
        else:
            # equal eigenvalues are both 0: full correlation at the limit of stability
            decay_slope, growth_slope = t * decay, 0.5 * t**2
        E = (decay * start.sum() + decay_slope * (beyond @ start).sum()
             + growth * source.sum() + growth_slope * (beyond @ source).sum())
    return np.where(np.isnan(E), np.inf, E)


def linear_floor(student: str, *, P: int, c: float, eta: float, sigma: float) -> float:
    """Asymptotic error ``(1/2) a^2 S eta sigma^2 / (2 - eta a^2 S)`` with ``a^2 = 1/P``.

    ``S = P (1 + (P-1) c)`` for shared weights; ``S = P``, whatever the correlation, for free ones.
    It is exact for all ``sigma`` and all ``eta < 2 P / S``.

    Parameters
    ----------
    student, P, c, eta, sigma
        As for :func:`linear_error`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range, or ``eta`` is at or above ``2 P / S``.
    """
    _check(student, P, c)
    g = eta * (1 + (P - 1) * c) if student == "conv" else eta
    if not 0 <= g < 2 or not eta > 0:
        raise ValueError(f"eta = {eta:g} of the {student} student is not between 0 and eta_max = "
                         f"{2 * eta / g:.6g}")
    return 0.5 * g * sigma**2 / (2 - g)


def linear_transition(*, P: int, c: float, sigma: float, Q0: float = 0.5, T: float = 1.0) -> float:
    """Small-correlation transition time ``T_x ~ c P Q0 / (T + Q0) (1 + sigma^2 / (T + Q0))``.

    Parameters
    ----------
    P, c, sigma, Q0, T
        As for :func:`linear_error`.

    Returns
    -------
    float
        Time at which the best constant rates give both students the same error, to first order in c.
    """
    return c * P * Q0 / (T + Q0) * (1 + sigma**2 / (T + Q0))


def _initial_modes(student: str, P: int, c: float, Q0: float, T: float, tied: bool) -> tuple[float, float]:
    _check(student, P, c)
    if not Q0 >= 0 or not T >= 0:
        raise ValueError(f"Q0 = {Q0}, T = {T}: both must be at least 0")
    mu = 1 + (P - 1) * c
    if student == "conv" or tied:
        return 0.5 * mu * (T + Q0), 0.0
    return 0.5 * mu * (T + Q0 / P), 0.5 * (P - 1) * (1 - c) * Q0 / P


def _integrated_decay(rate: float, t: NDArray) -> NDArray:
    """Integral of ``exp(-rate s)`` over s from 0 to t."""
    return t if rate == 0 else -np.expm1(-rate * t) / rate


def _check(student: str, P: int, c: float) -> None:
    if student not in STUDENTS:
        raise ValueError(f"student = {student!r} is unknown; allowed: {' or '.join(STUDENTS)}")
    equal_correlation(float(c), P)
