"""Claims of the separation paper (arXiv 2112.15383), by subject."""

from featurelearning.claims.separation import (
    adaptation, coupling, digits, emergent_scale, gaussian, outlier, posterior, samples, solving,
    two_layers, width,
)

CLAIMS = (
    coupling.CLAIMS + gaussian.CLAIMS[:2] + adaptation.CLAIMS + width.CLAIMS + samples.CLAIMS
    + outlier.CLAIMS + solving.CLAIMS[:2] + digits.CLAIMS + emergent_scale.CLAIMS[:1] + two_layers.CLAIMS
    + emergent_scale.CLAIMS[1:] + solving.CLAIMS[2:] + gaussian.CLAIMS[2:] + posterior.CLAIMS
)
