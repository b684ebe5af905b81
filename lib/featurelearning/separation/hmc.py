"""Hamiltonian Monte Carlo of the collapsed posterior, chains side by side."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import mici
import numpy as np
from tqdm import tqdm

from featurelearning.separation.cnn import CNN
from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.fcn_equations import FCN3
from featurelearning.separation.posterior import CNNPotential, FCN3Potential, Potential

__all__ = ["Draws", "hamiltonian", "hmc_chain", "sample", "sample_cnn", "sample_fcn3"]


@dataclass(frozen=True)
class Draws:
    """Draws from a posterior.

    Parameters
    ----------
    q : array, shape (chains, draws, dimension)
        Whitened weights.
    acceptance : array, shape (chains,)
        Mean acceptance probability.
    step : array, shape (chains,)
        Leapfrog step after adaptation.
    gradients : int
        Gradient evaluations of all chains after the warm-up.
    """

    q: np.ndarray
    acceptance: np.ndarray
    step: np.ndarray
    gradients: int

    def observe(self, function: Callable[[np.ndarray], np.ndarray], every: int = 1) -> np.ndarray:
        """A function of each `every`-th draw, stacked to shape (chains, draws, ...)."""
        return np.array([[function(q) for q in chain[::every]] for chain in self.q])


def sample(
    potential: Potential,
    *,
    rng: np.random.Generator,
    chains: int = 4,
    draws: int = 300,
    warm_up: int = 150,
    leapfrog: tuple[int, int] = (5, 9),
    acceptance: float = 0.8,
    executor: Executor | None = None,
) -> Draws:
    r"""Sample :math:`e^{-U(q)}` by HMC with identity metric, each chain from the prior.

    A transition takes a random number of leapfrog steps; the step is set in the warm-up by dual averaging
    towards the acceptance probability.

    Parameters
    ----------
    potential : Potential
        It must be picklable if `executor` runs processes.
    rng : numpy.random.Generator
        Each chain gets a spawned child.
    chains, draws, warm_up : int
        >= 1 each; draws per chain after the warm-up.
    leapfrog : tuple of int
        Fewest and most leapfrog steps of a transition, 1 <= fewest < most.
    acceptance : float
        Target acceptance probability, between 0 and 1.
    executor : concurrent.futures.Executor, optional
        Where the chains run (default: one after another in this process). The draws do not depend on it.

    Returns
    -------
    Draws

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    Duane, Kennedy, Pendleton and Roweth, "Hybrid Monte Carlo" (1987); Hoffman and Gelman (2014) for the
    adaptation. The transitions are those of the ``mici`` package.
    """
    if min(chains, draws, warm_up) < 1 or not 1 <= leapfrog[0] < leapfrog[1] or not 0 < acceptance < 1:
        raise ValueError(
            f"chains = {chains}, draws = {draws}, warm_up = {warm_up}, leapfrog = {leapfrog}, acceptance = "
            f"{acceptance}; allowed: counts >= 1, 1 <= fewest < most leapfrog steps, 0 < acceptance < 1"
        )
    jobs = [(potential, child, draws, warm_up, leapfrog, acceptance) for child in rng.spawn(chains)]
    results = map(_run_chain, jobs) if executor is None else executor.map(_run_chain, jobs)
    done = list(tqdm(results, total=chains, desc="chains", disable=None, leave=False))
    q, rates, steps, gradients = zip(*done)
    return Draws(np.array(q), np.array(rates), np.array(steps), int(sum(gradients)))


def sample_cnn(
    data: TeacherData,
    *,
    C: int,
    activation: str,
    sigma2: float,
    chi: float = 1.0,
    sw2: float = 1.0,
    sa2: float = 1.0,
    rng: np.random.Generator,
    **options,
) -> tuple[CNNPotential, Draws]:
    """Sample the filters of the two-layer network (arguments as :func:`.solve_cnn` and :func:`sample`)."""
    potential = CNNPotential(CNN(data, activation, sigma2, chi, sw2, sa2), C)
    return potential, sample(potential, rng=rng, **options)


def sample_fcn3(
    data: TeacherData,
    *,
    N1: int,
    N2: int,
    sigma2: float,
    chi: float = 1.0,
    sw2: float = 2.0,
    sa2: float = 2.0,
    rng: np.random.Generator,
    **options,
) -> tuple[FCN3Potential, Draws]:
    """Sample both layers of the three-layer network (arguments as :func:`.solve_fcn3` and :func:`sample`)."""
    potential = FCN3Potential(FCN3(data.X[:, 0, :], data.y, N1, N2, sigma2, chi, sw2, sa2))
    return potential, sample(potential, rng=rng, **{"leapfrog": (8, 16), **options})


def hmc_chain(
    potential: Potential,
    start: np.ndarray,
    *,
    step: float,
    draws: int,
    leapfrog: tuple[int, int],
    rng: np.random.Generator,
) -> np.ndarray:
    """Positions, shape (draws, dimension), of transitions with a fixed step; a reversible chain."""
    sampler, _ = _sampler(potential, rng, leapfrog, step)
    _, traces, _ = sampler.sample_chains(0, draws, [start], trace_funcs=[_position], display_progress=False)
    return traces["q"][0]


def hamiltonian(potential: Potential) -> mici.systems.EuclideanMetricSystem:
    r"""The system :math:`H(q, p) = U(q) + |p|^2/2` whose flow HMC follows.

    Where a trajectory has run away so far that U cannot be computed, it ends and is rejected.
    """

    def gradient_and_value(q):
        try:
            value, gradient = potential.value_and_gradient(q)
        except np.linalg.LinAlgError as error:
            message = f"no potential at |q| = {np.linalg.norm(q):g}"
            raise mici.errors.HamiltonianDivergenceError(message) from error
        return gradient, value

    return mici.systems.EuclideanMetricSystem(
        neg_log_dens=lambda q: gradient_and_value(q)[1], grad_neg_log_dens=gradient_and_value
    )


def _run_chain(job) -> tuple[np.ndarray, float, float, int]:
    potential, rng, draws, warm_up, leapfrog, acceptance = job
    sampler, integrator = _sampler(potential, rng, leapfrog, None)
    start = rng.standard_normal(potential.dimension)
    _, traces, statistics = sampler.sample_chains(
        warm_up, draws, [start],
        adapters=[mici.adapters.DualAveragingStepSizeAdapter(acceptance)],
        trace_funcs=[_position],
        display_progress=False,
    )
    rate, steps = (statistics[name][0] for name in ("accept_stat", "n_step"))
    return traces["q"][0], float(np.mean(rate)), float(integrator.step_size), int(np.sum(steps))


def _sampler(potential: Potential, rng, leapfrog, step):
    system = hamiltonian(potential)
    integrator = mici.integrators.LeapfrogIntegrator(system, step_size=step)
    return mici.samplers.RandomMetropolisHMC(system, integrator, rng, n_step_range=leapfrog), integrator


def _position(state):
    return {"q": state.pos}
