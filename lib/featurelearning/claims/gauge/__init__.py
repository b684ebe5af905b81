"""Claims of the gauge paper, one module per subject."""

from __future__ import annotations

from featurelearning.claims.gauge import beyond, duplicates, model, persistence, scaling, two_paths

__all__ = ["CLAIMS"]

_SUBJECTS = (beyond, duplicates, model, persistence, scaling, two_paths)

CLAIMS = tuple(sorted((claim for subject in _SUBJECTS for claim in subject.CLAIMS),
                      key=lambda claim: int(claim.id[1:])))
