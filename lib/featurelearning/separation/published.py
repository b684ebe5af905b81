"""The three-layer setting of the authors' public notebook: its inputs, its teacher and its printed
measures.

Facts of the repository ``zringel/AdaptiveGPs`` (January 2023) that are needed to recompute what it prints;
the code here is our own.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf

from featurelearning.separation.datasets import TeacherData
from featurelearning.separation.solution import Solution

__all__ = [
    "PUBLISHED_SIZES", "printed_alpha", "printed_rmse", "published_data", "published_setting",
    "published_teacher",
]

PUBLISHED_SIZES = (16, 32, 64, 128, 256, 512, 1024, 2048)
DRAWS = 10
DIMENSION = 32

# Default initialisation of three linear layers (32-1-1-1) under torch seed 222.
FIRST = np.array([
    0.057727147, -0.04166846, -0.020789122, 0.02450346, 0.152943879, -0.00209592, -0.048116613, 0.090632014,
    -0.007912355, 0.137591183, -0.134403288, -0.163985699, 0.072751082, -0.003641572, -0.027583426,
    0.046233237,
    -0.107982501, -0.06649746, 0.03449218, 0.033606041, 0.032414466, 0.111664534, 0.020419726, -0.169535249,
    -0.167530373, -0.087825537, -0.001272434, -0.116075203, -0.170790106, 0.173872501, 0.072403923,
    0.157178596,
])
SECOND, THIRD = 0.64204514, -0.95478725

FEW_TEST_ROWS = 300


def published_setting() -> dict[str, float]:
    r"""Hyperparameters: :math:`\sigma^2 = 10^{-3}`, weight variances 2/fan-in, readout variance 2/(256 N)."""
    return {"sigma2": 1e-3, "chi": 256.0, "sw2": 2.0, "sa2": 2.0}


def published_teacher(x: np.ndarray) -> np.ndarray:
    r"""Targets :math:`y = w_3\,\mathrm{erf}(w_2\,\mathrm{erf}(w_1\cdot x))`, for x of shape (n, 32)."""
    return THIRD * erf(SECOND * erf(x @ FIRST))


def published_data(n: int, draw: int) -> TeacherData:
    """Training and test inputs number `draw` (0 to 9) of size `n` in the notebook's random stream.

    Legacy stream with seed 112: one (512, 32) array is skipped, then ten training and test pairs for each
    size 16, 32, ..., 2048 follow. Inputs are rounded to single precision; at most 300 test rows are kept.

    Raises
    ------
    ValueError
        For a size or draw that the stream does not hold.
    """
    if n not in PUBLISHED_SIZES or not 0 <= draw < DRAWS:
        raise ValueError(f"n = {n}, draw = {draw}; allowed: n in {PUBLISHED_SIZES}, draw 0 to {DRAWS - 1}")
    stream = np.random.RandomState(112)
    earlier = DRAWS * sum(size for size in PUBLISHED_SIZES if size < n) + draw * n
    stream.standard_normal(DIMENSION * (512 + 2 * earlier))
    X, X_test = (stream.standard_normal((n, DIMENSION)).astype(np.float32).astype(float) for _ in range(2))
    X_test = X_test[:FEW_TEST_ROWS]
    w = FIRST / np.linalg.norm(FIRST)
    return TeacherData(
        "published", X[:, None, :], published_teacher(X), X_test[:, None, :], published_teacher(X_test), w
    )


def printed_alpha(solution: Solution, data: TeacherData) -> float:
    r"""The notebook's :math:`\alpha' = t\cdot y/y\cdot y`."""
    return float(solution.posterior.t @ data.y / (data.y @ data.y))


def printed_rmse(solution: Solution, data: TeacherData, sigma2: float) -> float:
    r"""Root mean squared training error of a sampled network over the spread of y.

    :math:`\sqrt{(\sigma^4\,\overline{t^2} + \mathrm{tr}(Q_f - Q_f\tilde K^{-1}Q_f)/n)/\mathrm{var}\,y}`.
    """
    bias = sigma2**2 * np.mean(solution.posterior.t**2)
    return float(np.sqrt((bias + solution.prediction.train_variance) / np.var(data.y)))
