"""Claims of the gauge paper, one module per subject."""

from __future__ import annotations

from featurelearning.claims.gauge import (
    beyond, descriptions, duplicates, large_steps, model, persistence, robustness, sampling,
    scaling, steps, teachers, theorems, two_paths,
)

__all__ = ["CLAIMS"]

_SUBJECTS = (
    beyond, descriptions, duplicates, large_steps, model, persistence, robustness, sampling,
    scaling, steps, teachers, theorems, two_paths,
)

CLAIMS = tuple(sorted((claim for subject in _SUBJECTS for claim in subject.CLAIMS),
                      key=lambda claim: int(claim.id[1:])))
