"""Potentials of the collapsed posterior: gradients, limits, symmetries."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.separation import (
    CNN, FCN3, CNNPotential, DeepCNNPotential, FCN3Potential, ForgottenDeterminant, ReadoutPotential,
    ScaledSlope, digits_data, teacher_data,
)


def cnn(activation, C=4, **changes):
    data = teacher_data(activation, n=9, P=2, S=3)
    return CNNPotential(CNN(data, activation,
                            **{"sigma2": 0.1, "chi": 2.0, "sw2": 1.3, "sa2": 0.7, **changes}), C)


def fcn():
    data = teacher_data("fcn", n=9, P=1, S=3)
    return FCN3Potential(FCN3(data.X[:, 0], data.y, 4, 5, 0.1, 2.0))


POTENTIALS = {
    "linear": cnn("linear"), "erf": cnn("erf"), "fcn": fcn(),
    "readout linear": ReadoutPotential(cnn("linear")),
    "readout erf": ReadoutPotential(cnn("erf")), "without determinant": ForgottenDeterminant(cnn("erf")),
    "digits": DeepCNNPotential(digits_data(6, 6), 2, 0.1, 10.0, 1.5),
}


def numerical_gradient(potential, q, h=1e-5):
    return np.array([
        (potential.value_and_gradient(q + step)[0] - potential.value_and_gradient(q - step)[0]) / (2 * h)
        for step in h * np.eye(potential.dimension)
    ])


@pytest.mark.parametrize("name", POTENTIALS)
def test_gradients_match_finite_differences(name):
    potential = POTENTIALS[name]
    q = np.random.default_rng(0).standard_normal(potential.dimension)
    assert np.allclose(potential.value_and_gradient(q)[1], numerical_gradient(potential, q), atol=1e-7,
                       rtol=1e-7)


def test_a_wrong_gradient_fails_that_test():
    potential = ScaledSlope(cnn("erf"), 0.9)
    q = np.random.default_rng(0).standard_normal(potential.dimension)
    assert np.abs(potential.value_and_gradient(q)[1] - numerical_gradient(potential, q)).max() > 1e-2


@pytest.mark.parametrize("activation", ["linear", "erf"])
def test_collapsing_the_readout_is_exact(activation):
    """Integrating exp(-U) over the readout by importance sampling gives the collapsed potential."""
    collapsed = cnn(activation, C=1, sigma2=1.0)
    full, rng = ReadoutPotential(collapsed), np.random.default_rng(1)
    one, two = rng.standard_normal((2, collapsed.dimension))
    readouts = rng.standard_normal((6000, full.dimension - collapsed.dimension))

    def log_evidence(filters):
        value = [full.value_and_gradient(np.concatenate([filters, a]))[0] - 0.5 * a @ a for a in readouts]
        return np.log(np.mean(np.exp(-np.array(value))))

    # Two filters, so that constants cancel; the Monte Carlo error of the difference is about 0.02.
    expected = collapsed.value_and_gradient(two)[0] - collapsed.value_and_gradient(one)[0]
    assert log_evidence(one) - log_evidence(two) == pytest.approx(expected, abs=0.08)


def test_the_linear_posterior_depends_on_the_second_moment_only():
    potential, rng = cnn("linear"), np.random.default_rng(2)
    W = rng.standard_normal((4, 3))
    turned = np.linalg.qr(rng.standard_normal((4, 4)))[0] @ W

    def difference(of):
        return abs(of.value_and_gradient(W.ravel())[0] - of.value_and_gradient(turned.ravel())[0])

    assert difference(potential) < 1e-10
    assert difference(cnn("erf")) > 1e-3


def test_widths_are_validated():
    with pytest.raises(ValueError, match="C = 0"):
        cnn("erf", C=0)
    with pytest.raises(ValueError, match="N1 = inf"):
        FCN3Potential(FCN3(np.ones((2, 1)), np.ones(2), np.inf, np.inf, 0.1))
    with pytest.raises(ValueError, match="chi = 0"):
        DeepCNNPotential(digits_data(6, 6), 2, 0.1, 0.0, 1.5)
