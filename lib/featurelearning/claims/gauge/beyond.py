"""Beyond the paper: how small the imbalance may be, and how large the initial angle."""

from __future__ import annotations

import math

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most, is_true
from featurelearning.claims.gauge.parameters import D_LARGE, M_BEYOND, two_different
from featurelearning.gauge import (
    SHARED_ABOVE, critical_imbalance, duplicates, hessian, in_region, late_state, limit_rates, selection_time,
)

__all__ = ["CLAIMS", "c26", "c27"]

PHI_DIAGRAM = Parameter("phi", full=(math.pi / 6, math.pi / 4, math.pi / 3, 5 * math.pi / 12, math.pi / 2),
                        quick=(math.pi / 3, math.pi / 2), low=0.4, high=2.0, at_least=2,
                        why="below, selection is slow; above, the critical imbalance is tiny",
                        meaning="the initial angles of the phase diagram, in radians")
PHI_WIDE = Parameter("phi_wide", full=(math.pi / 2, 2.0, 2.5, 3.0), quick=(math.pi / 2, 2.0), low=math.pi / 3,
                     high=3.0, closed="right", why="beyond the angles of the theorem, and not opposite",
                     meaning="initial angles above pi/3, in radians")
# The diagram's claims are read this factor away from the critical imbalance.
AWAY = 1.5
# Fast time at which a unit counts as not selected.
GIVE_UP = 1000.0


def c26(*, phi, m) -> Evidence:
    """Check sharing below and selection above a critical imbalance that falls with the angle and with m.

    The critical imbalance is bisected to 1%, on the redundant coefficient at original time 3e4. The two sides
    are then run anew at D_c/1.5 and 1.5 D_c. At D_c itself motion is algebraic: a number of that finite time.

    Data
    ----
    phi, m : grids; critical : D_c, (phi, m); below, above : states (q, theta, P, chi) at the late time,
    (phi, m, 4); below_D, above_D : their imbalances; curve_D, curve_P : late total redundant coefficient
    against D, for the first phi and m.
    """
    phi, m = np.array(sorted(set(phi))), np.array(sorted(set(m)))
    critical = np.array([[critical_imbalance(m=units, phi=angle, relative=0.01) for units in m]
                         for angle in phi])

    def states(factor: float) -> np.ndarray:
        return np.array([[late_state(m=units, phi=angle, D=factor * size)
                          for units, size in zip(m, row, strict=True)]
                         for angle, row in zip(phi, critical, strict=True)])

    below, above = states(1 / AWAY), states(AWAY)
    curve_D = critical[0, 0] * np.geomspace(0.2, 2, 16)
    curve_P = np.array([late_state(m=m[0], phi=phi[0], D=size)[2] for size in curve_D])
    return Evidence(
        checks=(
            at_least("shared", "least redundant coefficient at $D_c/1.5$", np.min(below[..., 2]),
                     10 * SHARED_ABOVE, part="sharing below",
                     reason="ten times the threshold: a share that does not depend on it"),
            at_most("shared_angle", "largest redundant angle left at $D_c/1.5$, over the initial one",
                    np.max(np.abs(below[..., 3]) / phi[:, None]), 0.1, part="sharing below",
                    reason="the redundant direction reaches the teacher, like 1/t: small at time 3e4"),
            at_most("selected", "largest redundant coefficient at $1.5 D_c$", np.max(above[..., 2]),
                    SHARED_ABOVE / 10, part="selection above",
                    reason="a tenth of the threshold: it decays exponentially there"),
            at_least("selected_angle", "least redundant angle left at $1.5 D_c$, over the initial one",
                     np.min(above[..., 3] / phi[:, None]), 0.1, part="selection above",
                     reason="the redundant direction stops on its way"),
            is_true("falls_with_m", "$D_c$ falls with $m$ at every angle",
                    np.all(np.diff(critical, axis=1) < 0), part="phase diagram",
                    reason="differences far above 1%"),
            is_true("falls_with_phi", "$D_c$ falls with the angle at every $m$",
                    np.all(np.diff(critical, axis=0) < 0), part="phase diagram",
                    reason="differences far above 1%"),
        ),
        data={"phi": phi, "m": m, "critical": critical, "below": below, "above": above,
              "below_D": critical / AWAY, "above_D": critical * AWAY, "curve_D": curve_D,
              "curve_P": curve_P},
    )


def c27(*, phi_wide, m, D) -> Evidence:
    """Check that selection persists at angles beyond pi/3, also from starts outside the region of the proof.

    Data
    ----
    phi, m : grids; selection : fast time of selection (phi, m); end_q, end_P : at the end (phi, m);
    in_region : whether the start lies in the proof's region, (phi, m); least_eigenvalue : of the Hessian,
    (phi,).
    """
    phi, m = np.array(sorted(set(phi_wide))), np.array(sorted(set(m)))
    selection = np.array([selection_time(m=m, phi=angle, D=D, until=GIVE_UP) for angle in phi])
    end_q, end_P = np.empty(selection.shape), np.empty(selection.shape)
    for i, angle in enumerate(phi):
        end = min(np.max(selection[i]), GIVE_UP) + 12 / limit_rates(m=2, phi=angle)[0]
        run = duplicates([end], m=m, phi=angle, D=D)
        end_q[i], end_P[i] = run.q[0], run.P[0]
    least = np.array([np.linalg.eigvalsh(hessian(angle))[0] for angle in phi])
    inside = np.array([in_region(1 / m, angle, (m - 1) / m, angle) for angle in phi])
    return Evidence(
        checks=(
            at_most("end_P", "largest redundant coefficient at the end", np.max(end_P), 1e-3,
                    reason="twelve e-folding times of the slowest mode after selection: e^-12 = 6e-6 of "
                           "its amplitude"),
            is_true("selected", "the unit is selected in every case", np.all(np.isfinite(selection)),
                    reason="the event is reached before the search gives up, at fast time 1000"),
            at_most("end_q", "largest $|q - 1|$ at the end", np.max(np.abs(end_q - 1)), 1e-3,
                    reason="as for the redundant coefficient"),
            at_least("hessian", "least eigenvalue of the Hessian at the selected solution", np.min(least),
                     0.0,
                     reason="positive: the selected solution attracts"),
        ),
        data={"phi": phi, "m": m, "selection": selection, "end_q": end_q, "end_P": end_P, "in_region": inside,
              "least_eigenvalue": least},
    )


def _two_each(*, phi, m) -> None:
    two_different("phi", phi)
    two_different("m", m)


CLAIMS = (
    Claim(
        id="C26", paper="gauge", kind="beyond", notebook="gauge/beyond", measure=c26,
        validate=_two_each,
        statement="Below a critical imbalance the units share the feature, above it one owns it; the "
                  "critical imbalance falls with the initial angle and with the number of units.",
        source="ours, not in the paper as far as its summary shows",
        parameters=(PHI_DIAGRAM, M_BEYOND),
    ),
    Claim(
        id="C27", paper="gauge", kind="beyond", notebook="gauge/beyond", measure=c27,
        statement="Selection persists at initial angles beyond pi/3, where the paper's theorem stops.",
        source="ours; the paper assumes angles up to pi/3 (Section 3.3)",
        parameters=(PHI_WIDE, M_BEYOND, D_LARGE),
    ),
)
