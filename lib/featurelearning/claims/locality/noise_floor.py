"""Asymptotic errors at a fixed learning rate against the correlation of the positions."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most, close
from featurelearning.claims.locality.parameters import C_FEW, C_VALUES, P, SEED, SIGMA_LABEL
from featurelearning.claims.locality.stability import require_increasing, require_stable
from featurelearning.locality import (
    leading_floor, linear_error, linear_floor, linear_response, noise_floor, simulate_chain, solve,
)

__all__ = ["CLAIMS", "a10", "a11"]

ETA_VALUES = Parameter("eta_values", full=(0.05, 0.5, 1.0), low=0.0, high=1.0, closed="right", at_least=1,
                       why="locally connected floors grow by some percent with the correlation, more above 1",
                       meaning="the learning rates, increasing")
SIGMA_SMALL = Parameter("sigma_small", full=0.05, low=0.0, high=0.1, closed="right",
                        why="linear response holds",
                        meaning="the standard deviation of the label noise for the theory curves")
ETA_DOTS = Parameter("eta_dots", full=0.5, low=0.05, high=0.6, why="stable at every correlation used",
                     meaning="the learning rate of the simulated points")
D_DOTS = Parameter("D_dots", full=300, quick=100, low=50, high=3000,
                   meaning="the patch dimension of the simulated points",
                   why="the finite-size error is of order 1/D")
RUNS = Parameter("runs", full=32, quick=4, low=2, high=64,
                 meaning="the number of simulated runs for each point")
ETA_LOW = Parameter("eta_low", full=0.3, low=0.0, high=0.5, closed="right",
                    why="stable at every correlation used",
                    meaning="the learning rate of the linear students")
STUDENTS = ("conv", "lcn")


def a10(*, P, c_values, eta_values, sigma_small, c_few, eta_dots, sigma, D_dots, runs, seed) -> Evidence:
    """Check the floors of both students, by stationary point, linear response and simulation.

    The simulated points average the finite-D Markov chain of the order parameters over seven relaxation
    times of the slowest mode. It starts from the overlaps that the equations end with.

    Data
    ----
    c_values : (n,); eta_values : (k,); floor_conv, floor_lcn, response_conv, response_lcn : (k, n), over
    eta sigma^2/4 (NaN beyond the limit of stability); leading_conv, leading_lcn : small-rate limit (n,), in
    the same unit; eta_max_conv, eta_max_lcn : (n,); c_few, dots_conv, dots_lcn, error_conv, error_lcn,
    theory_conv, theory_lcn : simulated errors, their standard errors and the stationary points (m,),
    absolute.
    """
    shape = (2, len(eta_values), len(c_values))
    floor, response = np.full(shape, np.nan), np.full(shape, np.nan)
    eta_max, leading = np.empty((2, len(c_values))), np.empty((2, len(c_values)))
    for (s, student), (j, c) in ((a, b) for a in enumerate(STUDENTS) for b in enumerate(c_values)):
        eta_max[s, j] = linear_response(student, P=P, C=c, eta=1e-3, sigma=0.0).eta_max
        leading[s, j] = leading_floor(student, P=P, C=c, eta=1.0, sigma=1.0) * 4
        for i, eta in enumerate(eta_values):
            if eta < eta_max[s, j]:
                unit = eta * sigma_small**2 / 4
                floor[s, i, j] = noise_floor(student, P=P, c=c, eta=eta, sigma=sigma_small) / unit
                response[s, i, j] = linear_response(student, P=P, C=c, eta=eta,
                                                    sigma=sigma_small).E_inf / unit
    rng = np.random.default_rng(seed)
    theory, dots, error = np.empty((3, 2, len(c_few)))
    for (s, student), (j, c) in ((a, b) for a in enumerate(STUDENTS) for b in enumerate(c_few)):
        model = {"P": P, "C": c, "eta": eta_dots, "sigma": sigma}
        theory[s, j] = noise_floor(student, P=P, c=c, eta=eta_dots, sigma=sigma)
        relaxation = _relaxation_time(student, P, c, eta_dots)
        settled = solve(student, [50 * relaxation], Q0=np.eye(1) if student == "conv" else np.ones((P, P)),
                        R0=1.0, **model)
        t = np.linspace(1.0, 8.0, 30) * relaxation
        means = simulate_chain(student, t, D=D_dots, rng=rng, runs=runs, Q0=settled.Q[-1], R0=settled.R[-1],
                               **model).E.mean(axis=1)
        dots[s, j], error[s, j] = means.mean(), means.std(ddof=1) / np.sqrt(runs)
    deviation = np.abs(dots / theory - 1)
    allowed = 2 / D_dots + 4 * error / theory
    gentle = np.array(eta_values)[:, None] <= eta_max[:, None, :] / 3
    uncorrelated = np.array(c_values) == 0
    last = np.nanargmax(np.where(np.isnan(floor[0]), -np.inf, floor[0]).max(axis=0))
    vanishing = [noise_floor("conv", P=P, c=c_values[last], eta=eta, sigma=sigma)
                 for eta in (eta_dots / 20, eta_dots / 2)]
    return Evidence(
        checks=(
            at_least("rising", "smallest ratio of the convolution's floor to that at the correlation before",
                     np.nanmin(floor[0, :, 1:] / floor[0, :, :-1]), 1.0 + 1e-9, part="convolution",
                     reason="tied weights add up the noise of correlated positions: strictly increasing"),
            at_most("lower", "largest ratio of the locally connected floor to the convolution's",
                    np.nanmax(floor[1] / floor[0]), 1.0 + 1e-6, part="locally connected",
                    reason="equal without correlation, lower with it; the root-finder's accuracy"),
            at_most("uncorrelated", "largest relative difference of the two floors at c = 0",
                    np.nanmax(np.abs(floor[1] / floor[0] - 1)[:, uncorrelated], initial=0.0), 1e-6,
                    part="locally connected",
                    reason="an identity of the equations; the root-finder's accuracy"),
            at_most("flat", "largest relative spread of the locally connected floor over correlations",
                    np.nanmax(np.nanmax(floor[1], axis=1) / np.nanmin(floor[1], axis=1) - 1), 0.05,
                    part="locally connected",
                    reason="independent of the correlation at first order in the rate; a drift of second "
                           "order remains"),
            at_most("response", "largest relative difference of stationary point and linear response, rates "
                                "up to a third of $\\eta_{max}$",
                    np.nanmax(np.where(gentle, np.abs(floor / response - 1), 0.0)),
                    0.002 * (sigma_small / 0.05) ** 2, reason="second order in the noise, $O(\\sigma^2)$"),
            at_most("simulated", "largest deviation of a simulated floor, over its allowance",
                    np.max(deviation / allowed), 1.0,
                    reason="finite size 2/D plus four standard errors (chance of a false alarm 4e-4)"),
            at_least("control", "deviation of the simulated LCN from the convolution's theory, at the "
                                "largest correlation, over the allowance",
                     abs(dots[1, -1] / theory[0, -1] - 1) / allowed[1, -1], 1.0,
                     reason="the comparison must be able to tell the two floors apart"),
            at_least("bias", "the convolution's floor at a tenth of the rate over that at the rate, at the "
                             "correlation where it is largest", vanishing[0] / vanishing[1], 0.5,
                     about="mechanism",
                     reason="a bias of weight sharing would not depend on the learning rate; noise gives "
                            "about 0.1"),
        ),
        data={"c_values": np.array(c_values), "eta_values": np.array(eta_values), "floor_conv": floor[0],
              "floor_lcn": floor[1], "response_conv": response[0], "response_lcn": response[1],
              "leading_conv": leading[0],
              "leading_lcn": leading[1], "eta_max_conv": eta_max[0], "eta_max_lcn": eta_max[1],
              "c_few": np.array(c_few),
              "dots_conv": dots[0], "dots_lcn": dots[1], "error_conv": error[0], "error_lcn": error[1],
              "theory_conv": theory[0], "theory_lcn": theory[1]},
    )


def a11(*, P, c_few, eta_low, sigma) -> Evidence:
    """Check the closed floors of linear units against the stationary points and the learning curves.

    Data
    ----
    c_few : (n,); closed, stationary : floors (2, n), rows convolution and locally connected; t : (k,);
    E : learning curves (2, n, k).
    """
    model = {"P": P, "eta": eta_low, "sigma": sigma}
    closed = np.array([[linear_floor(s, c=c, **model) for c in c_few] for s in STUDENTS])
    stationary = np.array([[noise_floor(s, c=c, activation="linear", **model) for c in c_few]
                           for s in STUDENTS])
    response = np.array([[linear_response(s, C=c, activation="linear", **model).E_inf for c in c_few]
                         for s in STUDENTS])
    late = np.array([[linear_error(s, 1e5, c=c, **model) for c in c_few] for s in STUDENTS])
    t = np.concatenate([[0.0], np.geomspace(0.1, 300.0, 120)])
    return Evidence(
        checks=(
            at_most("closed", "largest relative difference of the closed floors to stationary point, linear "
                              "response and learning curve",
                    np.max(np.abs(np.array([stationary, response, late]) / closed - 1)),
                    1e-9,
                    reason="exact for linear units at every rate and noise; rounding in the errors' "
                           "cancellation"),
            at_most("flat", "largest relative spread of the locally connected floor over correlations",
                    np.ptp(stationary[1]) / np.min(stationary[1]), 1e-9, reason="no correlation enters it"),
            close("rising", "floor of the convolution at the largest correlation, over that at the first",
                  stationary[0, -1] / stationary[0, 0], closed[0, -1] / closed[0, 0], relative=1e-9,
                  reason="the closed form at both"),
            at_least("increases", "smallest ratio of the convolution's floor to that at the correlation "
                                  "before",
                     np.min(stationary[0, 1:] / stationary[0, :-1]), 1.0 + 1e-9,
                     reason="strictly increasing"),
        ),
        data={"c_few": np.array(c_few), "closed": closed, "stationary": stationary, "t": t,
              "E": np.array([[linear_error(s, t, c=c, **model) for c in c_few] for s in STUDENTS])},
    )


def _relaxation_time(student: str, P: int, c: float, eta: float) -> float:
    """Time in which the error forgets its start: that of the Hessian's smallest eigenvalue, erf units."""
    same, other = 2 / np.pi / np.sqrt(3), c * 2 / np.pi / np.sqrt(4 - c * c)
    slowest = P * (same + (P - 1) * other) if student == "conv" else same - other
    return P / (2 * eta * slowest)


