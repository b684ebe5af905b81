"""Positions that are not alike: correlation that decays with distance."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, ParameterError, at_least, at_most
from featurelearning.claims.locality.parameters import P, SEED
from featurelearning.claims.locality.stability import require_stable
from featurelearning.locality import (
    chain_correlation, leading_floor, linear_response, noise_floor, ring_correlation, simulate, solve,
)

__all__ = ["CLAIMS", "a17"]

RHO = Parameter("rho", full=0.7, low=0.2, high=0.9, meaning="the correlation of neighbouring positions",
                why="weaker ones hardly tell the positions apart, stronger ones make the slowest mode very "
                    "slow")
ETA_CHAIN = Parameter("eta_chain", full=0.8, low=0.1, high=1.0,
                      meaning="the learning rate of the learning curves")
SIGMA_CHAIN = Parameter("sigma_chain", full=0.2, low=0.0, high=1.0,
                        meaning="the standard deviation of the label noise in the learning curves")
D_CHAIN = Parameter("D_chain", full=300, quick=100, low=50, high=1600,
                    meaning="the patch dimension of the simulation",
                    why="the simulation's time grows like its square")
RUNS_CHAIN = Parameter("runs_chain", full=6, quick=6, low=2, high=64, meaning="the number of simulated runs")
T_CHAIN = Parameter("t_chain", full=20.0, low=5.0, high=100.0, meaning="the last time of the learning curves")
ETA_SMALL = Parameter("eta_small", full=0.2, low=0.01, high=0.25, meaning="the learning rate of the floors",
                      why="far below the limit of stability")
SIGMA_TINY = Parameter("sigma_tiny", full=0.05, low=0.0, high=0.1, closed="right",
                       why="linear response holds",
                       meaning="the standard deviation of the label noise for the floors")


def a17(*, P, rho, eta_chain, sigma_chain, t_chain, D_chain, runs_chain, seed, eta_small,
        sigma_tiny) -> Evidence:
    """Check that inner positions of a chain learn faster, and the trace formula for the floors.

    Data
    ----
    t : (k,); R : teacher overlaps of each position (k, P); t_sgd : (m,), R_sgd, R_sgd_error : (m, P),
    simulated means and their standard errors; systems : names of the two correlations; floor_conv, floor_lcn,
    response_conv, response_lcn, leading_conv, leading_lcn : (2,), over eta sigma^2/4.
    """
    C = chain_correlation(rho, P)
    model = {"P": P, "C": C, "eta": eta_chain, "sigma": sigma_chain}
    t = np.linspace(0, t_chain, 121)
    path = solve("lcn", t, **model)
    t_sgd = t_chain * np.arange(1, 7) / 6
    runs = simulate("lcn", t_sgd, D=D_chain, rng=np.random.default_rng(seed), runs=runs_chain,
                    **model).R[..., 0]
    theory = solve("lcn", t_sgd, **model).R[..., 0]
    mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(runs_chain)
    R = path.R[..., 0]
    systems = {"chain": chain_correlation(rho, P + 1), "ring": ring_correlation(rho, P + 2)}
    unit = eta_small * sigma_tiny**2 / 4
    floor, response, leading = np.empty((3, 2, 2))
    for i, student in enumerate(("conv", "lcn")):
        for j, system in enumerate(systems.values()):
            setting = {"P": len(system), "eta": eta_small, "sigma": sigma_tiny}
            floor[i, j] = noise_floor(student, c=system, **setting) / unit
            response[i, j] = linear_response(student, C=system, **setting).E_inf / unit
            leading[i, j] = leading_floor(student, C=system, **setting) / unit
    slow = {"eta": eta_small / 50, "sigma": sigma_tiny}
    traces = [linear_response("lcn", P=len(system), C=system, **slow).E_inf
              / leading_floor("lcn", P=len(system), C=system, **slow) for system in systems.values()]
    inner = R[1:, P // 2] - R[1:, 0]
    at_end = np.sqrt(np.mean((mean - theory) ** 2))
    return Evidence(
        checks=(
            at_least("inner", "smallest lead of the middle position over an end, after the start",
                     np.min(inner), 0.0,
                     part="positions differ", reason="the middle has more neighbours that it learns from"),
            at_most("sgd", "largest difference of the simulated mean overlaps to the theory",
                    np.max(np.abs(mean - theory)), 0.02 * np.sqrt(300 / D_chain) * np.sqrt(6 / runs_chain),
                    part="positions differ", reason="fluctuations of order $(D \\cdot runs)^{-1/2}$, about "
                                                    "0.005 at D = 300"),
            at_least("control", "root mean square difference of the simulated ends to the theory of the "
                                "middle, over that to their own",
                     np.sqrt(np.mean((mean[:, 0] - theory[:, P // 2]) ** 2)) / at_end, 2.0,
                     part="positions differ", reason="the comparison must tell the positions apart"),
            at_most("response", "largest relative difference of stationary point and linear response",
                    np.max(np.abs(floor / response - 1)), 1e-3 * (sigma_tiny / 0.05) ** 2, part="floors",
                    reason="second order in the noise"),
            at_most("trace", "largest relative difference of the locally connected floor to the trace "
                             "formula at a fiftieth of the rate", np.max(np.abs(np.array(traces) - 1)), 0.01,
                    part="floors",
                    reason="the correction is of first order in the rate; no correlation matrix enters the "
                           "formula"),
        ),
        data={"t": t, "R": R, "t_sgd": t_sgd, "R_sgd": mean, "R_sgd_error": error, "systems": tuple(systems),
              "floor_conv": floor[0], "floor_lcn": floor[1], "response_conv": response[0],
              "response_lcn": response[1],
              "leading_conv": leading[0], "leading_lcn": leading[1]},
    )


def _validate(*, P, rho, eta_small, **_) -> None:
    if P < 3:
        raise ParameterError(f"P = {P}: a chain needs an inner position; allowed: P >= 3")
    require_stable("eta_small", eta_small, P=P + 2, correlations=(ring_correlation(rho, P + 2),))


CLAIMS = (
    Claim(
        id="A17", paper="locality", kind="beyond", notebook="locality/noise-floor", measure=a17,
        statement="When correlation decays with distance, the free weights of inner positions learn faster "
                  "than those at the ends, and yet the floor of free weights at small rates does not depend "
                  "on the correlation.",
        source="not in the paper as far as its summary shows; extends finding (c) to unequal correlations",
        parameters=(P, RHO, ETA_CHAIN, SIGMA_CHAIN, T_CHAIN, D_CHAIN, RUNS_CHAIN, SEED, ETA_SMALL,
                    SIGMA_TINY),
        validate=_validate,
    ),
)
