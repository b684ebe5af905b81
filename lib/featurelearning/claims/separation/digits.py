"""The same picture for a deep convolutional network on handwritten digits."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, at_most, close
from featurelearning.claims.parameters import Parameter
from featurelearning.claims.separation.parameters import CHAINS, SEED
from featurelearning.claims.separation.sampling import convergence, mixing
from featurelearning.separation import (
    DeepCNNPotential, digits_data, excess_kurtosis, nngp_score, observe_digits, sample,
)

__all__ = ["CLAIMS"]

C_DEEP = Parameter("C", 16, "channels of both layers", quick=8, low=4, high=64)
N_DIGITS = Parameter("n", 120, "training images, and as many to test", quick=60, low=20, high=400)
CHI_DEEP = Parameter("chi", 10.0, "readout scaling", low=1, high=1000)
SIGMA2_DEEP = Parameter("sigma2", 0.1, "noise variance", low=0.01, high=10)
SW2_DEEP = Parameter("sw2", 1.5, "filter variance times fan-in", low=0.1, high=10)
DRAWS_DEEP = Parameter("draws", 230, "draws of a chain after warm-up", quick=50, low=30, high=10000)


def b7(*, C, n, chi, sigma2, sw2, chains, draws, seed) -> Evidence:
    """Check Gaussianity, closure on second moments and the data-aware predictor on digits.

    Data: ``coordinate_kurtosis`` and ``principal_kurtosis`` by layer, ``values_first`` and
    ``values_second`` (samples along the leading principal direction), ``closure`` by layer, ``mse`` and
    ``accuracy`` (network, data-aware GP, infinite width), ``predictions`` (the same order) and ``labels``;
    ``principal_error`` (standard errors by layer); ``sampled``, ``rhat``, ``ess`` of the sampled
    quantities.
    """
    potential = DeepCNNPotential(digits_data(n, n), C, sigma2, chi, sw2)
    networks = sample(
        potential, rng=np.random.default_rng(seed), chains=chains, draws=draws, warm_up=80, leapfrog=(6, 12)
    )
    seen, infinite = observe_digits(potential, networks, every=1), nngp_score(potential)
    scores = (seen.network, seen.gp, infinite)
    principal = [
        [excess_kurtosis(values.reshape(chains, draws, C)) for values in layer]
        for layer in seen.principal_values
    ]
    sampled = {"learned fraction": seen.alpha} | {
        f"kurtosis, layer {layer}, direction {k}": mean
        for layer, row in enumerate(principal, 1) for k, mean in enumerate(row, 1)
    }
    farthest = max((mean for row in principal for mean in row), key=lambda mean: abs(mean.mean))
    width = max(1.0, 16 / C)
    checks = (
        at_most("coordinates", "largest layer's mean kurtosis of single pre-activations",
                np.max(np.abs(seen.coordinate_kurtosis)), 0.1 * width,
                reason="Gaussian up to 1/C; 0.1 at 16 channels"),
        at_most("principal", "largest kurtosis along nine principal directions of either layer",
                abs(farthest.mean), 1.0 * width + 3 * farthest.error,
                reason="the task's directions deviate most, by up to 1 at 16 channels, far below the 3 of "
                       "a Laplace law; three standard errors"),
        at_most("closure", "largest layer's distance of the activation kernel from the Gaussian one",
                max(seen.closure), 0.04 * width + 0.5 / np.sqrt(chains * draws * C),
                reason="1/C corrections, 4 % at 16 channels, and the sampling error of the kernels"),
        close("gp", "test error of the GP built from second moments", seen.gp.mse, seen.network.mse,
              relative=0.04 * width, reason="what the second moments leave out, 4 % at 16 channels"),
        at_most("network_gains", "test error of the networks over infinite width",
                seen.network.mse / infinite.mse, 0.97,
                reason="adaptation must pay by more than the error of the averages"),
        at_most("gp_gains", "test error of the data-aware GP over infinite width", seen.gp.mse / infinite.mse,
                0.97, reason="adaptation must pay by more than the error of the averages"),
    )
    return Evidence((*checks, *mixing([seen.alpha], chains, draws)), {
        "coordinate_kurtosis": np.array(seen.coordinate_kurtosis),
        "principal_kurtosis": np.array(seen.principal_kurtosis),
        "values_first": seen.principal_values[0][0], "values_second": seen.principal_values[1][0],
        "closure": np.array(seen.closure), "mse": np.array([score.mse for score in scores]),
        "accuracy": np.array([score.accuracy for score in scores]),
        "predictions": np.array([score.predictions for score in scores]), "labels": potential.data.y_test,
        "principal_error": np.array([[mean.error for mean in row] for row in principal]),
    } | convergence(sampled))


CLAIMS = (
    Claim(
        id="B7", paper="separation",
        statement="In a deep convolutional network on real images pre-activations stay "
                  "nearly Gaussian, second moments give the activation kernels, and a "
                  "Gaussian process built from them predicts like the network.",
        source="Abstract (deep networks, tractable data-aware Gaussian process); scikit-learn's "
               "digits and a small network stand in for the paper's images and network",
        kind="figure", notebook="separation/digits",
        parameters=(C_DEEP, N_DIGITS, CHI_DEEP, SIGMA2_DEEP, SW2_DEEP, CHAINS, DRAWS_DEEP, SEED), measure=b7,
    ),
)
