"""The reduced flow of duplicates: equations, limits, loss, dissipation, and agreement with all m units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featurelearning.gauge import (
    direction_rate, dissipation, dissipation_rates, duplicates, duplicates_loss, duplicates_rhs,
    duplicates_start, selection_error, units_flow,
)
from featurelearning.gaussian import relu_kernel, relu_kernel_slope

PHI = np.pi / 3
ANGLE = st.floats(0.1, 3.0)


def plain_rhs(q, theta, P, chi, *, m, D):
    """The four equations as they stand in the text, without care for cancellation."""
    M, p = m - 1, P / (m - 1)
    S, S_p = np.sqrt(D**2 + 4 * q**2), np.sqrt(D**2 + 4 * p**2)
    K, slope = relu_kernel, relu_kernel_slope
    return np.array([
        S / D * (K(theta) - q / 2 - P * K(chi - theta)),
        (D + S) / (2 * q) / D * (slope(theta) + P * slope(chi - theta)),
        M * S_p / D * (K(chi) - P / 2 - q * K(chi - theta)),
        2 * p / (S_p + D) / D * (slope(chi) - q * slope(chi - theta)),
    ])


@given(st.floats(0.05, 1.5), st.floats(-1, 1), st.floats(0, 1.5), ANGLE, st.integers(2, 40),
       st.floats(0.3, 300))
def test_rhs_is_the_four_equations(q, theta, P, chi, m, D):
    scaled = duplicates_rhs(np.array([q, theta, P, 0.0]), m=m, phi=chi, D=D) * np.array([1, 1, 1, D**-2])
    assert scaled == pytest.approx(plain_rhs(q, theta, P, chi, m=m, D=D), rel=1e-10, abs=1e-14)


@given(st.floats(0, 2), st.floats(-3, 3), st.floats(0, 2), ANGLE)
def test_loss_equals_the_plain_formula(q, theta, P, chi):
    K = relu_kernel
    plain = (0.5 + q**2 / 2 + P**2 / 2 + 2 * q * P * K(chi - theta) - 2 * q * K(theta) - 2 * P * K(chi)) / 2
    loss = duplicates_loss(q, theta, P, chi)
    assert loss == pytest.approx(plain, abs=2e-15)
    assert loss >= -1e-15


def test_loss_does_not_cancel_near_the_teacher():
    # L = H/2 in the small coefficient error alone: (q - 1)^2/4.
    assert duplicates_loss(1 + 1e-10, 0.0, 0.0, PHI) == pytest.approx(0.25e-20, rel=1e-6)


@given(st.floats(0.1, 1.5), st.floats(-1, 1), st.floats(0.01, 1.5), ANGLE, st.integers(2, 40))
def test_limit_is_a_gradient_flow_with_m_in_the_metric_only(q, theta, P, phi, m):
    velocity = duplicates_rhs(np.array([q, theta, P, 0.0]), m=m, phi=phi, D=np.inf)
    h = 1e-5
    gradient = np.array([
        (duplicates_loss(q + h, theta, P, phi) - duplicates_loss(q - h, theta, P, phi)) / (2 * h),
        (duplicates_loss(q, theta + h, P, phi) - duplicates_loss(q, theta - h, P, phi)) / (2 * h),
        (duplicates_loss(q, theta, P + h, phi) - duplicates_loss(q, theta, P - h, phi)) / (2 * h),
    ])
    assert velocity[:3] == pytest.approx(-gradient * np.array([1, q**-2, m - 1]), abs=1e-7 * m / q**2)


@settings(max_examples=15, deadline=None)
@given(ANGLE, st.integers(2, 12), st.floats(0.5, 100), st.floats(0.2, 2))
def test_loss_never_rises(phi, m, D, kappa):
    run = duplicates(np.linspace(0, 8, 30), m=m, phi=phi, D=D, kappa=kappa)
    assert np.all(np.diff(run.loss) <= 1e-14)
    assert np.all(run.q > 0)


@pytest.mark.parametrize(("m", "D"), [(2, 4.0), (5, 32.0), (8, 256.0)])
def test_all_m_units_follow_the_reduced_flow(m, D):
    tau = np.array([0.5, 2.0, 6.0, 15.0])
    reduced = duplicates(tau, m=m, phi=PHI, D=D)
    first = np.arange(m) == 0
    q, theta = units_flow(tau / D, q=np.full(m, 1 / m), theta=np.full(m, PHI), delta=np.where(first, D, -D))
    assert q[:, 0] == pytest.approx(reduced.q, abs=1e-10)
    assert theta[:, 0] == pytest.approx(reduced.theta, abs=1e-10)
    assert q[:, 1:].sum(axis=1) == pytest.approx(reduced.P, abs=1e-10)
    assert theta[:, 1] == pytest.approx(reduced.chi, abs=1e-10)


def test_redundant_units_are_one_unit_of_their_total():
    m, D, tau = 6, 8.0, np.array([1.0, 5.0, 10.0])
    reduced = duplicates(tau, m=m, phi=PHI, D=D)
    q, theta = units_flow(tau / D, q=[1 / m, (m - 1) / m], theta=[PHI, PHI], delta=[D, -(m - 1) * D])
    assert q == pytest.approx(np.stack([reduced.q, reduced.P], axis=-1), abs=1e-10)
    assert theta == pytest.approx(np.stack([reduced.theta, reduced.chi], axis=-1), abs=1e-10)


def test_times_do_not_depend_on_the_grid():
    # Every time is a step end: asking for more times on the way must not move the answer.
    coarse = duplicates([20.0], m=32, phi=PHI, D=4.0)
    fine = duplicates(np.linspace(0, 20, 157), m=32, phi=PHI, D=4.0)
    for name in ("q", "theta", "P", "chi"):
        assert getattr(fine, name)[-1] == pytest.approx(getattr(coarse, name)[0], abs=1e-11)


def test_a_batch_is_its_members():
    m, D = np.array([2, 8])[:, None], np.array([4.0, np.inf])
    batch = duplicates([3.0, 9.0], m=m, phi=PHI, D=D)
    assert batch.q.shape == (2, 2, 2)
    for i in range(2):
        for j in range(2):
            single = duplicates([3.0, 9.0], m=int(m[i, 0]), phi=PHI, D=D[j])
            assert batch.q[:, i, j] == pytest.approx(single.q, abs=1e-11)
            assert batch.scaled_turn[:, i, j] == pytest.approx(single.scaled_turn, abs=1e-10)


def test_reference_values():
    run = duplicates([0.0, 40.0], m=4, phi=PHI, D=32.0)
    assert run.loss[0] == pytest.approx(0.1955011, abs=1e-7)
    assert run.q[-1] == pytest.approx(0.997329, abs=1e-6)
    assert run.P[-1] / 3 == pytest.approx(0.001117, abs=1e-6)
    # The trap of an event on the angle: it has crossed zero long before the coefficient has grown.
    early = duplicates(np.linspace(0.5, 3, 26), m=4, phi=PHI, D=32.0)
    crossing = np.argmax(early.theta < 0)
    assert 0.9 < early.tau[crossing] < 1.2 and early.q[crossing] < 0.35
    assert early.theta.min() == pytest.approx(-0.21, abs=0.01)


def test_dissipation_reference():
    parts = {m: dissipation([60.0], m=m, phi=PHI, D=32.0) for m in (2, 4, 8)}
    four = parts[4]
    assert four.selected_coefficient[0] == pytest.approx(0.078486, abs=1e-6)
    assert four.selected_direction[0] == pytest.approx(0.081727, abs=1e-6)
    assert four.redundant_coefficient[0] == pytest.approx(0.035279, abs=1e-6)
    assert four.redundant_direction[0] == pytest.approx(9.8e-6, abs=5e-8)
    shares = [parts[m].direction_share[0] for m in (2, 4, 8)]
    assert shares == pytest.approx([0.67196, 0.41809, 0.24152], abs=1e-5)
    for m, part in parts.items():
        start = duplicates_loss(*duplicates_start(m=m, phi=PHI)[:3], PHI)
        assert part.total[0] + part.loss[0] == pytest.approx(start, abs=1e-12)


def test_dissipation_rates_are_those_of_the_units():
    # a^2 |h|^2 from A and q: an independent route to the selected direction's part, in original time.
    m, D = 4, 8.0
    q, theta, P = 0.4, 0.3, 0.5
    h = relu_kernel_slope(theta) + P * relu_kernel_slope(PHI - theta)
    rates = dissipation_rates(np.array([q, theta, P, 0.0]), m=m, phi=PHI, D=D)
    assert rates[1] == pytest.approx(q * direction_rate(q, D) * h**2 / D, rel=1e-12)


def test_selection_error_is_a_distance():
    q, theta = np.array([0.3, 1.2]), np.array([0.4, -2.0])
    vectors = np.stack([q * np.cos(theta) - 1, q * np.sin(theta)])
    assert selection_error(q, theta) == pytest.approx(np.linalg.norm(vectors, axis=0), rel=1e-14)


@pytest.mark.parametrize("change", [
    {"m": 1}, {"m": 2.5}, {"phi": 0.0}, {"phi": np.pi}, {"D": 0.0}, {"D": -1.0}, {"D": np.nan},
    {"kappa": 0.0},
    {"tau": [2.0, 1.0]}, {"tau": [-1.0]},
])
def test_bad_input(change):
    case = {"tau": [1.0], "m": 4, "phi": PHI, "D": 32.0} | change
    with pytest.raises(ValueError, match="allowed"):
        duplicates(case.pop("tau"), **case)
