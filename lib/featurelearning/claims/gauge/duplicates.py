"""Duplicate students: equal imbalances share the feature, one positive imbalance among negative ones selects."""

from __future__ import annotations

import math

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most, close
from featurelearning.claims.gauge.parameters import D_ONE, KAPPA, M_UNITS, M_VALUES, PHI
from featurelearning.gauge import decay_rate, duplicates, duplicates_loss, limit_rates, units_flow, units_function

__all__ = ["CLAIMS", "c1", "c12"]


def c1(*, phi, m, D, kappa) -> Evidence:
    """Check that one initial function ends as 1/m each (equal imbalances) or as one owner (mixed).

    All m units are integrated, in coefficient-direction form, to fast time max(40, 4.7/lambda) with
    lambda the linear rate of the selected solution.

    Data
    ----
    tau : fast times (T,); equal_q, equal_theta, mixed_q, mixed_theta : (T, m), unit 0 the selected one in `mixed`;
    equal_loss, mixed_loss : (T,); input_angle, initial_equal, initial_mixed : the initial functions on the unit circle.
    """
    tau = np.linspace(0, max(40.0, 4.7 / limit_rates(m=m, phi=phi)[0]), 201)
    start = {"q": np.full(m, kappa / m), "theta": np.full(m, phi)}
    delta = {"equal": np.full(m, D), "mixed": np.where(np.arange(m) == 0, D, -D)}
    q, theta = {}, {}
    for name, imbalance in delta.items():
        q[name], theta[name] = units_flow(tau / D, **start, delta=imbalance)
    around = np.linspace(-math.pi, math.pi, 361)
    circle = np.stack([np.cos(around), np.sin(around)], axis=-1)
    initial = {name: units_function(circle, **start, delta=imbalance) for name, imbalance in delta.items()}
    end = q["mixed"][-1]
    total = q["equal"].sum(axis=1)
    return Evidence(
        checks=(
            at_most("initial_difference", "largest difference of the two initial functions",
                    np.max(np.abs(initial["equal"] - initial["mixed"])), 1e-13 * max(1.0, kappa),
                    reason="the same function by construction; rounding of weights of size sqrt(D) and 1/sqrt(D)"),
            at_most("equal_error", "equal imbalances: largest $|q_j - 1/m|$ at the end",
                    np.max(np.abs(q["equal"][-1] - 1 / m)), 1e-3, part="equal imbalances share",
                    reason="the approach is exponential and has had at least 4.7 e-folding times of the slowest mode"),
            at_most("equal_spread", "equal imbalances: largest spread of the coefficients at any time",
                    np.max(np.ptp(q["equal"], axis=1)), 1e-10, part="equal imbalances share",
                    reason="identical units stay identical; the order of summation may differ by rounding"),
            at_least("selected", "mixed imbalances: coefficient of the selected unit at the end", end[0], 0.99,
                     part="one positive imbalance selects",
                     reason="tends to 1 exponentially; 0.99 after 4.7 or more e-folding times of the slowest mode"),
            at_most("redundant", "mixed imbalances: largest redundant coefficient at the end", np.max(np.abs(end[1:])),
                    0.01, part="one positive imbalance selects",
                    reason="tends to 0 exponentially, at the same rate"),
        ),
        data={"tau": tau, "equal_q": q["equal"], "equal_theta": theta["equal"], "mixed_q": q["mixed"],
              "mixed_theta": theta["mixed"], "equal_loss": duplicates_loss(total, theta["equal"][:, 0], 0.0, phi),
              "mixed_loss": duplicates_loss(q["mixed"][:, 0], theta["mixed"][:, 0], q["mixed"][:, 1:].sum(axis=1),
                                            theta["mixed"][:, 1]),
              "input_angle": around, "initial_equal": initial["equal"], "initial_mixed": initial["mixed"]},
    )


CLAIMS = (
    Claim(
        id="C1", paper="gauge", kind="theorem", notebook="gauge/duplicates", measure=c1,
        statement="From one and the same initial function, duplicates with equal imbalances share the feature equally, "
                  "1/m each, while one positive imbalance among negative ones makes that unit the only owner.",
        source="Sections 1 and 3.3, Figure 1 (by role); the initial coefficient and D are our reconstruction",
        parameters=(PHI, M_UNITS, D_ONE, KAPPA),
    ),
)
