"""Four descriptions of the same duplicates: reduced flow, weights, a finite sample, and the limit of large
imbalance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from featurelearning.claims import Claim, Evidence, Parameter, at_most
from featurelearning.claims.gauge.parameters import (
    D_INPUT, D_ONE, H_STEP, KAPPA, M_UNITS, M_VALUES, PHI, SEED, UNTIL,
)
from featurelearning.gauge import (
    DuplicateTrajectory, WeightTrajectory, descend, duplicate_copies, duplicate_weights, duplicates,
    empirical_gradients,
    empirical_loss, population_flow, population_gradients, population_loss, trajectory_distance,
)
from featurelearning.gaussian import angle

__all__ = ["CLAIMS", "c15"]

D_AGREE = Parameter("D_values", full=(4.0, 32.0, 256.0), quick=(4.0, 32.0), low=1.0, high=1e4,
                    why="an imbalance size",
                    meaning="the sizes of the imbalance at which reduced flow and weights are compared")
N_SAMPLE = Parameter("N", full=4096, quick=1024, low=64, high=1_000_000, why="enough samples to select",
                     meaning="the size of the finite sample")


def c15(*, phi, m, D, kappa, m_values, D_values, until, d, N, h, seed) -> Evidence:
    """Check that four descriptions give one trajectory: to 1e-8 where exact, to N^-1/2 and D^-2 where
    approximate.

    Weights: all m units in a random plane of R^d. Sample: full-batch descent on N inputs, the m - 1 redundant
    units once as m - 1 units and once as one unit with m - 1 copies.

    Data
    ----
    tau : fast times (T,), steps of descent; for each of reduced, weights, sample, limit: NAME_q, NAME_P,
    NAME_theta (absolute), NAME_chi, NAME_P_chi, NAME_loss, (T,); grid_m, grid_D, grid_difference : the
    comparison of reduced flow and weights.
    """
    rng = np.random.default_rng(seed)
    plane = np.linalg.qr(rng.standard_normal((d, 2)))[0].T
    X = rng.standard_normal((N, d))
    coarse = np.linspace(0, until, 41)
    grid = np.array([[_exact_difference(coarse, m=units, phi=phi, D=size, kappa=kappa, plane=plane)
                      for size in D_values] for units in m_values])

    steps = math.ceil(until / h)
    tau, eta = h * np.arange(steps + 1), h / D
    reduced = duplicates(tau, m=m, phi=phi, D=D, kappa=kappa)
    limit = duplicates(tau, m=m, phi=phi, D=np.inf, kappa=kappa)
    U, c, y = plane[:1], np.ones(1), np.maximum(X @ plane[0], 0)
    every = duplicate_weights(phi=phi, D=D, plane=plane, q=kappa / m, units=m)
    pair = duplicate_weights(phi=phi, D=D, plane=plane, q=kappa / m, units=2)
    copies = duplicate_copies(m)
    weights = population_flow(tau / D, *every, U, c)
    sample = descend(lambda a, W: empirical_gradients(X, y, a, W), *every, eta=eta, steps=steps)
    sample_pair = descend(lambda a, W: empirical_gradients(X, y, a, W, copies), *pair, eta=eta, steps=steps)
    population = descend(lambda a, W: population_gradients(a, W, U, c, copies), *pair, eta=eta, steps=steps)
    first_two = WeightTrajectory(sample.t, sample.a[:, :2], sample.W[:, :2])
    curves = {
        "reduced": _of_flow(reduced), "limit": _of_flow(limit),
        "weights": _of_weights(weights, plane[0], population_loss(weights.a, weights.W, U, c)),
        "sample": _of_weights(sample, plane[0], np.array([empirical_loss(X, y, a, W)
                                                          for a, W in zip(sample.a, sample.W, strict=True)])),
    }
    return Evidence(
        checks=(
            at_most("weights_reduced",
                    "largest difference of weights and reduced flow in q, P, angles and loss, all m and D",
                    np.max(grid), 1e-8,
                    reason="the reduction is exact; both integrations err by about 1e-10"),
            at_most("copies", "descent on the sample: m units against two with copies",
                    trajectory_distance(first_two, sample_pair, copies), 1e-12,
                    reason="the same steps, summed in another order; rounding"),
            at_most("sample_population", f"descent on {N} samples against descent on the population",
                    trajectory_distance(sample_pair, population, copies),
                    0.1 * math.sqrt(4096 / N) * math.sqrt(d / 10),
                    reason="sampling error falls as (d/N)^(1/2); the limit is five times its mean of 0.02 "
                           "at N = 4096, d = 10, which 20 samples there never reached"),
            at_most("limit_reduced", "largest $D^2$ times the distance of limit and reduced flow",
                    D**2 * _flow_distance(limit, reduced), 0.5,
                    reason="corrections are of order D^-2, with a coefficient of 0.1 to 0.2 at 60 degrees"),
        ),
        data={"tau": tau,
              **{f"{name}_{key}": value for name, each in curves.items() for key, value in each.items()},
              "grid_m": np.array(m_values), "grid_D": np.array(D_values), "grid_difference": grid},
    )


def _exact_difference(tau: NDArray, *, m: int, phi: float, D: float, kappa: float, plane: NDArray) -> float:
    """Largest difference of weights (m units, in the given plane) and reduced flow."""
    U, c = plane[:1], np.ones(1)
    flow = population_flow(tau / D, *duplicate_weights(phi=phi, D=D, plane=plane, q=kappa / m, units=m), U, c)
    reduced = duplicates(tau, m=m, phi=phi, D=D, kappa=kappa)
    turned = np.arctan2(flow.W @ plane[1], flow.W @ plane[0])
    return max(float(np.max(np.abs(difference))) for difference in (
        flow.q[:, 0] - reduced.q, flow.q[:, 1:].sum(axis=1) - reduced.P, turned[:, 0] - reduced.theta,
        turned[:, 1:] - reduced.chi[:, None], population_loss(flow.a, flow.W, U, c) - reduced.loss))


def _of_flow(flow: DuplicateTrajectory) -> dict[str, NDArray]:
    return {"q": flow.q, "P": flow.P, "theta": np.abs(flow.theta), "chi": flow.chi,
            "P_chi": flow.P * flow.chi, "loss": flow.loss}


def _of_weights(path: WeightTrajectory, teacher: NDArray, loss: NDArray) -> dict[str, NDArray]:
    turned, P = angle(path.W, teacher), path.q[:, 1:].sum(axis=1)
    return {"q": path.q[:, 0], "P": P, "theta": turned[:, 0], "chi": turned[:, 1], "P_chi": P * turned[:, 1],
            "loss": loss}


def _flow_distance(first: DuplicateTrajectory, second: DuplicateTrajectory) -> float:
    gaps = [r1 * np.exp(1j * t1) - r2 * np.exp(1j * t2) for r1, t1, r2, t2 in (
        (first.q, first.theta, second.q, second.theta), (first.P, first.chi, second.P, second.chi))]
    return float(np.max(np.hypot(*np.abs(gaps))))


CLAIMS = (
    Claim(
        id="C15", paper="gauge", kind="figure", notebook="gauge/duplicates", measure=c15,
        statement="The reduced flow in four numbers, the flow of all weights, descent on a finite sample and "
                  "the limit of infinite imbalance tell the same story, each as closely as it should.",
        source="Figure 3 and Appendix D.1 (by role); dimension, sample size and step are our reconstruction",
        parameters=(PHI, M_UNITS, D_ONE, KAPPA, M_VALUES, D_AGREE, UNTIL, D_INPUT, N_SAMPLE, H_STEP, SEED),
    ),
)
