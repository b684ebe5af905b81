"""Separation of scales in finite Bayesian networks: equations of state, samplers, and their measures (arXiv
2112.15383)."""

from featurelearning.separation.anderson import anderson_mix
from featurelearning.separation.calibration import (
    ForgottenDeterminant, ScaledSlope, calibration_ranks, uniformity,
)
from featurelearning.separation.channel import ChannelDensity, channel_log_density, solve_channel_density
from featurelearning.separation.cnn import (
    ACTIVATIONS, CNN, adaptation_slope, cnn_free_energy, cnn_kernel, cnn_pull, cnn_test_kernels,
    kernel_gradient, solve_cnn,
)
from featurelearning.separation.cubic import cubic_eigenvalue, cubic_roots
from featurelearning.separation.datasets import TEACHERS, TeacherData, hash_normal, teacher_data
from featurelearning.separation.diagnostics import ChainMean, chain_mean, moment_ratio
from featurelearning.separation.digits import (
    DeepCNNPotential, DigitsData, digits_data, layer_kernel, second_layer_moments,
)
from featurelearning.separation.digits_sample import DigitsSample, Score, gp_score, nngp_score, observe_digits
from featurelearning.separation.fcn import solve_fcn3
from featurelearning.separation.fcn_equations import (
    FCN3, Hidden, fcn3_free_energy, fcn3_pull, first_kernel, solve_hidden,
)
from featurelearning.separation.fcn_observables import FCN3Sample, observe_fcn3, partial_correlation
from featurelearning.separation.gibbs import gibbs_chain, regression_draw, sample_gibbs
from featurelearning.separation.hmc import Draws, hamiltonian, hmc_chain, sample, sample_cnn, sample_fcn3
from featurelearning.separation.langevin import ReadoutPotential, langevin_chain
from featurelearning.separation.learning_curve import samples_to_reach
from featurelearning.separation.networks import sample_networks
from featurelearning.separation.observables import (
    CNNSample, channel_coupling, excess_kurtosis, observe_cnn, orthogonal_basis, projections,
    second_moments,
)
from featurelearning.separation.posterior import CNNPotential, FCN3Potential, Potential
from featurelearning.separation.published import (
    PUBLISHED_SIZES, printed_alpha, printed_rmse, published_data, published_setting, published_teacher,
)
from featurelearning.separation.regression import Posterior, Prediction, condition, predict, relative_distance
from featurelearning.separation.saddle import (
    ConvergenceError, FixedPoint, damped_iteration, minimise_covariance, stationarity_residual,
)
from featurelearning.separation.solution import Solution, direction_statistics

__all__ = [
    "ACTIVATIONS", "CNN", "CNNPotential", "CNNSample", "ChainMean", "ChannelDensity", "ConvergenceError",
    "DeepCNNPotential", "DigitsData", "DigitsSample", "Draws", "FCN3", "FCN3Potential", "FCN3Sample",
    "FixedPoint", "ForgottenDeterminant", "Hidden", "PUBLISHED_SIZES", "Posterior", "Potential",
    "Prediction", "ReadoutPotential", "ScaledSlope", "Score", "Solution", "TEACHERS", "TeacherData",
    "adaptation_slope", "anderson_mix", "calibration_ranks", "chain_mean", "channel_coupling",
    "channel_log_density", "cnn_free_energy", "cnn_kernel", "cnn_pull", "cnn_test_kernels", "condition",
    "cubic_eigenvalue", "cubic_roots", "damped_iteration", "digits_data", "direction_statistics",
    "excess_kurtosis", "fcn3_free_energy", "fcn3_pull", "first_kernel", "gibbs_chain", "gp_score",
    "hamiltonian", "hash_normal", "hmc_chain", "kernel_gradient", "langevin_chain", "layer_kernel",
    "minimise_covariance", "moment_ratio", "nngp_score", "observe_cnn", "observe_digits", "observe_fcn3",
    "orthogonal_basis", "partial_correlation", "predict", "printed_alpha", "printed_rmse", "projections",
    "published_data", "published_setting", "published_teacher", "relative_distance", "regression_draw",
    "sample", "sample_cnn", "sample_fcn3", "sample_gibbs", "sample_networks", "samples_to_reach",
    "second_layer_moments", "second_moments", "solve_channel_density", "solve_cnn", "solve_fcn3",
    "solve_hidden", "stationarity_residual", "teacher_data", "uniformity",
]
