"""Parameters that several claims of the locality paper share; pages show each name once."""

from __future__ import annotations

from featurelearning.claims import Parameter

__all__ = ["C", "C_FEW", "C_VALUES", "ETA", "P", "SEED", "SIGMA", "SIGMA_LABEL"]

P = Parameter("P", full=4, low=2, high=16, meaning="the number of input positions",
              why="one position has nothing to share, and direct simulation grows like P")
ETA = Parameter("eta", full=1.0, low=0.0, high=4.0, closed="right", meaning="the learning rate",
                why="above about 4 no student of this output scale learns")
SIGMA = Parameter("sigma", full=0.2, low=0.0, high=2.0, meaning="the standard deviation of the label noise")
SIGMA_LABEL = Parameter("sigma", full=0.3, low=0.0, high=2.0, closed="right",
                        meaning="the standard deviation of the label noise",
                        why="without noise there is no floor")
C = Parameter("c", full=0.3, low=0.0, high=1.0, closed="neither",
              meaning="the correlation of two input positions",
              why="uncorrelated positions give both students the same errors at the best rates")
C_VALUES = Parameter("c_values", full=(0.0, 0.1, 0.2, 0.4, 0.6, 0.8), low=0.0, high=0.95, at_least=2,
                     meaning="the correlations of two input positions, increasing",
                     why="at 1 some directions of the weights stop mattering")
C_FEW = Parameter("c_few", full=(0.0, 0.4, 0.8), low=0.0, high=0.95, at_least=2,
                  meaning="the correlations that simulations are run at, increasing",
                  why="at 1 some directions of the weights stop mattering")
SEED = Parameter("seed", full=1, low=0, meaning="the seed of the random numbers")
