"""The model itself: exact equivalence of equal duplicates with one student."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_most
from featurelearning.claims.gauge.parameters import KAPPA, PHI
from featurelearning.gauge import single_flow, units_flow

__all__ = ["CLAIMS", "c2"]

M_EQUAL = Parameter("m", full=(2, 4, 16), quick=(2, 4), low=2, high=64, why="at least two students",
                    meaning="the numbers of student units")
DELTAS = Parameter("delta", full=(8.0, 0.001), low=-50.0, high=50.0, why="the flow is integrated by an explicit method",
                   meaning="the imbalances that all the units share")


def c2(*, phi, m, delta, kappa) -> Evidence:
    """Check that m units of equal imbalance delta follow one unit of coefficient m q and imbalance m delta.

    Data
    ----
    s : time in units of 1/(m |delta| + kappa), (T,); total_q, total_theta, single_q, single_theta :
    (delta, m, T), the sum over units against the single student.
    """
    s = np.linspace(0, 40, 81)
    shape = (len(delta), len(m), len(s))
    total_q, total_theta, single_q, single_theta = (np.empty(shape) for _ in range(4))
    for i, imbalance in enumerate(delta):
        for j, units in enumerate(m):
            t = s / (units * abs(imbalance) + kappa)
            q, theta = units_flow(t, q=np.full(units, kappa / units), theta=np.full(units, phi),
                                  delta=np.full(units, imbalance))
            total_q[i, j], total_theta[i, j] = q.sum(axis=1), theta[:, 0]
            single_q[i, j], single_theta[i, j] = single_flow(t, q0=kappa, theta0=phi, delta=units * imbalance)
    difference = max(np.max(np.abs(total_q - single_q)), np.max(np.abs(total_theta - single_theta)))
    return Evidence(
        checks=(
            at_most("difference", "largest difference in total coefficient or angle, all times and cases",
                    difference, 1e-8, reason="an identity; the two integrations each err by about 1e-11"),
        ),
        data={"s": s, "total_q": total_q, "total_theta": total_theta, "single_q": single_q,
              "single_theta": single_theta},
    )


CLAIMS = (
    Claim(
        id="C2", paper="gauge", kind="theorem", notebook="gauge/model", measure=c2,
        statement="Duplicates with equal imbalance delta move together exactly as one student with m times the "
                  "coefficient and m times the imbalance.",
        source="ours, not in the paper as far as its summary shows (it is behind the equal sharing of Section 3.3)",
        parameters=(PHI, M_EQUAL, DELTAS, KAPPA),
    ),
)
