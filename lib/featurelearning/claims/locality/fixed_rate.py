"""Both students at one and the same learning rate."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, is_true
from featurelearning.claims.locality.parameters import P, SIGMA_LABEL
from featurelearning.claims.locality.stability import require_stable
from featurelearning.locality import crossings, noise_floor, solve

__all__ = ["CLAIMS", "a12"]

ETA_FIXED = Parameter("eta_fixed", full=0.5, low=0.0, high=1.0, closed="right",
                      why="stable at every correlation used",
                      meaning="the learning rate of both students")
C_FIXED = Parameter("c_fixed", full=(0.1, 0.3, 0.6), low=0.0, high=0.9, closed="right",
                    meaning="the correlations of two input positions",
                    why="at c = 0 both start with the same error")


def a12(*, P, c_fixed, eta_fixed, sigma) -> Evidence:
    """Check that the better student changes twice: LCN, convolution, LCN.

    Data
    ----
    t : times (k,); c_fixed : (n,); E_conv, E_lcn : (n, k); crossings : times of the two changes, (n, 2) (NaN
    where there are fewer); floor_conv, floor_lcn : asymptotic errors (n,).
    """
    t = np.geomspace(0.01, 1000.0, 600)
    E = {student: np.array([solve(student, t, P=P, C=c, eta=eta_fixed, sigma=sigma).E for c in c_fixed])
         for student in ("conv", "lcn")}
    floors = {student: np.array([noise_floor(student, P=P, c=c, eta=eta_fixed, sigma=sigma) for c in c_fixed])
              for student in ("conv", "lcn")}
    difference = E["conv"] - E["lcn"]
    found = [crossings(t, row) for row in difference]
    return Evidence(
        checks=(
            is_true("two_changes", "whether the better student changes exactly twice at every correlation",
                    all(len(times) == 2 for times in found),
                    reason="sign changes on a grid of 600 times, wherever the difference exceeds the "
                           "integrator's error"),
            is_true("order", "whether the locally connected network is better first and last",
                    np.all(difference[:, 0] > 0) and np.all(difference[:, -1] > 0),
                    reason="independent filters average out first; shared ones pay for the noise in the end"),
            at_least("floors", "smallest ratio of the asymptotic errors, convolution over locally connected",
                     np.min(floors["conv"] / floors["lcn"]), 1.0,
                     reason="the last change must come if the asymptotic errors are ordered like this"),
        ),
        data={"t": t, "c_fixed": np.array(c_fixed), "E_conv": E["conv"], "E_lcn": E["lcn"],
              "crossings": np.array([np.append(times, [np.nan, np.nan])[:2] for times in found]),
              "floor_conv": floors["conv"], "floor_lcn": floors["lcn"]},
    )


def _validate(*, P, c_fixed, eta_fixed, sigma) -> None:
    require_stable("eta_fixed", eta_fixed, P=P, correlations=c_fixed)


CLAIMS = (
    Claim(
        id="A12", paper="locality", kind="figure", notebook="locality/early-late", measure=a12,
        statement="At one fixed learning rate the better student changes twice: locally connected at first, "
                  "then convolutional, then locally connected again.",
        source="findings (c) and (d) of the summary at a fixed rate; our reconstruction",
        parameters=(P, C_FIXED, ETA_FIXED, SIGMA_LABEL), validate=_validate,
    ),
)
