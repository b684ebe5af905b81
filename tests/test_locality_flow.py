"""Solutions in time: one position in high precision, reference curves, orders of convergence, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from featurelearning.locality import (
    chain_correlation, committee_model, solve, solve_fixed_step, time_to_error,
)

DATA = Path(__file__).parent / "data"
ONE_POSITION = json.loads((DATA / "locality_one_position.json").read_text())["cases"]


@pytest.mark.parametrize("name", ONE_POSITION)
def test_one_position_follows_the_high_order_solution(name):
    case = ONE_POSITION[name]
    rows = case["rows"]
    path = solve("conv", [row["t"] for row in rows], P=1, C=0.0, filters=len(case["v"]),
                 teachers=len(case["T"]),
                 Q0=np.array(case["Q0"]), R0=np.array(case["R0"]),
                 **{key: case[key] for key in ("eta", "sigma", "T", "v", "v_star")})
    upper = np.triu_indices(len(case["v"]))
    for i, row in enumerate(rows):
        assert path.E[i] == pytest.approx(row["E"], abs=1e-8)
        assert path.Q[i][upper] == pytest.approx(row["Q"], abs=1e-8)
        assert path.R[i].ravel() == pytest.approx(row["R"], abs=1e-8)


# Values of an independent prototype, to the digits given.
CURVES = [
    ("conv", 1, 0.0, 0.0, [1, 5, 20], [0.152687, 0.0132349, 5.0901e-5]),
    ("conv", 4, 0.0, 0.2, [0, 1, 5, 20], [0.274840, 0.157828, 0.0178965, 0.00457379]),
    ("conv", 4, 0.4, 0.2, [0, 1, 5, 20], [0.594827, 0.258639, 0.0215872, 0.0127803]),
    ("lcn", 4, 0.4, 0.2, [0, 1, 5, 20], [0.467123, 0.334566, 0.110160, 0.0132281]),
]


@pytest.mark.parametrize(("student", "P", "c", "sigma", "t", "E"), CURVES)
@pytest.mark.parametrize("reduce", [True, False])
def test_reference_curves(student, P, c, sigma, t, E, reduce):
    path = solve(student, t, P=P, C=c, eta=1.0, sigma=sigma, reduce=reduce)
    assert path.E == pytest.approx(E, rel=1e-5)


def test_reduced_and_general_paths_are_the_same_trajectory():
    t = np.linspace(0, 30, 7)
    for student in ("conv", "lcn"):
        reduced, general = (solve(student, t, P=3, C=0.5, eta=0.8, sigma=0.3, reduce=choice)
                            for choice in (True, False))
        assert reduced.Q == pytest.approx(general.Q, abs=1e-7)
        assert reduced.R == pytest.approx(general.R, abs=1e-7)


def test_inner_positions_of_a_chain_learn_faster():
    path = solve("lcn", [20 / 3], P=4, C=chain_correlation(0.7, 4), eta=0.8, sigma=0.2)
    assert path.R[0, :, 0] == pytest.approx([0.6449, 0.7072, 0.7072, 0.6449], abs=1e-4)


def test_runge_kutta_is_of_fourth_order():
    model = committee_model("lcn", P=3, C=0.4, eta=1.0, sigma=0.2)
    start = 0.5 * np.eye(3), np.zeros((3, 1))
    exact = solve("lcn", [8.0], P=3, C=0.4, eta=1.0, sigma=0.2).E[0]
    errors = [abs(solve_fixed_step(model, 8.0 / n, n, *start).E[-1] - exact) for n in (8, 16)]
    assert 3.5 < np.log2(errors[0] / errors[1]) < 4.7


def test_speed_up_is_an_identity_of_the_discretised_equations():
    P, steps = 4, 100
    curves = [solve_fixed_step(committee_model(student, P=P, C=0.0, eta=1.0, sigma=0.2), 0.05 * speed, steps,
                               0.5 * np.eye(n), np.zeros((n, 1))).E
              for student, speed, n in (("conv", 1, 1), ("lcn", P, P))]
    assert curves[1] == pytest.approx(curves[0], rel=1e-12)


# Times of the locally connected network over those of the convolution, from an independent prototype.
RATIOS = {0.0: (4.000, 4.000, 4.000), 0.1: (3.588, 4.216, 4.239), 0.3: (2.771, 4.274, 5.010),
          0.6: (1.999, 3.757, 5.961), 0.9: (1.568, 3.117, 4.792)}


@pytest.mark.parametrize("c", RATIOS)
def test_ratios_of_learning_times(c):
    model = {"P": 4, "C": c, "eta": 0.3, "sigma": 0.0}
    initial = solve("conv", [0.0], **model).E[0]
    for level, expected in zip((0.5, 0.1, 0.01), RATIOS[c], strict=True):
        times = [time_to_error(student, level * initial, **model) for student in ("lcn", "conv")]
        assert times[0] / times[1] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(("c", "expected"), [(0.0, 262.9), (0.2, 247.9), (0.4, 218.3), (0.6, 173.2)])
def test_two_filters_leave_their_plateau(c, expected):
    model = {"P": 4, "C": c, "eta": 0.5, "sigma": 0.0, "filters": 2, "teachers": 2, "R0": 1e-3 * np.eye(2)}
    threshold = 0.01 * solve("conv", [0.0], **model).E[0]
    assert time_to_error("conv", threshold, **model) == pytest.approx(expected, rel=0.01)


def test_times_that_are_not_reached():
    model = {"P": 2, "C": 0.0, "eta": 1.0, "sigma": 0.5}
    assert np.isnan(time_to_error("conv", 1e-6, t_max=20.0, **model))
    assert time_to_error("conv", 1.0, **model) == 0.0
    with pytest.raises(ValueError, match="positive"):
        time_to_error("conv", 0.0, **model)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"eta": 0.0}, "eta"), ({"sigma": -1.0}, "sigma"), ({"activation": "relu"}, "erf or linear"),
    ({"t": [1.0, 0.5]}, "increasing"), ({"t": [-1.0]}, "starts at 0"), ({"C": -0.9}, "lower bound"),
    ({"Q0": np.eye(2)}, "shapes"), ({"R0": 0.9}, "semi-definite"), ({"teachers": 2, "T": [[1.0]]}, "shapes"),
])
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve(**{"student": "conv", "t": [1.0], "P": 3, "C": 0.1, "eta": 1.0, "sigma": 0.0, **arguments})


def test_divergence_is_reported():
    with pytest.raises(RuntimeError, match="could not be integrated"):
        solve("conv", [1e4], P=4, C=0.9, eta=3.0, sigma=0.0, activation="linear")
