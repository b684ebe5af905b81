"""Duplicate students: equal imbalances share the feature, one positive among negative ones selects."""

from __future__ import annotations

import math

import numpy as np

from featurelearning.claims import Claim, Evidence, at_least, at_most, close
from featurelearning.claims.gauge.parameters import D_ONE, KAPPA, M_UNITS, M_VALUES, PHI
from featurelearning.gauge import (
    decay_rate, duplicates, duplicates_loss, limit_rates, units_flow, units_function,
)

__all__ = ["CLAIMS", "c1", "c12"]


def c1(*, phi, m, D, kappa) -> Evidence:
    """Check that one initial function ends as 1/m each (equal imbalances) or as one owner (mixed).

    All m units are integrated, in coefficient-direction form, to fast time max(40, 4.7/lambda) with
    lambda the linear rate of the selected solution.

    Data
    ----
    tau : fast times (T,); equal_q, equal_theta, mixed_q, mixed_theta : (T, m), unit 0 the selected one in
    `mixed`; equal_loss, mixed_loss : (T,); input_angle, initial_equal, initial_mixed : the initial functions
    on the unit circle.
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
            at_least("selected", "mixed imbalances: coefficient of the selected unit at the end", end[0],
                     0.99, part="one positive imbalance selects",
                     reason="tends to 1 exponentially; 0.99 after 4.7 or more e-folding times of the "
                            "slowest mode"),
            at_most("initial_difference", "largest difference of the two initial functions",
                    np.max(np.abs(initial["equal"] - initial["mixed"])), 1e-13 * max(1.0, kappa),
                    reason="the same function by construction; rounding of weights of size sqrt(D) and "
                           "1/sqrt(D)"),
            at_most("equal_error", "equal imbalances: largest $|q_j - 1/m|$ at the end",
                    np.max(np.abs(q["equal"][-1] - 1 / m)), 1e-3, part="equal imbalances share",
                    reason="the approach is exponential and has had at least 4.7 e-folding times of the "
                           "slowest mode"),
            at_most("equal_spread", "equal imbalances: largest spread of the coefficients at any time",
                    np.max(np.ptp(q["equal"], axis=1)), 1e-10, part="equal imbalances share",
                    reason="identical units stay identical; the order of summation may differ by rounding"),
            at_most("redundant", "mixed imbalances: largest redundant coefficient at the end",
                    np.max(np.abs(end[1:])), 0.01, part="one positive imbalance selects",
                    reason="tends to 0 exponentially, at the same rate"),
        ),
        data={"tau": tau, "equal_q": q["equal"], "equal_theta": theta["equal"], "mixed_q": q["mixed"],
              "mixed_theta": theta["mixed"],
              "equal_loss": duplicates_loss(total, theta["equal"][:, 0], 0.0, phi),
              "mixed_loss": duplicates_loss(q["mixed"][:, 0], theta["mixed"][:, 0],
                                            q["mixed"][:, 1:].sum(axis=1), theta["mixed"][:, 1]),
              "input_angle": around, "initial_equal": initial["equal"], "initial_mixed": initial["mixed"]},
    )


def c12(*, phi, m_values, D) -> Evidence:
    """Check selection, and that P and L decay at the rates lambda and 2 lambda of the linearised flow.

    lambda is computed at this D and at the redundant angle that the run ends with. P is fitted over the fast
    times from ln(1e5)/lambda to ln(1e7)/lambda (lambda of infinite D), L from ln(1e4)/lambda to
    ln(1e6)/lambda, where it is still far above rounding.

    Data
    ----
    m : (K,); tau, q, P, loss : (K, T), q the selected coefficient; rate_P, rate_loss : fitted; rate :
    lambda; rate_limit : lambda at infinite D; window, loss_window : (K, 2), first and last fast time of the
    fits of P and of the loss; leftover : part of the tolerance, see the reason.
    """
    runs = [_decay(units, phi, D) for units in m_values]
    data = {key: np.array([run[key] for run in runs]) for key in runs[0]}
    rate, rate_P, rate_loss = data["rate"], data["rate_P"], data["rate_loss"]
    late_q, late_P = data["q"][:, -1], data["P"][:, -1]
    worst = np.argmax(np.abs(rate_P / rate - 1))
    return Evidence(
        checks=(
            close("rate", "fitted rate of $P$ (the $m$ with the largest error)", rate_P[worst], rate[worst],
                  part="exponential decay", absolute=1e-4 * rate[worst] + data["leftover"][worst],
                  reason="relative 1e-4: the curvature at amplitude 1e-5; plus what the faster mode of rate "
                         "mu can still bend, 4 (mu - lambda) e^-((mu - lambda) tau) at the start of the fit, "
                         "negligible unless mu is near lambda (m = 2 at large angles)"),
            at_most("selected", "largest $|q - 1|$ of the selected unit at the end",
                    np.max(np.abs(late_q - 1)), 1e-5, part="selection",
                    reason="P has decayed by at least e^-16 and q follows it"),
            at_most("redundant", "largest total redundant coefficient at the end", np.max(late_P), 1e-5,
                    part="selection", reason="tends to 0 exponentially, to 1e-7 times its amplitude here"),
            at_least("loss_rate", "least fitted rate of the loss over lambda", np.min(rate_loss / rate),
                     1.998, part="exponential decay",
                     reason="2, as the loss is quadratic near its minimum (amplitude 1e-4 at the start of "
                            "the fit); faster modes that are still there can only add to it"),
        ),
        data={"m": np.array(m_values), **data},
    )


def _decay(m: int, phi: float, D: float) -> dict:
    limit, _, fastest = limit_rates(m=m, phi=phi)
    marks = np.log([1e4, 1e5, 1e6, 1e7]) / limit
    tau = np.linspace(0, marks[-1], 281)
    run = duplicates(tau, m=m, phi=phi, D=D)

    def rate(values: np.ndarray, first: float, last: float) -> float:
        # A value of zero or below has no logarithm: the nan fails the check.
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = (tau >= first - 1e-9) & (tau <= last + 1e-9)
            return -np.polyfit(tau[inside], np.log(values[inside]), 1)[0]

    return {
        "tau": tau, "q": run.q, "P": run.P, "loss": run.loss, "rate_limit": limit, "window": marks[[1, 3]],
        "loss_window": marks[[0, 2]], "rate": decay_rate(m=m, chi=float(run.chi[-1]), D=D),
        "rate_P": rate(run.P, marks[1], marks[3]), "rate_loss": rate(run.loss, marks[0], marks[2]),
        "leftover": 4 * (fastest - limit) * math.exp(-(fastest - limit) * marks[1]),
    }


CLAIMS = (
    Claim(
        id="C1", paper="gauge", kind="theorem", notebook="gauge/duplicates", measure=c1,
        statement="From one and the same initial function, duplicates with equal imbalances share the "
                  "feature equally, 1/m each, while one positive imbalance among negative ones makes that "
                  "unit the only owner.",
        source="Sections 1 and 3.3, Figure 1 (by role); the initial coefficient and D are our reconstruction",
        parameters=(PHI, M_UNITS, D_ONE, KAPPA),
    ),
    Claim(
        id="C12", paper="gauge", kind="theorem", notebook="gauge/duplicates", measure=c12,
        statement="With one positive imbalance and a large enough D the designated unit converges to the "
                  "teacher, every redundant coefficient vanishes and the loss decays exponentially.",
        source="Section 3.3 and Appendices B, C.2 (main theorem, stated for angles up to pi/3); the value of "
               "the rate is ours",
        parameters=(PHI, M_VALUES, D_ONE),
    ),
)
