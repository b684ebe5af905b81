"""Asymptotic errors: stationary points, linear response, their limits and their bounds."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.locality import (
    chain_correlation, correlation_matrix, leading_floor, linear_error, linear_floor, linear_response,
    noise_floor,
    ring_correlation, solve,
)
from featurelearning.locality import response

MODEL = {"P": 4, "eta": 0.5, "sigma": 0.05}
UNIT = 0.5 * 0.05**2 / 4

# Floors over eta sigma^2/4 at eta = 0.5, from an independent prototype.
FLOORS = {
    "conv": {0.0: 0.40821, 0.1: 0.53056, 0.2: 0.66246, 0.4: 0.96713, 0.6: 1.36011, 0.8: 1.92442},
    "lcn": {0.0: 0.40821, 0.1: 0.40830, 0.2: 0.40852, 0.4: 0.40943, 0.6: 0.41114, 0.8: 0.41405},
}
LEADING = {0.0: 0.36755, 0.1: 0.46317, 0.2: 0.55950, 0.4: 0.75740, 0.6: 0.96818, 0.8: 1.20108}


@pytest.mark.parametrize("c", LEADING)
@pytest.mark.parametrize("student", FLOORS)
def test_reference_floors(student, c):
    assert noise_floor(student, c=c, **MODEL) / UNIT == pytest.approx(FLOORS[student][c], abs=1.5e-5)
    expected = LEADING[c] if student == "conv" else LEADING[0.0]
    assert leading_floor(student, C=c, **MODEL) / UNIT == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("student", "c", "expected"), [
    ("conv", 0.0, 0.0045684), ("conv", 0.4, 0.0106414), ("conv", 0.8, 0.0208286),
    ("lcn", 0.0, 0.0045684), ("lcn", 0.4, 0.0046000), ("lcn", 0.8, 0.0046598),
])
def test_floors_at_strong_noise(student, c, expected):
    assert noise_floor(student, P=4, c=c, eta=0.5, sigma=0.3) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("student", ["conv", "lcn"])
def test_the_flow_ends_at_the_floor(student):
    model = {"P": 3, "eta": 0.5, "sigma": 0.3}
    for C in (0.4, chain_correlation(0.5, 3)):
        end = solve(student, [3000.0], C=C, **model).E[0]
        assert noise_floor(student, c=C, **model) == pytest.approx(end, rel=1e-6)


@pytest.mark.parametrize(("P", "C", "conv", "lcn"), [
    (5, chain_correlation(0.7, 5), 1.21072, 0.383476), (6, ring_correlation(0.7, 6), 1.49805, 0.383405),
])
def test_unequal_correlations(P, C, conv, lcn):
    for student, expected in (("conv", conv), ("lcn", lcn)):
        floor = noise_floor(student, P=P, c=C, eta=0.2, sigma=0.05)
        assert floor / (0.2 * 0.05**2 / 4) == pytest.approx(expected, rel=1e-5)
        assert floor == pytest.approx(linear_response(student, P=P, C=C, eta=0.2, sigma=0.05).E_inf, rel=1e-3)


@pytest.mark.parametrize(("P", "expected"), [(4, (5.01, 2.30, 1.33, 1.09)), (8, (5.22, 1.41, 0.70, 0.55))])
def test_limits_of_stability(P, expected):
    found = [linear_response("conv", P=P, C=c, eta=0.1, sigma=0.0).eta_max for c in (0.0, 0.4, 0.8, 0.95)]
    assert found == pytest.approx(expected, abs=0.006)
    assert linear_response("conv", P=1, C=0.0, eta=0.1, sigma=0.0).eta_max == pytest.approx(
        np.pi * np.sqrt(5 / 3), rel=1e-12)


@pytest.mark.parametrize("student", ["conv", "lcn"])
def test_starts_near_the_teacher_stay_below_the_limit_only(student):
    limit = linear_response(student, P=2, C=0.5, eta=0.1, sigma=0.0).eta_max
    near = {"Q0": np.full((1, 1), 1.0001) if student == "conv"
            else 0.9998 * np.ones((2, 2)) + 3e-4 * np.eye(2)}
    errors = [solve(student, [3000.0], P=2, C=0.5, eta=share * limit, sigma=0.0, R0=0.9999, **near).E[0]
              for share in (0.97, 1.03)]
    assert errors[0] < 1e-10 and errors[1] > 1e-4


@pytest.mark.parametrize("student", ["conv", "lcn"])
def test_unstable_rates_are_refused_by_name(student):
    limit = linear_response(student, P=4, C=0.8, eta=0.1, sigma=0.0).eta_max
    for function, name in ((linear_response, "C"), (noise_floor, "c")):
        with pytest.raises(ValueError, match=f"eta_max = {limit:.6g}"):
            function(student, P=4, eta=limit * 1.001, sigma=0.1, **{name: 0.8})
    with pytest.raises(ValueError, match="student"):
        linear_response("dense", P=4, C=0.8, eta=0.1, sigma=0.1)


@pytest.mark.parametrize("P", [1, 2, 3, 5])
@pytest.mark.parametrize("student", ["conv", "lcn"])
def test_two_unknowns_suffice_for_equal_correlations(P, student, monkeypatch):
    settings = [0.0, 0.3, 1.0, -0.2] if P > 1 else [0.0]
    short = [linear_response(student, P=P, C=c, eta=0.3, sigma=0.1) for c in settings]
    monkeypatch.setattr(response, "equal_correlation", lambda C, P: None)
    full = [linear_response(student, P=P, C=correlation_matrix(c, P), eta=0.3, sigma=0.1) for c in settings]
    for a, b in zip(short, full, strict=True):
        assert a.E_inf == pytest.approx(b.E_inf, rel=1e-9)
        assert a.eta_max == pytest.approx(b.eta_max, rel=1e-9)
        assert a.q == pytest.approx(b.q, abs=1e-12)


@pytest.mark.parametrize(("c", "conv"), [(0.0, 0.00794118), (0.4, 0.0221642), (0.8, 0.0468367)])
def test_linear_floors_in_closed_form(c, conv):
    model = {"P": 4, "eta": 0.3, "sigma": 0.3}
    for student, expected in (("conv", conv), ("lcn", 0.00794118)):
        closed = linear_floor(student, c=c, **model)
        assert closed == pytest.approx(expected, rel=1e-5)
        assert noise_floor(student, c=c, activation="linear", **model) == pytest.approx(closed, rel=1e-9)
        assert linear_response(student, C=c, activation="linear",
                               **model).E_inf == pytest.approx(closed, rel=1e-9)
        assert linear_error(student, 1e4, c=c, **model) == pytest.approx(closed, rel=1e-9)


def test_linear_limit_of_stability():
    with pytest.raises(ValueError, match=r"eta_max = 0\.588235"):
        linear_floor("conv", P=4, c=0.8, eta=0.6, sigma=0.1)


def test_leading_floor_at_small_rate_knows_no_correlation_of_free_weights():
    C = chain_correlation(0.7, 5)
    model = {"P": 5, "sigma": 0.05}
    assert leading_floor("lcn", C=C, eta=0.2, **model) / (0.2 * 0.05**2 / 4) == pytest.approx(0.367553,
                                                                                              rel=1e-5)
    for eta in (0.02, 0.01):
        ratio = linear_response("lcn", C=C, eta=eta, **model).E_inf / leading_floor("lcn", C=C, eta=eta,
                                                                                    **model)
        assert 0 < ratio - 1 < 0.25 * eta


def test_negative_correlation_puts_the_convolution_below():
    model = {"P": 4, "eta": 0.01, "sigma": 0.05}
    assert leading_floor("conv", C=-0.2, **model) * 4 / (0.01 * 0.05**2) == pytest.approx(0.1756, abs=1e-4)
    assert noise_floor("conv", c=-0.2, **model) < noise_floor("lcn", c=-0.2, **model)


def test_no_noise_no_floor_and_many_positions():
    assert noise_floor("lcn", P=4, c=0.5, eta=0.5, sigma=0.0) == 0.0
    assert noise_floor("lcn", P=200, c=0.3, eta=0.1, sigma=0.1) > 0
