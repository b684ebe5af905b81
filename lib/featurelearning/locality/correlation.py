"""Correlation between the patches of an input, and its admissible range."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["chain_correlation", "correlation_matrix", "equal_correlation", "ring_correlation"]


def correlation_matrix(C: ArrayLike, P: int) -> NDArray[np.float64]:
    """The ``(P, P)`` matrix ``C_pq = E[x_p . x_q] / D`` for a number or a matrix `C`.

    A number `c` means equal correlation ``C_pq = c`` for ``p != q``, ``C_pp = 1``, whose
    eigenvalues are ``1 + (P-1) c`` (once) and ``1 - c``.

    Parameters
    ----------
    C : float or (P, P) array
        Correlation; a matrix is symmetric positive semi-definite with unit diagonal.
    P : int
        Number of positions.

    Returns
    -------
    C : (P, P) array

    Raises
    ------
    ValueError
        If the number is outside ``-1/(P-1) <= c <= 1`` or the matrix is not a correlation matrix.
    """
    if P < 1:
        raise ValueError(f"P = {P}: the number of positions must be at least 1")
    C = np.array(C, dtype=float)
    if not np.all(np.isfinite(C)):
        raise ValueError("the correlation must be finite")
    if C.ndim == 0:
        c = float(C)
        lowest = -1.0 / (P - 1) if P > 1 else -1.0
        if not lowest <= c <= 1.0:
            raise ValueError(
                f"c = {c:g} is no correlation of P = {P} positions; allowed: {lowest:.6g} <= c <= 1 "
                "(lower bound -1/(P-1))"
            )
        return np.full((P, P), c) + (1.0 - c) * np.eye(P)
    if C.shape != (P, P):
        raise ValueError(f"C has shape {C.shape}; a number or shape {(P, P)} is needed")
    if not np.allclose(C, C.T, rtol=0.0, atol=1e-12):
        raise ValueError("C is not symmetric, so it is not a correlation matrix")
    if not np.allclose(np.diag(C), 1.0, rtol=0.0, atol=1e-12):
        raise ValueError(f"C has diagonal {np.diag(C)}; a correlation matrix has 1 there")
    smallest = np.linalg.eigvalsh(C)[0]
    if smallest < -1e-10 * P:
        raise ValueError(f"C has the eigenvalue {smallest:.3g}; a correlation matrix has none below 0")
    return C


def equal_correlation(C: ArrayLike, P: int) -> float | None:
    """The common off-diagonal value of a valid `C`, or None if the positions are not exchangeable."""
    C = correlation_matrix(C, P)
    off = C[~np.eye(P, dtype=bool)]
    if off.size == 0:
        return 0.0
    return float(off[0]) if np.all(off == off[0]) else None


def chain_correlation(rho: float, P: int) -> NDArray[np.float64]:
    """Exponentially decaying correlation on an open chain, ``C_pq = rho^|p-q|``, ``|rho| <= 1``."""
    p = np.arange(P)
    return correlation_matrix(float(rho) ** np.abs(p[:, None] - p), P)


def ring_correlation(rho: float, P: int) -> NDArray[np.float64]:
    """Exponentially decaying correlation on a ring, ``C_pq = rho^min(|p-q|, P-|p-q|)``.

    Raises ValueError if that is not positive semi-definite.
    """
    distance = np.abs(np.arange(P)[:, None] - np.arange(P))
    return correlation_matrix(float(rho) ** np.minimum(distance, P - distance), P)
