"""Data sets with an explicit formula."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.separation import (
    digits_data, hash_normal, published_data, samples_to_reach, teacher_data,
)


def test_hash_values():
    first = [0.64360694, -1.44731683, -0.20214929, 0.93617545]
    assert np.allclose(hash_normal(0, 1, 4)[0], first, atol=2e-8)
    assert np.allclose(hash_normal(5000, 1, 3)[0], [-0.93771735, -0.0205471, -0.21746001], atol=2e-8)


def test_hash_looks_white():
    z = hash_normal(0, 2000, 100)
    spectrum = np.linalg.eigvalsh(z.T @ z / 2000)
    low, high = (1 - np.sqrt(0.05)) ** 2, (1 + np.sqrt(0.05)) ** 2
    assert low - 0.02 < spectrum[0] and spectrum[-1] < high + 0.02


@pytest.mark.parametrize("kind, P, S", [("linear", 8, 10), ("erf", 8, 10), ("he3", 1, 12), ("fcn", 1, 10)])
def test_teachers(kind, P, S):
    data = teacher_data(kind, n=4000, P=P, S=S, n_test=20)
    assert data.X.shape == (4000, P, S) and data.X_test.shape == (20, P, S)
    assert np.linalg.norm(data.w) == pytest.approx(1)
    # Unit variance of the target over normal inputs; the cubic one has a fat tail.
    assert np.var(data.y) == pytest.approx(1, abs=0.25 if kind == "he3" else 0.08)


def test_linear_teacher_is_the_formula():
    data = teacher_data("linear", n=3, P=2, S=3)
    expected = (data.X[:, 0] @ data.w - data.X[:, 1] @ data.w) / np.sqrt(2)
    assert np.allclose(data.y, expected)


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match="kind = 'cubic'"):
        teacher_data("cubic", n=5, P=1, S=3)
    with pytest.raises(ValueError, match="n = 0"):
        teacher_data("linear", n=0, P=1, S=3)
    with pytest.raises(ValueError, match="P = 1"):
        teacher_data("fcn", n=5, P=2, S=3)
    with pytest.raises(ValueError, match="rows = 0"):
        hash_normal(0, 0, 3)
    with pytest.raises(ValueError, match="allowed: n in"):
        published_data(17, 0)
    with pytest.raises(ValueError, match="together at most"):
        digits_data(5000, 10)


def test_published_stream_skips_to_the_right_draw():
    stream = np.random.RandomState(112)
    stream.standard_normal((512, 32))
    for _ in range(2):
        X, _ = stream.standard_normal((16, 32)), stream.standard_normal((16, 32))
    assert np.array_equal(published_data(16, 1).X[:, 0, :], X.astype(np.float32))


def test_samples_to_reach_inverts_a_power_law():
    n = np.array([10, 20, 40, 80])
    assert samples_to_reach(1e-3, n, 1.0 / n**2) == pytest.approx(np.sqrt(1000))
    with pytest.raises(ValueError, match="not crossed"):
        samples_to_reach(1e-9, n, 1.0 / n**2)
