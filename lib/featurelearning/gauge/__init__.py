"""Paper C: how the scale of initial weights, unseen in the function, decides which unit learns a feature."""

from featurelearning.gauge.alignment_limits import (
    decayed_alignment_time, fast_alignment_time, slow_alignment_integral,
)
from featurelearning.gauge.coordinates import coefficient_direction_velocity, velocity_from_weights
from featurelearning.gauge.descent import (
    DescentTrajectory, descend, duplicate_copies, duplicate_weights, population_gd, stability_bound,
    trajectory_distance,
)
from featurelearning.gauge.dissipation import Dissipation, dissipation, dissipation_rates
from featurelearning.gauge.drift import imbalance_drift
from featurelearning.gauge.duplicates import (
    SELECTED_WITHIN, DuplicateTrajectory, duplicates, duplicates_loss, duplicates_rhs, duplicates_start,
    selection_error,
)
from featurelearning.gauge.empirical import (
    empirical_gradients, empirical_gradients_reference, empirical_loss, network,
)
from featurelearning.gauge.landscape import (
    CUBIC_BOUND, SphereBounds, hessian_half_gap, hessian_half_gap_squared, sphere_bounds,
)
from featurelearning.gauge.limit import decay_rate, hessian, limit_rates
from featurelearning.gauge.original import (
    WeightTrajectory, from_weights, population_flow, population_gradients, population_loss, to_weights,
)
from featurelearning.gauge.prover import PositivityProof, prove_positive
from featurelearning.gauge.rates import coefficient_rate, direction_rate, layer_norms
from featurelearning.gauge.rescaling import direction_velocities, loss_gradients, network_output, rescale_node
from featurelearning.gauge.robustness import Entries, first_entries, perturbed_starts
from featurelearning.gauge.scaled import ScaledState, scaled_flow, scaled_start, scaled_velocity
from featurelearning.gauge.selection import coefficient_time, selection_time
from featurelearning.gauge.sharing import SHARED_ABOVE, critical_imbalance, late_state
from featurelearning.gauge.single import (
    AlignmentPath, alignment_path, alignment_time, nullcline, path_curvature, single_flow, single_velocity,
    velocity_determinant,
)
from featurelearning.gauge.teachers import (
    ASSIGNED_WITHIN, NEAR_WITHIN, OUTCOMES, TeacherRuns, frozen_directions_loss, imbalances,
    orthogonal_teachers, pair_outcomes, students_near, teacher_runs, teacher_runs_on_samples,
)
from featurelearning.gauge.theorem import (
    face_products, in_region, kernel_excess, kernel_excess_product, region_margin, region_path, stationarity,
    stationarity_formula, stationarity_slope_at_zero,
)
from featurelearning.gauge.units import units_flow, units_function, units_velocity

__all__ = [
    "ASSIGNED_WITHIN", "CUBIC_BOUND", "NEAR_WITHIN", "OUTCOMES", "SELECTED_WITHIN", "SHARED_ABOVE",
    "AlignmentPath", "DescentTrajectory", "Dissipation", "DuplicateTrajectory", "Entries", "PositivityProof",
    "ScaledState", "SphereBounds", "TeacherRuns", "WeightTrajectory", "alignment_path", "alignment_time",
    "coefficient_direction_velocity", "coefficient_rate", "coefficient_time", "critical_imbalance",
    "decay_rate", "decayed_alignment_time", "descend", "direction_rate", "direction_velocities",
    "dissipation", "dissipation_rates", "duplicate_copies", "duplicate_weights", "duplicates",
    "duplicates_loss", "duplicates_rhs", "duplicates_start", "empirical_gradients",
    "empirical_gradients_reference", "empirical_loss", "face_products", "fast_alignment_time",
    "first_entries", "from_weights", "frozen_directions_loss", "hessian", "hessian_half_gap",
    "hessian_half_gap_squared", "imbalance_drift", "imbalances", "in_region", "kernel_excess",
    "kernel_excess_product", "late_state", "layer_norms", "limit_rates", "loss_gradients", "network",
    "network_output", "nullcline", "orthogonal_teachers", "pair_outcomes", "path_curvature",
    "perturbed_starts", "population_flow", "population_gd", "population_gradients", "population_loss",
    "prove_positive", "region_margin", "region_path", "rescale_node", "scaled_flow", "scaled_start",
    "scaled_velocity", "selection_error", "selection_time", "single_flow", "single_velocity",
    "slow_alignment_integral", "sphere_bounds", "stability_bound", "stationarity", "stationarity_formula",
    "stationarity_slope_at_zero", "students_near", "teacher_runs", "teacher_runs_on_samples", "to_weights",
    "trajectory_distance", "units_flow", "units_function", "units_velocity", "velocity_determinant",
    "velocity_from_weights",
]
