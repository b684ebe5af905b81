"""Whether the samplers that every other claim uses draw from the posterior."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, at_least, at_most, close
from featurelearning.claims.parameters import Parameter
from featurelearning.claims.separation.parameters import SEED
from featurelearning.claims.separation.sampling import convergence
from featurelearning.separation import (
    CNN, CNNPotential, Draws, ForgottenDeterminant, ReadoutPotential, ScaledSlope, calibration_ranks,
    chain_mean, gibbs_chain, hmc_chain, langevin_chain, projections, sample, sample_gibbs, teacher_data,
    uniformity,
)

__all__ = ["CLAIMS"]

REPLICATES = Parameter("replicates", 500, "replicates of the calibration", quick=100, low=50, high=100000)
N_SMALL = Parameter("n", 10, "training samples", low=3, high=50)
P_SMALL = Parameter("P", 2, "patches of an input", low=1, high=10)
S_SMALL = Parameter("S", 3, "size of a patch", low=2, high=10)
C_SMALL = Parameter("C", 4, "width", low=2, high=20)
SIGMA2_SMALL = Parameter("sigma2", 0.1, "noise variance", low=0.02, high=10)

LANGEVIN_STEPS = Parameter(
    "h", (0.005, 0.01, 0.02), "steps of plain Langevin dynamics, ascending", quick=(0.01, 0.02),
    low=1e-4, high=0.02, at_least=2,
    why="two are needed to see the bias, and the dynamics is unstable at larger ones",
)
LANGEVIN_TIME = Parameter("T", 400.0, "time of a plain Langevin chain", quick=120.0, low=20, high=1e5)

DRAWS, BINS = 9, 10
LEVEL = 1e-3


def _hmc(distort=lambda potential: potential):
    def chain(potential, start, draws, rng):
        return hmc_chain(distort(potential), start, step=0.3, draws=draws, leapfrog=(4, 8), rng=rng)
    return chain


def _langevin(distort=lambda potential: potential):
    def chain(potential, start, draws, rng):
        return langevin_chain(distort(potential), start, step=0.03, draws=draws, every=15, rng=rng)
    return chain


def _gibbs(potential, start, draws, rng):
    return gibbs_chain(potential, start, 4 * draws, rng)[3::4]


SAMPLERS = {"hmc": _hmc(), "gibbs": _gibbs, "langevin": _langevin()}
BROKEN = {
    "langevin_half_gradient": _langevin(lambda potential: ScaledSlope(potential, 0.5)),
    "hmc_without_determinant": _hmc(ForgottenDeterminant),
}


def _plain_langevin(potential, h, T, rng) -> np.ndarray:
    """Filters of four chains of all weights, from the prior, at each tenth of a unit of time; a tenth is
    dropped."""
    full, every, draws = ReadoutPotential(potential), max(1, round(0.1 / h)), round(10 * T)
    q = np.array([
        langevin_chain(full, child.standard_normal(full.dimension), step=h, draws=draws, every=every,
                       rng=child)
        for child in rng.spawn(4)
    ])
    return q[:, draws // 10:, : potential.dimension]


def _second_moments(model, C, h, T, rng):
    """The mean of w^T M w by Gibbs sweeps, by HMC, and by plain Langevin dynamics at each step."""
    potential = CNNPotential(model, C)

    def mean(draws):
        return chain_mean(np.mean(projections(potential, draws, model.data.w) ** 2, axis=2))

    gibbs = mean(sample_gibbs(potential, rng=rng, draws=round(5 * T), warm_up=100, every=2))
    hmc = mean(sample(potential, rng=rng, draws=round(2 * T), warm_up=100))
    plain = [
        mean(Draws(_plain_langevin(potential, step, T, rng), np.ones(4), np.full(4, step), 0)) for step in h
    ]
    return gibbs, hmc, plain


def b13(*, n, P, S, C, sigma2, replicates, h, T, seed) -> Evidence:
    """Check that ranks of prior draws among posterior draws are uniform, and not for two broken samplers.

    Then compare one second moment, w^T M w on the teacher's task, between samplers.

    Data: ``ranks_<sampler>``, shape (2, replicates), for "hmc", "gibbs", "langevin",
    "langevin_half_gradient", "hmc_without_determinant"; the rows are ranks of w^T M w and of the data's
    energy, 0 to ``draws``; ``h`` with ``langevin`` and ``langevin_error``, and ``gibbs``, ``gibbs_error``,
    ``hmc``, ``hmc_error`` (second moments in prior units); ``sampled``, ``rhat``, ``ess`` of these.
    """
    rng, checks, data = np.random.default_rng(seed), [], {"draws": DRAWS}
    model = CNN(teacher_data("linear", n=n, P=P, S=S, n_test=1), "linear", sigma2)
    for name, chain in (SAMPLERS | BROKEN).items():
        ranks = calibration_ranks(model, C, chain, replicates=replicates, draws=DRAWS, rng=rng)
        data[f"ranks_{name}"] = ranks
        p = [uniformity(row, DRAWS, BINS) for row in ranks]
        words = name.replace("_", " ")
        if name in SAMPLERS:
            checks += [
                at_least(f"{name}_{key}", f"p-value of uniform ranks, {words}, {key}", value, LEVEL,
                         reason="chi-square test of ten bins, false-positive rate 1e-3 each")
                for key, value in zip(("eigenvalue", "energy"), p)
            ]
        else:
            checks.append(at_most(
                f"{name}_fails", f"smaller p-value, {words}", min(p), LEVEL / 2,
                reason="negative control: a wrong sampler must be caught, two tests at half the level each",
            ))
    gibbs, hmc, plain = _second_moments(model, C, h, T, rng)
    halving = abs(plain[1].mean - plain[0].mean) * h[0] / (h[1] - h[0])
    checks += [
        close("second_moment_hmc", "second moment along the teacher, HMC against Gibbs sweeps",
              hmc.mean, gibbs.mean,
              absolute=3 * np.hypot(hmc.error, gibbs.error), reason="three standard errors of the two"),
        close("second_moment_langevin",
              f"the same, plain Langevin of all weights at step {h[0]:g}, against Gibbs sweeps",
              plain[0].mean, gibbs.mean, absolute=halving + 3 * np.hypot(plain[0].error, gibbs.error),
              reason="a bias of first order in the step, as read off from "
                     "the next step, and three standard errors"),
        at_least("langevin_bias", f"standard errors by which step {h[-1]:g} misses",
                 abs(plain[-1].mean - gibbs.mean) / np.hypot(plain[-1].error, gibbs.error), 3.0,
                 reason="negative control: without an accept step a large step must show"),
    ]
    data |= {
        "h": np.array(h), "langevin": np.array([m.mean for m in plain]),
        "langevin_error": np.array([m.error for m in plain]), "gibbs": gibbs.mean, "gibbs_error": gibbs.error,
        "hmc": hmc.mean, "hmc_error": hmc.error,
    } | convergence({
        "Gibbs": gibbs, "HMC": hmc, **{f"Langevin, h = {step:g}": mean for step, mean in zip(h, plain)},
    })
    return Evidence(tuple(checks), data)


CLAIMS = (
    Claim(
        id="B13", paper="separation",
        statement="Hamiltonian Monte Carlo, Gibbs sweeps and slow Langevin dynamics all draw from the "
                  "posterior, and the test that says so catches a wrong gradient and a wrong evidence.",
        source="Not in the paper: a check of our samplers",
        kind="beyond", notebook="separation/posterior",
        parameters=(
            REPLICATES, N_SMALL, P_SMALL, S_SMALL, C_SMALL, SIGMA2_SMALL, LANGEVIN_STEPS, LANGEVIN_TIME, SEED,
        ), measure=b13,
    ),
)
