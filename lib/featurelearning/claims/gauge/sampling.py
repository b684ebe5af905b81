"""Descent on a finite sample against descent on the population: an error of order N^-1/2."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from featurelearning.claims import Claim, Evidence, Parameter, ParameterError, close, is_true
from featurelearning.claims.gauge.parameters import D_LARGE, H_STEP, KAPPA, PHI, SEED, UNTIL
from featurelearning.gauge import (
    SELECTED_WITHIN, descend, duplicate_copies, duplicate_weights, empirical_gradients, population_gradients,
    selection_time, trajectory_distance,
)

__all__ = ["CLAIMS", "c18"]

M_SAMPLED = Parameter("m_sampled", full=(4, 4, 8, 2), quick=(4, 2), low=2, high=32, why="a stable step",
                      meaning="the numbers of student units, one per configuration")
D_SAMPLED = Parameter("d_sampled", full=(10, 5, 10, 10), quick=(10, 5), low=2, high=1000,
                      why="start and teacher must fit",
                      meaning="the dimensions of the inputs, one per configuration")
N_SIZES = Parameter("N", full=(256, 512, 1024, 2048, 4096, 8192), quick=(256, 512, 1024, 2048), low=64,
                    high=1_000_000, at_least=3, why="a slope needs a range of sizes",
                    meaning="the sample sizes of all configurations")
N_WIDE = Parameter("N_wide", full=(2048, 8192, 32768), quick=(512, 1024, 4096), low=64, high=1_000_000,
                   at_least=3, why="a slope needs a range of sizes",
                   meaning="further sample sizes, for the first configuration")
RUNS = Parameter("runs", full=20, quick=8, low=4, high=1000,
                 why="the noise of a mean slope needs several runs",
                 meaning="the number of independent samples")


def c18(*, phi, D, kappa, h, until, m_sampled, d_sampled, N, N_wide, runs, seed) -> Evidence:
    """Check that sample and population trajectories differ by order N^-1/2, and that every run selects.

    Samples of different sizes are prefixes of one sample per run, which couples them; the distance is the
    largest over time of ``(|d(q s)|^2 + |d(P s_r)|^2)^(1/2)``. The slope is the mean over runs of each run's
    log-log slope.

    Data
    ----
    names : configurations; N : sizes by configuration, tuple of (n,); error : tuple of (runs, n); slope,
    slope_error : mean and standard error per configuration.
    """
    cases = [(f"m{m}_d{d}", m, d, N) for m, d in zip(m_sampled, d_sampled, strict=True)]
    cases.append((f"m{m_sampled[0]}_d{d_sampled[0]}_wide", m_sampled[0], d_sampled[0], N_wide))
    names, sizes, errors, slopes, selects, checks = [], [], [], [], [], []
    for (name, m, d, chosen), stream in zip(cases, np.random.SeedSequence(seed).spawn(len(cases)),
                                            strict=True):
        size = np.array(sorted(set(chosen)))
        error, selected = _errors(np.random.default_rng(stream), m=m, d=d, phi=phi, D=D, kappa=kappa, h=h,
                                  steps=math.ceil(until / h), sizes=size, runs=runs)
        slope = np.polyfit(np.log(size), np.log(error).T, 1)[0]
        octaves = math.log2(size[-1] / size[0])
        checks.append(close(f"slope_{name}",
                            f"slope of log error against log $N$, $m={m}$, $d={d}$, $N={size[0]}$ to "
                            f"{size[-1]}",
                            np.mean(slope), -0.5, absolute=0.1 * math.sqrt(20 / runs) * max(1.0, 5 / octaves),
                            reason="the standard error of the mean of 20 slopes over 5 octaves is 0.02 to "
                                   "0.03; 0.1 leaves room for the curvature at small N, and four standard "
                                   "errors: a false alarm in 1e4"))
        names.append(name)
        sizes.append(size)
        errors.append(error)
        slopes.append(slope)
        selects.append(selected)
    return Evidence(
        checks=(*checks, is_true("selected", "all runs and sizes select the designated unit",
                                 all(map(np.all, selects)),
                                 reason="errors at these sizes stay well inside the threshold of selection")),
        data={"names": tuple(names), "N": tuple(sizes), "error": tuple(errors),
              "slope": np.array([np.mean(slope) for slope in slopes]),
              "slope_error": np.array([np.std(slope, ddof=1) / math.sqrt(runs) for slope in slopes])},
    )


def _errors(rng: np.random.Generator, *, m: int, d: int, phi: float, D: float, kappa: float, h: float,
            steps: int, sizes: NDArray, runs: int) -> tuple[NDArray, NDArray]:
    """Trajectory errors (runs, sizes), and whether each run ended with the selected unit at the teacher and
    alone."""
    plane, copies = np.eye(2, d), duplicate_copies(m)
    start = duplicate_weights(phi=phi, D=D, plane=plane, q=kappa / m, units=2)
    population = descend(lambda a, W: population_gradients(a, W, plane[:1], np.ones(1), copies), *start,
                         eta=h / D, steps=steps)
    error, selected = np.empty((runs, len(sizes))), np.empty((runs, len(sizes)), dtype=bool)
    for run in range(runs):
        X = rng.standard_normal((sizes[-1], d))
        y = np.maximum(X @ plane[0], 0)
        for column, size in enumerate(sizes):
            x, target = X[:size], y[:size]
            path = descend(lambda a, W, x=x, target=target: empirical_gradients(x, target, a, W, copies),
                           *start, eta=h / D, steps=steps)
            error[run, column] = trajectory_distance(path, population, copies)
            own, others = path.contributions[-1] * copies[:, None]
            selected[run, column] = (np.linalg.norm(own - plane[0]) < SELECTED_WITHIN
                                     and np.linalg.norm(others) < SELECTED_WITHIN)
    return error, selected


def _fits(*, phi, D, kappa, until, m_sampled, d_sampled, **_) -> None:
    if len(m_sampled) != len(d_sampled):
        raise ParameterError(f"m_sampled has {len(m_sampled)} values and d_sampled {len(d_sampled)}; "
                             "allowed: as many")
    late = selection_time(m=np.array(m_sampled), phi=phi, D=D, kappa=kappa, until=until)
    if not np.all(np.isfinite(late)):
        raise ParameterError(f"until = {until:g}: the population flow has not selected by then at phi = "
                             f"{phi:g}, D = {D:g}, m = {m_sampled}; allowed: a later time")


CLAIMS = (
    Claim(
        id="C18", paper="gauge", kind="figure", notebook="gauge/discrete", measure=c18, validate=_fits,
        statement="Trained on N samples in place of the population, the trajectory errs by an amount of "
                  "order N^-1/2 and the designated unit is still selected.",
        source="Figure 4 and Table D.3 (by role); sample sizes, dimension and distance are our "
               "reconstruction",
        parameters=(PHI, D_LARGE, KAPPA, H_STEP, UNTIL, M_SAMPLED, D_SAMPLED, N_SIZES, N_WIDE, RUNS, SEED),
    ),
)
