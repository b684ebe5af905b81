"""The theorem of persistence: stationarity, kernel identity, region, Hessian, and the prover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from featurelearning.gauge import (
    CUBIC_BOUND, duplicates_rhs, face_products, hessian, hessian_half_gap, hessian_half_gap_squared,
    in_region,
    kernel_excess, kernel_excess_product, prove_positive, region_margin, region_path, sphere_bounds,
    stationarity, stationarity_formula, stationarity_slope_at_zero,
)
from featurelearning.gaussian import relu_kernel

PHI = np.pi / 3
angles = st.floats(0.05, 3.09)


def test_stationarity_reference_values():
    assert stationarity(0.0, PHI) == pytest.approx(0, abs=1e-15)
    assert stationarity_slope_at_zero(PHI) == pytest.approx(0.9292466, abs=1e-7)
    x = np.linspace(0, np.pi - PHI, 20_001)[1:]
    assert np.min(stationarity(x, PHI) / x) == pytest.approx(0.4330127, abs=1e-7)


@given(angles)
def test_stationarity_at_the_far_end(phi):
    assert stationarity(np.pi - phi, phi) == pytest.approx(phi * np.sin(phi), abs=1e-13)


@given(angles, st.floats(0.01, 0.99))
def test_stationarity_is_the_angular_velocity_where_q_and_P_rest(phi, part):
    x = part * (np.pi - phi)
    k_x, k_phi, k_sum = (2 * relu_kernel(t) for t in (x, phi, phi + x))
    q, P = (k_x - k_phi * k_sum) / (1 - k_sum**2), (k_phi - k_x * k_sum) / (1 - k_sum**2)
    dq, dtheta, dP, _ = duplicates_rhs(np.array([q, -x, P, 0.0]), m=2, phi=phi, D=np.inf)
    assert dq == pytest.approx(0, abs=1e-12)
    assert dP == pytest.approx(0, abs=1e-12)
    assert 2 * np.pi * (1 - k_sum**2) * q * dtheta == pytest.approx(stationarity(x, phi), rel=1e-7, abs=1e-11)


def test_positivity_is_proved():
    proof = prove_positive(stationarity_formula, phi=(0.1, 3.0))
    assert proof.proved
    assert proof.witness is None
    phi_low, phi_high, s_low, s_high = proof.boxes.T
    # The boxes are halves of halves, so equal area means that they tile the range.
    assert np.sum((phi_high - phi_low) * (s_high - s_low)) == pytest.approx(2.9, rel=1e-12)
    s, phi = s_high, (phi_low + phi_high) / 2
    assert np.all(stationarity(s * (np.pi - phi) * (1 - 1e-15), phi) > 0)


def flipped(x, phi, ops, *, outer=1, product=-1, cosine=1):
    """The stationarity function with signs to flip."""
    def k(t):
        return (ops.sin(t) + cosine * (ops.pi - t) * ops.cos(t)) / ops.pi

    total = phi + x
    return ((ops.pi - x) * ops.sin(x) * (1 - k(total) ** 2)
            - outer * (ops.pi - total) * ops.sin(total) * (k(phi) + product * k(x) * k(total)))


def test_unflipped_function_is_proved():
    assert prove_positive(flipped, phi=(0.5, PHI)).proved


@pytest.mark.parametrize("signs", [{"product": 1}, {"cosine": -1}])
def test_one_wrong_sign_is_refuted(signs):
    def mutated(x, phi, ops):
        return flipped(x, phi, ops, **signs)

    proof = prove_positive(mutated, phi=(0.1, 3.0))
    assert not proof.proved
    assert proof.refuted
    phi_low, phi_high, s_low, s_high = proof.witness
    phi, s = np.meshgrid(np.linspace(phi_low, phi_high, 101), np.linspace(s_low, s_high, 101))
    assert np.min(mutated(s * (np.pi - phi), phi, np)) < 0


def test_a_slightly_too_large_bound_is_refuted():
    def lowered(x, phi, ops, by):
        return stationarity_formula(x, phi, ops) - by * ops.sin(x)

    least = float(stationarity_slope_at_zero(0.1))
    assert prove_positive(lambda x, phi, ops: lowered(x, phi, ops, 0.5 * least), phi=(0.1, 0.2)).proved
    assert prove_positive(lambda x, phi, ops: lowered(x, phi, ops, 1.1 * least), phi=(0.1, 0.2)).refuted


@pytest.mark.parametrize("limits", [{"resolution": 1e-3}, {"max_boxes": 300}])
def test_an_undecidable_function_ends_the_attempt(limits):
    # Zero at x = 0.7, never negative: neither provable nor refutable.
    proof = prove_positive(lambda x, phi, ops: ops.sin(x) * (x - 0.7) ** 2, phi=(0.5, 1.0), **limits)
    assert not proof.proved
    assert not proof.refuted
    assert proof.witness is not None
    assert proof.examined <= 10_000


@given(st.floats(0, np.pi), st.floats(0, 1))
def test_kernel_identity(t, part):
    u = part * (np.pi - t)
    excess = kernel_excess(t, u)
    assert excess == pytest.approx(kernel_excess_product(t, u), abs=4e-15)
    assert excess <= 1e-15


@pytest.mark.parametrize("phi", [0.3, PHI, 2.0, 3.0])
def test_faces_point_inward(phi):
    products = face_products(phi)
    assert set(products) == {"theta = phi", "theta = phi - pi", "q = 1", "P = 0", "curved"}
    for outward in products.values():
        assert np.max(outward) <= 1e-15
        assert np.min(outward) < -1e-4


@pytest.mark.parametrize("m", [2, 32, 4096])
def test_paths_stay_in_the_region(m):
    q, theta, P = region_path(m=m, phi=PHI, until=30)
    assert np.all(in_region(q, theta, P, PHI))


def test_where_two_duplicates_start_outside():
    root = brentq(lambda phi: region_margin(0.5, phi, phi), 1.0, 1.5)
    assert root == pytest.approx(1.2358969, abs=1e-7)
    assert in_region(0.5, root - 1e-3, 0.5, root - 1e-3)
    assert not in_region(0.5, root + 1e-3, 0.5, root + 1e-3)


@given(angles)
def test_hessian_eigenvalues(phi):
    n = hessian_half_gap(phi)
    assert np.allclose(np.linalg.eigvalsh(hessian(phi)), [0.5 - n, 0.5, 0.5 + n], rtol=0, atol=1e-14)
    assert 0 < n < 0.5
    assert hessian_half_gap_squared(phi) == pytest.approx(4 * np.pi**2 * n**2, abs=1e-13)


def test_hessian_reference_values():
    assert 0.5 - hessian_half_gap(PHI) == pytest.approx(0.0804134, abs=1e-7)
    small = np.array([0.01, 0.05, 0.1])
    assert (0.5 - hessian_half_gap(small)) / small**3 == pytest.approx([0.1058, 0.1048, 0.1034], abs=1e-4)


@pytest.mark.parametrize("phi", [0.5, PHI, 2.0])
def test_sphere_bounds_tend_to_the_eigenvalues(phi):
    n = hessian_half_gap(phi)
    bounds = sphere_bounds(phi, [0.02, 0.01, 0.001], points=2000)
    assert np.all(np.abs(bounds.loss_low - (0.5 - n) / 2) < CUBIC_BOUND * bounds.r + bounds.r**2)
    assert np.all(np.abs(bounds.loss_high - (0.5 + n) / 2) < CUBIC_BOUND * bounds.r + bounds.r**2)
    assert bounds.gradient_low[-1] == pytest.approx(2 * (0.5 - n), abs=2e-3)


@pytest.mark.parametrize("call", [
    lambda: stationarity(0.1, 0.0), lambda: stationarity(3.0, 1.0), lambda: face_products(4.0),
    lambda: prove_positive(stationarity_formula, phi=(1.0, 0.5)), lambda: sphere_bounds(1.0, [2.0]),
    lambda: region_path(m=1, phi=1.0), lambda: prove_positive(stationarity_formula, phi=(0.1, 1.0),
                                                              max_boxes=0),
])
def test_bad_input_is_explained(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
