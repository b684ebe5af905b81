r"""Log posterior of the hidden weights with the readout integrated out, and its gradient.

Given the hidden layers the output is a Gaussian process, so the readout drops out exactly. In whitened
weights :math:`q` (standard normal under the prior),

.. math::

    U(q) = \tfrac12|q|^2 + \tfrac12 y\cdot t + \tfrac12\log\det\tilde K,\qquad
    \tilde K = K + \sigma^2 1,\quad t = \tilde K^{-1}y,\qquad
    \partial U/\partial K = \tfrac12(\tilde K^{-1} - tt^T) = -\tfrac12 A .

With :math:`K = \kappa\Phi\Phi^T` for last-layer activations :math:`\Phi` this gives :math:`\partial
U/\partial\Phi = -\kappa A\Phi`; the rest is the chain rule through the layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import erf

from featurelearning.separation.cnn import CNN, cnn_kernel, kernel_gradient
from featurelearning.separation.fcn_equations import FCN3
from featurelearning.separation.regression import condition

__all__ = ["CNNPotential", "FCN3Potential", "Potential", "erf_slope"]


class Potential(Protocol):
    """What a sampler needs: a number of whitened weights, and U with its gradient."""

    @property
    def dimension(self) -> int:
        """Number of whitened weights."""

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """U(q) and its gradient, shape (dimension,)."""


def erf_slope(h: np.ndarray) -> np.ndarray:
    r"""Derivative :math:`(2/\sqrt\pi)\,e^{-h^2}` of erf."""
    return (2 / np.sqrt(np.pi)) * np.exp(-(h**2))


@dataclass(frozen=True)
class CNNPotential:
    r"""Potential of the filters of the two-layer network, :math:`w_c = \sqrt{S_0}\,q_c`.

    For linear units it depends on the filters only through :math:`M = W^TW/C`.

    Parameters
    ----------
    model : CNN
    C : int
        Width, >= 1.
    """

    model: CNN
    C: int

    def __post_init__(self):
        if self.C != int(self.C) or self.C < 1:
            raise ValueError(f"C = {self.C}; allowed: whole numbers >= 1")

    @property
    def dimension(self) -> int:
        """Number of whitened weights, CS."""
        return self.C * self.model.data.S

    @cached_property
    def rows(self) -> np.ndarray:
        """Patches as rows, shape (nP, S)."""
        return self.model.data.X.reshape(-1, self.model.data.S)

    @cached_property
    def test_rows(self) -> np.ndarray:
        """Test patches as rows, shape (n_test P, S)."""
        return self.model.data.X_test.reshape(-1, self.model.data.S)

    def filters(self, q: np.ndarray) -> np.ndarray:
        """Filters W, shape (C, S), of whitened weights, shape (CS,)."""
        return np.sqrt(self.model.S0) * q.reshape(self.C, self.model.data.S)

    def pre_activations(self, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Pre-activations, shape (n, PC), of inputs given as patch rows, shape (nP, S)."""
        return (rows @ self.filters(q).T).reshape(-1, self.model.data.P * self.C)

    def kernel(self, q: np.ndarray) -> np.ndarray:
        r"""Output kernel :math:`(p/C)\sum_{ic}\phi(h_{ic})\phi(h_{ic})^T` of these filters, shape (n, n)."""
        h = self.pre_activations(q, self.rows)
        phi = erf(h) if self.model.activation == "erf" else h
        return self.model.p / self.C * (phi @ phi.T)

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """U(q) and its gradient, shape (CS,)."""
        energy, slope = (self._linear if self.model.activation == "linear" else self._erf)(q)
        return 0.5 * (q @ q) + energy, q + slope

    def _linear(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        model, W = self.model, self.filters(q)
        M = W.T @ W / self.C
        posterior = condition(cnn_kernel(model, M), model.data.y, model.sigma2)
        B = kernel_gradient(model, posterior.pull, M)
        return posterior.energy, -np.sqrt(model.S0) / self.C * (W @ B).ravel()

    def _erf(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        model, weight = self.model, self.model.p / self.C
        h = self.pre_activations(q, self.rows)
        phi = erf(h)
        posterior = condition(weight * (phi @ phi.T), model.data.y, model.sigma2)
        d_h = -weight * (posterior.pull @ phi) * erf_slope(h)
        return posterior.energy, np.sqrt(model.S0) * (d_h.reshape(-1, self.C).T @ self.rows).ravel()


@dataclass(frozen=True)
class FCN3Potential:
    r"""Potential of both hidden layers of the three-layer network.

    :math:`W_1 = \sqrt{\sigma_w^2/d}\,q_1`, :math:`W_2 = \sqrt{\sigma_w^2/N_1}\,q_2`, and q holds
    :math:`q_1` (N1, d) and then :math:`q_2` (N2, N1).

    Parameters
    ----------
    model : FCN3
        With finite, whole widths.
    """

    model: FCN3

    def __post_init__(self):
        for name in ("N1", "N2"):
            width = getattr(self.model, name)
            if not np.isfinite(width) or width != int(width):
                raise ValueError(f"{name} = {width}; allowed: whole numbers >= 1")

    @property
    def widths(self) -> tuple[int, int]:
        """N1 and N2."""
        return int(self.model.N1), int(self.model.N2)

    @property
    def dimension(self) -> int:
        """Number of whitened weights, N1 (d + N2)."""
        N1, N2 = self.widths
        return N1 * (self.model.X.shape[1] + N2)

    def layers(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights W1 (N1, d) and W2 (N2, N1) of whitened weights."""
        (N1, N2), d = self.widths, self.model.X.shape[1]
        first, second = q[: N1 * d].reshape(N1, d), q[N1 * d:].reshape(N2, N1)
        return np.sqrt(self.model.S0) * first, np.sqrt(self.model.sw2 / N1) * second

    def pre_activations(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pre-activations h1 (n, N1) and h2 (n, N2) on the training inputs."""
        W1, W2 = self.layers(q)
        h1 = self.model.X @ W1.T
        return h1, erf(h1) @ W2.T

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """U(q) and its gradient, shape (N1 (d + N2),)."""
        model, (N1, N2) = self.model, self.widths
        W1, W2 = self.layers(q)
        h1 = model.X @ W1.T
        phi1 = erf(h1)
        h2 = phi1 @ W2.T
        phi2 = erf(h2)
        weight = model.sa2 / (model.chi * N2)
        posterior = condition(weight * (phi2 @ phi2.T), model.y, model.sigma2)
        d_h2 = -weight * (posterior.pull @ phi2) * erf_slope(h2)
        d_h1 = (d_h2 @ W2) * erf_slope(h1)
        gradient = np.concatenate([
            np.sqrt(model.S0) * (d_h1.T @ model.X).ravel(),
            np.sqrt(model.sw2 / N1) * (d_h2.T @ phi1).ravel(),
        ])
        return 0.5 * (q @ q) + posterior.energy, q + gradient
