"""Means of Markov chains with an honest standard error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from arviz_stats.base import array_stats

__all__ = ["ChainMean", "chain_mean", "moment_ratio"]


@dataclass(frozen=True)
class ChainMean:
    """Mean of a sampled quantity.

    Parameters
    ----------
    mean, error : float
        Mean over all draws and its standard error, from the effective sample size.
    rhat : float
        Rank-normalised split R-hat; 1 when the chains agree.
    ess : float
        Bulk effective sample size.
    spread : float
        Standard deviation over the posterior.
    """

    mean: float
    error: float
    rhat: float
    ess: float
    spread: float


def chain_mean(values: np.ndarray) -> ChainMean:
    """Summarise draws of a scalar.

    Parameters
    ----------
    values : array, shape (chains, draws)
        At least two chains (for R-hat) of four draws.

    Returns
    -------
    ChainMean

    Raises
    ------
    ValueError
        If the shape does not allow a diagnosis.
    """
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 4:
        raise ValueError(f"values has shape {values.shape}; (chains >= 2, draws >= 4) is needed")
    ess_mean = float(array_stats.ess(values, chain_axis=0, draw_axis=1, method="mean"))
    spread = float(np.std(values, ddof=1))
    return ChainMean(
        mean=float(np.mean(values)),
        error=spread / np.sqrt(ess_mean),
        rhat=float(array_stats.rhat(values, chain_axis=0, draw_axis=1)),
        ess=float(array_stats.ess(values, chain_axis=0, draw_axis=1)),
        spread=spread,
    )


def moment_ratio(upper: np.ndarray, lower: np.ndarray, power: float, shift: float) -> ChainMean:
    r"""The ratio :math:`\bar u/\bar l^{\,p} - s` of two chain averages, by the delta method.

    With power 2 and shift 3 and the fourth and second moment of a draw's channels it is an excess kurtosis.

    Parameters
    ----------
    upper, lower : arrays, shape (chains, draws)
    power, shift : float

    Returns
    -------
    ChainMean
        `spread` and the diagnostics are those of the linearised ratio.
    """
    u, low = np.mean(upper), np.mean(lower)
    ratio = u / low**power - shift
    linear = ratio + (upper - u) / low**power - power * u * (lower - low) / low ** (power + 1)
    return chain_mean(linear)
