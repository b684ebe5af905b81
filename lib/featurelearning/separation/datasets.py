"""Data sets with an explicit formula, and their teachers: no random stream, the same on any machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erf, ndtri

__all__ = ["TEACHERS", "TeacherData", "hash_normal", "teacher_data"]

TEACHERS = ("linear", "erf", "he3", "fcn")
TEST_START = 5000


@dataclass(frozen=True)
class TeacherData:
    """Training and test set of a one-filter teacher.

    Parameters
    ----------
    kind : str
        One of :data:`TEACHERS`.
    X, X_test : arrays, shapes (n, P, S) and (n_test, P, S)
        Inputs: P patches of S numbers.
    y, y_test : arrays, shapes (n,) and (n_test,)
        Targets without noise.
    w : array, shape (S,)
        The teacher's filter, of length 1.
    """

    kind: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    w: np.ndarray

    @property
    def n(self) -> int:
        """Number of training samples."""
        return self.X.shape[0]

    @property
    def P(self) -> int:
        """Number of patches."""
        return self.X.shape[1]

    @property
    def S(self) -> int:
        """Size of a patch."""
        return self.X.shape[2]

    def test_head(self, rows: int) -> TeacherData:
        """The same data with the first `rows` test samples only."""
        return TeacherData(self.kind, self.X, self.y, self.X_test[:rows], self.y_test[:rows], self.w)


def hash_normal(start: int, rows: int, columns: int) -> np.ndarray:
    r"""Numbers that look standard normal, from a sine hash.

    .. math::

        z_{\mu j} = \Phi^{-1}\bigl(\mathrm{frac}(43758.5453\,\sin(12.9898(\mu+1) + 78.233(j+1)))\bigr),

    with the argument of the normal quantile :math:`\Phi^{-1}` clipped to [1e-6, 1 - 1e-6].

    Parameters
    ----------
    start : int
        First row :math:`\mu`, >= 0.
    rows, columns : int
        How many rows and columns, >= 1.

    Returns
    -------
    array, shape (rows, columns)

    Raises
    ------
    ValueError
        If `start` is negative or a size is below 1.
    """
    if start < 0 or rows < 1 or columns < 1:
        raise ValueError(
            f"start = {start}, rows = {rows}, columns = {columns}; allowed: start >= 0, rows >= 1, columns "
            f">= 1"
        )
    mu = np.arange(start, start + rows)[:, None]
    j = np.arange(columns)[None, :]
    uniform = np.mod(43758.5453 * np.sin(12.9898 * (mu + 1) + 78.233 * (j + 1)), 1.0)
    return ndtri(np.clip(uniform, 1e-6, 1 - 1e-6))


def teacher_data(kind: str, *, n: int, P: int, S: int, n_test: int = 300) -> TeacherData:
    r"""Gaussian-looking inputs and the targets of a one-filter teacher.

    With :math:`w_s \propto \cos(s + 1/2)`, :math:`|w| = 1`, :math:`a_i = (-1)^i/\sqrt P` and :math:`z_i =
    w\cdot x_i`,

    .. math::

        y = \sum_i a_i g(z_i),\qquad g(z) = z,\quad \mathrm{erf}(z)/\sqrt{(2/\pi)\arcsin(2/3)},\quad
        (z^3 - 3z)/\sqrt 6

    for the kinds ``"linear"``, ``"erf"`` and ``"he3"``, so that targets have unit variance over standard
    normal inputs. ``"fcn"`` is the erf teacher with one patch.

    Parameters
    ----------
    kind : {"linear", "erf", "he3", "fcn"}
    n : int
        Training samples, 1 to 5000 (the test rows of the hash start at 5000).
    P, S : int
        Patches and patch size; P = 1 for ``"fcn"``, where S is the input dimension d.
    n_test : int
        Test samples.

    Returns
    -------
    TeacherData

    Raises
    ------
    ValueError
        For an unknown kind or a size out of range.
    """
    if kind not in TEACHERS:
        raise ValueError(f"kind = {kind!r}; allowed: {', '.join(TEACHERS)}")
    if not 1 <= n <= TEST_START:
        raise ValueError(f"n = {n}; allowed: 1 to {TEST_START}")
    if kind == "fcn" and P != 1:
        raise ValueError(f"P = {P}; the fcn teacher has P = 1")
    activation = {"linear": _identity, "erf": _unit_erf, "fcn": _unit_erf, "he3": _unit_he3}[kind]
    w = np.cos(np.arange(S) + 0.5)
    w /= np.linalg.norm(w)
    a = (-1.0) ** np.arange(P) / np.sqrt(P)
    X = hash_normal(0, n, P * S).reshape(n, P, S)
    X_test = hash_normal(TEST_START, n_test, P * S).reshape(n_test, P, S)
    return TeacherData(kind, X, activation(X @ w) @ a, X_test, activation(X_test @ w) @ a, w)


def _identity(z):
    return z


def _unit_erf(z):
    return erf(z) / np.sqrt((2 / np.pi) * np.arcsin(2 / 3))


def _unit_he3(z):
    return (z**3 - 3 * z) / np.sqrt(6)
