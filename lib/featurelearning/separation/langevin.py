r"""Plain unadjusted Langevin dynamics, as networks are trained in the paper's setting.

.. math::

    q \leftarrow q - h\,\nabla U(q) + \sqrt{2h}\,\xi,\qquad \xi\sim N(0, 1),

whose stationary law tends to :math:`e^{-U}` as the step h goes to zero. There is no accept step, so an
error of the gradient shows in the law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from featurelearning.separation.posterior import CNNPotential, Potential, erf_slope

__all__ = ["ReadoutPotential", "langevin_chain"]


@dataclass(frozen=True)
class ReadoutPotential:
    r"""Potential of the two-layer network with its readout kept,

    .. math::

        U = \tfrac12|q|^2 + \tfrac1{2\sigma^2}\sum_\mu (f(x_\mu) - y_\mu)^2 ,

    in whitened weights: first the CS filters, then the PC readouts. Its filters are distributed as under
    the collapsed potential.

    Parameters
    ----------
    collapsed : CNNPotential
    """

    collapsed: CNNPotential

    @property
    def dimension(self) -> int:
        """Number of whitened weights, C (S + P)."""
        return self.collapsed.C * (self.collapsed.model.data.S + self.collapsed.model.data.P)

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """U(q) and its gradient, shape (C (S + P),)."""
        collapsed, model = self.collapsed, self.collapsed.model
        filters, readout = q[: collapsed.dimension], q[collapsed.dimension:]
        spread = np.sqrt(model.p / collapsed.C)
        h = collapsed.pre_activations(filters, collapsed.rows)
        phi = erf(h) if model.activation == "erf" else h
        error = spread * (phi @ readout) - model.data.y
        d_h = np.outer(error, spread * readout) / model.sigma2
        if model.activation == "erf":
            d_h = d_h * erf_slope(h)
        gradient = np.concatenate([
            np.sqrt(model.S0) * (d_h.reshape(-1, collapsed.C).T @ collapsed.rows).ravel(),
            spread * (phi.T @ error) / model.sigma2,
        ])
        return 0.5 * (q @ q) + 0.5 * (error @ error) / model.sigma2, q + gradient


def langevin_chain(
    potential: Potential, start: np.ndarray, *, step: float, draws: int, every: int, rng: np.random.Generator
) -> np.ndarray:
    """Positions, shape (draws, dimension), after each `every` steps.

    Parameters
    ----------
    potential : Potential
    start : array, shape (dimension,)
    step : float
        h > 0; stable below 2 over the largest curvature of U.
    draws, every : int
        >= 1.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If the step is not positive or a count is below 1.
    """
    if not step > 0 or draws < 1 or every < 1:
        raise ValueError(f"step = {step}, draws = {draws}, every = {every}; allowed: step > 0, counts >= 1")
    q, out = start, np.empty((draws, len(start)))
    for k in range(draws):
        for xi in rng.standard_normal((every, len(q))):
            q = q - step * potential.value_and_gradient(q)[1] + np.sqrt(2 * step) * xi
        out[k] = q
    return out
