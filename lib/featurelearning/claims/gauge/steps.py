"""Gradient descent on the population: what its steps add to the flow."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from featurelearning.claims import Claim, Evidence, Parameter, ParameterError, at_most, close
from featurelearning.claims.gauge.parameters import D_LARGE, KAPPA, M_UNITS, PHI, UNTIL
from featurelearning.gauge import (
    SELECTED_WITHIN, ScaledState, descend, duplicate_copies, duplicate_weights, duplicates, imbalance_drift,
    population_gd, population_gradients, scaled_start, scaled_velocity, selection_error, selection_time,
    stability_bound,
)

__all__ = ["CLAIMS", "c19", "c20", "c21"]

M_STEPS = Parameter("m_steps", full=(2, 4, 8), quick=(2, 4), low=2, high=32,
                    why="one selected and at least one redundant unit",
                    meaning="the numbers of student units of which descent is compared with the flow")
H_LINEAR = Parameter("h_linear", full=(0.1, 0.05, 0.025, 0.0125), quick=(0.1, 0.05, 0.025), low=1e-3,
                     high=0.5, at_least=2, why="stable steps",
                     meaning="the steps of descent, in fast time, of the error")
H_DRIFT = Parameter("h_drift", full=(0.05, 0.025, 0.0125), quick=(0.05, 0.025), low=1e-3, high=0.2,
                    at_least=2, why="stable steps",
                    meaning="the steps of descent, in fast time, of the drift")
H_PATH = Parameter("h_path", full=(0.2, 0.1, 0.05), quick=(0.2, 0.1), low=1e-3, high=0.5, why="stable steps",
                   meaning="the steps of descent, in fast time, of the motion after selection")
D_STEPS = Parameter("D_values", full=(8.0, 16.0, 32.0, 64.0, 128.0), quick=(16.0, 64.0), low=4.0, high=1e4,
                    at_least=2, why="selection at large imbalance is expanded in 1/D",
                    meaning="the sizes of the imbalance")
UNTIL_PATH = Parameter("until_path", full=150.0, low=10.0, high=1000.0, why="the motion has to end",
                       meaning="the fast time up to which motion after selection is added up")
# An Euler step multiplies the fastest mode, of rate M/2, by 1 - M h/2: the error is linear for small M h.
LINEAR_UP_TO = 0.36


def c19(*, phi, D, kappa, until, m_steps, h_linear) -> Evidence:
    """Check that the largest distance of descent and flow is proportional to the step.

    In steps with (m - 1) h <= 0.36, where the next order is small: log-log slope 1, error/h settled.

    Data
    ----
    m; h : ascending; error : (m, h), largest over time of ``(|d(q s)|^2 + |d(P s_r)|^2)^(1/2)``; fitted :
    boolean, (m, h); slope : (m,).
    """
    h = np.array(sorted(set(h_linear)))
    error = np.array([[_error(m=m, phi=phi, D=D, kappa=kappa, h=step, until=until) for step in h]
                      for m in m_steps])
    fitted = np.array([_in_linear_range(m, h) for m in m_steps])
    slope = np.array([np.polyfit(np.log(h[use]), np.log(row[use]), 1)[0]
                      for row, use in zip(error, fitted, strict=True)])
    settled = np.abs(error[:, 1] / h[1] / (error[:, 0] / h[0]) - 1)
    checks = [close(f"slope_m{m}", f"slope of log error against log $h$, $m={m}$", value, 1.0,
                    absolute=0.45 * max(m - 1, 2) * math.exp(np.mean(np.log(h[use]))),
                    reason="the next order is about (m-1) h/4 of the first (h/2 if m = 2), which steepens "
                           "the line by as much at the geometric mean of the steps; nearly twice that, "
                           "below 0.05 for m up to 4")
              for m, value, use in zip(m_steps, slope, fitted, strict=True)]
    return Evidence(
        checks=(*checks, at_most("settled", "largest change of error/h between the two smallest steps",
                                 np.max(settled), (max(m_steps) - 1) * h[1] / 4,
                                 reason="again the next order, (m-1) h/4 at the second smallest step: below "
                                        "5%")),
        data={"m": np.array(m_steps), "h": h, "error": error, "fitted": fitted, "slope": slope},
    )


def c20(*, phi, m, D, kappa, until, D_values, h_drift) -> Evidence:
    """Check that descent is the Euler map in scaled coordinates, and drifts the imbalances by order h/D.

    Euler: 100 steps of both, at the largest h. Drift: change of each imbalance by fast time `until`, times
    D/h, extrapolated to h = 0 against integrals over the limit flow.

    Data
    ----
    D; h : ascending; drift : scaled drift of the selected and of each redundant unit, (D, h, 2);
    drift_limit : (2,).
    """
    sizes, h = np.array(sorted(set(D_values))), np.array(sorted(set(h_drift)))
    drift = np.empty((len(sizes), len(h), 2))
    for row, size in enumerate(sizes):
        for column, step in enumerate(h):
            path = population_gd(m=m, phi=phi, D=size, h=step, steps=math.ceil(until / step), kappa=kappa)
            drift[row, column] = (path.delta[-1] - path.delta[0]) * size / step
    expected = imbalance_drift(m=m, phi=phi, until=until, kappa=kappa)
    # Linear extrapolation to h = 0 from the two smallest steps.
    limit = (drift[:, 0] * h[1] - drift[:, 1] * h[0]) / (h[1] - h[0])
    spread = np.max(np.ptp(drift, axis=(0, 1)) / np.abs(expected))
    next_order = 1 / sizes[0] ** 2 + ((m - 1) * h[1]) ** 2
    return Evidence(
        checks=(
            at_most("euler", "100 steps of descent against 100 Euler steps in scaled coordinates",
                    _euler_difference(m=m, phi=phi, D=D, kappa=kappa, h=h[-1], steps=100), 1e-13,
                    reason="the same map; rounding of coordinates of order one"),
            at_most("spread", "spread of the scaled drift over all $D$ and $h$, relative to its limit",
                    spread, (m - 1) * h[-1] / 4 + 0.5 / sizes[0] ** 2,
                    reason="corrections of relative order (m-1) h/4 and D^-2/2; below 5% at the default "
                           "values"),
            *(at_most(name, f"{name} unit: largest relative error of the drift extrapolated to $h=0$",
                      np.max(np.abs(limit[:, unit] / expected[unit] - 1)), next_order,
                      reason="corrections of order D^-2 at the smallest D and ((m-1) h)^2 remain")
              for unit, name in enumerate(("selected", "redundant"))),
        ),
        data={"D": sizes, "h": h, "drift": drift, "drift_limit": expected},
    )


def c21(*, phi, m, kappa, D_values, h_path, until_path) -> Evidence:
    """Check that the redundant direction's path length after selection, times D^2, does not depend on D.

    Path length: the sum of |d chi| over the steps of descent after the selected unit came within 0.25.

    Data
    ----
    D : imbalances; h : steps; scaled_path : D^2 sum |d chi|, (h, D); fitted : the D of the test, boolean.
    """
    sizes, h = np.array(sorted(set(D_values))), np.array(sorted(set(h_path)))
    scaled = np.array([[size**2 * _path_after_selection(m=m, phi=phi, D=size, kappa=kappa, h=step,
                                                        until=until_path)
                        for size in sizes] for step in h])
    fitted = sizes >= 16 if np.sum(sizes >= 16) >= 2 else np.ones(len(sizes), dtype=bool)
    spread = np.ptp(scaled[:, fitted], axis=1) / np.mean(scaled[:, fitted], axis=1)
    return Evidence(
        checks=(
            at_most("spread",
                    "largest spread of $D^2\\sum|d\\chi|$ over $D$ at one step, relative to its mean",
                    np.max(spread), 3.84 / sizes[fitted][0] ** 2,
                    reason="corrections of order D^-2, with coefficient 1.5 at 60 degrees: below 1.5% from "
                           "D = 16"),
        ),
        data={"D": sizes, "h": h, "scaled_path": scaled, "fitted": fitted},
    )


def _error(*, m: int, phi: float, D: float, kappa: float, h: float, until: float) -> float:
    path = population_gd(m=m, phi=phi, D=D, h=h, steps=math.ceil(until / h), kappa=kappa)
    every = max(1, round(0.1 / h))
    flow = duplicates(path.tau[::every], m=m, phi=phi, D=D, kappa=kappa)
    gaps = [r1[::every] * np.exp(1j * t1[::every]) - r2 * np.exp(1j * t2) for r1, t1, r2, t2 in (
        (path.q, path.theta, flow.q, flow.theta), (path.P, path.chi, flow.P, flow.chi))]
    return float(np.max(np.hypot(*np.abs(gaps))))


def _in_linear_range(m: int, h: NDArray) -> NDArray:
    return (m - 1) * h <= LINEAR_UP_TO


def _euler_difference(*, m: int, phi: float, D: float, kappa: float, h: float, steps: int) -> float:
    """Largest difference in scaled coordinates between descent and Euler steps."""
    plane, copies = np.eye(2), duplicate_copies(m)
    s = np.array([math.cos(phi), math.sin(phi)])
    path = descend(lambda a, W: population_gradients(a, W, plane[:1], np.ones(1), copies),
                   *duplicate_weights(phi=phi, D=D, plane=plane, q=kappa / m, units=2), eta=h / D,
                   steps=steps)
    state, root, largest = scaled_start(q=kappa / m, s=s, p=kappa / m, s_redundant=s, D=D), math.sqrt(D), 0.0
    for a, W in zip(path.a, path.W, strict=True):
        largest = max(largest, abs(a[0] / root - state.b), np.max(np.abs(W[0] * root - state.z)),
                      abs(a[1] * root - state.p), np.max(np.abs(W[1] / root - state.v)))
        velocity = scaled_velocity(state, m=m, D=D, teacher=plane[0])
        state = ScaledState(state.b + h * velocity.b, state.z + h * velocity.z,
                            state.p + h * velocity.p, state.v + h * velocity.v)
    return float(largest)


def _path_after_selection(*, m: int, phi: float, D: float, kappa: float, h: float, until: float) -> float:
    path = population_gd(m=m, phi=phi, D=D, h=h, steps=math.ceil(until / h), kappa=kappa)
    selected = np.argmax(selection_error(path.q, path.theta) <= SELECTED_WITHIN)
    return float(np.sum(np.abs(np.diff(path.chi[selected:]))))


def _two_linear_steps(*, m_steps, h_linear, **_) -> None:
    h = np.array(sorted(set(h_linear)))
    for m in m_steps:
        if np.sum(_in_linear_range(m, h)) < 2:
            raise ParameterError(f"h_linear = {h_linear}: fewer than two steps in the linear range for m = "
                                 f"{m}; allowed: two different steps h <= {LINEAR_UP_TO}/(m-1) = "
                                 f"{LINEAR_UP_TO / (m - 1):.3g}")


def _two_drift_steps(*, m, h_drift, **_) -> None:
    if len(set(h_drift)) < 2 or (m - 1) * max(h_drift) > LINEAR_UP_TO:
        raise ParameterError(f"h_drift = {h_drift} at m = {m}; allowed: two different steps, each at most "
                             f"{LINEAR_UP_TO}/(m-1) = {LINEAR_UP_TO / (m - 1):.3g}")


def _selects(*, phi, m, kappa, D_values, h_path, until_path) -> None:
    if max(h_path) > stability_bound(m) / 2:
        raise ParameterError(f"h_path = {h_path} at m = {m}; allowed: steps up to half the stability bound, "
                             f"{stability_bound(m) / 2:.3g}")
    if len(set(D_values)) < 2:
        raise ParameterError(f"D_values = {D_values}; allowed: at least two different imbalances")
    if not np.isfinite(selection_time(m=m, phi=phi, D=min(D_values), kappa=kappa, until=until_path / 2)):
        raise ParameterError(f"until_path = {until_path:g} is not twice the fast time of selection at phi = "
                             f"{phi:g}, m = {m}; allowed: a later time")


CLAIMS = (
    Claim(
        id="C19", paper="gauge", kind="figure", notebook="gauge/discrete", measure=c19,
        validate=_two_linear_steps,
        statement="Gradient descent with step h in fast time stays within an error proportional to h of the "
                  "gradient flow.",
        source="Figure 4 and Table D.4 (by role); steps and distance are our reconstruction",
        parameters=(PHI, D_LARGE, KAPPA, UNTIL, M_STEPS, H_LINEAR),
    ),
    Claim(
        id="C20", paper="gauge", kind="theorem", notebook="gauge/discrete", measure=c20,
        validate=_two_drift_steps,
        statement="A step of gradient descent is exactly an Euler step in coordinates scaled by the "
                  "imbalance, and it carries the imbalances, which the flow conserves, by amounts of order "
                  "h/D only.",
        source="Appendix C.4 (by role); the prefactors of the drift are derived here",
        parameters=(PHI, M_UNITS, D_LARGE, KAPPA, UNTIL, D_STEPS, H_DRIFT),
    ),
    Claim(
        id="C21", paper="gauge", kind="figure", notebook="gauge/discrete", measure=c21, validate=_selects,
        statement="After selection, the redundant directions still travel, under gradient descent as under "
                  "the flow, by an angle of order 1/D squared.",
        source="Table D.5 (by role); steps and times are our reconstruction",
        parameters=(PHI, M_UNITS, KAPPA, D_STEPS, H_PATH, UNTIL_PATH),
    ),
)
