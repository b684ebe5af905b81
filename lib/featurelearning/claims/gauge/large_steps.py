"""Steps beyond the stability bound: descent overshoots, which shrinks the imbalance and repairs the step."""

from __future__ import annotations

import math
import warnings

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, ParameterError, at_least, at_most
from featurelearning.claims.gauge.parameters import D_LARGE, KAPPA
from featurelearning.gauge import population_gd, selection_error, stability_bound

__all__ = ["CLAIMS", "c28"]

PHI_STEPS = Parameter("phi_steps", full=math.pi / 3, low=0.7, high=2.0,
                      why="a moderate angle: small ones select slowly",
                      meaning="the initial angle of all students to the teacher, in radians")
M_LARGE = Parameter("m_steps", full=32, low=16, high=64,
                    why="many redundant units, whose mode is the fastest",
                    meaning="the number of student units")
RATIOS = Parameter("ratio", full=(0.775, 1.1625, 1.55, 1.9375), low=0.1, high=2.5, at_least=3,
                   why="below, above and far above the bound", meaning="steps over the bound 4/(m-1)")
UNTIL_STEPS = Parameter("until_steps", full=200.0, low=50.0, high=2000.0, why="the loss has to settle",
                        meaning="the fast time at the end")
# Steps up to this part of the bound stay clear of it also away from the linear regime.
CLEAR = 0.9


def c28(*, phi_steps, m_steps, D, kappa, ratio, until_steps) -> Evidence:
    """Check what descent does with steps h below, just above and far above 4/(m - 1).

    The Euler factor of the redundant total is ``1 - h M S/(2D)`` with S = sqrt(delta^2 + 4 p^2): stable while
    ``h M |delta|/(2D) < 2``. Overshoot shrinks ``|delta|`` of the redundant units until that holds again.

    Data
    ----
    ratio, h : steps, ascending; for each: tau, P, loss (tuples of arrays), imbalance (tuple of (T, 2):
    selected, redundant); largest_P, stability : ``h M |delta|/(2D)`` at the end; start_stability : at the
    start; final_error : distance of the selected unit from the teacher.
    """
    ratios = np.array(sorted(set(ratio)))
    h = ratios * stability_bound(m_steps)
    with warnings.catch_warnings():
        # The warning about steps above the bound is the subject here.
        warnings.simplefilter("ignore", UserWarning)
        paths = [population_gd(m=m_steps, phi=phi_steps, D=D, kappa=kappa, h=step,
                               steps=math.ceil(until_steps / step)) for step in h]
    largest = np.array([np.max(np.abs(path.P)) for path in paths])
    end = np.array([path.delta[-1] for path in paths])
    stability = h * (m_steps - 1) * np.abs(end[:, 1]) / (2 * D)
    final_error = np.array([selection_error(path.q[-1], path.theta[-1]) for path in paths])
    below, above = ratios <= CLEAR, ratios > 1
    first, last = np.argmax(above), len(h) - 1
    regained, lost = "a stable step is regained", "far above, the selected unit is hit too"
    return Evidence(
        checks=(
            at_least("overshoot", "above the bound: least of the largest redundant totals",
                     np.min(largest[above]), 4 * kappa, part=regained,
                     reason="unstable growth from order one until the imbalance has changed, that is, to "
                            "order D; four times the start is clear of any decay"),
            at_most("below_overshoot", "below the bound: largest redundant total over its start",
                    np.max(largest[below]) / kappa, 1.0, part="below the bound, nothing happens",
                    reason="it decays from the start, which is (m-1)/m of kappa"),
            at_most("below_drift", "below the bound: largest relative change of an imbalance",
                    np.max(np.abs(np.abs(end[below]) / D - 1)), h[0] / D,
                    part="below the bound, nothing happens",
                    reason="of order h/D^2; h/D allows for the prefactor"),
            at_most("stability",
                    "above the bound: largest $hM|\\delta|/(2D)$ of the redundant units at the end",
                    np.max(stability[above]), 2.0, part=regained, reason="the condition of stability"),
            at_most("survives",
                    "just above the bound: distance of the selected unit from the teacher at the end",
                    final_error[first], 1e-3, part=regained,
                    reason="selection as below the bound, exponentially close"),
            at_least("survives_imbalance",
                     "just above the bound: imbalance of the selected unit at the end, over $D$",
                     end[first, 0] / D, 0.9, part=regained,
                     reason="the overshoot is the redundant units'; theirs shrinks"),
            at_most("lost", "far above the bound: imbalance of the selected unit at the end, over $D$",
                    end[last, 0] / D, 0.75, part=lost,
                    reason="the motion far above is erratic: how much is left, and whether the unit still "
                           "wins, varies; at most 0.6 was left for other angles, m and D"),
        ),
        data={"ratio": ratios, "h": h,
              "tau": tuple(path.tau for path in paths), "P": tuple(path.P for path in paths),
              "loss": tuple(path.loss for path in paths), "imbalance": tuple(path.delta for path in paths),
              "largest_P": largest, "stability": stability, "start_stability": 2 * ratios,
              "final_error": final_error},
    )


def _spans_bound(*, ratio, **_) -> None:
    if not (min(ratio) <= CLEAR and any(1.1 < each <= 1.2 for each in ratio) and max(ratio) >= 1.9):
        raise ParameterError(f"ratio = {ratio}; allowed: steps below {CLEAR}, just above the bound (1.1 to "
                             "1.2) and far above it (1.9 or more)")


CLAIMS = (
    Claim(
        id="C28", paper="gauge", kind="beyond", notebook="gauge/beyond", measure=c28, validate=_spans_bound,
        statement="Descent with a step somewhat above the stability bound 4/(m-1) overshoots, which shrinks "
                  "the redundant units' imbalance until the step is stable, and still selects; a step far "
                  "above it also takes part of the selected unit's imbalance.",
        source="ours, not in the paper as far as its summary shows",
        parameters=(PHI_STEPS, M_LARGE, D_LARGE, KAPPA, RATIOS, UNTIL_STEPS),
    ),
)
