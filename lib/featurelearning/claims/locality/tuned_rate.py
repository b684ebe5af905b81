"""Each student at the learning rate that is best for the training time."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import (
    Claim, Evidence, Parameter, ParameterError, at_least, at_most, close, within,
)
from featurelearning.claims.locality.parameters import C, P, SEED, SIGMA_LABEL
from featurelearning.claims.locality.stability import require_increasing
from featurelearning.locality import (
    annealed_error, crossings, first_order_transition, linear_transition, simulate, solve, transition_time,
    tuned_error,
)

__all__ = ["CLAIMS", "a13", "a22"]

C_TUNED = Parameter("c_tuned", full=tuple(round(0.1 * i, 1) for i in range(1, 10)), quick=(0.1, 0.3, 0.6),
                    low=0.02, high=0.95, at_least=2,
                    meaning="the correlations of the transition times, increasing",
                    why="the transition vanishes at 0 and its time diverges at 1")
T_SIDES = Parameter("T_sides", full=(0.3, 3.0), low=0.05, high=30.0, at_least=2,
                    meaning="two training times, one on each side of the transition")
D_TUNED = Parameter("D_tuned", full=800, quick=200, low=100, high=1600,
                    meaning="the patch dimension of the simulation",
                    why="the simulation's time grows like its square")
RUNS_TUNED = Parameter("runs_tuned", full=16, quick=16, low=4, high=200,
                       meaning="the number of simulated runs")
T_ANNEALED = Parameter("T_annealed", full=(0.3, 1.0, 10.0, 100.0), quick=(0.3, 10.0), low=0.05, high=300.0,
                       at_least=2, meaning="the training times of the annealed schedules, increasing")
TIMES = np.geomspace(0.05, 300.0, 33)
STUDENTS = ("conv", "lcn")


def a13(*, P, c, sigma, c_tuned, T_sides, D_tuned, runs_tuned, seed) -> Evidence:
    """Check the single transition of the tuned errors, its predictions, and simulations on both sides.

    Data
    ----
    T : (k,); E_conv, E_lcn, eta_conv, eta_lcn : tuned errors and rates at c; T_x : their transition; T_zero,
    zero_ratio : the first times (9,) and ln(E*_conv / E*_lcn) there from almost zero weights; c_tuned,
    T_x_erf, T_x_linear, T_1 : transition times and first-order prediction for erf (n,); T_sides, theory,
    simulated, error : (2, m), rows convolution and locally connected.
    """
    model = {"P": P, "c": c, "sigma": sigma}
    tuned = {student: tuned_error(student, TIMES, **model) for student in STUDENTS}
    ratio = np.log(tuned["conv"][0] / tuned["lcn"][0])
    transitions = {activation: np.array([transition_time(P=P, c=x, sigma=sigma, activation=activation)
                                         for x in c_tuned])
                   for activation in ("erf", "linear")}
    predicted = np.array([first_order_transition(P=P, c=x, sigma=sigma) for x in c_tuned])
    small_c = 0.04 / P
    small = transition_time(P=P, c=small_c, sigma=sigma, activation="linear", low=1e-4)
    zero_weights = {s: tuned_error(s, TIMES[:9], Q0=1e-6, **model)[0] for s in STUDENTS}
    zero_ratio = np.log(zero_weights["conv"] / zero_weights["lcn"])

    sides = np.array(T_sides)
    rng = np.random.default_rng(seed)
    theory, simulated, error = np.empty((3, 2, len(sides)))
    for i, student in enumerate(STUDENTS):
        for j, T in enumerate(sides):
            theory[i, j], eta = tuned_error(student, T, **model)
            run = simulate(student, [T], P=P, C=c, eta=eta, sigma=sigma, D=D_tuned, rng=rng, runs=runs_tuned)
            simulated[i, j], error[i, j] = run.mean[0], run.standard_error[0]
    gap, gap_error = simulated[0] - simulated[1], np.hypot(error[0], error[1])
    expected_gap = theory[0] - theory[1]
    return Evidence(
        checks=(
            close("changes", "number of sign changes of $E^*_{conv} - E^*_{lcn}$ over the training times",
                  len(crossings(TIMES, ratio)), 1, absolute=0, part="one transition", reason="a count"),
            at_least("early", "$\\ln E^*_{conv}/E^*_{lcn}$ at the first time", ratio[0], 0.0,
                     part="one transition", reason="free weights ahead early"),
            at_most("late", "the same at the last time", ratio[-1], 0.0, part="one transition",
                    reason="shared weights late"),
            at_most("closed", "largest relative difference of closed form and integration, linear units",
                    _linear_check(P, c, sigma), 1e-4, part="prediction",
                    reason="the same curve; the integrator's tolerance"),
            close("small_c", "transition time of linear units at c = 0.04/P", small,
                  linear_transition(P=P, c=small_c, sigma=sigma), relative=0.1, part="prediction",
                  reason="$c P Q_0/(1+Q_0) (1 + \\sigma^2/(1+Q_0))$ at first order in c; corrections of "
                         "order P c"),
            within("first_order", "first-order prediction over the transition time of erf units, at the "
                                  "smallest correlation",
                   predicted[0] / transitions["erf"][0], 0.5, 1.0, part="prediction",
                   reason="a lower estimate, good when the transition is early"),
            at_most("simulated", "largest deviation of the simulated means, in standard errors",
                    np.max(np.abs(simulated - theory) / error), 3.0, part="simulation",
                    reason="a 1% chance of a false alarm among four; the finite-size error is below 2/D"),
            at_least("winner", "smallest gap of the two simulated means in the direction of the theory, in "
                               "standard errors",
                     np.min(gap * np.sign(expected_gap) / gap_error), 3.0, part="simulation",
                     reason="the right student must win on both sides beyond doubt"),
            at_least("initialisation", "$\\ln E^*_{conv}/E^*_{lcn}$ at the first time when the weights start "
                                       "from almost zero",
                     zero_ratio[0], 0.0, about="mechanism",
                     reason="an early advantage of the architecture itself would not need random weights"),
        ),
        data={"T": TIMES, "E_conv": tuned["conv"][0], "E_lcn": tuned["lcn"][0], "eta_conv": tuned["conv"][1],
              "eta_lcn": tuned["lcn"][1], "T_x": transition_time(**model), "T_zero": TIMES[:9],
              "zero_ratio": zero_ratio, "c_tuned": np.array(c_tuned), "T_x_erf": transitions["erf"],
              "T_x_linear": transitions["linear"], "T_1": predicted, "T_sides": sides, "theory": theory,
              "simulated": simulated, "error": error},
    )


def a22(*, P, c, sigma, T_annealed) -> Evidence:
    """Check that decaying rates ``eta0 / (1 + t/t0)``, tuned as well, leave the order as it is.

    Data
    ----
    T_annealed : (n,); annealed, constant : best errors (2, n), rows convolution and locally connected; eta0,
    t0 : the schedules found (2, n).
    """
    model = {"P": P, "c": c, "sigma": sigma}
    shape = (2, len(T_annealed))
    annealed, constant, eta0, t0 = (np.empty(shape) for _ in range(4))
    for i, student in enumerate(STUDENTS):
        for j, T in enumerate(T_annealed):
            constant[i, j] = tuned_error(student, T, **model)[0]
            annealed[i, j], eta0[i, j], t0[i, j] = annealed_error(student, T, **model)
    T_x = transition_time(**model)
    ahead = np.log(annealed[0] / annealed[1]) * np.where(np.array(T_annealed) < T_x, 1.0, -1.0)
    return Evidence(
        checks=(
            at_least("order", "smallest lead of the student that leads at constant rates, in ln E",
                     np.min(ahead), 0.0,
                     reason="free weights before the transition at constant rates, shared ones after it"),
            at_most("gain", "largest ratio of the annealed to the constant best error",
                    np.max(annealed / constant), 1.0 + 1e-4,
                    reason="constant rates are among the schedules; the search's accuracy"),
        ),
        data={"T_annealed": np.array(T_annealed), "annealed": annealed, "constant": constant, "eta0": eta0,
              "t0": t0},
    )


def _linear_check(P: int, c: float, sigma: float) -> float:
    """Largest relative difference of the closed tuned errors to the integrated ones at the same rates."""
    worst = 0.0
    for student in STUDENTS:
        for T in TIMES[::8]:
            E, eta = tuned_error(student, T, P=P, c=c, sigma=sigma, activation="linear")
            integrated = solve(student, [T], P=P, C=c, eta=eta, sigma=sigma, activation="linear").E[0]
            worst = max(worst, abs(integrated / E - 1))
    return worst


def _tuned_validate(*, P, c, sigma, c_tuned, T_sides, **_) -> None:
    require_increasing("c_tuned", c_tuned)
    T_x = transition_time(P=P, c=c, sigma=sigma)
    if not T_sides[0] < T_x < T_sides[-1]:
        raise ParameterError(f"T_sides = {T_sides} must lie on both sides of the transition, which is at "
                             f"{T_x:.4g} for P = {P}, c = {c}, sigma = {sigma}")


def _annealed_validate(*, P, c, sigma, T_annealed) -> None:
    require_increasing("T_annealed", T_annealed)


CLAIMS = (
    Claim(
        id="A13", paper="locality", kind="figure", notebook="locality/early-late", measure=a13,
        statement="At the learning rate that is best for the training time, locally connected networks are "
                  "better early and convolutions late, with a single transition that can be predicted.",
        source="finding (d) of the summary; our reconstruction",
        parameters=(P, C, SIGMA_LABEL, C_TUNED, T_SIDES, D_TUNED, RUNS_TUNED, SEED),
        validate=_tuned_validate,
    ),
    Claim(
        id="A22", paper="locality", kind="beyond", notebook="locality/early-late", measure=a22,
        statement="Learning rates that decay in time, tuned to the training time, leave the order of the two "
                  "students as it is at constant rates.",
        source="not in the paper as far as its summary shows",
        parameters=(P, C, SIGMA_LABEL, T_ANNEALED), validate=_annealed_validate,
    ),
)
