"""Samplers: energy, reversibility, known laws, agreement with each other. False-positive rates are stated."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import mici
import numpy as np
import pytest
from scipy.stats import norm

from featurelearning.separation import (
    CNN, CNNPotential, FCN3, FCN3Potential, ScaledSlope, calibration_ranks, chain_mean, gibbs_chain,
    hamiltonian, hmc_chain, langevin_chain, regression_draw, sample, sample_cnn, sample_gibbs,
    teacher_data, uniformity,
)


@dataclass(frozen=True)
class Gaussian:
    """U = |q|^2 / (2 v)."""

    variance: float
    dimension: int = 3

    def value_and_gradient(self, q):
        return 0.5 * q @ q / self.variance, q / self.variance


SMALL = CNNPotential(CNN(teacher_data("linear", n=10, P=2, S=3), "linear", 0.1), 4)
ERF = CNNPotential(CNN(teacher_data("erf", n=10, P=2, S=3), "erf", 0.1), 4)
FCN = FCN3Potential(FCN3(teacher_data("fcn", n=10, P=1, S=3).X[:, 0], teacher_data("fcn", n=10, P=1, S=3).y,
                         4, 5, 0.1))


def flow(potential, q, p, step, steps):
    system = hamiltonian(potential)
    integrator = mici.integrators.LeapfrogIntegrator(system, step_size=step)
    state = mici.states.ChainState(pos=q, mom=p, dir=1)
    start = system.h(state)
    for _ in range(steps):
        state = integrator.step(state)
    return state.pos, state.mom, system.h(state) - start


@pytest.mark.parametrize("potential", [SMALL, ERF, FCN], ids=["linear", "erf", "fcn"])
def test_energy_error_is_second_order_and_the_flow_reverses(potential):
    q, p = np.random.default_rng(0).standard_normal((2, potential.dimension))
    errors = [flow(potential, q, p, step, round(0.4 / step))[2] for step in (0.01, 0.005)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)
    there, momentum, _ = flow(potential, q, p, 0.02, 20)
    back, turned, _ = flow(potential, there, -momentum, 0.02, 20)
    assert np.allclose(back, q, atol=1e-10) and np.allclose(turned, -p, atol=1e-10)


def test_a_wrong_gradient_does_not_conserve_energy():
    q, p = np.random.default_rng(0).standard_normal((2, SMALL.dimension))
    errors = [flow(ScaledSlope(SMALL, 0.5), q, p, step, round(0.4 / step))[2] for step in (0.01, 0.005)]
    assert errors[0] / errors[1] == pytest.approx(1, rel=0.1)


def test_hmc_samples_a_known_gaussian():
    draws = sample(Gaussian(0.7), rng=np.random.default_rng(1), chains=4, draws=500, warm_up=100)
    seen = chain_mean(np.mean(draws.q**2, axis=2))
    assert seen.rhat < 1.02
    # Two-sided z-tests at 1e-4; the negative control is a variance off by a fifth.
    assert abs(seen.mean - 0.7) < norm.isf(5e-5) * seen.error
    assert abs(seen.mean - 0.84) > norm.isf(5e-5) * seen.error


def test_draws_do_not_depend_on_the_executor_but_on_the_seed():
    def run(seed, executor=None):
        return sample(SMALL, rng=np.random.default_rng(seed), chains=2, draws=10, warm_up=10,
                      executor=executor).q

    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(run(1), run(1, pool))
    assert not np.allclose(run(1), run(2))


def test_hmc_agrees_with_gibbs():
    _, draws = sample_cnn(
        SMALL.model.data, C=4, activation="linear", sigma2=0.1, rng=np.random.default_rng(2), chains=4,
        draws=200, warm_up=80
    )
    sweeps = sample_gibbs(SMALL, rng=np.random.default_rng(3), draws=1500)

    def along(run):
        z = run.q.reshape(*run.q.shape[:2], 4, 3) @ SMALL.model.data.w
        return chain_mean(np.mean(z**2, axis=2))

    hmc, gibbs = along(draws), along(sweeps)
    error = np.hypot(hmc.error, gibbs.error)
    # z-test at 1e-4; the prior's value is the negative control.
    assert abs(hmc.mean - gibbs.mean) < norm.isf(5e-5) * error
    assert abs(1 - gibbs.mean) > norm.isf(5e-5) * error


def test_regression_draw_has_the_exact_law():
    rng = np.random.default_rng(4)
    F, y, v, sigma2 = rng.standard_normal((3, 2)), rng.standard_normal(3), 0.8, 0.3
    draws = np.array([regression_draw(F, y, v, sigma2, rng) for _ in range(20000)])
    covariance = np.linalg.inv(F.T @ F / sigma2 + np.eye(2) / v)
    mean = covariance @ F.T @ y / sigma2
    # Means: z-test at 1e-4 in the larger of two; variances: five standard errors.
    z = (draws.mean(axis=0) - mean) / np.sqrt(np.diagonal(covariance) / len(draws))
    assert np.abs(z).max() < norm.isf(2.5e-5)
    assert np.allclose(np.cov(draws.T), covariance, atol=5 * np.sqrt(2 / len(draws)) * covariance.max())
    assert np.abs(mean).max() / np.sqrt(covariance.max() / len(draws)) > 10


def test_gibbs_is_for_linear_networks():
    with pytest.raises(ValueError, match="activation = 'erf'"):
        gibbs_chain(ERF, np.zeros(ERF.dimension), 1, np.random.default_rng(0))


def test_langevin_has_the_known_bias_of_its_step():
    """On U = q^2/2 the stationary variance is 1/(1 - h/2)."""
    h, rng = 0.2, np.random.default_rng(5)
    chains = np.array([
        langevin_chain(Gaussian(1.0, 200), rng.standard_normal(200), step=h, draws=50, every=20, rng=rng)
        for _ in range(2)
    ])[:, 5:]
    # 2 x 45 x 200 nearly independent values: the error of the variance is 1.1 %; five of them.
    assert np.var(chains) == pytest.approx(1 / (1 - h / 2), rel=0.053)
    assert np.var(chains) != pytest.approx(1.0, rel=0.053)


def test_bad_sampler_settings_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="leapfrog = "):
        sample(SMALL, rng=rng, leapfrog=(5, 5))
    with pytest.raises(ValueError, match="step = 0"):
        langevin_chain(SMALL, np.zeros(12), step=0, draws=1, every=1, rng=rng)


def gibbs(potential, start, draws, rng):
    return gibbs_chain(potential, start, 2 * draws, rng)[1::2]


def test_calibration_passes_a_right_sampler_and_catches_a_prior():
    """Each p-value below 1e-4 is a false alarm with that probability."""
    ranks = calibration_ranks(SMALL.model, 4, gibbs, replicates=200, draws=9, rng=np.random.default_rng(6))
    assert min(uniformity(row, 9, 5) for row in ranks) > 1e-4

    def prior(potential, start, draws, rng):
        return rng.standard_normal((draws, potential.dimension))

    blind = calibration_ranks(SMALL.model, 4, prior, replicates=200, draws=9, rng=np.random.default_rng(7))
    assert min(uniformity(row, 9, 5) for row in blind) < 1e-4


def test_uniformity_of_hand_made_ranks():
    assert uniformity(np.arange(100) % 10, 9, 10) == pytest.approx(1)
    assert uniformity(np.zeros(100, dtype=int), 9, 10) < 1e-10
    with pytest.raises(ValueError, match="does not divide"):
        uniformity(np.zeros(3, dtype=int), 9, 4)


def test_fixed_step_chain_starts_where_it_is_told():
    start = np.zeros(SMALL.dimension)
    chain = hmc_chain(SMALL, start, step=1e-6, draws=3, leapfrog=(1, 2), rng=np.random.default_rng(0))
    assert chain.shape == (3, SMALL.dimension) and np.abs(chain).max() < 1e-4
