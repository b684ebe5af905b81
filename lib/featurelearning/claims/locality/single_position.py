"""One position: the classic student with a single hidden unit."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most, close
from featurelearning.locality import committee_model, linear_response, reference_error, reference_rhs, solve

__all__ = ["CLAIMS", "a2"]

ETA_SINGLE = Parameter("eta_single", full=1.0, low=0.0, high=4.0, closed="right",
                       why="below the limit of stability pi sqrt(5/3)",
                       meaning="the learning rate at one position")
T_SINGLE = Parameter("t_single", full=(1.0, 5.0, 20.0), low=0.0, high=200.0, closed="right",
                     meaning="the times at which the error is compared, in units of D steps, increasing")
# Starts this close to the teacher show its stability long before they could go elsewhere.
NEAR = {"Q0": 1.0001, "R0": 0.9999}


def a2(*, eta_single, t_single) -> Evidence:
    """Check the error, and the largest stable learning rate, against the equations of Saad and Solla.

    The comparison integrates their equations, with their four-field average as they print it, by an
    explicit method of high order.

    Data
    ----
    t, E : a learning curve from 0 to the last time; t_single, E_single, E_classic : the compared points;
    eta_max : limit of stability; t_stability, E_below, E_above : errors from near the teacher at 0.986 and
    1.011 eta_max.
    """
    model = committee_model("conv", P=1, C=0.0, eta=eta_single, sigma=0.0)
    t_single = np.array(t_single)
    measured = solve("conv", t_single, P=1, C=0.0, eta=eta_single, sigma=0.0).E
    classic = _classic_error(model, t_single)
    eta_max = linear_response("conv", P=1, C=0.0, eta=1e-3, sigma=0.0).eta_max
    t_stability = np.linspace(0.0, 4000.0, 201)
    below, above = (solve("conv", t_stability, P=1, C=0.0, eta=share * eta_max, sigma=0.0, **NEAR).E
                    for share in (0.986, 1.011))
    t = np.linspace(0.0, t_single[-1], 201)
    return Evidence(
        checks=(
            at_most("error", "largest relative difference to the classic equations",
                    np.max(np.abs(measured / classic - 1)),
                    1e-5, reason="both integrations are accurate to 1e-8 of the initial error; E has fallen "
                                 "by 1e4"),
            close("eta_max", "largest stable learning rate", eta_max, math.pi * math.sqrt(5 / 3),
                  relative=1e-10,
                  reason="$\\pi\\sqrt{5/3}$ from the averages of two and four derivatives in closed form"),
            at_most("stable", "error that a start near the teacher ends with, at 0.986 $\\eta_{max}$",
                    below[-1], 1e-10,
                    reason="the error decays exponentially; only rounding is left at t = 4000"),
            at_least("unstable", "the same at 1.011 $\\eta_{max}$", above[-1], 1e-3,
                     reason="the error leaves the teacher exponentially and settles at a finite value"),
        ),
        data={"t": t, "E": solve("conv", t, P=1, C=0.0, eta=eta_single, sigma=0.0).E, "t_single": t_single,
              "E_single": measured, "E_classic": classic, "eta_max": eta_max, "t_stability": t_stability,
              "E_below": below, "E_above": above},
    )


def _classic_error(model, t):
    def flow(_, y):
        dQ, dR = reference_rhs(model, y[:1, None], y[1:, None])
        return [dQ[0, 0], dR[0, 0]]

    path = solve_ivp(flow, (0.0, t[-1]), [0.5, 0.0], method="DOP853", t_eval=t, rtol=1e-11, atol=1e-14)
    return np.array([reference_error(model, y[:1, None], y[1:, None]) for y in path.y.T])


CLAIMS = (
    Claim(
        id="A2", paper="locality", kind="theorem", notebook="locality/ode-sgd", measure=a2,
        statement="With one position both students are the classic single-unit student, stable up to the "
                  "learning rate pi sqrt(5/3).",
        source="our reconstruction; the limit is the model of Saad and Solla (1995)",
        parameters=(ETA_SINGLE, T_SINGLE),
    ),
)
