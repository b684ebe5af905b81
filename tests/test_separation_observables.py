"""What is measured on draws, against laws that are known."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.separation import (
    CNN, FCN3, CNNPotential, DeepCNNPotential, Draws, FCN3Potential, chain_mean, channel_coupling,
    channel_log_density, cnn_kernel, digits_data, excess_kurtosis, moment_ratio, nngp_score, observe_cnn,
    observe_digits, observe_fcn3, orthogonal_basis, partial_correlation, projections, second_moments,
    solve_channel_density, solve_cnn, teacher_data,
)


def draws_from_the_prior(dimension, chains=2, draws=200, seed=0):
    q = np.random.default_rng(seed).standard_normal((chains, draws, dimension))
    return Draws(q, np.ones(chains), np.ones(chains), 0)


def test_chain_mean_of_independent_and_of_stuck_chains():
    values = np.random.default_rng(0).standard_normal((4, 500))
    good = chain_mean(values)
    assert good.error == pytest.approx(1 / np.sqrt(2000), rel=0.15)
    assert good.rhat < 1.01 and good.ess > 1500
    assert chain_mean(values + np.arange(4)[:, None]).rhat > 1.2
    with pytest.raises(ValueError, match="chains >= 2"):
        chain_mean(values[:1])


def test_kurtosis_of_known_laws_with_its_error():
    rng = np.random.default_rng(1)
    flat, normal = rng.uniform(-1, 1, (4, 500, 20)), rng.standard_normal((4, 500, 20))
    for z, value in ((flat, -1.2), (normal, 0.0)):
        seen = excess_kurtosis(z)
        # False-positive rate 6e-5.
        assert abs(seen.mean - value) < 4 * seen.error
    sphere = normal / np.linalg.norm(normal, axis=2, keepdims=True)
    assert excess_kurtosis(sphere).mean == pytest.approx(-6 / 22, abs=4 * excess_kurtosis(sphere).error)
    coupling = channel_coupling(sphere)
    assert coupling.mean == pytest.approx(-2 / 22, abs=4 * coupling.error)
    assert coupling.mean >= -(2 + excess_kurtosis(sphere).mean) / 19 - 1e-12


def test_moment_ratio_is_linearised_correctly():
    upper, lower = np.random.default_rng(2).uniform(1, 2, (2, 2, 400))
    seen = moment_ratio(upper, lower, power=2, shift=3)
    assert seen.mean == pytest.approx(upper.mean() / lower.mean() ** 2 - 3)


def test_partial_correlation_explains_a_common_cause_away():
    rng = np.random.default_rng(3)
    cause, x, y = rng.standard_normal((3, 5000))
    raw, partial = partial_correlation(x + cause, y + cause, cause)
    assert raw == pytest.approx(0.5, abs=0.05) and abs(partial) < 0.06
    assert partial_correlation(x + y, y, cause)[1] > 0.6


@pytest.mark.parametrize("activation", ["linear", "erf"])
def test_prior_draws_have_the_prior_second_moment_and_kernel(activation):
    data = teacher_data(activation, n=8, P=2, S=3, n_test=5)
    potential = CNNPotential(CNN(data, activation, 0.1), 20)
    draws = draws_from_the_prior(potential.dimension)
    seen = observe_cnn(potential, draws, every=1)
    assert np.allclose(seen.second_moment, np.eye(3), atol=5 / np.sqrt(400 * 20))
    expected = cnn_kernel(potential.model, potential.model.S0 * np.eye(3))
    assert np.allclose(seen.kernel, expected, atol=0.1 * np.abs(expected).max())
    assert seen.ess > 100 and seen.rhat < 1.1
    M = second_moments(potential, draws)[0, 0]
    W = potential.filters(draws.q[0, 0])
    assert np.allclose(M, W.T @ W / 20 / potential.model.S0)
    w = data.w
    assert np.allclose(projections(potential, draws, w)[0, 0], W @ w / np.sqrt(potential.model.S0))
    assert np.allclose(orthogonal_basis(w).T @ w, 0)


def test_a_filter_matrix_has_the_rank_of_its_width():
    data = teacher_data("linear", n=8, P=2, S=10)
    potential = CNNPotential(CNN(data, "linear", 0.1), 3)
    assert np.linalg.matrix_rank(second_moments(potential, draws_from_the_prior(30, 2, 5))[0, 0]) == 3


def test_three_layer_prior_draws():
    data = teacher_data("fcn", n=8, P=1, S=3, n_test=5)
    potential = FCN3Potential(FCN3(data.X[:, 0], data.y, 30, 30, 0.1))
    seen = observe_fcn3(potential, draws_from_the_prior(potential.dimension), data)
    for mean in (seen.teacher_eigenvalue, seen.kernel_growth):
        assert mean.mean == pytest.approx(1, abs=5 * mean.error)


def test_channel_density_gradient_and_its_gaussian_start():
    data = teacher_data("erf", n=10, P=2, S=3)
    model = CNN(data, "erf", 0.1, chi=5.0)
    solution = solve_cnn(data, C=10, activation="erf", sigma2=0.1, chi=5.0)
    A, q, h = solution.posterior.pull, np.random.default_rng(4).standard_normal((2, 3)), 1e-6
    gradient = channel_log_density(model, 10, A, q)[1]
    for k, step in enumerate(h * np.eye(3)):
        up, down = (channel_log_density(model, 10, A, q + s * step)[0] for s in (1, -1))
        assert np.allclose((up - down) / (2 * h), gradient[:, k], atol=1e-7)
    law = solve_channel_density(
        model, 1e5, start=np.eye(3), walkers=400, burn_in=20, rounds=20, rng=np.random.default_rng(5)
    )
    # A very wide network's channel keeps its prior: kurtosis zero within the error of 8000 dependent values.
    z = law.walkers.ravel()
    assert np.var(z) == pytest.approx(1, abs=0.1)
    assert law.mismatch < 0.1 and law.acceptance > 0.8
    with pytest.raises(ValueError, match="activation = 'linear'"):
        solve_channel_density(CNN(data, "linear", 0.1), 10, start=np.eye(3), walkers=5, burn_in=1, rounds=1,
                              rng=np.random.default_rng(0))


def test_digits_from_the_prior_are_gaussian_and_close_on_second_moments():
    potential = DeepCNNPotential(digits_data(20, 20), 8, 0.1, 10.0, 1.5)
    seen = observe_digits(potential, draws_from_the_prior(potential.dimension, 2, 60), every=1)
    assert abs(seen.coordinate_kurtosis[0]) < 0.1 and max(seen.closure) < 0.06
    # Under the prior the second moments are those of infinite width.
    assert seen.gp.mse == pytest.approx(nngp_score(potential).mse, rel=0.05)
