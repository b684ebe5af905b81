"""Convolutions and locally connected networks: learning curves, noise floors and transitions (paper A).

The order-parameter equations are solved by :func:`solve`; the modules hold one concept each.
"""

from featurelearning.locality.architecture import architecture, fully_connected
from featurelearning.locality.chain import simulate_chain
from featurelearning.locality.correlation import (
    chain_correlation, correlation_matrix, equal_correlation, ring_correlation,
)
from featurelearning.locality.exchangeable import exchangeable_error, exchangeable_rhs, exchangeable_slope
from featurelearning.locality.fixed_step import solve_fixed_step
from featurelearning.locality.floors import noise_floor
from featurelearning.locality.flow import (
    Trajectory, committee_model, solve, solve_exchangeable, solve_general,
)
from featurelearning.locality.general import CommitteeModel, general_error, general_rhs
from featurelearning.locality.hitting import LogarithmicFit, hitting_times, logarithmic_fit
from featurelearning.locality.images import (
    PatchCorrelation, digits, patch_correlation, photographs, random_windows,
)
from featurelearning.locality.linear import (
    linear_error, linear_floor, linear_initial_error, linear_transition,
)
from featurelearning.locality.passage import time_to_error
from featurelearning.locality.rectified import relu_leading_floor, relu_relaxation_time, relu_response
from featurelearning.locality.reference import reference_error, reference_rhs
from featurelearning.locality.response import LinearResponse, leading_floor, linear_response
from featurelearning.locality.saddle import (
    Saddle, mean_recovery_time, recovery_time, symmetric_flow, symmetric_saddle,
)
from featurelearning.locality.sgd import simulate
from featurelearning.locality.trajectory import Ensemble
from featurelearning.locality.transition import crossings, phase_diagram, transition_time, tuned_log_ratio
from featurelearning.locality.tuned import (
    TunedError, annealed_error, error_after, first_order_transition, tuned_error,
)

__all__ = [
    "annealed_error", "architecture", "chain_correlation", "committee_model", "CommitteeModel",
    "correlation_matrix", "crossings", "digits", "Ensemble", "equal_correlation", "error_after",
    "exchangeable_error", "exchangeable_rhs", "exchangeable_slope", "first_order_transition",
    "fully_connected", "general_error", "general_rhs", "hitting_times", "leading_floor", "linear_error",
    "linear_floor", "linear_initial_error", "linear_response", "linear_transition", "LinearResponse",
    "logarithmic_fit", "LogarithmicFit", "mean_recovery_time", "noise_floor", "patch_correlation",
    "PatchCorrelation", "phase_diagram", "photographs", "random_windows", "recovery_time",
    "reference_error", "reference_rhs", "relu_leading_floor", "relu_relaxation_time", "relu_response",
    "ring_correlation", "Saddle", "simulate", "simulate_chain", "solve", "solve_exchangeable",
    "solve_fixed_step", "solve_general", "symmetric_flow", "symmetric_saddle", "time_to_error",
    "Trajectory", "TunedError", "transition_time", "tuned_error", "tuned_log_ratio",
]
