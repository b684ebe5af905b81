"""Claims of the gauge paper, one module per subject."""

from __future__ import annotations

from featurelearning.claims.gauge import duplicates, model, two_paths

__all__ = ["CLAIMS"]

_SUBJECTS = (duplicates, model, two_paths)

CLAIMS = tuple(sorted((claim for subject in _SUBJECTS for claim in subject.CLAIMS),
                      key=lambda claim: int(claim.id[1:])))
