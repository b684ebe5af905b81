"""Whether the samplers that every other claim uses draw from the posterior."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, at_least, at_most
from featurelearning.claims.parameters import Parameter
from featurelearning.claims.separation.parameters import SEED
from featurelearning.separation import (
    CNN, ForgottenDeterminant, ScaledSlope, calibration_ranks, gibbs_chain, hmc_chain, langevin_chain, teacher_data,
    uniformity,
)

__all__ = ["CLAIMS"]

REPLICATES = Parameter("replicates", 500, "replicates of the calibration", quick=100, low=50, high=100000)
N_SMALL = Parameter("n", 10, "training samples", low=3, high=50)
P_SMALL = Parameter("P", 2, "patches of an input", low=1, high=10)
S_SMALL = Parameter("S", 3, "size of a patch", low=2, high=10)
C_SMALL = Parameter("C", 4, "width", low=2, high=20)
SIGMA2_SMALL = Parameter("sigma2", 0.1, "noise variance", low=0.02, high=10)

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


def b13(*, n, P, S, C, sigma2, replicates, seed) -> Evidence:
    """Check that ranks of prior draws among posterior draws are uniform, and not for two broken samplers.

    Data: ``ranks_<sampler>``, shape (2, replicates), for "hmc", "gibbs", "langevin", "langevin_half_gradient",
    "hmc_without_determinant"; the rows are ranks of the teacher eigenvalue and of the data's energy, 0 to ``draws``.
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
    return Evidence(tuple(checks), data)


CLAIMS = (
    Claim(
        id="B13", paper="separation",
        statement="Hamiltonian Monte Carlo, Gibbs sweeps and slow Langevin dynamics all draw from the posterior, and the "
                  "test that says so catches a wrong gradient and a wrong evidence.",
        source="Not in the paper: a check of our samplers",
        kind="beyond", notebook="separation/posterior",
        parameters=(REPLICATES, N_SMALL, P_SMALL, S_SMALL, C_SMALL, SIGMA2_SMALL, SEED), measure=b13,
    ),
)
