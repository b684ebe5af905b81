"""Sampled two-layer networks: exact Gibbs sweeps where they exist, Hamiltonian Monte Carlo elsewhere."""

from __future__ import annotations

import numpy as np

from featurelearning.separation.cnn import CNN
from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.gibbs import sample_gibbs
from featurelearning.separation.hmc import Draws, sample
from featurelearning.separation.posterior import CNNPotential

__all__ = ["sample_networks"]

SWEEPS_PER_DRAW = 2


def sample_networks(
    data: TeacherData,
    *,
    C: int,
    activation: str,
    sigma2: float,
    chi: float,
    rng: np.random.Generator,
    chains: int,
    draws: int,
) -> tuple[CNNPotential, Draws]:
    """Draws of the filters of trained networks, with the prior of :func:`.solve_cnn` at unit weight
    variances.

    Linear networks are sampled by block Gibbs sweeps, which mix faster there; erf networks by HMC.

    Returns
    -------
    CNNPotential, Draws
    """
    potential = CNNPotential(CNN(data, activation, sigma2, chi), C)
    if activation == "linear":
        return potential, sample_gibbs(
            potential, rng=rng, chains=chains, draws=draws, warm_up=SWEEPS_PER_DRAW * 100,
            every=SWEEPS_PER_DRAW
        )
    return potential, sample(potential, rng=rng, chains=chains, draws=draws, warm_up=100)
