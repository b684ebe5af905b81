"""The model: equal duplicates are one student, delta is conserved, the loss splits, nodes rescale."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most
from featurelearning.claims.gauge.parameters import D_ONE, KAPPA, PHI, SEED
from featurelearning.gauge import (
    coefficient_direction_velocity, coefficient_rate, direction_rate, direction_velocities, dissipation,
    duplicates_rhs, loss_gradients, network_output, population_flow, population_gradients, rescale_node,
    single_flow, to_weights, units_flow, velocity_from_weights,
)

__all__ = ["CLAIMS", "c2", "c3", "c4", "c8"]

M_MODEL = Parameter("m", full=(2, 4, 8, 16), quick=(2, 4), low=2, high=32, why="at least two students",
                    meaning="the numbers of student units")
DELTAS = Parameter("delta", full=(8.0, 0.001), low=-50.0, high=50.0,
                   why="the flow is integrated by an explicit method",
                   meaning="the imbalances that all the units share")
RHOS = Parameter("rho", full=(3.0, 10.0), low=2.0, high=1e3, why="a factor well away from 1",
                 meaning="the factors of the node rescaling")
INPUT_DIMENSION = 10


def c2(*, phi, m, delta, kappa) -> Evidence:
    """Check that m units of equal imbalance delta follow one unit of coefficient m q and imbalance m delta.

    Data
    ----
    scaled_time : t (m |delta| + kappa), shape (T,); total_q, total_theta, single_q, single_theta :
    (delta, m, T), the sum over units against the single student.
    """
    scaled_time = np.linspace(0, 40, 81)
    shape = (len(delta), len(m), len(scaled_time))
    total_q, total_theta, single_q, single_theta = (np.empty(shape) for _ in range(4))
    for i, imbalance in enumerate(delta):
        for j, units in enumerate(m):
            t = scaled_time / (units * abs(imbalance) + kappa)
            q, theta = units_flow(t, q=np.full(units, kappa / units), theta=np.full(units, phi),
                                  delta=np.full(units, imbalance))
            total_q[i, j], total_theta[i, j] = q.sum(axis=1), theta[:, 0]
            single_q[i, j], single_theta[i, j] = single_flow(t, q0=kappa, theta0=phi, delta=units * imbalance)
    difference = max(np.max(np.abs(total_q - single_q)), np.max(np.abs(total_theta - single_theta)))
    return Evidence(
        checks=(
            at_most("difference", "largest difference in total coefficient or angle, all times and cases",
                    difference, 1e-8,
                    reason="an identity; the two integrations each err by about 1e-11"),
        ),
        data={"scaled_time": scaled_time, "total_q": total_q, "total_theta": total_theta,
              "single_q": single_q, "single_theta": single_theta},
    )


def c3(*, D, m, seed) -> Evidence:
    """Check by the gradients of the weights that delta is conserved, and that S and A are the rates.

    For each m: m students at random directions, coefficients in [0.2, 1] and imbalances +-D in ten
    dimensions. The weights' gradients give dq/dt and ds/dt, compared with S g and A h relative to their
    largest entry; and on random states of duplicates with the reduced equations of four variables.

    Data
    ----
    t : times (T,) of the flow of the first m; delta, drift : delta(t) and delta(t) - delta(0), shape
    (T, m); q : (T, m); rate_q, S, A_plus, A_minus : the rates at +-D by coefficient, (C,).
    """
    rng = np.random.default_rng(seed)
    rates = max(_rate_mismatch(rng, units, D) for units in m)
    reduced = max(_reduced_mismatch(rng, units, D) for units in m)
    q, s, delta = _random_students(rng, m[0], D)
    # A total coefficient near the teacher's: a larger one drives units into w = 0, where the field has a kink.
    a, W = to_weights(q / m[0], s, delta)
    path = population_flow(np.linspace(0, 20 / D, 41), a, W, _teacher()[None], np.ones(1))
    drift = path.delta - path.delta[0]
    rate_q = np.geomspace(0.05, 2 * D, 81)
    return Evidence(
        checks=(
            at_most("drift", "largest drift of an imbalance along the flow of the weights, over $D$",
                    np.max(np.abs(drift)) / D, 1e-10, part="the imbalance is conserved",
                    reason="an exact conservation law; the integration errs by 1e-13 a step"),
            at_most("rates",
                    "largest mismatch of $dq/dt = S g$ and $ds/dt = A h$ with the weights' gradients", rates,
                    1e-12, part="S and A are the rates",
                    reason="identities; rounding of sums over units, relative to the largest entry"),
            at_most("reduced", "largest mismatch of the four reduced equations with the weights' gradients",
                    reduced, 1e-12, part="S and A are the rates",
                    reason="identities; rounding, relative to the largest entry"),
        ),
        data={"t": path.t, "delta": path.delta, "drift": drift, "q": path.q, "rate_q": rate_q,
              "S": coefficient_rate(rate_q, D), "A_plus": direction_rate(rate_q, D),
              "A_minus": direction_rate(rate_q, -D)},
    )


def c4(*, phi, m, D, kappa) -> Evidence:
    """Check that the dissipation by coefficients and by directions adds up to the loss that is gone.

    Data
    ----
    tau : (T,); selected_coefficient, selected_direction, redundant_coefficient, redundant_direction :
    dissipated loss by part, (m, T); loss : (m, T); direction_share : share of directions at the end, (m,).
    """
    tau = np.linspace(0, 60, 121)
    parts = [dissipation(tau, m=units, phi=phi, D=D, kappa=kappa) for units in m]
    residual = max(np.max(np.abs(part.total + part.loss - part.loss[0])) for part in parts)
    names = ("selected_coefficient", "selected_direction", "redundant_coefficient", "redundant_direction")
    data = {name: np.array([getattr(part, name) for part in parts]) for name in (*names, "loss")}
    return Evidence(
        checks=(
            at_most("residual", "largest $|$dissipated $+$ left $-$ initial loss$|$, all times and $m$",
                    residual, 1e-9,
                    reason="an identity; the parts are integrated at 1e-13 a step"),
            at_least("least_increment", "least increment of any part between two times",
                     min(np.min(np.diff(data[name])) for name in names), -1e-13,
                     reason="every part is a square times a positive rate; rounding only"),
        ),
        data={"tau": tau, **data, "direction_share": np.array([part.direction_share[-1] for part in parts])},
    )


def c8(*, rho, seed) -> Evidence:
    """Check the factors rho^2 and rho^-2 on a random three-layer ReLU network, squared and logistic loss.

    The node is the hidden node (either layer) whose incoming and outgoing directions move at speeds nearest
    to each other, where a change of their ratio shows most.

    Data
    ----
    rho : (R,); loss : names (2,); incoming_factor, outgoing_factor, cosine : (2, R), measured; cosine is
    that of the joint direction velocities before and after.
    """
    rng = np.random.default_rng(seed)
    widths = (6, 8, 7, 3)
    weights = [rng.normal(size=(above, below)) / np.sqrt(below)
               for below, above in zip(widths[:-1], widths[1:], strict=True)]
    inputs = rng.normal(size=(64, widths[0]))
    targets = {"squared": rng.normal(size=(64, widths[-1])),
               "logistic": rng.choice([-1.0, 1.0], size=(64, widths[-1]))}
    factors, cosine = np.empty((2, len(targets), len(rho))), np.empty((len(targets), len(rho)))
    function = 0.0
    for i, (loss, target) in enumerate(targets.items()):
        def velocities(W, layer, node, loss=loss, target=target):
            return direction_velocities(W, loss_gradients(W, inputs, target, loss), layer, node)

        layer, node = min(((layer, node) for layer in (0, 1) for node in range(widths[layer + 1])),
                          key=lambda where: _log_speed_ratio(*velocities(weights, *where)))
        before = velocities(weights, layer, node)
        for j, factor in enumerate(rho):
            scaled = rescale_node(weights, layer, node, factor)
            after = velocities(scaled, layer, node)
            change = network_output(scaled, inputs) - network_output(weights, inputs)
            function = max(function, np.max(np.abs(change)))
            factors[:, i, j] = [np.linalg.norm(new) / np.linalg.norm(old)
                                for old, new in zip(before, after, strict=True)]
            joint_before, joint_after = np.concatenate(before), np.concatenate(after)
            lengths = np.linalg.norm(joint_before) * np.linalg.norm(joint_after)
            cosine[i, j] = joint_before @ joint_after / lengths
    squares = np.array(rho) ** 2
    return Evidence(
        checks=(
            at_most("incoming", "largest relative error of the incoming factor against $\\rho^2$",
                    np.max(np.abs(factors[0] / squares - 1)), 1e-10,
                    reason="exact; rounding"),
            at_most("function", "largest change of the network's output", function, 1e-12,
                    reason="the same function; rounding"),
            at_most("outgoing", "largest relative error of the outgoing factor against $\\rho^{-2}$",
                    np.max(np.abs(factors[1] * squares - 1)), 1e-10,
                    reason="exact; rounding"),
            at_most("cosine", "largest cosine of the joint direction velocities before and after",
                    np.max(cosine), 0.99, part="the joint velocity changes direction",
                    reason="parallel velocities would have cosine 1; at equal speeds rho = 2 gives 0.73"),
        ),
        data={"rho": np.array(rho), "loss": np.array(list(targets)), "incoming_factor": factors[0],
              "outgoing_factor": factors[1], "cosine": cosine},
    )


def _log_speed_ratio(incoming: np.ndarray, outgoing: np.ndarray) -> float:
    speeds = np.linalg.norm(incoming), np.linalg.norm(outgoing)
    return abs(np.log(speeds[0] / speeds[1])) if min(speeds) > 0 else np.inf


def _teacher() -> np.ndarray:
    return np.eye(INPUT_DIMENSION)[0]


def _random_students(rng: np.random.Generator, m: int, D: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    s = rng.normal(size=(m, INPUT_DIMENSION))
    return (rng.uniform(0.2, 1, size=m), s / np.linalg.norm(s, axis=-1, keepdims=True),
            D * rng.choice([-1.0, 1.0], size=m))


def _velocities(a: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of coefficients and directions from the gradients of the weights."""
    grad_a, grad_W = population_gradients(a, W, _teacher()[None], np.ones(1))
    return velocity_from_weights(a, W, -grad_a, -grad_W)


