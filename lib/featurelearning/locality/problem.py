r"""What one simulation is run with: architecture, inputs, rates and the law of the initial weights.

With the architecture :math:`A_{ubp}` (unit u applies block b to patch p) and a single output,

.. math::

    \phi = a \sum_u g(\lambda_u), \qquad \lambda_u = \sum_{bp} A_{ubp}\, w^b\cdot x_p / \sqrt D, \qquad
    y = a \sum_{mp} g(B_m\cdot x_p/\sqrt D) + \sigma\zeta, \qquad a = 1/\sqrt P,

and one online step is
:math:`w^b \leftarrow w^b - (\eta a\Delta/\sqrt D) \sum_{up} A_{ubp}\, g'(\lambda_u)\, x_p` with
:math:`\Delta = \phi - y`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featurelearning.locality.activation import activation_code
from featurelearning.locality.architecture import architecture
from featurelearning.locality.correlation import correlation_matrix
from featurelearning.locality.general import CommitteeModel

__all__ = ["Problem", "STARTS", "lower_factor", "problem", "step_counts"]

STARTS = ("exact", "random")


@dataclass(frozen=True)
class Problem:
    """One simulation's setting, checked.

    Parameters
    ----------
    model : CommitteeModel
        Architecture, correlation, teacher overlaps, output scale and rates.
    L, teacher : ndarray, shapes (P, P) and (M, M)
        Lower Cholesky factors of the correlation and of the teacher's overlaps T.
    along : ndarray, shape (n_b, M)
        Mean of the initial student in the orthonormal frame of the teacher, ``R0 teacher^{-T}``.
    spread : ndarray, shape (n_b, n_b)
        Lower factor of ``Q0 - along along^T``.
    D : int
        Dimension of a patch.
    code : int
        The activation's number in the compiled loops.
    start : {"exact", "random"}
        Whether the initial overlaps equal Q0 and R0, or only on average.
    """

    model: CommitteeModel
    L: NDArray
    teacher: NDArray
    along: NDArray
    spread: NDArray
    D: int
    code: int
    start: str

    @property
    def P(self) -> int:
        """Number of positions."""
        return self.model.A.shape[2]

    @property
    def blocks(self) -> int:
        """Number of student weight blocks, n_b."""
        return self.model.A.shape[1]

    @property
    def teachers(self) -> int:
        """Number of teacher filters, M."""
        return self.model.T.shape[0]

    @property
    def freedom(self) -> int:
        """Dimension of the space outside the span of weights and teacher, ``D - n_b - M``."""
        return self.D - self.blocks - self.teachers

    @property
    def update(self) -> tuple:
        """What the compiled steps take after the weights: ``L, count, block, patch, code, eta, a, sigma``.

        `count`, `block` and `patch` are the model's taps: the entries of the architecture, unit by unit.
        """
        model = self.model
        return (self.L, *model.taps, self.code, model.eta, model.a, model.sigma)


def problem(
    student: str | NDArray, *, P: int, C: ArrayLike, eta: float, sigma: float, D: int,
    rng: np.random.Generator, runs: int, Q0: ArrayLike, R0: ArrayLike, activation: str,
    kernel: int, boundary: str, filters: int, teachers: int, T: ArrayLike | None, a: float | None, start: str,
) -> Problem:
    """Check the arguments of a simulation and put them into one :class:`Problem`.

    Parameters
    ----------
    student, P, C, eta, sigma, D, rng, runs, Q0, R0, activation, kernel, boundary, filters,
    teachers, T, a, start
        As of :func:`featurelearning.locality.sgd.simulate`.

    Returns
    -------
    Problem

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng = {rng!r}; allowed: a numpy.random.Generator, see np.random.default_rng")
    _whole("runs", runs, 1)
    _whole("D", D, 1)
    _whole("teachers", teachers, 1)
    for name, value in (("eta", eta), ("sigma", sigma)):
        if not (np.isfinite(value) and value >= 0):
            raise ValueError(f"{name} = {value}; allowed: {name} >= 0 and finite")
    if start not in STARTS:
        raise ValueError(f"start = {start!r} is unknown; allowed: {', '.join(STARTS)}")
    C = correlation_matrix(C, P)
    if isinstance(student, str):
        A = architecture(student, P, kernel=kernel, boundary=boundary, filters=filters)
    else:
        A = np.asarray(student, dtype=float)
        if A.ndim != 3 or A.shape[2] != P or not np.all((A == 0) | (A == 1)):
            raise ValueError(f"student has shape {A.shape}; allowed: a name, or 0/1 of shape (U, n_b, {P})")
    T = np.eye(teachers) if T is None else np.asarray(T, dtype=float)
    blocks = A.shape[1]
    Q0, R0 = np.asarray(Q0, dtype=float), np.asarray(R0, dtype=float)
    Q0 = Q0 * np.eye(blocks) if Q0.ndim == 0 else Q0
    R0 = np.full((blocks, teachers), float(R0)) if R0.ndim == 0 else R0
    for name, value, rows, columns in (
        ("Q0", Q0, blocks, blocks), ("R0", R0, blocks, teachers), ("T", T, teachers, teachers)
    ):
        if value.shape != (rows, columns):
            raise ValueError(f"{name} has shape {value.shape}; allowed: shape {(rows, columns)}")
    teacher = lower_factor(T, "T")
    if teacher.diagonal().min() <= 0:
        raise ValueError(f"T = {T.tolist()} is singular; allowed: positive definite teacher overlaps")
    along = np.linalg.solve(teacher, R0.T).T
    model = CommitteeModel(
        A=A, C=C, T=T, v=np.ones(A.shape[0]), v_star=np.ones(teachers),
        a=P**-0.5 if a is None else float(a), eta=float(eta), sigma=float(sigma), activation=activation,
    )
    return Problem(
        model=model, L=lower_factor(C, "C"), teacher=teacher, along=along,
        spread=lower_factor(Q0 - along @ along.T, "Q0 - R0 T^-1 R0^T"), D=int(D),
        code=activation_code(activation), start=start,
    )