def _floor_validate(*, P, c_values, c_few, eta_dots, **_) -> None:
    require_increasing("c_values", c_values)
    require_increasing("c_few", c_few)
    require_stable("eta_dots", eta_dots, P=P, correlations=c_few)


def _linear_validate(*, P, c_few, eta_low, sigma) -> None:
    require_increasing("c_few", c_few)
    require_stable("eta_low", eta_low, P=P, correlations=c_few, activation="linear")


CLAIMS = (
    Claim(
        id="A10", paper="locality", kind="figure", notebook="locality/noise-floor", measure=a10,
        statement="At one learning rate the convolution's asymptotic error grows with the correlation of the "
                  "positions, while the locally connected network's hardly depends on it and is lower.",
        source="finding (c) of the summary, explained there by a bias of weight sharing; our reconstruction",
        parameters=(P, C_VALUES, ETA_VALUES, SIGMA_SMALL, C_FEW, ETA_DOTS, SIGMA_LABEL, D_DOTS, RUNS, SEED),
        validate=_floor_validate,
    ),
    Claim(
        id="A11", paper="locality", kind="theorem", notebook="locality/noise-floor", measure=a11,
        statement="For linear units the locally connected network's asymptotic error does not depend on the "
                  "correlation at all, and the convolution's grows with it in closed form.",
        source="finding (c) of the summary; the closed forms are derived here",
        parameters=(P, C_FEW, ETA_LOW, SIGMA_LABEL), validate=_linear_validate,
    ),
)
