"""Claims of the locality paper, one module per subject."""

from __future__ import annotations

from featurelearning.claims.locality import (
    averages, bias, filters, fixed_rate, images, initialisation, learning_time, noise_floor,
    phase_diagram, positions, rectified, saddle, simulation, single_position, speed_up, tuned_rate,
)

__all__ = ["CLAIMS"]

_SUBJECTS = (
    averages, bias, filters, fixed_rate, images, initialisation, learning_time, noise_floor,
    phase_diagram, positions, rectified, saddle, simulation, single_position, speed_up, tuned_rate,
)

CLAIMS = tuple(sorted((claim for subject in _SUBJECTS for claim in subject.CLAIMS),
                      key=lambda claim: int(claim.id[1:])))
