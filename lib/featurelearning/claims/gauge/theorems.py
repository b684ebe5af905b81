"""Three theorems behind selection: no other stationary point, no way out of a region, a positive Hessian."""

from __future__ import annotations

import math

import numpy as np

from featurelearning.claims import (
    Claim, Evidence, Parameter, ParameterError, at_least, at_most, close, is_true,
)
from featurelearning.claims.gauge.parameters import KAPPA, M_GROWING, PHI
from featurelearning.gauge import (
    CUBIC_BOUND, face_products, hessian, hessian_half_gap, hessian_half_gap_squared, kernel_excess,
    kernel_excess_product, prove_positive, region_margin, region_path, sphere_bounds, stationarity,
    stationarity_formula, stationarity_slope_at_zero,
)

__all__ = ["CLAIMS", "c9", "c10", "c11"]

PHI_LOW = Parameter("phi_low", full=0.1, quick=0.5, low=0.02, high=3.1,
                    why="the margin falls like phi^3 and the boxes shrink with it",
                    meaning="the least angle of the proof, in radians")
PHI_HIGH = Parameter("phi_high", full=3.0, quick=2.0, low=0.03, high=3.13, why="an angle below pi",
                     meaning="the largest angle of the proof, in radians")
UNTIL = Parameter("until", full=40.0, low=1.0, high=100.0,
                  why="later the state is within rounding of the boundary",
                  meaning="the fast time up to which paths are followed")
RADII = Parameter("r", full=(0.1, 0.03, 0.01, 0.003, 0.001), quick=(0.1, 0.01, 0.001), low=1e-4, high=0.3,
                  at_least=2, why="small against 1, large against rounding",
                  meaning="the radii of spheres around the selected solution")
POINTS = Parameter("points", full=20_000, quick=2_000, low=100, high=1_000_000,
                   why="enough to cover a sphere", meaning="the number of points on a sphere")


def c9(*, phi, phi_low, phi_high) -> Evidence:
    """Check F_phi > 0 on (0, pi - phi]: ball arithmetic for phi in [phi_low, phi_high], a grid outside.

    The same prover must reject ``F - 2 F'(0) sin x`` (negative slope at 0), and the grid covers
    phi from 0.02 to phi_low and from phi_high to 3.12.

    Data
    ----
    x, F : the function at phi, (n,); slope_at_zero : F'(0) there; boxes (n, 4), by_slope (n,) : the boxes of
    the proof, ``(phi_low, phi_high, s_low, s_high)`` with s = x/(pi - phi), and how each was settled;
    examined : boxes looked at; grid_phi, grid_least : least F/x by phi outside the proof.
    """
    proof = prove_positive(stationarity_formula, phi=(phi_low, phi_high))
    slope = float(stationarity_slope_at_zero(phi_low))

    def falling(x, angle, ops):
        return stationarity_formula(x, angle, ops) - 2 * slope * ops.sin(x)

    altered = prove_positive(falling, phi=(phi_low, phi_high))
    part = np.linspace(0, 1, 2001)[1:]
    outside = np.concatenate([np.linspace(0.02, phi_low, 40)[:-1], np.linspace(phi_high, 3.12, 40)[1:]])
    least = np.array([np.min(stationarity(part * (math.pi - angle), angle) / (part * (math.pi - angle)))
                      for angle in outside])
    x = part * (math.pi - phi)
    step = x[0] * 1e-3
    return Evidence(
        checks=(
            is_true("proved", "positivity proved by ball arithmetic", proof.proved,
                    reason="every box shows F > 0 or dF/dx > 0 with all roundings bounded"),
            is_true("altered_refuted", "the prover finds a negative value of $F - 2F'(0)\\sin x$",
                    altered.refuted, reason="a control: this function falls at x = 0, for the least phi"),
            at_least("grid_least", "least $F_\\varphi(x)/x$ on the grid outside the proved range",
                     np.min(least, initial=1.0), 1e-12,
                     reason="floating point only: a positive value well above the rounding of 1e-14"),
            close("slope", "$F_\\varphi'(0)$ by finite difference against $\\pi(1 - k^2 - k'^2)$",
                  stationarity(step, phi) / step, float(stationarity_slope_at_zero(phi)),
                  absolute=10 * step + 1e-9,
                  reason="truncation of the difference is half the second derivative (below 10) times the "
                         "step"),
            close("far_end", "$F_\\varphi(\\pi-\\varphi)$ against $\\varphi\\sin\\varphi$",
                  stationarity(math.pi - phi, phi), phi * math.sin(phi), absolute=1e-13, reason="rounding"),
        ),
        data={"x": x, "F": stationarity(x, phi), "slope_at_zero": float(stationarity_slope_at_zero(phi)),
              "boxes": proof.boxes, "by_slope": proof.by_slope, "examined": proof.examined,
              "grid_phi": outside, "grid_least": least},
    )