def _rate_mismatch(rng: np.random.Generator, m: int, D: float) -> float:
    q, s, delta = _random_students(rng, m, D)
    expected = coefficient_direction_velocity(q, s, delta, _teacher()[None], np.ones(1))
    return max(np.max(np.abs(measured - value)) / np.max(np.abs(value))
               for measured, value in zip(_velocities(*to_weights(q, s, delta)), expected, strict=True))


def _reduced_mismatch(rng: np.random.Generator, m: int, D: float) -> float:
    q, P = rng.uniform(0.2, 1, size=2)
    theta, chi = rng.uniform(-1, 1), rng.uniform(0.3, 2)
    angles = np.where(np.arange(m) == 0, theta, chi)
    s, turn = (np.zeros((m, INPUT_DIMENSION)) for _ in range(2))
    s[:, 0], s[:, 1] = np.cos(angles), np.sin(angles)
    turn[:, 0], turn[:, 1] = -s[:, 1], s[:, 0]
    coefficients = np.where(np.arange(m) == 0, q, P / (m - 1))
    dq, ds = _velocities(*to_weights(coefficients, s, np.where(np.arange(m) == 0, D, -D)))
    dtheta = np.einsum("jd,jd->j", ds, turn)
    measured = np.array([dq[0], dtheta[0], dq[1:].sum(), D**2 * dtheta[1]]) / D
    expected = duplicates_rhs(np.array([q, theta, P, 0.0]), m=m, phi=chi, D=D)
    return np.max(np.abs(measured - expected) / np.maximum(np.abs(expected), np.max(np.abs(expected[:3]))))


