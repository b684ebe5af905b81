"""Why the advantage persists for any number of redundant units: the limit of infinite imbalance."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, ParameterError, at_least, at_most
from featurelearning.claims.gauge.parameters import KAPPA, M_GROWING, PHI, two_different
from featurelearning.gauge import coefficient_time, duplicates, selection_time

__all__ = ["CLAIMS", "c13", "c14"]

# The reference level of the stability estimate, and the start that it presumes.
LEVEL, START_AT_MOST = 0.75, 0.5


def c13(*, phi, m, kappa) -> Evidence:
    """Check that the limit system's selection time and coefficient do not depend on m as m grows.

    The two largest m are compared; what is left between them falls like 1/m.

    Data
    ----
    m : (K,); selection : fast time of selection; q_at_1 : q at fast time 1; least_ratio : min over time of
    q/q(0); least_q : min of q over fast times from 1 on; tau, q : (T,) and (K, T), to fast time 8.
    """
    m = np.array(sorted(set(m)))
    # The coefficient dips within a time of order 1/m: the grid is logarithmic there.
    tau = np.concatenate([[0], np.geomspace(0.01 / max(m), 1, 121), np.linspace(1, 8, 71)[1:]])
    selection = np.array([selection_time(m=units, phi=phi, D=np.inf, kappa=kappa) for units in m])
    q = np.array([duplicates(tau, m=units, phi=phi, D=np.inf, kappa=kappa).q for units in m])
    q_at_1, least_q = q[:, np.argmin(np.abs(tau - 1))], np.min(q[:, tau >= 1], axis=1)
    tolerance = 2.56 / m[-2]
    reason = "the limit m to infinity is approached like 1/m: 2.56/m at the second largest m (1% at m = 256)"
    return Evidence(
        checks=(
            at_most("slowest", "largest selection time over that at the smallest $m$",
                    np.max(selection) / selection[0], 2.0,
                    reason="bounded: a time that grew with m, even like its logarithm, would pass 2 over "
                           "this range"),
            at_most("selection_change", "relative change of the selection time between the two largest $m$",
                    abs(selection[-1] / selection[-2] - 1), tolerance,
                    reason=reason),
            at_most("coefficient_change", "relative change of $q(1)$ between the two largest $m$",
                    abs(q_at_1[-1] / q_at_1[-2] - 1), tolerance,
                    reason=reason),
            at_most("least_change",
                    "relative change of the least $q$ from fast time 1 on, between the two largest $m$",
                    abs(least_q[-1] / least_q[-2] - 1), tolerance,
                    reason=reason),
        ),
        data={"m": m, "selection": selection, "q_at_1": q_at_1, "least_q": least_q,
              "least_ratio": np.min(q, axis=1) / (kappa / m), "tau": tau, "q": q},
    )


def c14(*, phi, m, kappa) -> Evidence:
    """Check that q of the limit system needs fast time 1/2, and even 2 ln 2, to reach 3/4 from at most 1/2.

    From ``q' <= K - q/2 <= (1 - q)/2`` the time from q(0) is at least ``2 ln((1 - q(0))/(1 - 3/4))``.

    Data
    ----
    m : (K,); time : fast time at which q reaches 3/4; bound : the sharper bound; start : q(0).
    """
    m = np.array(sorted(set(m)))
    start = kappa / m
    time = np.array([coefficient_time(LEVEL, m=units, phi=phi, D=np.inf, kappa=kappa) for units in m])
    bound = 2 * np.log((1 - start) / (1 - LEVEL))
    return Evidence(
        checks=(
            at_least("time", "least fast time at which $q = 3/4$", np.min(time), 0.5,
                     reason="the statement: q' <= 1/2 gives (3/4 - 1/2)/(1/2)"),
            at_least("sharper", "least of that time over the sharper bound $2\\ln(4(1 - q(0)))$",
                     np.min(time / bound), 1.0,
                     reason="q' <= (1 - q)/2, as K <= 1/2 and the redundant units only take away"),
        ),
        data={"m": m, "time": time, "bound": bound, "start": start},
    )


def _two_counts(*, m, **_) -> None:
    two_different("m", m)


def _starts_low(*, m, kappa, **_) -> None:
    if kappa / min(m) > START_AT_MOST:
        raise ParameterError(f"kappa = {kappa:g} with m = {min(m)} starts at q = {kappa / min(m):g}; the "
                             f"statement is for starts of at most 1/2; allowed: kappa <= "
                             f"{START_AT_MOST * min(m):g}")


CLAIMS = (
    Claim(
        id="C13", paper="gauge", kind="theorem", notebook="gauge/persistence", measure=c13,
        validate=_two_counts,
        statement="At infinite imbalance the time to selection and the coefficient that the selected unit "
                  "keeps are bounded uniformly in the number of redundant units.",
        source="Section 3.3.1 and Appendices B.4, B.6; the numbers are ours",
        parameters=(PHI, M_GROWING, KAPPA),
    ),
    Claim(
        id="C14", paper="gauge", kind="theorem", notebook="gauge/persistence", measure=c14,
        validate=_starts_low,
        statement="From a coefficient of at most 1/2 the limit trajectory needs fast time at least 1/2 to "
                  "reach 3/4.",
        source="Appendix C.1; the sharper bound 2 ln 2 is ours",
        parameters=(PHI, M_GROWING, KAPPA),
    ),
)
