"""Rates S and A, and the map between a unit's weights and its coefficient and imbalance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featurelearning.gauge import coefficient_rate, direction_rate, layer_norms
from featurelearning.gauge.rates import (
    fast_coefficient_rate, fast_redundant_direction_rate, fast_selected_direction_rate,
)

COEFFICIENT = st.one_of(st.floats(1e-8, 10), st.floats(-10, -1e-8))
IMBALANCE = st.floats(-1e4, 1e4)


@given(COEFFICIENT, IMBALANCE)
def test_rates_are_those_of_the_weights(q, delta):
    a, r = layer_norms(q, delta)
    assert a * r == pytest.approx(q, rel=1e-14)
    assert a**2 - r**2 == pytest.approx(delta, rel=1e-12, abs=1e-12 * abs(q))
    assert coefficient_rate(q, delta) == pytest.approx(a**2 + r**2, rel=1e-14)
    assert direction_rate(q, delta) == pytest.approx(a / r, rel=1e-13)


@given(COEFFICIENT, IMBALANCE)
def test_the_sign_of_the_gauge_shows_in_the_direction_only(q, delta):
    assert coefficient_rate(q, -delta) == coefficient_rate(q, delta)
    assert direction_rate(q, delta) * direction_rate(q, -delta) == pytest.approx(1, rel=1e-12)


def test_ratio_solved_by_hand():
    # ((4 + sqrt(17))/1)^2 at q = 1/2, D = 4.
    ratio = direction_rate(0.5, 4) / direction_rate(0.5, -4)
    assert ratio == pytest.approx((4 + np.sqrt(17)) ** 2, rel=1e-14)
    assert ratio == pytest.approx(65.98485, abs=5e-6)


def test_negative_imbalance_is_regular_at_zero():
    assert direction_rate(0.0, -8) == 0
    assert direction_rate(1e-30, -8) == pytest.approx(1e-30 / 8, rel=1e-15)
    assert direction_rate(-0.5, -8) == -direction_rate(0.5, -8)


def test_fast_rates_and_their_limit():
    q = np.array([0.01, 0.3, 1.2])
    for D in (0.5, 32.0, 1e6):
        assert fast_coefficient_rate(q, D) == pytest.approx(coefficient_rate(q, D) / D, rel=1e-14)
        assert fast_selected_direction_rate(q, D) == pytest.approx(direction_rate(q, D) / D, rel=1e-14)
        assert fast_redundant_direction_rate(q, D) == pytest.approx(D * direction_rate(q, -D), rel=1e-14)
    assert np.all(fast_coefficient_rate(q, np.inf) == 1)
    assert fast_selected_direction_rate(q, np.inf) == pytest.approx(1 / q, rel=1e-15)
    assert fast_redundant_direction_rate(q, np.inf) == pytest.approx(q, rel=1e-15)


@pytest.mark.parametrize("call", [
    lambda: direction_rate(0.0, 1.0), lambda: direction_rate(0.0, 0.0), lambda: coefficient_rate(np.nan, 1),
    lambda: layer_norms(0.0, 3.0), lambda: layer_norms(1.0, np.inf),
])
def test_bad_input(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
