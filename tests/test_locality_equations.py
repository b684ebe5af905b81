"""The compiled equations of motion against their obvious form, and the reduced ones against both."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featurelearning.locality import (
    CommitteeModel, architecture, chain_correlation, committee_model, correlation_matrix, exchangeable_error,
    exchangeable_rhs, exchangeable_slope, fully_connected, general_error, general_rhs, reference_error,
    reference_rhs,
)


def random_state(A: np.ndarray, M: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlaps Q, R, T of random vectors."""
    n_b = A.shape[1]
    X = np.random.default_rng(seed).normal(size=(n_b + M, 3 * (n_b + M))) / np.sqrt(3 * (n_b + M))
    G = X @ X.T
    return G[:n_b, :n_b].copy(), G[:n_b, n_b:].copy(), G[n_b:, n_b:].copy()


CASES = {
    "conv": (architecture("conv", 4), 0.3, 1),
    "lcn": (architecture("lcn", 4), chain_correlation(0.6, 4), 1),
    "kernel": (architecture("conv", 4, kernel=3), -0.2, 1),
    "zero": (architecture("lcn", 3, kernel=2, boundary="zero"), 0.5, 2),
    "uncorrelated": (architecture("conv", 3, kernel=2), 0.0, 1),
    "filters": (architecture("conv", 3, filters=2), 0.8, 2),
    "dense": (fully_connected(3, 3), 0.4, 2),
    "single": (architecture("conv", 1, filters=3), 0.0, 2),
}


@pytest.mark.parametrize("activation", ["erf", "linear"])
@pytest.mark.parametrize("name", CASES)
def test_compiled_equations_are_the_obvious_ones(name, activation):
    A, C, M = CASES[name]
    rng = np.random.default_rng(3)
    Q, R, T = random_state(A, M, seed=2)
    model = CommitteeModel(A, correlation_matrix(C, A.shape[2]), T, rng.normal(size=len(A)),
                           rng.normal(size=M),
                           0.6, 0.7, 0.3, activation)
    for fast, slow in zip(general_rhs(Q, R, *model.constants), reference_rhs(model, Q, R), strict=True):
        assert fast == pytest.approx(slow, abs=1e-13)
    assert general_error(Q, R, *model.constants) == pytest.approx(reference_error(model, Q, R), abs=1e-13)


def test_the_drift_is_the_gradient_of_the_error():
    """At vanishing rate ``dR/dt = -eta <gradient . B>``: the error falls at the speed of gradient flow."""
    A, C, M = CASES["kernel"]
    Q, R, T = random_state(A, M, seed=5)
    model = CommitteeModel(A, correlation_matrix(C, 4), T, np.ones(4), np.ones(1), 0.5, 1e-9, 0.0)
    dQ, dR = (rate / 1e-9 for rate in general_rhs(Q, R, *model.constants))
    # gradient of E in w^b is D^(-1/2) (F w + G B)_b, so dE/dt = -|F w + G B|^2; here by finite differences
    step = 1e-5
    ahead, behind = (general_error(Q + s * dQ, R + s * dR, *model.constants) for s in (step, -step))
    gradient_Q, gradient_R = np.empty_like(Q), np.empty_like(R)
    for target, other in ((gradient_Q, False), (gradient_R, True)):
        for index in np.ndindex(target.shape):
            shift = np.zeros_like(target)
            shift[index] = step
            plus, minus = (general_error(Q if other else Q + s * (shift + shift.T) / 2, R + s * shift if other
                                         else R,
                                         *model.constants) for s in (1, -1))
            target[index] = (plus - minus) / (2 * step)
    n_b = len(Q)
    gram = np.block([[Q, R], [R.T, T]])
    direction = np.hstack([gradient_Q + gradient_Q.T, gradient_R])
    assert (ahead - behind) / (2 * step) == pytest.approx(-np.trace(direction @ gram @ direction.T), rel=1e-6)
    assert dR == pytest.approx(-(direction @ gram)[:, n_b:], rel=1e-5, abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(
    P=st.integers(1, 5), shared=st.booleans(), linear=st.booleans(), c=st.floats(0, 1),
    eta=st.floats(0.05, 2),
    sigma=st.floats(0, 1), R=st.floats(-1, 1), common=st.floats(0, 1), own=st.floats(0, 1), T=st.floats(1, 2),
)
def test_reduced_equations_are_the_general_ones(P, shared, linear, c, eta, sigma, R, common, own, T):
    c = -0.99 / max(P - 1, 1) + c * (1 + 0.99 / max(P - 1, 1)) if P > 1 else 0.0
    O = R * R / T + common
    Q = O if shared else O + own
    model = committee_model("conv" if shared else "lcn", P=P, C=c, eta=eta, sigma=sigma,
                            activation="linear" if linear else "erf", T=[[T]])
    n_b = model.A.shape[1]
    full = np.full((n_b, n_b), O) + (Q - O) * np.eye(n_b)
    dQ, dR = general_rhs(full, np.full((n_b, 1), R), *model.constants)
    rates = exchangeable_rhs(Q, O, R, shared, linear, P, c, P**-0.5, eta, sigma, T)
    assert rates[0] == pytest.approx(dQ[0, 0], abs=1e-12)
    assert rates[2] == pytest.approx(dR[0, 0], abs=1e-12)
    if n_b > 1:
        assert rates[1] == pytest.approx(dQ[0, 1], abs=1e-12)
    assert exchangeable_error(Q, O, R, linear, P, c, P**-0.5, T) == pytest.approx(
        general_error(full, np.full((n_b, 1), R), *model.constants), abs=1e-12)


@pytest.mark.parametrize("linear", [False, True])
def test_slope_of_the_error(linear):
    state, step = np.array([0.9, 0.4, 0.3]), 1e-6
    rest = (linear, 4, 0.3, 0.5, 1.0)
    for slope, unit in zip(exchangeable_slope(*state, *rest), np.eye(3), strict=True):
        ahead, behind = (exchangeable_error(*(state + s * step * unit), *rest) for s in (1, -1))
        assert slope == pytest.approx((ahead - behind) / (2 * step), abs=1e-8)


@pytest.mark.parametrize(("eta", "sigma", "linear"), list(itertools.product([0.3, 1.5], [0.0, 0.4],
                                                                            [False, True])))
def test_uncorrelated_sharing_is_a_speed_up_by_P(eta, sigma, linear):
    for P in (2, 4, 9):
        free = exchangeable_rhs(0.7, 0.2, 0.4, False, linear, P, 0.0, 1.0, eta, sigma, 1.0)
        shared = exchangeable_rhs(0.7, 0.7, 0.4, True, linear, P, 0.0, 1.0, eta, sigma, 1.0)
        assert shared[0] == pytest.approx(P * free[0], rel=1e-13)
        assert shared[2] == pytest.approx(P * free[2], rel=1e-13)


def test_linear_blocks_of_a_larger_kernel_get_one_update():
    model = committee_model("conv", P=4, C=0.2, eta=0.5, sigma=0.1, kernel=2, activation="linear")
    Q, R, _ = random_state(model.A, 1, seed=9)
    dQ, dR = general_rhs(Q, R, *replace(model, T=np.eye(1)).constants)
    assert dR[0, 0] == pytest.approx(dR[1, 0], abs=1e-14)
    assert dQ[0, 0] + dQ[1, 1] - 2 * dQ[0, 1] == pytest.approx(0, abs=1e-14)
