"""What a simulation returns: errors and order parameters of several runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ensemble"]


@dataclass(frozen=True)
class Ensemble:
    """Recorded runs of one simulation.

    Parameters
    ----------
    t : ndarray, shape (n,)
        Times ``steps / D`` of the records.
    E : ndarray, shape (runs, n)
        Generalisation error ``<(phi - y)^2>/2`` without label noise.
    Q : ndarray, shape (runs, n, n_b, n_b)
        Student overlaps ``w^b . w^b' / D``, positive semidefinite.
    R : ndarray, shape (runs, n, n_b, M)
        Overlaps with the teacher, ``w^b . B_m / D``.
    method : {"SGD", "chain"}
        Whether the D-dimensional weights were simulated, or the exact Markov chain of (Q, R).
    """

    t: NDArray
    E: NDArray
    Q: NDArray
    R: NDArray
    method: str

    @property
    def runs(self) -> int:
        """Number of runs."""
        return self.E.shape[0]

    @property
    def mean(self) -> NDArray:
        """Mean error over the runs, shape (n,)."""
        return self.E.mean(axis=0)

    @property
    def standard_error(self) -> NDArray:
        """Standard error of :attr:`mean`, shape (n,); NaN for a single run."""
        if self.runs == 1:
            return np.full(self.t.shape, np.nan)
        return self.E.std(axis=0, ddof=1) / np.sqrt(self.runs)
