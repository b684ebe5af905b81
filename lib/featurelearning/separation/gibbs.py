r"""Exact block Gibbs sampling of the linear two-layer network: readout given filters, filters given
readout.

Both conditionals are Gaussian linear regressions :math:`y = F\theta + \epsilon` with prior
:math:`\theta\sim N(0, v)`. A draw needs only an (n, n) system: with a prior draw :math:`\theta_0` and a
noise draw :math:`\epsilon_0`,

.. math::

    \theta = \theta_0 + v F^T (v F F^T + \sigma^2 1)^{-1}(y - F\theta_0 - \epsilon_0) .
"""

from __future__ import annotations

import numpy as np

from featurelearning.separation.hmc import Draws
from featurelearning.separation.posterior import CNNPotential

__all__ = ["gibbs_chain", "regression_draw", "sample_gibbs"]


def regression_draw(
    features: np.ndarray, y: np.ndarray, variance: float, sigma2: float, rng: np.random.Generator
) -> np.ndarray:
    """One exact draw of regression weights, shape (k,), given features (n, k) and targets (n,).

    Parameters
    ----------
    features, y : arrays, shapes (n, k) and (n,)
    variance, sigma2 : float
        Prior variance of a weight and noise variance, > 0.
    rng : numpy.random.Generator

    Notes
    -----
    Conditioning by residuals: J. P. Chiles and P. Delfiner, "Geostatistics" (1999), after G. Matheron.
    """
    prior = np.sqrt(variance) * rng.standard_normal(features.shape[1])
    noise = np.sqrt(sigma2) * rng.standard_normal(len(y))
    system = variance * (features @ features.T) + sigma2 * np.eye(len(y))
    return prior + variance * (features.T @ np.linalg.solve(system, y - features @ prior - noise))


def gibbs_chain(potential: CNNPotential, start: np.ndarray, draws: int,
                rng: np.random.Generator) -> np.ndarray:
    """Whitened filters, shape (draws, CS), of successive sweeps from `start`, shape (CS,).

    A sweep draws the readout given the filters, then the filters given the readout; the filters alone form
    a reversible chain.

    Raises
    ------
    ValueError
        If the network is not linear.
    """
    model, C = potential.model, potential.C
    if model.activation != "linear":
        raise ValueError(f"activation = {model.activation!r}; the conditionals are Gaussian for 'linear' "
                         "only")
    data, q, out = model.data, start, np.empty((draws, len(start)))
    for k in range(draws):
        h = potential.pre_activations(q, potential.rows)
        a = regression_draw(h, data.y, model.p / C, model.sigma2, rng).reshape(data.P, C)
        features = np.tensordot(data.X, a, axes=(1, 0)).transpose(0, 2, 1).reshape(data.n, -1)
        q = regression_draw(features, data.y, model.S0, model.sigma2, rng) / np.sqrt(model.S0)
        out[k] = q
    return out


def sample_gibbs(
    potential: CNNPotential, *, rng: np.random.Generator, chains: int = 4, draws: int = 2000,
    warm_up: int = 500,
    every: int = 1,
) -> Draws:
    """Chains of sweeps from the prior, thinned by `every` after the warm-up (nothing is tuned).

    Returns
    -------
    Draws
        With acceptance 1 and no step or gradients.
    """
    q = np.array([
        gibbs_chain(potential, child.standard_normal(potential.dimension), warm_up + draws * every, child)
        for child in rng.spawn(chains)
    ])
    return Draws(q[:, warm_up::every], np.ones(chains), np.full(chains, np.nan), 0)
