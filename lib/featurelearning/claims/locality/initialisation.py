"""Where the locally connected network's early advantage comes from: its initial weights."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most
from featurelearning.claims.locality.parameters import P, SIGMA_LABEL
from featurelearning.locality import transition_time, tuned_log_ratio

__all__ = ["CLAIMS", "a14"]

C_TIED = Parameter("c_tied", full=(0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), quick=(0.3, 0.5, 0.9), low=0.2,
                   high=0.95, at_least=2, meaning="the correlations of two input positions, increasing",
                   why="below, the early advantage is over before it can be compared")
T_EARLY = Parameter("T_early", full=0.2, low=0.05, high=0.3,
                    meaning="the training time at which advantages are compared",
                    why="well before the transition")
# Weights of this norm act as none.
ALMOST_ZERO = 1e-6
TIMES = np.geomspace(0.05, 60.0, 11)


def a14(*, P, sigma, c_tied, T_early) -> Evidence:
    """Compare the tuned errors from independent, from almost zero and from tied initial weights.

    Data
    ----
    T : times (k,); c_tied : (n,); independent, zero, tied, tied_linear : ln(E*_conv / E*_lcn) (n, k),
    positive where the locally connected network is better; T_x_tied : transition times from tied weights
    (n,), NaN for none; early_independent, early_tied : the same logarithm at `T_early` (n,).
    """
    model = {"P": P, "sigma": sigma}
    independent, zero, tied, tied_linear = (
        np.array([tuned_log_ratio(TIMES, c=c, **model, **start) for c in c_tied])
        for start in ({}, {"Q0": ALMOST_ZERO}, {"tied": True}, {"tied": True, "activation": "linear"}))
    T_x = np.array([transition_time(c=c, tied=True, low=0.05, high=60.0, **model) for c in c_tied])
    early = {name: np.array([tuned_log_ratio(T_early, c=c, tied=name == "tied", **model) for c in c_tied])
             for name in ("independent", "tied")}
    return Evidence(
        checks=(
            at_least("independent", "smallest early advantage from independent weights, $\\ln "
                                    "E^*_{conv}/E^*_{lcn}$",
                     np.min(early["independent"]), 0.0, reason="the advantage to be explained is there"),
            at_most("zero", "largest advantage from zero weights, over all times and correlations",
                    np.max(zero), 0.0,
                    reason="with nothing to average out, the convolution is ahead from the start"),
            at_most("linear", "largest advantage of linear units from tied weights", np.max(tied_linear),
                    1e-6,
                    reason="tied linear weights start from the same error and have slower modes; the "
                           "minimisation's error"),
            at_most("tied", "largest share of the early advantage that is left with tied weights",
                    np.max(early["tied"] / early["independent"]), 0.2,
                    reason="a small genuine advantage of erf units remains, at large correlation only"),
        ),
        data={"T": TIMES, "c_tied": np.array(c_tied), "independent": independent, "zero": zero, "tied": tied,
              "tied_linear": tied_linear, "T_x_tied": T_x, "early_independent": early["independent"],
              "early_tied": early["tied"]},
    )


CLAIMS = (
    Claim(
        id="A14", paper="locality", kind="beyond", notebook="locality/early-late", measure=a14,
        statement="The early advantage of local connections is mostly made by the initial weights: "
                  "independent random filters average out, a shared one does not; from zero weights it is "
                  "gone.",
        source="not in the paper as far as its summary shows; tests the explanation of finding (d)",
        parameters=(P, SIGMA_LABEL, C_TIED, T_EARLY),
    ),
)