def c10(*, phi, m, kappa, until) -> Evidence:
    """Check that the limit flow points into the region at its faces, and that paths stay inside.

    Paths that start inside (``kappa/m <= k(phi)``, kappa <= 1 per unit) are followed to fast time `until`.

    Data
    ----
    ratio_t, ratio : the product r(t) r(u) of the kernel identity along u = pi - t, where it is largest;
    faces : names; face_largest : largest outward component; m : the m that start inside; largest_margin,
    least_P : along their paths; paths : tuple of (3, T), (q, theta, P) by m; boundary_theta, boundary_q :
    the largest q of the region by angle.
    """
    t = np.linspace(0, math.pi, 301)
    grid_t, grid_u = np.meshgrid(t, t)
    allowed = grid_t + grid_u <= math.pi
    excess = kernel_excess(grid_t[allowed], grid_u[allowed])
    identity = np.max(np.abs(excess - kernel_excess_product(grid_t[allowed], grid_u[allowed])))
    faces = face_products(phi)
    inside = [units for units in sorted(set(m)) if _starts_inside(units, phi, kappa)]
    paths = [region_path(m=units, phi=phi, kappa=kappa, until=until) for units in inside]
    crossing = np.array([np.max(-region_margin(q, theta, phi)) for q, theta, _ in paths])
    least_P = np.array([np.min(P) for *_, P in paths])
    below, above = t[1:-1], math.pi - t[1:-1]
    ratio = 1 + math.pi**2 * kernel_excess_product(below, above) / (below * above * np.sin(below) ** 2)
    boundary = np.linspace(phi - math.pi, phi, 301)
    k_phi = region_margin(0.0, boundary, phi)
    with np.errstate(divide="ignore"):
        largest_q = np.minimum(1.0, k_phi / (k_phi - region_margin(1.0, boundary, phi)))
    return Evidence(
        checks=(
            at_most("faces", "largest outward velocity on any face",
                    max(np.max(each) for each in faces.values()), 1e-15,
                    reason="never positive; it vanishes at corners, where rounding remains"),
            at_most("identity", "largest difference of the two sides of the kernel identity", identity, 4e-15,
                    reason="an identity; rounding of a dozen operations on numbers below 10"),
            at_most("excess", "largest value of the identity's left-hand side", np.max(excess), 1e-15,
                    reason="never positive; it vanishes at t = 0, where rounding remains"),
            at_most("crossing", "largest $q\\,k(\\varphi-\\theta) - k(\\varphi)$ along any path",
                    np.max(crossing), 0.0,
                    reason="negative inside the region; zero is reached only in the limit"),
            at_least("least_P", "least redundant coefficient along any path", np.min(least_P), 0.0,
                     reason="positive inside the region; zero is reached only in the limit"),
        ),
        data={"ratio_t": below, "ratio": ratio, "faces": tuple(faces),
              "face_largest": np.array([np.max(each) for each in faces.values()]), "m": np.array(inside),
              "largest_margin": crossing, "least_P": least_P, "paths": tuple(paths),
              "boundary_theta": boundary, "boundary_q": largest_q},
    )


