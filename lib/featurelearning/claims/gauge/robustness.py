"""Starts that are only nearly duplicates."""

from __future__ import annotations

import math

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, ParameterError, at_least, at_most
from featurelearning.claims.gauge.parameters import D_INPUT, D_LARGE, H_STEP, KAPPA, PHI, SEED
from featurelearning.gauge import SELECTED_WITHIN, first_entries, perturbed_starts, selection_time

__all__ = ["CLAIMS", "c22"]

M_NEAR = Parameter("m", full=(2, 4, 8), quick=(2, 4), low=2, high=16, why="a stable step of 0.1",
                   meaning="the numbers of student units")
Q_SPREAD = Parameter("q_spread", full=(0.1, 0.25, 0.5), quick=(0.5,), low=0.0, high=0.9, why="signs are kept",
                     meaning="the relative spreads of the initial coefficients")
TILT = Parameter("tilt", full=(0.05, 0.15, 0.3), quick=(0.3,), low=0.0, high=0.5, why="nearly duplicates",
                 meaning="the largest turns of the initial directions, in radians")
IMBALANCE_SPREAD = Parameter("D_spread", full=(0.25, 0.5, 0.75), quick=(0.75,), low=0.0, high=0.9,
                             why="signs are kept", meaning="the relative spreads of the imbalances")
UNTIL_LONG = Parameter("until", full=100.0, quick=60.0, low=10.0, high=1000.0,
                       why="selection and some time after", meaning="the fast time at the end")
RUNS = Parameter("runs", full=20, low=5, high=1000, why="a count needs several runs",
                 meaning="the number of random starts per level")


def c22(*, phi, m, D, kappa, d, h, until, q_spread, tilt, D_spread, runs, seed) -> Evidence:
    """Check that in every run the designated unit comes within 0.25 of the teacher first.

    Population descent from coefficients, directions or imbalances perturbed unit by unit, and from all three
    at their largest. Control: the same starts at the largest tilt, all imbalances positive.

    Data
    ----
    kinds, levels : perturbation and its size, (L,); m; first : fraction of runs, (m, L); entry : fast times
    of entry of the designated unit, (m, L, runs); rest : the other units' total coefficient at the end, (m,
    L, runs); largest_rest : the largest single one; control : fraction, (m,).
    """
    levels = ([("coefficients", {"q_spread": each}) for each in q_spread]
              + [("directions", {"tilt": each}) for each in tilt]
              + [("imbalances", {"D_spread": each}) for each in D_spread]
              + [("all", {"q_spread": max(q_spread), "tilt": max(tilt), "D_spread": max(D_spread)})])
    shape = (len(m), len(levels))
    first, control = np.empty(shape), np.empty(len(m))
    entry, rest, largest = (np.empty((*shape, runs)) for _ in range(3))
    descent = {"D": D, "h": h, "steps": math.ceil(until / h)}
    streams = iter(np.random.SeedSequence(seed).spawn(len(m) * (len(levels) + 1)))
    for row, units in enumerate(m):
        common = {"starts": runs, "m": units, "d": d, "phi": phi, "D": D, "kappa": kappa}
        for column, (_, spread) in enumerate(levels):
            found = first_entries(*perturbed_starts(np.random.default_rng(next(streams)), **common, **spread),
                                  **descent)
            first[row, column], entry[row, column] = np.mean(found.designated_first), found.tau[:, 0]
            rest[row, column] = np.sum(found.q[:, 1:], axis=1)
            largest[row, column] = np.max(np.abs(found.q[:, 1:]), axis=1)
        q, s, delta = perturbed_starts(np.random.default_rng(next(streams)), **common, tilt=max(tilt))
        control[row] = np.mean(first_entries(q, s, np.abs(delta), **descent).designated_first)
    total = first.size * runs
    return Evidence(
        checks=(
            at_least("designated_first",
                     "least fraction of runs in which the designated unit enters first, all others outside",
                     np.min(first), 1.0,
                     reason=f"every run must; none of {total} failing bounds the rate of failures by "
                            f"{3 / total:.2g} (95% confidence)"),
            at_most("rest", "largest total coefficient of the other units at the end", np.max(np.abs(rest)),
                    SELECTED_WITHIN,
                    reason="their total has to vanish up to the threshold; single ones of opposite sign "
                           "decay slowly and may not"),
            at_most("control", "the same fraction with all imbalances positive, tilted directions",
                    np.max(control), 0.5,
                    reason="a control: equal imbalances share the feature, so no unit is bound to win"),
        ),
        data={"kinds": tuple(kind for kind, _ in levels),
              "levels": np.array([max(each.values()) for _, each in levels]),
              "m": np.array(m), "first": first, "entry": entry, "rest": rest, "largest_rest": largest,
              "control": control},
    )


def _selects(*, phi, m, D, kappa, until, **_) -> None:
    late = selection_time(m=np.array(m), phi=phi, D=D, kappa=kappa, until=until / 2)
    if not np.all(np.isfinite(late)):
        raise ParameterError(f"until = {until:g} is not twice the fast time of selection at phi = {phi:g}, "
                             f"m = {m}; allowed: a later time")


CLAIMS = (
    Claim(
        id="C22", paper="gauge", kind="figure", notebook="gauge/robustness", measure=c22, validate=_selects,
        statement="Selection by imbalance does not need exact duplicates: it survives large spreads of "
                  "initial coefficients, directions and imbalances, as long as the signs of the imbalances "
                  "stay.",
        source="Table D.4 (by role); distributions and counts are our reconstruction",
        parameters=(PHI, M_NEAR, D_LARGE, KAPPA, D_INPUT, H_STEP, UNTIL_LONG, Q_SPREAD, TILT,
                    IMBALANCE_SPREAD, RUNS, SEED),
    ),
)
