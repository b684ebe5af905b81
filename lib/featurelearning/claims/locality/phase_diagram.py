"""Which student is better, over correlation and training time."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most
from featurelearning.claims.locality.parameters import P, SIGMA_LABEL
from featurelearning.claims.locality.stability import require_increasing
from featurelearning.locality import crossings, phase_diagram, transition_time

__all__ = ["CLAIMS", "a15"]

C_GRID = Parameter("c_grid", full=tuple(round(0.05 + 0.1 * i, 2) for i in range(10)),
                   quick=(0.15, 0.45, 0.75),
                   low=0.05, high=0.95, at_least=3,
                   meaning="the correlations of two input positions, increasing",
                   why="the transition time vanishes at 0 and diverges at 1")
N_TIMES = Parameter("times", full=13, low=8, high=60,
                    meaning="the number of training times between 0.1 and 10",
                    why="the transition is interpolated between them")


def a15(*, P, sigma, c_grid, times) -> Evidence:
    """Check that the transition time rises with the correlation, on a grid and by root-finding.

    Data
    ----
    c_grid : (n,); T : (times,); log_ratio : ln(E*_conv / E*_lcn), (n, times), positive where free weights are
    better; contour : its zero (n,), interpolated (NaN if off the grid); c_exact, T_exact : transition times
    by root-finding.
    """
    T = np.geomspace(0.1, 10.0, times)
    ratio = phase_diagram(c_grid, T, P=P, sigma=sigma)
    zeros = [crossings(T, row) for row in ratio]
    contour = np.array([found[0] if len(found) == 1 else np.nan for found in zeros])
    within = np.flatnonzero(np.isfinite(contour))
    picked = within[[len(within) // 4, len(within) // 2, -1]]
    exact = np.array([transition_time(P=P, c=c_grid[i], sigma=sigma) for i in picked])
    return Evidence(
        checks=(
            at_least("rising", "smallest increase of the transition time from one correlation to the next",
                     np.min(np.diff(contour[within])), 0.0,
                     reason="one transition at each correlation whose transition lies on the grid, later at "
                            "larger correlation"),
            at_most("interpolation", "largest relative difference of the interpolated to the exact "
                                     "transition times",
                    np.max(np.abs(contour[picked] / exact - 1)), 0.03,
                    reason="linear interpolation in $\\ln T$ between grid times a factor of 1.5 apart"),
        ),
        data={"c_grid": np.array(c_grid), "T": T, "log_ratio": ratio, "contour": contour,
              "c_exact": np.array(c_grid)[picked], "T_exact": exact},
    )


def _validate(*, P, sigma, c_grid, times) -> None:
    require_increasing("c_grid", c_grid)


CLAIMS = (
    Claim(
        id="A15", paper="locality", kind="beyond", notebook="locality/phase-diagram", measure=a15,
        statement="The more correlated the positions, the longer local connections stay ahead of shared "
                  "weights at the best learning rates.",
        source="not in the paper as far as its summary shows; extends finding (d) to all correlations",
        parameters=(P, SIGMA_LABEL, C_GRID, N_TIMES), validate=_validate,
    ),
)