def c11(*, phi, r, points) -> Evidence:
    """Check that the Hessian is positive with least eigenvalue 1/2 - n, and the bounds that it gives.

    On spheres of shrinking radius: extremes of L/|z|^2 against lambda/2, and the least |grad L|^2/L against
    twice the least eigenvalue. Also n < 1/2 for all angles, through the derivative of 4 pi^2 n^2.

    Data
    ----
    r : radii; loss_low, loss_high, gradient_low : extremes, (R,); low_limit, high_limit, gradient_limit :
    their limits; phi_grid, least_eigenvalue : 1/2 - n by angle.
    """
    n = float(hessian_half_gap(phi))
    eigenvalues = np.linalg.eigvalsh(hessian(phi))
    bounds = sphere_bounds(phi, sorted(r, reverse=True), points=points)
    smallest, cubic = bounds.r[-1], CUBIC_BOUND * bounds.r[-1] + bounds.r[-1] ** 2
    grid = np.linspace(0.02, 3.12, 312)
    u, step = math.pi - grid, 1e-4
    slope = (hessian_half_gap_squared(grid - step) - hessian_half_gap_squared(grid + step)) / (2 * step)
    rounding = "the third-order terms of the loss are below 0.19 r^3 on a sphere of radius r"
    return Evidence(
        checks=(
            at_least("least_eigenvalue", "least eigenvalue", eigenvalues[0], 0.0,
                     reason="positive definite for every angle"),
            at_most("eigenvalues", "largest error of the eigenvalues $1/2-n$, $1/2$, $1/2+n$",
                    np.max(np.abs(eigenvalues - [0.5 - n, 0.5, 0.5 + n])), 1e-14,
                    reason="an identity; rounding"),
            at_most("gap_formula", "largest error of $4\\pi^2n^2 = u^2 + \\sin^2u - u\\sin 2u$ over all "
                                   "angles",
                    np.max(np.abs(hessian_half_gap_squared(grid)
                                  - (2 * math.pi * hessian_half_gap(grid)) ** 2)),
                    1e-13,
                    reason="an identity; rounding of numbers below 10"),
            at_most("gap_slope",
                    "largest error of the derivative $4u\\sin^2u$ of that formula (finite difference)",
                    np.max(np.abs(slope - 4 * u * np.sin(u) ** 2)), 1e-6,
                    reason="step 1e-4: truncation 1e-8 times derivatives of order ten; the derivative is "
                           "positive and the value at u = pi is pi^2, hence n < 1/2"),
            close("loss_low", f"least $L/|z|^2$ at $r={smallest:g}$ against half the least eigenvalue",
                  bounds.loss_low[-1], (0.5 - n) / 2, absolute=cubic, reason=rounding),
            close("loss_high", f"largest $L/|z|^2$ at $r={smallest:g}$ against half the largest eigenvalue",
                  bounds.loss_high[-1], (0.5 + n) / 2, absolute=cubic, reason=rounding),
            close("gradient_low",
                  f"least $|\\nabla L|^2/L$ at $r={smallest:g}$ against twice the least eigenvalue",
                  bounds.gradient_low[-1], 2 * (0.5 - n), absolute=8 * cubic,
                  reason="third-order terms C change this ratio by 8 C/r^2 along an eigenvector"),
        ),
        data={"r": bounds.r, "loss_low": bounds.loss_low, "loss_high": bounds.loss_high,
              "gradient_low": bounds.gradient_low, "low_limit": (0.5 - n) / 2, "high_limit": (0.5 + n) / 2,
              "gradient_limit": 2 * (0.5 - n), "phi_grid": grid,
              "least_eigenvalue": 0.5 - hessian_half_gap(grid)},
    )


def _starts_inside(m: int, phi: float, kappa: float) -> bool:
    return kappa <= m and bool(region_margin(kappa / m, phi, phi) >= 0)


def _ordered(*, phi_low, phi_high, **_) -> None:
    if not phi_low < phi_high:
        raise ParameterError(f"phi_low = {phi_low:g} is not below phi_high = {phi_high:g}; allowed: phi_low "
                             "< phi_high")


def _some_inside(*, phi, m, kappa, **_) -> None:
    if not any(_starts_inside(units, phi, kappa) for units in m):
        raise ParameterError(f"m = {m}: no start lies in the region at phi = {phi:g}, kappa = {kappa:g}; "
                             "allowed: some m with kappa/m <= k(phi) = "
                             f"{float(region_margin(0, phi, phi)):.3g}")


CLAIMS = (
    Claim(
        id="C9", paper="gauge", kind="theorem", notebook="gauge/persistence", measure=c9, validate=_ordered,
        statement="A function of two angles that decides whether the limit flow has a stationary point other "
                  "than the selected solution is positive throughout, so it has none.",
        source="Section 3.3 (by role); the function and its proof by interval arithmetic are our "
               "reconstruction, for angles beyond the paper's as well",
        parameters=(PHI, PHI_LOW, PHI_HIGH),
    ),
    Claim(
        id="C10", paper="gauge", kind="theorem", notebook="gauge/persistence", measure=c10,
        validate=_some_inside,
        statement="In the limit of large imbalance there is a region of states that no path leaves, and "
                  "duplicates that start in it keep a positive redundant coefficient and an angle above phi "
                  "- pi.",
        source="Section 3.3 (by role); the region and the kernel identity behind it are our reconstruction",
        parameters=(PHI, M_GROWING, KAPPA, UNTIL),
    ),
    Claim(
        id="C11", paper="gauge", kind="theorem", notebook="gauge/persistence", measure=c11,
        statement="At the selected solution the Hessian of the limit loss is positive definite for every "
                  "angle, so near it the loss is quadratic and decays exponentially.",
        source="Section 3.3 (by role); the eigenvalues and the proof that they are positive are derived here",
        parameters=(PHI, RADII, POINTS),
    ),
)
