"""The Gaussian averages behind the equations of motion, and the two ways of writing these."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import erf

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most
from featurelearning.claims.locality.parameters import SEED
from featurelearning.gaussian import erf_H, erf_I2, erf_I4, erf_J
from featurelearning.locality import committee_model, exchangeable_rhs, general_rhs

__all__ = ["CLAIMS", "a1"]

DRAWS = Parameter("draws", full=4_000_000, quick=200_000, low=1000, high=20_000_000,
                  meaning="the number of Gaussian samples")
# All draws at once would take gigabytes.
BATCH = 200_000


def a1(*, draws, seed) -> Evidence:
    """Check the closed averages by Monte Carlo, and the reduced equations against the general ones.

    The covariance of the four fields is a random Wishart matrix; the fifth average repeats fields.

    Data
    ----
    names : the averages' names (5,); closed, simulated, standard_error : (5,); covariance : (4, 4);
    positions : numbers of positions at which the two forms are compared; rhs_difference : their largest
    difference at each.
    """
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 6)) / 2
    S = root @ root.T
    closed = np.array([
        erf_I2(S[0, 0], S[0, 1], S[1, 1]), erf_J(S[0, 0], S[0, 1], S[1, 1]), erf_H(S[0, 0], S[0, 1], S[1, 1]),
        erf_I4(*S[np.triu_indices(4)]), erf_I4(*S[np.ix_([0, 0, 2, 2], [0, 0, 2, 2])][np.triu_indices(4)]),
    ])
    factor = np.linalg.cholesky(S)
    total, square = np.zeros(5), np.zeros(5)
    for start in range(0, draws, BATCH):
        a, b, c, d = factor @ rng.normal(size=(4, min(BATCH, draws - start)))
        slope_a, slope_b = (np.sqrt(2 / np.pi) * np.exp(-0.5 * x * x) for x in (a, b))
        g_a, g_b, g_c, g_d = (erf(x / np.sqrt(2)) for x in (a, b, c, d))
        samples = np.array([g_a * g_b, slope_a * slope_b, -a * slope_a * g_b, slope_a * slope_b * g_c * g_d,
                            slope_a**2 * g_c**2])
        total, square = total + samples.sum(axis=1), square + (samples**2).sum(axis=1)
    mean = total / draws
    error = np.sqrt((square / draws - mean**2) / draws)
    wrong = erf_J(1.2 * S[0, 0], S[0, 1], S[1, 1])

    positions = np.array([1, 2, 3, 5])
    difference = np.array([_rhs_difference(int(P), rng) for P in positions])
    return Evidence(
        checks=(
            at_most("deviation", "largest deviation of the five averages, in standard errors",
                    np.max(np.abs(mean - closed) / error), 4.0,
                    reason="five normal deviates: one in 3000 random sets would exceed 4"),
            at_least("control", "deviation of a wrong average (J at a variance 20% too large), in standard "
                                "errors",
                     abs(mean[1] - wrong) / error[1], 4.0,
                     reason="the comparison must be sharp enough to reject a wrong formula"),
            at_most("rhs", "largest difference of the reduced and the general equations of motion",
                    np.max(difference), 1e-12, reason="the same algebra; rounding only"),
        ),
        data={"names": ("I2", "J", "H", "I4", "I4(a,a,c,c)"), "closed": closed, "simulated": mean,
              "standard_error": error, "covariance": S, "positions": positions, "rhs_difference": difference},
    )


def _rhs_difference(P: int, rng: np.random.Generator) -> float:
    """Largest difference of the reduced and the general right-hand side over random states of P positions."""
    worst = 0.0
    for student, activation in itertools.product(("conv", "lcn"), ("erf", "linear")):
        c = rng.uniform(-0.5 / max(P - 1, 1), 1.0)
        eta, sigma, R, noise, shared = rng.uniform(0.1, 1.0, 5)
        O = R**2 + (shared if P > 1 or student == "conv" else 0.0)
        Q = O if student == "conv" else O + noise
        model = committee_model(student, P=P, C=c, eta=eta, sigma=sigma, activation=activation)
        blocks = model.A.shape[1]
        dQ, dR = general_rhs(np.full((blocks, blocks), O) + (Q - O) * np.eye(blocks), np.full((blocks, 1), R),
                             *model.constants)
        reduced = exchangeable_rhs(Q, O, R, student == "conv", activation == "linear", P, c, P**-0.5, eta,
                                   sigma, 1.0)
        general = (dQ[0, 0], dQ[0, -1] if blocks > 1 else reduced[1], dR[0, 0])
        worst = max(worst, np.max(np.abs(np.subtract(reduced, general))))
    return worst


CLAIMS = (
    Claim(
        id="A1", paper="locality", kind="beyond", notebook="locality/model", measure=a1,
        statement="The averages of erf units over Gaussian inputs that drive the learning equations are "
                  "right in closed form, and three equations suffice for one filter at equal correlations.",
        source="our reconstruction; the averages are those of Saad and Solla (1995)",
        parameters=(DRAWS, SEED),
    ),
)
