"""The noise floor of rectified linear units (A20)."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, ParameterError, at_most, close
from featurelearning.claims.locality.parameters import SEED, SIGMA_LABEL, P
from featurelearning.locality import relu_leading_floor, relu_relaxation_time, relu_response, simulate

__all__ = ["CLAIMS", "a20"]

ETA_RELU = Parameter("eta_relu", full=0.1, low=0.0, high=0.3, closed="right",
                     meaning="the learning rate of ReLU units",
                     why="the law is the first order in the learning rate")
C_RELU = Parameter("c_relu", full=(0.0, 0.6), low=0.0, high=0.8, at_least=2,
                   meaning="the correlations of two positions for ReLU units",
                   why="the slowest direction relaxes ever more slowly towards 1")
D_RELU = Parameter("D_relu", full=100, quick=60, low=50, high=1000,
                   meaning="the patch dimension for ReLU units",
                   why="finite dimension changes the floor by order 1/D")
RUNS_RELU = Parameter("runs_relu", full=8, quick=4, low=4, high=100,
                      meaning="the number of runs for ReLU units")

STUDENTS = {"conv": "convolution", "lcn": "locally connected"}
# Relaxation times that are thrown away, and that are averaged over; a shared filter is averaged P times
# as long, since free weights already average over P filters.
BURN_IN, AVERAGED = 5.0, 25.0
# Relative corrections of order 1/D (1 per cent at D = 100) and, from the kink, of order sigma (1 per cent
# at 0.3).
REST = 0.03


def a20(*, P, sigma, eta_relu, c_relu, D_relu, runs_relu, seed) -> Evidence:
    """Check the time-averaged error of direct SGD, started at the teacher, against theory.

    Two theories: the trace law, which is the first order in the learning rate, and the response at any
    learning rate, which says how far from the law the error may be.

    Data
    ----
    c : (n,) correlations; for student s in conv, lcn: floor_s, error_s (n,) measured asymptotic errors and
    standard errors over runs; c_line : (50,) correlations of the lines law_s and response_s.
    """
    c_line = np.linspace(0.0, max(c_relu), 50)
    data = {"c": np.array(c_relu), "c_line": c_line}
    model = {"P": P, "eta": eta_relu, "sigma": sigma}
    deviation, correction, checks = [], [], []
    for (student, name), stream in zip(STUDENTS.items(), np.random.default_rng(seed).spawn(2), strict=True):
        blocks, span = (1, AVERAGED * P) if student == "conv" else (P, AVERAGED)
        floor, error = np.empty((2, len(c_relu)))
        for i, c in enumerate(c_relu):
            unit = relu_relaxation_time(student, P=P, C=c, eta=eta_relu)
            t = unit * np.linspace(BURN_IN, BURN_IN + span, 500)
            path = simulate(student, t, C=c, D=D_relu, rng=stream, runs=runs_relu, R0=1.0,
                            Q0=np.ones((blocks, blocks)), activation="relu", **model)
            floors = path.E.mean(axis=1)
            floor[i], error[i] = floors.mean(), floors.std(ddof=1) / np.sqrt(runs_relu)
            law, response = relu_leading_floor(student, C=c, **model), relu_response(student, c=c, **model)
            deviation.append(abs(floor[i] / law - 1))
            correction.append(response / law - 1)
            checks.append(close(
                f"{student}_{i}", f"asymptotic error, {name}, $c = {c:g}$", floor[i], response,
                absolute=REST * response + 4 * error[i],
                reason="3 per cent for finite dimension and finite noise, and four standard errors",
            ))
        data |= {f"floor_{student}": floor, f"error_{student}": error,
                 f"law_{student}": np.array([relu_leading_floor(student, C=c, **model) for c in c_line]),
                 f"response_{student}": np.array([relu_response(student, c=c, **model) for c in c_line])}
    checks.insert(0, at_most(
        "law", "largest relative deviation from the trace law", max(deviation), max(correction) + REST,
        reason="the law is the first order in the learning rate: the response at this learning rate gives "
               f"the size of what it leaves out, here up to {100 * max(correction):.0f} per cent, plus 3 per "
               "cent",
    ))
    return Evidence(checks=tuple(checks), data=data)


def _stable(*, P, sigma, eta_relu, c_relu, D_relu, runs_relu, seed) -> None:
    """The error must settle at the teacher."""
    for student in STUDENTS:
        for c in c_relu:
            try:
                relu_response(student, P=P, c=c, eta=eta_relu, sigma=sigma)
            except ValueError as error:
                raise ParameterError(f"eta_relu = {eta_relu} at c = {c}: {error}") from None


CLAIMS = (
    Claim(
        id="A20", paper="locality", kind="beyond", notebook="locality/noise-floor",
        statement="ReLU units obey the same law: to first order in the learning rate the asymptotic error is "
                  "$\\eta\\sigma^2/4$ times the trace of the Hessian over D, so that it grows with the "
                  "correlation for shared weights and not for free ones.",
        source="not in the paper as far as its summary shows",
        parameters=(P, SIGMA_LABEL, ETA_RELU, C_RELU, D_RELU, RUNS_RELU, SEED), measure=a20, validate=_stable,
    ),
)