CLAIMS = (
    Claim(
        id="C2", paper="gauge", kind="theorem", notebook="gauge/model", measure=c2,
        statement="Duplicates with equal imbalance delta move together exactly as one student with m times "
                  "the coefficient and m times the imbalance.",
        source="ours, not in the paper as far as its summary shows (it is behind the equal sharing of "
               "Section 3.3)",
        parameters=(PHI, M_MODEL, DELTAS, KAPPA),
    ),
    Claim(
        id="C3", paper="gauge", kind="theorem", notebook="gauge/model", measure=c3,
        statement="Gradient flow conserves each unit's imbalance delta; the coefficient moves at a rate S "
                  "that ignores the sign of delta, and the direction at a rate A that does not.",
        source="Section 3.1 and Appendices A.1, A.3; the equations are derived here",
        parameters=(D_ONE, M_MODEL, SEED),
    ),
    Claim(
        id="C4", paper="gauge", kind="theorem", notebook="gauge/model", measure=c4,
        statement="The decay of the loss splits exactly into a part dissipated by coefficients and a part "
                  "dissipated by directions.",
        source="Appendix A.1; the parts by unit are our choice",
        parameters=(PHI, M_MODEL, D_ONE, KAPPA),
    ),
    Claim(
        id="C8", paper="gauge", kind="theorem", notebook="gauge/model", measure=c8,
        statement="At any depth and for any loss, rescaling a node by rho without changing the function "
                  "makes its incoming direction turn rho^2 times as fast and its outgoing one rho^-2 times.",
        source="Appendix A.2; network and losses are our choice",
        parameters=(RHOS, SEED),
    ),
)
