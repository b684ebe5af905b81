"""Paper C: how the scale of initial weights, invisible in the function, decides which unit learns a feature."""

from featurelearning.gauge.alignment_limits import (
    decayed_alignment_time, fast_alignment_time, slow_alignment_integral,
)
from featurelearning.gauge.duplicates import (
    SELECTED_WITHIN, DuplicateTrajectory, duplicates, duplicates_loss, duplicates_rhs, duplicates_start,
    selection_error, selection_time,
)
from featurelearning.gauge.limit import decay_rate, hessian, limit_rates
from featurelearning.gauge.rates import coefficient_rate, direction_rate, layer_norms
from featurelearning.gauge.single import (
    AlignmentPath, alignment_path, alignment_time, nullcline, path_curvature, single_flow, single_velocity,
    velocity_determinant,
)
from featurelearning.gauge.units import units_flow, units_function, units_velocity

__all__ = [
    "SELECTED_WITHIN", "AlignmentPath", "DuplicateTrajectory",
    "alignment_path", "alignment_time", "coefficient_rate", "decay_rate", "decayed_alignment_time",
    "direction_rate", "duplicates", "duplicates_loss", "duplicates_rhs", "duplicates_start",
    "fast_alignment_time", "hessian", "layer_norms", "limit_rates", "nullcline", "path_curvature",
    "selection_error", "selection_time", "single_flow", "single_velocity", "slow_alignment_integral",
    "units_flow", "units_function", "units_velocity", "velocity_determinant",
]
