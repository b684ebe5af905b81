r"""Simulation-based calibration: does a sampler draw from the posterior that it claims to?

Draw weights from the prior and targets given the weights; then the weights are an exact posterior draw.
Place them at a random position of a chain of the sampler (run both ways from them, which is the same for a
reversible chain): under a correct sampler the rank of any statistic of theirs among the chain's is uniform,
with no burn-in to argue about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chisquare

from featurelearning.separation.cnn import CNN
from featurelearning.separation.posterior import CNNPotential, Potential

__all__ = ["ForgottenDeterminant", "ScaledSlope", "calibration_ranks", "uniformity"]

Chain = Callable[[CNNPotential, np.ndarray, int, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class ScaledSlope:
    """A deliberately wrong gradient: the data's part of it is multiplied by a factor."""

    potential: Potential
    factor: float

    @property
    def dimension(self) -> int:
        """Number of whitened weights."""
        return self.potential.dimension

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """The right U(q) and a wrong gradient."""
        value, gradient = self.potential.value_and_gradient(q)
        return value, q + self.factor * (gradient - q)


@dataclass(frozen=True)
class ForgottenDeterminant:
    r"""A deliberately wrong posterior: U without :math:`\tfrac12\log\det\tilde K`, and the gradient of
    that."""

    potential: CNNPotential

    @property
    def dimension(self) -> int:
        """Number of whitened weights."""
        return self.potential.dimension

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """The wrong U(q) and its own gradient, by subtracting those of a data set with y = 0."""
        model = self.potential.model
        silent = CNNPotential(replace(model, data=replace(model.data, y=np.zeros(model.data.n))),
                              self.potential.C)
        value, gradient = self.potential.value_and_gradient(q)
        log_det, slope = silent.value_and_gradient(q)
        return value - log_det + 0.5 * (q @ q), gradient - slope + q


def calibration_ranks(
    model: CNN, C: int, chain: Chain, *, replicates: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    r"""Ranks of the true weights' statistics among `draws` others of the chain.

    The statistics are :math:`w^TMw` and the collapsed potential's data term.

    Parameters
    ----------
    model : CNN
        Its inputs and teacher direction are used; targets are redrawn for each replicate.
    C : int
        Width.
    chain : callable
        ``chain(potential, start, draws, rng)`` gives (draws, dimension) successive states of a reversible
        chain from `start`.
    replicates, draws : int
        >= 1.
    rng : numpy.random.Generator

    Returns
    -------
    array of int, shape (2, replicates)
        Each uniform on 0 ... draws if the sampler is right.
    """
    ranks = np.empty((2, replicates), dtype=int)
    for r in range(replicates):
        prior = CNNPotential(model, C)
        truth = rng.standard_normal(prior.dimension)
        noisy = prior.kernel(truth) + model.sigma2 * np.eye(model.data.n)
        y = np.linalg.cholesky(noisy) @ rng.standard_normal(model.data.n)
        potential = CNNPotential(replace(model, data=replace(model.data, y=y)), C)
        before = rng.integers(draws + 1)
        others = [chain(potential, truth, k, rng) for k in (before, draws - before) if k > 0]
        values = np.array([_statistics(potential, q) for q in np.concatenate(others)])
        ranks[:, r] = np.sum(values < _statistics(potential, truth), axis=0)
    return ranks


def uniformity(ranks: np.ndarray, draws: int, bins: int) -> float:
    """p-value of Pearson's chi-square test that ranks in 0 ... `draws` are uniform, in `bins` equal bins.

    Raises
    ------
    ValueError
        If `bins` does not divide draws + 1.
    """
    if (draws + 1) % bins:
        raise ValueError(f"bins = {bins} does not divide draws + 1 = {draws + 1}")
    return float(chisquare(np.bincount(ranks * bins // (draws + 1), minlength=bins)).pvalue)


def _statistics(potential: CNNPotential, q: np.ndarray) -> tuple[float, float]:
    along = potential.filters(q) @ potential.model.data.w
    return np.mean(along**2), potential.value_and_gradient(q)[0] - 0.5 * (q @ q)
