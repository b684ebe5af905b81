"""How the number of samples grows with the dimension, for matched and for larger kernels (A6, A7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most, close
from featurelearning.claims.locality.parameters import SEED
from featurelearning.locality import (
    LogarithmicFit, hitting_times, logarithmic_fit, mean_recovery_time, solve, symmetric_saddle,
    time_to_error,
)

__all__ = ["CLAIMS", "a6", "a7"]

P_SWEEP = Parameter("P_sweep", full=3, low=3, high=8,
                    meaning="the number of input positions in the sweep over D",
                    why="two positions make the ring and the open chain of two patches alike")
ETA_SWEEP = Parameter("eta_sweep", full=1.5, low=0.2, high=2.0,
                      meaning="the learning rate in the sweep over D",
                      why="larger rates are unstable for the larger kernel")
D_SWEEP = Parameter("D_sweep", full=(50, 100, 200, 400, 800, 1600, 3200, 6400),
                    quick=(50, 100, 200, 400, 800), low=20, high=20_000, at_least=3,
                    meaning="the patch dimensions of the sweep, increasing",
                    why="below 20 the limit of high dimension says little")
RUNS_SWEEP = Parameter("runs_sweep", full=30, quick=40, low=5, high=1000,
                       meaning="the number of runs at the largest D; at other D times sqrt(D_max / D)")

# The task counts as learnt when the error is this part of the matched student's initial error.
FRACTION = 0.02
# Slopes below this, in units of time per e-fold of D, count as none.
FLAT = 0.1
KERNELS = {"periodic": "larger kernel on a ring", "zero": "larger kernel, zero-padded",
           "matched": "matched kernel"}


@dataclass(frozen=True)
class Sweep:
    """Mean learning times against D, standard errors, their line, and the share of finished runs."""

    mean: NDArray
    error: NDArray
    fit: LogarithmicFit
    finished: float


def sweep(D_sweep, runs_sweep, rng, *, P, eta, threshold, t_max, dt, kernel, boundary="periodic") -> Sweep:
    """Learning times of the finite-D chain from random initial weights."""
    runs = [math.ceil(runs_sweep * math.sqrt(max(D_sweep) / D)) for D in D_sweep]
    times = [
        hitting_times("conv", threshold, t_max=t_max, dt=dt, P=P, C=0.0, eta=eta, sigma=0.0, D=D, rng=rng,
                      runs=n, kernel=kernel, boundary=boundary)
        for D, n in zip(D_sweep, runs, strict=True)
    ]
    finished = [time[np.isfinite(time)] for time in times]
    mean = np.array([time.mean() for time in finished])
    error = np.array([time.std(ddof=1) / math.sqrt(time.size) for time in finished])
    share = sum(time.size for time in finished) / sum(time.size for time in times)
    return Sweep(mean, error, logarithmic_fit(D_sweep, mean, error), share)


def a6(*, P_sweep, eta_sweep, D_sweep, runs_sweep, seed) -> Evidence:
    """Check that the learning time t = steps / D of the matched kernel has no slope in ln D (finite-D chain).

    Data
    ----
    D : (n,) dimensions; mean, error : (n,) learning times of the chain and standard errors; ode : the time
    of the equations of motion; intercept, slope, slope_error : of the line in ln D; threshold : the error
    to reach.
    """
    rng = np.random.default_rng(seed)
    threshold, ode = _matched(P_sweep, eta_sweep)
    matched = sweep(D_sweep, runs_sweep, rng, P=P_sweep, eta=eta_sweep, threshold=threshold, t_max=20 * ode,
                    dt=ode / 500, kernel=1)
    fit = matched.fit
    return Evidence(
        checks=(
            at_most("slope", "size of the slope of the learning time in $\\ln D$", abs(fit.slope),
                    max(FLAT, 3 * fit.slope_error),
                    reason="no growth means a slope below 0.1 per e-fold, or within three standard errors of "
                           "zero (chance 0.3 per cent)"),
            close("time", "learning time at the largest $D$", matched.mean[-1], ode,
                  absolute=4 * matched.error[-1] + ode / 500,
                  reason="the time of the equations of motion, to four standard errors (chance 6e-5) and the "
                         "spacing of the times at which the error is looked at"),
            _all_finished("finished", "matched kernel", matched),
        ),
        data={"D": np.array(D_sweep), "mean": matched.mean, "error": matched.error, "ode": ode,
              "intercept": fit.intercept, "slope": fit.slope, "slope_error": fit.slope_error,
              "threshold": threshold},
    )


def a7(*, P_sweep, eta_sweep, D_sweep, runs_sweep, seed) -> Evidence:
    """Check that the learning time of a kernel of two patches grows like b ln D, with the b of the equations.

    The expected b is the slope, over the same D and with the same weights, of the equations' learning time
    averaged over random initial asymmetries; for D to infinity it is 1 / (2 Lambda). The check of the
    explanation takes "more parameters" at its word: a zero-padded kernel has as many weights, so its time
    should grow as well.

    Data
    ----
    D : (n,) dimensions; for s in periodic, zero, matched: mean_s, error_s (n,) learning times of the chain
    and standard errors, intercept_s, slope_s, slope_error_s of their lines in ln D; D_line, ode_line : (60,)
    the averaged time of the equations (periodic); ode_zero, ode_matched : times of the equations, for all D;
    ode_slope : expected slope; Lambda, limit_slope : growth rate at the saddle, 1 / (2 Lambda);
    offset : mean of chain minus equations (the sampling noise of the first steps adds to the initial
    asymmetry, which shifts the line but not its slope); threshold : the error to reach.
    """
    periodic_rng, zero_rng, matched_rng = np.random.default_rng(seed).spawn(3)
    D = np.array(D_sweep, dtype=float)
    threshold, ode_matched = _matched(P_sweep, eta_sweep)
    model = {"P": P_sweep, "eta": eta_sweep, "threshold": threshold}
    rate = symmetric_saddle(P=P_sweep, k=2, c=0.0, eta=eta_sweep, sigma=0.0).rate
    D_line = np.geomspace(D.min(), D.max(), 60)
    ode = mean_recovery_time(np.concatenate([D, D_line]), c=0.0, sigma=0.0, **model)
    ode_zero = time_to_error("conv", threshold, P=P_sweep, C=0.0, eta=eta_sweep, sigma=0.0, kernel=2,
                             boundary="zero")
    model["t_max"] = 20 * ode.max()
    sweeps = {
        "periodic": sweep(D_sweep, runs_sweep, periodic_rng, dt=0.1, kernel=2, **model),
        "zero": sweep(D_sweep, runs_sweep, zero_rng, dt=ode_zero / 500, kernel=2, boundary="zero", **model),
        "matched": sweep(D_sweep, runs_sweep, matched_rng, dt=ode_matched / 500, kernel=1, **model),
    }
    periodic, zero, matched = (sweeps[name].fit for name in ("periodic", "zero", "matched"))
    expected = logarithmic_fit(D, ode[: D.size], sweeps["periodic"].error)
    offset = np.average(sweeps["periodic"].mean - ode[: D.size], weights=sweeps["periodic"].error ** -2.0)
    data = {"D": D, "D_line": D_line, "ode_line": ode[D.size:], "ode_zero": ode_zero,
            "ode_matched": ode_matched, "ode_slope": expected.slope, "Lambda": rate,
            "limit_slope": 1 / (2 * rate), "threshold": threshold, "offset": float(offset)}
    for name, result in sweeps.items():
        data |= {f"mean_{name}": result.mean, f"error_{name}": result.error,
                 f"slope_{name}": result.fit.slope, f"intercept_{name}": result.fit.intercept,
                 f"slope_error_{name}": result.fit.slope_error}
    return Evidence(
        checks=(
            close("slope", "slope $b$ of the learning time in $\\ln D$, kernel of two patches",
                  periodic.slope, expected.slope, absolute=3 * periodic.slope_error,
                  reason="three standard errors of the simulated slope (chance 0.3 per cent)"),
            at_least("against_matched", "that slope over the matched kernel's",
                     periodic.slope / abs(matched.slope), 20.0,
                     reason="the matched kernel's slope is zero up to sampling errors, far below b / 20"),
            close("slope_zero_padded", "slope for a zero-padded kernel with as many weights", zero.slope,
                  periodic.slope, about="mechanism",
                  absolute=3 * math.hypot(periodic.slope_error, zero.slope_error),
                  reason="if the number of weights caused the logarithm, equal numbers would give equal "
                         "slopes, to three standard errors; the ring's shift symmetry, which zeros break, "
                         "predicts none"),
            *(_all_finished(f"finished_{name}", KERNELS[name], result) for name, result in sweeps.items()),
        ),
        data=data,
    )


def _matched(P, eta) -> tuple[float, float]:
    """The error that counts as learnt, and when the matched kernel reaches it by the equations of motion."""
    model = {"P": P, "C": 0.0, "eta": eta, "sigma": 0.0}
    threshold = FRACTION * float(solve("conv", [0.0], **model).E[0])
    return threshold, time_to_error("conv", threshold, **model)


def _all_finished(name, kernel, result: Sweep):
    return at_least(name, f"share of runs that learnt the task, {kernel}", result.finished, 1.0,
                    reason="a mean over the finished runs alone would be too early")


CLAIMS = (
    Claim(
        id="A6", paper="locality", kind="figure", notebook="locality/logarithm",
        statement="A convolution whose kernel has the teacher's size learns from a number of samples "
                  "proportional to the dimension D: its time steps / D does not grow with D.",
        source="Summary: O(D) samples with the matched kernel; setting and threshold are our reconstruction",
        parameters=(P_SWEEP, ETA_SWEEP, D_SWEEP, RUNS_SWEEP, SEED), measure=a6,
    ),
    Claim(
        id="A7", paper="locality", kind="figure", notebook="locality/logarithm",
        statement="A convolution on a ring whose kernel is larger than the teacher's needs of order D ln D "
                  "samples: its time steps / D grows like b ln D, with the b of the escape from a saddle.",
        source="Summary: O(D log D) samples with a larger kernel, explained by its number of parameters; "
               "setting and threshold are our reconstruction",
        parameters=(P_SWEEP, ETA_SWEEP, D_SWEEP, RUNS_SWEEP, SEED), measure=a7,
    ),
)
