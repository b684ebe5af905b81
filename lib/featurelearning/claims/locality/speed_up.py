"""How much faster shared weights learn: exactly P-fold without correlation, and what correlation changes."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most
from featurelearning.claims.locality.parameters import ETA, P, SIGMA
from featurelearning.claims.locality.stability import require_increasing, require_stable
from featurelearning.locality import committee_model, solve, solve_fixed_step, time_to_error

__all__ = ["CLAIMS", "a4", "a5"]

ETA_SLOW = Parameter("eta_slow", full=0.3, low=0.0, high=1.0, closed="right",
                     why="stable at every correlation",
                     meaning="the learning rate of the comparison at positive correlation")
C_SPEED = Parameter("c_values", full=(0.0, 0.1, 0.3, 0.6, 0.9), low=0.0, high=0.95, at_least=2,
                    meaning="the correlations of two input positions, increasing from 0",
                    why="the first must be 0, where the speed-up is exact")
LEVELS = Parameter("levels", full=(0.5, 0.1, 0.01), low=0.0, high=1.0, closed="neither", at_least=2,
                   meaning="the errors to reach, as shares of the convolution's initial error, decreasing")


def a4(*, P, eta, sigma) -> Evidence:
    """Check ``E_conv(t) = E_lcn(P t)`` at c = 0 for several rates, noises, activations and filter numbers.

    Data
    ----
    cases : descriptions (4,); t : times of the convolution (4, n); E_conv : (4, n) at t; E_lcn : (4, n) at P
    t.
    """
    cases = {
        f"erf, P = {P}": {"P": P, "eta": eta, "sigma": sigma},
        f"erf, P = {2 * P}, no noise": {"P": 2 * P, "eta": eta / 2, "sigma": 0.0},
        f"linear, P = {P}": {"P": P, "eta": 0.8 * min(eta, 2.0), "sigma": sigma, "activation": "linear"},
        f"erf, P = {P}, two filters": {"P": P, "eta": eta / 2, "sigma": sigma, "filters": 2, "teachers": 2},
    }
    same_step, adaptive, t, conv, lcn = [], [], [], [], []
    for case in cases.values():
        positions, filters = case["P"], case.get("filters", 1)
        start = _start(filters)
        fixed = {}
        for student, speed in (("conv", 1), ("lcn", positions)):
            repeat = 1 if student == "conv" else positions
            Q0, R0 = np.kron(start[0], np.eye(repeat)), np.repeat(start[1], repeat, axis=0)
            fixed[student] = solve_fixed_step(committee_model(student, C=0.0, **case),
                                              0.02 / case["eta"] * speed, 400,
                                              Q0, R0).E
        same_step.append(np.max(np.abs(fixed["lcn"] / fixed["conv"] - 1)))
        times = np.linspace(0, 20 / case["eta"], 81)
        paths = [solve(student, times * speed, C=0.0, Q0=np.kron(start[0], np.eye(repeat)),
                       R0=np.repeat(start[1], repeat, axis=0), **case).E
                 for student, speed, repeat in (("conv", 1, 1), ("lcn", positions, positions))]
        adaptive.append(np.max(np.abs(paths[1] / paths[0] - 1)))
        t, conv, lcn = [*t, times], [*conv, paths[0]], [*lcn, paths[1]]
    return Evidence(
        checks=(
            at_most("identity", "largest relative difference with the step scaled by P", max(same_step), 1e-9,
                    reason="term by term the same equations: rounding only"),
            at_most("adaptive", "largest relative difference of two adaptive integrations", max(adaptive),
                    1e-5,
                    reason="both integrations are accurate to 1e-9 of the initial error, which has fallen by "
                           "up to 1e4"),
        ),
        data={"cases": tuple(cases), "t": np.array(t), "E_conv": np.array(conv), "E_lcn": np.array(lcn)},
    )


def a5(*, P, eta_slow, c_values, levels) -> Evidence:
    """Check that the ratio of learning times leaves P as soon as positions are correlated.

    Data
    ----
    c_values : (n,); levels : (k,); ratio : (n, k), time of the LCN over that of the convolution;
    t_conv, t_lcn : (n, k).
    """
    times = np.empty((2, len(c_values), len(levels)))
    for i, c in enumerate(c_values):
        model = {"P": P, "C": c, "eta": eta_slow, "sigma": 0.0}
        initial = solve("conv", [0.0], **model).E[0]
        for j, level in enumerate(levels):
            times[:, i, j] = [time_to_error(student, level * initial, **model) for student in ("conv", "lcn")]
    ratio = times[1] / times[0]
    correlated = np.array(c_values) > 0
    return Evidence(
        checks=(
            at_least("spoiled", "smallest over c > 0 of the largest deviation of the ratio from P, relative "
                                "to P",
                     np.min(np.max(np.abs(ratio[correlated] / P - 1), axis=1)), 0.03,
                     reason="some level is reached at another ratio, by far more than the 1e-9 of the times"),
            at_most("uncorrelated", "largest relative deviation of the ratio from P at c = 0",
                    np.max(np.abs(ratio[~correlated] / P - 1), initial=0.0), 1e-6,
                    reason="an identity; the times are found to 1e-9"),
            at_most("early", "largest increase of the first level's ratio from one correlation to the next",
                    np.max(np.diff(ratio[:, 0])), 0.0,
                    reason="early on, correlated positions tell shared weights the same thing P times"),
            at_least("late", "largest ratio at the last level, over P", np.max(ratio[:, -1]) / P, 1.0,
                     reason="late, the free weights' slow modes of rate 1 - c dominate: the ratio is not "
                            "monotone"),
        ),
        data={"c_values": np.array(c_values), "levels": np.array(levels), "ratio": ratio, "t_conv": times[0],
              "t_lcn": times[1]},
    )


def _start(filters: int) -> tuple[np.ndarray, np.ndarray]:
    """Initial overlaps of the filters at one position, slightly specialised if there are several."""
    return 0.5 * np.eye(filters), 1e-2 * np.eye(filters) if filters > 1 else np.zeros((1, 1))


def _identity_validate(*, P, eta, sigma) -> None:
    require_stable("eta", eta, P=P, correlations=(0.0,))


def _ratio_validate(*, P, eta_slow, c_values, levels) -> None:
    require_stable("eta_slow", eta_slow, P=P, correlations=c_values)
    require_increasing("c_values", c_values, first=0.0)
    require_increasing("levels, reversed,", levels[::-1])


CLAIMS = (
    Claim(
        id="A4", paper="locality", kind="theorem", notebook="locality/speed-up", measure=a4,
        statement="With uncorrelated positions a convolution follows the very error curve of a locally "
                  "connected network, exactly P times faster.",
        source="finding (a) of the summary: same trajectory, P times faster; the model is our reconstruction",
        parameters=(P, ETA, SIGMA), validate=_identity_validate,
    ),
    Claim(
        id="A5", paper="locality", kind="figure", notebook="locality/speed-up", measure=a5,
        statement="Correlated positions spoil the P-fold speed-up: shared weights gain less early on and "
                  "more late.",
        source="follows finding (a) of the summary to c > 0; our reconstruction",
        parameters=(P, ETA_SLOW, C_SPEED, LEVELS), validate=_ratio_validate,
    ),
)
