"""Architectures as 0/1 tensors, and what counts as a correlation."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.locality import (
    architecture, chain_correlation, correlation_matrix, equal_correlation, fully_connected, ring_correlation,
)


@pytest.mark.parametrize("P", [1, 2, 4])
def test_matched_students_meet_their_own_patch(P):
    shared, free = architecture("conv", P), architecture("lcn", P)
    for u, p in np.ndindex(P, P):
        assert shared[u, 0, p] == (u == p)
        for b in range(P):
            assert free[u, b, p] == (u == b == p)


@pytest.mark.parametrize("boundary", ["periodic", "zero"])
def test_larger_kernels_are_shifted(boundary):
    P, k = 5, 3
    A = architecture("conv", P, kernel=k, boundary=boundary)
    for u, j, p in np.ndindex(P, k, P):
        expected = p == (u + j) % P if boundary == "periodic" else p == u + j
        assert A[u, j, p] == expected


def test_free_kernels_own_their_blocks():
    A = architecture("lcn", 4, kernel=2)
    assert A.shape == (4, 8, 4)
    assert np.array_equal(A.sum(axis=(0, 2)), np.ones(8))
    # the last unit's second block would meet zeros only
    assert architecture("lcn", 4, kernel=2, boundary="zero").shape == (4, 7, 4)


@pytest.mark.parametrize("student", ["conv", "lcn"])
def test_filters_repeat_units_and_blocks(student):
    one, bank = architecture(student, 3, kernel=2), architecture(student, 3, kernel=2, filters=2)
    U, n_b, _ = one.shape
    assert bank.shape == (2 * U, 2 * n_b, 3)
    assert np.array_equal(bank[:U, :n_b], one) and np.array_equal(bank[U:, n_b:], one)
    assert not bank[:U, n_b:].any() and not bank[U:, :n_b].any()


def test_fully_connected_blocks_meet_one_patch():
    A = fully_connected(3, 2)
    for u, h, p, q in np.ndindex(2, 2, 3, 3):
        assert A[u, h * 3 + p, q] == (u == h and p == q)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"student": "cnn"}, "conv or lcn"), ({"kernel": 5}, "kernel"), ({"kernel": 0}, "kernel"),
    ({"boundary": "valid"}, "periodic or zero"), ({"filters": 0}, "filters"), ({"P": 0}, "P = 0"),
])
def test_bad_architectures(arguments, message):
    with pytest.raises(ValueError, match=message):
        architecture(**{"student": "conv", "P": 4, **arguments})


def test_equal_correlation_and_its_eigenvalues():
    C = correlation_matrix(0.3, 4)
    assert np.linalg.eigvalsh(C) == pytest.approx([0.7, 0.7, 0.7, 1.9])
    assert equal_correlation(C, 4) == 0.3 and equal_correlation(0.3, 4) == 0.3
    assert equal_correlation(chain_correlation(0.5, 4), 4) is None
    assert equal_correlation(0.0, 1) == 0.0


def test_the_bound_of_negative_correlation():
    assert np.linalg.eigvalsh(correlation_matrix(-1 / 3, 4))[0] == pytest.approx(0, abs=1e-15)
    with pytest.raises(ValueError, match=r"-0\.333333 <= c <= 1 .*-1/\(P-1\)"):
        correlation_matrix(-0.34, 4)
    with pytest.raises(ValueError, match="<= c <= 1"):
        correlation_matrix(1.01, 4)


@pytest.mark.parametrize(("matrix", "message"), [
    (np.eye(3), "shape"), (2 * np.eye(4), "diagonal"), (np.eye(4) + np.eye(4, k=1), "symmetric"),
    (1.9 * np.eye(4) - 0.9, "eigenvalue"), (np.full((4, 4), np.nan), "finite"),
])
def test_matrices_that_are_no_correlation(matrix, message):
    with pytest.raises(ValueError, match=message):
        correlation_matrix(matrix, 4)


def test_decaying_correlations():
    assert chain_correlation(0.7, 4)[0] == pytest.approx([1, 0.7, 0.49, 0.343])
    assert ring_correlation(0.7, 6)[0] == pytest.approx([1, 0.7, 0.49, 0.343, 0.49, 0.7])
