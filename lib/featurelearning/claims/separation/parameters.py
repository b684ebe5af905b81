"""Parameters that several claims of the separation paper share."""

from __future__ import annotations

from featurelearning.claims.parameters import Parameter

__all__ = [
    "CHAINS", "CHI_STRONG", "D_FCN", "DRAWS", "N_FCN", "N_SAMPLES", "P", "S", "SEED",
    "SIGMA2", "WIDTHS_ERF", "WIDTHS_FCN", "WIDTHS_LINEAR", "WIDTHS_STRONG",
]

SEED = Parameter("seed", 20211231, "seed of the sampler's random numbers", low=0)
SIGMA2 = Parameter(
    "sigma2", 0.05, "noise variance", low=1e-3, high=10, why="smaller noise needs far longer chains"
)
N_SAMPLES = Parameter("n", 50, "training samples", low=5, high=400)
P = Parameter("P", 8, "patches of an input", low=1, high=50)
S = Parameter("S", 10, "size of a patch", low=2, high=50)
CHI_STRONG = Parameter(
    "chi", 30.0, "readout scaling of the strong-learning regime (1 is standard)", low=1, high=1000
)

CHAINS = Parameter("chains", 4, "Markov chains", quick=2, low=2, high=16)
DRAWS = Parameter("draws", 400, "draws of a chain after warm-up", quick=100, low=50, high=20000)

WIDTHS_LINEAR = Parameter("C_linear", (10, 30, 100), "widths of the linear networks", low=2, high=3000)
WIDTHS_ERF = Parameter("C_erf", (10, 30, 100), "widths of the erf networks", quick=(10, 30), low=2, high=3000)
WIDTHS_STRONG = Parameter(
    "C_strong", (30, 100), "widths of the networks in the strong-learning regime", quick=(30,), low=2,
    high=3000
)

N_FCN = Parameter("n", 80, "training samples", low=5, high=400)
D_FCN = Parameter("d", 10, "input dimension", low=2, high=50)
WIDTHS_FCN = Parameter(
    "N", (25, 50, 100), "widths of both hidden layers, ascending", quick=(25, 50), low=5, high=400, at_least=2
)
