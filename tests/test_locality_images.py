"""Patch correlations: constructed data with a known answer, and the images at hand."""

from __future__ import annotations

import numpy as np
import pytest

from featurelearning.locality.images import digits, patch_correlation, photographs, quarters, random_windows


def test_kronecker_data_return_their_correlation():
    rng = np.random.default_rng(0)
    C = np.array([[1.0, 0.6, 0.2], [0.6, 1.0, -0.3], [0.2, -0.3, 1.0]])
    mixing = rng.standard_normal((4, 4))
    x = np.linalg.cholesky(C) @ rng.standard_normal((50_000, 3, 4)) @ mixing + rng.standard_normal((3, 4))
    found = patch_correlation(x)
    # sampling error of a correlation is about 1/sqrt(50000) = 0.0045 per direction
    np.testing.assert_allclose(found.C, C, atol=0.02)
    np.testing.assert_allclose(found.whitened, C, atol=0.02)
    assert found.share.min() > 0.97
    assert found.c == pytest.approx(C[~np.eye(3, dtype=bool)].mean(), abs=0.02)


def test_shared_brightness_is_no_kronecker_product():
    """One common mode on top of independent pixels: a share below 1, and whitening takes most of c away."""
    rng = np.random.default_rng(1)
    x = 2 * rng.standard_normal((20_000, 1, 1)) + rng.standard_normal((20_000, 2, 16))
    found = patch_correlation(x)
    # tr K_pq = 4 * 16, tr K_pp = 5 * 16; whitened, only one of 16 directions is shared: (64/65)/16
    assert found.c == pytest.approx(0.8, abs=0.02)
    assert found.whitened_c == pytest.approx(64 / 65 / 16, abs=0.01)


def test_whitening_skips_constant_pixels():
    x = np.random.default_rng(2).standard_normal((500, 2, 5))
    x[:, :, 0] = 3.0
    assert np.all(np.isfinite(patch_correlation(x).whitened))


def test_quarters_are_the_four_patches():
    window = np.arange(16.0).reshape(1, 4, 4)
    patches = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    np.testing.assert_array_equal(quarters(window)[0], patches)


def test_windows_come_from_the_image():
    image = np.arange(30.0).reshape(5, 6)
    windows = random_windows(image, 2, 200, np.random.default_rng(3))
    assert windows.shape == (200, 4, 4)
    # right neighbour is two columns on, lower neighbour two rows on
    np.testing.assert_array_equal(windows[:, 1] - windows[:, 0], 2.0)
    np.testing.assert_array_equal(windows[:, 2] - windows[:, 0], 12.0)
    assert windows.min() == 0.0 and windows.max() == 29.0


def test_images_at_hand():
    """Reference values measured before this code was written; 4000 windows leave about 0.01."""
    for name, reference in (("china", 0.85), ("flower", 0.85)):
        windows = random_windows(photographs()[name], 8, 4000, np.random.default_rng(4))
        found = patch_correlation(windows)
        assert found.c == pytest.approx(reference, abs=0.02)
        assert found.kronecker_share > 0.98
        assert found.whitened_c < 0.1
    assert patch_correlation(digits()).c == pytest.approx(-0.018, abs=0.001)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="x has shape"):
        patch_correlation(np.ones((5, 4)))
    with pytest.raises(ValueError, match="constant"):
        patch_correlation(np.ones((5, 2, 4)))
    with pytest.raises(ValueError, match="size = 4"):
        random_windows(np.ones((6, 20)), 4, 10, np.random.default_rng(0))
