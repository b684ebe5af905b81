"""Which correlation real images have (A19)."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most
from featurelearning.claims.locality.parameters import SEED
from featurelearning.locality import digits, patch_correlation, photographs, random_windows

__all__ = ["CLAIMS", "a19"]

PIXELS = Parameter("pixels", full=8, low=4, high=32, meaning="the side of a patch of a photograph, in pixels")
WINDOWS = Parameter("windows", full=4000, quick=2000, low=1000, high=50_000,
                    meaning="the number of random windows of a photograph")


def a19(*, pixels, windows, seed) -> Evidence:
    """Check the mean correlation c of 2 x 2 neighbouring patches: raw, whitened, and without their means.

    Data
    ----
    names : (n,) images, the digits last; c, kronecker_share, whitened_c : (n,) means over the pairs of
    patches; flat_c, flat_share : (n,) the same c and share after each patch's mean value was subtracted;
    C : (n, 4, 4) correlations (order: top left, top right, bottom left, bottom right); samples : list of
    five windows of each image, (5, 4, d).
    """
    rng = np.random.default_rng(seed)
    sources = {name: random_windows(image, pixels, windows, rng) for name, image in photographs().items()}
    sources["digits"] = digits()
    measured = [patch_correlation(x) for x in sources.values()]
    flat = [patch_correlation(x - x.mean(axis=2, keepdims=True)) for x in sources.values()]
    data = {
        "names": np.array(list(sources)),
        "c": np.array([m.c for m in measured]),
        "kronecker_share": np.array([m.kronecker_share for m in measured]),
        "whitened_c": np.array([m.whitened_c for m in measured]),
        "flat_c": np.array([m.c for m in flat]),
        "flat_share": np.array([m.kronecker_share for m in flat]),
        "C": np.array([m.C for m in measured]),
        "samples": [x[:5] for x in sources.values()],
    }
    return Evidence(
        checks=(
            at_least("photographs", "smallest $c$ of the photographs, raw pixels", data["c"][:-1].min(), 0.7,
                     reason="strongly correlated, as the summary says of natural images"),
            at_least("kronecker", "smallest share of the cross-covariance that the model's form explains",
                     data["kronecker_share"][:-1].min(), 0.98,
                     reason="the model has one patch covariance times a number; but common brightness alone "
                            "gives this as well"),
            at_most("whitened", "largest $c$ of whitened photographs", data["whitened_c"][:-1].max(), 0.1,
                    reason="the model's patches are white, and there c is small"),
            at_most("flat", "largest $c$ of photographs without the patches' mean values",
                    data["flat_c"][:-1].max(), 0.15,
                    reason="if only brightness is shared, c nearly vanishes without it"),
            at_most("digits", "size of $c$ of the digits", abs(data["c"][-1]), 0.05,
                    reason="strokes fill one quarter or another: of order 1/sqrt(1797) = 0.02"),
        ),
        data=data,
    )


CLAIMS = (
    Claim(
        id="A19", paper="locality", kind="beyond", notebook="locality/images",
        statement="Neighbouring patches of photographs are correlated with c above 0.7, in the form that the "
                  "model assumes, but by their common brightness: whitened patches, and handwritten digits, "
                  "have c near 0.",
        source="not in the paper as far as its summary shows; the summary calls natural images correlated",
        parameters=(PIXELS, WINDOWS, SEED), measure=a19,
    ),
)
