"""Which weight block meets which patch: one 0/1 tensor for every student."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BOUNDARIES", "STUDENTS", "architecture", "fully_connected"]

STUDENTS = ("conv", "lcn")
BOUNDARIES = ("periodic", "zero")


def architecture(
    student: str, P: int, *, kernel: int = 1, boundary: str = "periodic", filters: int = 1
) -> NDArray[np.float64]:
    """Tensor ``A[u, b, p]``: unit `u` applies weight block `b` to patch `p`.

    With one filter the units sit at the positions ``u = 0..P-1`` and see the patches
    ``p = u + j``, ``j = 0..kernel-1``. A convolution uses block ``b = j`` there, a locally
    connected network its own block ``b = (u, j)``. Several filters repeat this, each with its own
    units and blocks (filter-major).

    Parameters
    ----------
    student : {"conv", "lcn"}
        Weights shared over positions, or free at every position.
    P : int
        Number of positions.
    kernel : int
        Patches that one unit sees, ``1 <= kernel <= P``; 1 matches the teacher.
    boundary : {"periodic", "zero"}
        Beyond the last patch the kernel wraps round, or meets zeros. Blocks of a locally
        connected network that would meet zeros only do not exist.
    filters : int
        Number of filters.

    Returns
    -------
    A : (U, n_b, P) array of 0.0 and 1.0
        ``U = filters * P`` units; ``n_b = filters * kernel`` blocks for "conv", and
        ``filters * kernel * P`` for "lcn" with periodic boundary.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Notes
    -----
    Derived here; the paper's summary names the two students and their kernel size only.
    """
    if student not in STUDENTS:
        raise ValueError(f"student = {student!r} is unknown; allowed: {' or '.join(STUDENTS)}")
    if boundary not in BOUNDARIES:
        raise ValueError(f"boundary = {boundary!r} is unknown; allowed: {' or '.join(BOUNDARIES)}")
    if P < 1:
        raise ValueError(f"P = {P}: the number of positions must be at least 1")
    if not 1 <= kernel <= P:
        raise ValueError(f"kernel = {kernel} patches at P = {P} positions; allowed: 1 <= kernel <= P")
    if filters < 1:
        raise ValueError(f"filters = {filters}: at least 1 is needed")
    shared = student == "conv"
    A = np.zeros((P, kernel if shared else kernel * P, P))
    for u in range(P):
        for j in range(kernel):
            if boundary == "periodic" or u + j < P:
                A[u, j if shared else u * kernel + j, (u + j) % P] = 1.0
    A = A[:, A.any(axis=(0, 2)), :]
    U, n_b, _ = A.shape
    bank = np.zeros((filters, U, filters, n_b, P))
    bank[np.arange(filters), :, np.arange(filters)] = A
    return bank.reshape(filters * U, filters * n_b, P)


def fully_connected(P: int, hidden: int) -> NDArray[np.float64]:
    """Tensor ``A[u, b, p]`` of a fully connected student: block ``b = (u, p)`` meets patch `p` only.

    Parameters
    ----------
    P : int
        Number of patches.
    hidden : int
        Number of hidden units.

    Returns
    -------
    A : (hidden, hidden * P, P) array of 0.0 and 1.0

    Raises
    ------
    ValueError
        If `P` or `hidden` is below 1.
    """
    if P < 1 or hidden < 1:
        raise ValueError(f"P = {P}, hidden = {hidden}: both must be at least 1")
    return np.eye(hidden * P).reshape(hidden, P, hidden * P).swapaxes(1, 2).copy()
