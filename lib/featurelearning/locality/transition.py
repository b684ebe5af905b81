"""When shared weights overtake free ones, each trained at its best learning rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from featurelearning.locality.tuned import tuned_error

__all__ = ["crossings", "phase_diagram", "tuned_log_ratio", "transition_time"]


def tuned_log_ratio(T: ArrayLike, *, P: int, c: float, sigma: float, Q0: float = 0.5, activation: str = "erf",
                    tied: bool = False) -> NDArray:
    """``ln(E*_conv(T) / E*_lcn(T))`` at each one's best rate; positive where free weights are better.

    Parameters
    ----------
    T, P, c, sigma, Q0, activation, tied
        As for :func:`featurelearning.locality.tuned_error`.

    Returns
    -------
    float or (n,) array
    """
    model = {"P": P, "c": c, "sigma": sigma, "Q0": Q0, "activation": activation, "tied": tied}
    return np.log(tuned_error("conv", T, **model)[0]) - np.log(tuned_error("lcn", T, **model)[0])


def transition_time(*, P: int, c: float, sigma: float, Q0: float = 0.5, activation: str = "erf",
                    tied: bool = False,
                    low: float = 0.02, high: float = 30.0) -> float:
    """Time ``T_x`` at which the best errors are equal, ``E*_conv(T_x) = E*_lcn(T_x)``.

    Parameters
    ----------
    P, c, sigma, Q0, activation, tied
        As for :func:`featurelearning.locality.tuned_error`.
    low, high : float
        Where to look.

    Returns
    -------
    float
        NaN if free weights are not better at `low`, or still are at `high`: no transition between.
    """
    model = {"P": P, "c": c, "sigma": sigma, "Q0": Q0, "activation": activation, "tied": tied}

    def ratio(x: float) -> float:
        return tuned_log_ratio(np.exp(x), **model)

    ends = np.log([low, high])
    if not (ratio(ends[0]) > 0 > ratio(ends[1])):
        return np.nan
    return float(np.exp(brentq(ratio, *ends, xtol=1e-5)))


def phase_diagram(c: ArrayLike, T: ArrayLike, *, P: int, sigma: float, Q0: float = 0.5,
                  activation: str = "erf"
                  ) -> NDArray:
    """The matrix ``ln(E*_conv / E*_lcn)`` over correlations and increasing training times.

    Parameters
    ----------
    c : (n,) array
        Correlations.
    T : (k,) array
        Increasing training times.
    P, sigma, Q0, activation
        As for :func:`featurelearning.locality.tuned_error`.

    Returns
    -------
    (n, k) array
        Positive where free weights are better.
    """
    return np.array([tuned_log_ratio(np.asarray(T), P=P, c=float(value), sigma=sigma, Q0=Q0,
                                     activation=activation)
                     for value in np.asarray(c)])


def crossings(t: ArrayLike, difference: ArrayLike) -> NDArray:
    """Times at which a sampled `difference` changes sign, by linear interpolation in ``ln t``.

    Parameters
    ----------
    t : (n,) array
        Increasing positive times.
    difference : (n,) array
        Values at these times.

    Returns
    -------
    (k,) array
    """
    x, y = np.log(np.asarray(t, dtype=float)), np.asarray(difference, dtype=float)
    i = np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) < 0)
    return np.exp(x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i]))
