"""Averages over Gaussian inputs: what all three papers read from."""

from featurelearning.gaussian.arcsine import (
    arcsine_cross_kernel, arcsine_derivative, arcsine_diagonal, arcsine_kernel,
)
from featurelearning.gaussian.erf import erf_H, erf_I2, erf_I4, erf_J, erf_J4
from featurelearning.gaussian.linear import (
    linear_H, linear_I2, linear_I4, linear_J, linear_J4, relu_I2, relu_J,
)
from featurelearning.gaussian.relu import (
    angle, relu_gradient, relu_kernel, relu_kernel_cosine_slope, relu_kernel_slope, relu_remainder,
)

__all__ = [
    "angle",
    "arcsine_cross_kernel",
    "arcsine_derivative",
    "arcsine_diagonal",
    "arcsine_kernel",
    "erf_H",
    "erf_I2",
    "erf_I4",
    "erf_J",
    "erf_J4",
    "linear_H",
    "linear_I2",
    "linear_I4",
    "linear_J",
    "linear_J4",
    "relu_gradient",
    "relu_I2",
    "relu_J",
    "relu_kernel",
    "relu_kernel_cosine_slope",
    "relu_kernel_slope",
    "relu_remainder",
]
