"""Averages of erf, linear and ReLU units against quadrature in high precision, and at their edges."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from featurelearning.gaussian import (
    erf_H, erf_I2, erf_I4, erf_J, erf_J4, linear_H, linear_I2, linear_I4, linear_J, linear_J4, relu_I2,
    relu_J,
)

UPPER = np.triu_indices(4)


def covariances(count: int, condition: float | None = None) -> list[np.ndarray]:
    """Random 4x4 covariances; with `condition`, of that condition number."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(count):
        root = rng.normal(size=(4, 5))
        S = root @ root.T / 5
        if condition is not None:
            basis = np.linalg.qr(root[:, :4])[0]
            S = (basis * np.geomspace(1.0, 1.0 / condition, 4)) @ basis.T
            S = (S + S.T) / 2
        found.append(S)
    return found


def expectation(function, variance):
    """Average of `function` over a centred Gaussian, by quadrature."""
    scale = mp.sqrt(variance)

    def integrand(x):
        return function(scale * x) * mp.exp(-x * x / 2)

    with mp.workdps(20):
        return mp.quad(integrand, [-10, -3, 3, 10], method="gauss-legendre") / mp.sqrt(2 * mp.pi)


def pair(aa, ab, bb, first):
    """Average ``<first(a) g(b)>``: b is integrated out given a, ``E[erf(b / sqrt 2) | a]`` being an erf."""
    slope, rest = ab / aa, bb - ab * ab / aa
    return expectation(lambda x: first(x) * mp.erf(slope * x / mp.sqrt(2 * (1 + rest))), aa)


def g(x):
    return mp.erf(x / mp.sqrt(2))


def g1(x):
    return mp.sqrt(2 / mp.pi) * mp.exp(-x * x / 2)


def g2(x):
    return -x * g1(x)


def quadrature_I4(S):
    """I4: the factors g'(a) g'(b) change the covariance, by matrix inversion; then a pair average."""
    S = mp.matrix(S.tolist())
    projector = mp.diag([1, 1, 0, 0])
    tilted = mp.inverse(mp.inverse(S) + projector)
    weight = 2 / mp.pi / mp.sqrt(mp.det(mp.eye(4) + S * projector))
    return weight * pair(tilted[2, 2], tilted[2, 3], tilted[3, 3], g)


@pytest.mark.parametrize(("condition", "relative"), [(None, 1e-12), (1e8, 1e-9)])
def test_closed_forms_are_the_integrals(condition, relative):
    # 40 digits leave more than 20 after the inversion of the worst covariance; the integrals need 20
    with mp.workdps(40):
        for S in covariances(30, condition):
            aa, ab, bb = (mp.mpf(S[i]) for i in ((0, 0), (0, 1), (1, 1)))
            J = expectation(lambda x: g1(x) * mp.sqrt(2 / mp.pi / (1 + bb - ab**2 / aa))
                            * mp.exp(-(ab / aa * x) ** 2 / (2 * (1 + bb - ab**2 / aa))), aa)
            J4 = (2 / mp.pi) ** 2 / mp.sqrt(mp.det(mp.eye(4) + mp.matrix(S.tolist())))
            numbers = {
                erf_I2(S[0, 0], S[0, 1], S[1, 1]): pair(aa, ab, bb, g),
                erf_H(S[0, 0], S[0, 1], S[1, 1]): pair(aa, ab, bb, g2),
                erf_J(S[0, 0], S[0, 1], S[1, 1]): J,
                erf_I4(*S[UPPER]): quadrature_I4(S),
                erf_J4(*S[UPPER]): J4,
            }
            for closed, integral in numbers.items():
                assert closed == pytest.approx(float(integral), rel=relative, abs=0)


def test_four_derivatives_with_repeated_fields_is_the_average_of_powers():
    S = covariances(1)[0]
    repeated = S[np.ix_([0, 0, 0, 0], [0, 0, 0, 0])]
    assert erf_J4(*repeated[UPPER]) == pytest.approx(float(expectation(lambda x: g1(x) ** 4, S[0, 0])),
                                                     rel=1e-12)


@given(st.floats(0, 1e8), st.floats(0, 1e8), st.floats(-1, 1))
def test_finite_and_bounded_for_every_covariance(aa, bb, rho):
    ab = rho * np.sqrt(aa) * np.sqrt(bb)
    assert abs(erf_I2(aa, ab, bb)) <= 1
    assert 0 < erf_J(aa, ab, bb) <= 2 / np.pi
    assert np.isfinite(erf_H(aa, ab, bb))
    assert abs(erf_I4(aa, ab, aa, ab, bb, ab, bb, aa, ab, bb)) <= 2 / np.pi
    assert 0 < erf_J4(aa, ab, aa, ab, bb, ab, bb, aa, ab, bb) <= (2 / np.pi) ** 2
    assert relu_I2(aa, ab, bb) >= 0
    assert 0 <= relu_J(aa, ab, bb) <= 0.5


@pytest.mark.parametrize("T", [1e-12, 0.3, 1.0, 1e6])
def test_perfect_recovery_has_no_error(T):
    """Q = R = T makes every covariance singular; rounding must not make a root negative."""
    assert erf_I2(T, T, T) - 2 * erf_I2(T, T, T) + erf_I2(T, T, T) == 0
    fields = (T,) * 10
    assert np.isfinite(erf_I4(*fields)) and np.isfinite(erf_J4(*fields))
    assert erf_I4(*fields) == pytest.approx(
        erf_J(T, T, T) * erf_I2(T / (1 + 2 * T), T / (1 + 2 * T), T / (1 + 2 * T)), rel=1e-12)


def test_numbers_arrays_and_compiled_callers_agree():
    S = covariances(1)[0]
    columns = [np.full((2, 3), S[i]) for i in ((0, 0), (0, 1), (1, 1))]

    @njit
    def compiled(aa, ab, bb):
        return erf_I2(aa, ab, bb)

    assert erf_J(*columns) == pytest.approx(np.full((2, 3), erf_J(S[0, 0], S[0, 1], S[1, 1])), rel=1e-14)
    assert compiled(1.0, 0.5, 2.0) == erf_I2(1.0, 0.5, 2.0)
    assert erf_I2(np.ones(2), np.array([0.5, 1.0]), 1.0).shape == (2,)


def test_known_values():
    assert erf_I2(1.0, 1.0, 1.0) == pytest.approx(1 / 3, rel=1e-15)
    assert erf_J(1.0, 1.0, 1.0) == pytest.approx(2 / (np.pi * np.sqrt(3)), rel=1e-15)
    assert relu_I2(1.0, 1.0, 1.0) == pytest.approx(0.5, rel=1e-15)
    assert relu_I2(1.0, 0.0, 4.0) == pytest.approx(1 / np.pi, rel=1e-15)
    assert relu_I2(0.0, 0.0, 1.0) == 0
    assert relu_J(1.0, 0.5, 1.0) == pytest.approx(1 / 4 + 1 / 12, rel=1e-15)


def test_linear_units_read_the_covariance():
    S = covariances(1)[0]
    assert linear_I2(1.0, 0.3, 2.0) == 0.3
    assert linear_J(1.0, 0.3, 2.0) == 1 and linear_H(1.0, 0.3, 2.0) == 0
    assert linear_I4(*S[UPPER]) == S[2, 3] and linear_J4(*S[UPPER]) == 1