def lower_factor(G: NDArray, name: str) -> NDArray:
    """Lower-triangular S with ``S S^T = G`` for a positive *semi*definite G (LAPACK's needs a definite one).

    From ``G = V V^T`` by eigenvectors and the triangular factor of ``V^T``, rows signed so that the
    diagonal is not negative.

    Parameters
    ----------
    G : ndarray, shape (n, n)
        Symmetric, positive semidefinite to rounding.
    name : str
        What to call it in the error message.

    Returns
    -------
    ndarray, shape (n, n)

    Raises
    ------
    ValueError
        If `G` is not square, not symmetric, or has a negative eigenvalue.
    """
    if G.ndim != 2 or G.shape[0] != G.shape[1] or not np.allclose(G, G.T, atol=1e-12):
        raise ValueError(f"{name} has shape {G.shape} and must be a symmetric matrix")
    values, vectors = np.linalg.eigh(G)
    if values[0] < -1e-10 * max(values[-1], 1.0):
        raise ValueError(f"{name} has the eigenvalue {values[0]:.3g}; allowed: positive semidefinite")
    if np.count_nonzero(G - np.diag(G.diagonal())) == 0:
        return np.diag(np.sqrt(np.maximum(G.diagonal(), 0.0)))
    # an eigenvalue that is zero but for rounding would return as its root, seven digits larger
    values = np.where(values > 1e-14 * values[-1], values, 0.0)
    upper = np.linalg.qr((vectors * np.sqrt(values)).T, mode="r")
    return np.tril(upper.T * np.where(upper.diagonal() < 0, -1.0, 1.0))


def step_counts(t: ArrayLike, D: int) -> NDArray:
    """Numbers of online steps ``round(t D)`` at which a simulation is recorded.

    Parameters
    ----------
    t : array_like, shape (n,)
        Times, not decreasing, >= 0.
    D : int

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    ValueError
        If the times are not finite, negative or decreasing.
    """
    t = np.atleast_1d(np.asarray(t, dtype=float))
    if t.ndim != 1 or t.size == 0 or not np.all(np.isfinite(t)) or t[0] < 0 or np.any(np.diff(t) < 0):
        raise ValueError(f"t = {t.tolist()}; allowed: finite times >= 0 in increasing order")
    return np.rint(t * D).astype(np.int64)


def _whole(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise ValueError(f"{name} = {value!r}; allowed: a whole number >= {low}")
