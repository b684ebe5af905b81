"""Two blocks and two filters: what correlation does to symmetry breaking."""

from __future__ import annotations

import numpy as np

from featurelearning.claims import Claim, Evidence, Parameter, at_least, at_most, close
from featurelearning.claims.locality.parameters import P, SEED
from featurelearning.claims.locality.stability import require_increasing, require_stable
from featurelearning.locality import simulate, solve, symmetric_saddle, time_to_error

__all__ = ["CLAIMS", "a16", "a18"]

ETA_HALF = Parameter("eta_half", full=0.5, low=0.0, high=1.0, closed="right",
                     why="stable at every correlation used", meaning="the learning rate")
C_SADDLE = Parameter("c_saddle", full=(0.0, 0.1, 0.3, 0.5, 0.7), low=0.0, high=0.9, at_least=2,
                     meaning="the correlations of two input positions, increasing",
                     why="near 1 the two blocks see the same input and the saddle disappears")
C_PLATEAU = Parameter("c_plateau", full=(0.0, 0.2, 0.4, 0.6), low=0.0, high=0.9, at_least=2,
                      meaning="the correlations of two input positions, increasing from 0",
                      why="the first must be 0, where the speed-up is exact")
DELTA_R = Parameter("delta_R", full=1e-3, low=0.0, high=0.1, closed="neither", why="a small asymmetry",
                    meaning="the initial overlap of each filter with its own teacher filter")
SIGMA_FILTERS = Parameter("sigma_filters", full=0.1, low=0.0, high=1.0,
                          meaning="the standard deviation of the label noise in the simulation")
D_FILTERS = Parameter("D_filters", full=300, quick=200, low=20, high=1600,
                      meaning="the patch dimension of the simulation",
                      why="the simulation's time grows like its square")


# Above the fluctuations of an overlap, D^(-1/2), of the simulated runs.
PREPARED = 0.2


def a16(*, P, eta_half, c_saddle) -> Evidence:
    """Check that an asymmetry grows more slowly at larger correlation, and at the linearised rate.

    Data
    ----
    c_saddle, rate, error : correlations, growth rates and saddle errors (n,); t, growth : times (k,) and the
    asymmetry R_1 - R_2 along a solution at the last correlation, relative to its start; rate_seen : its
    growth rate.
    """
    saddles = [symmetric_saddle(P=P, k=2, c=c, eta=eta_half, sigma=0.0) for c in c_saddle]
    rate = np.array([saddle.rate for saddle in saddles])
    last, kick = saddles[-1], 1e-6
    t = np.linspace(0.0, 4.0 / last.rate, 41)
    path = solve("conv", t, P=P, C=c_saddle[-1], eta=eta_half, sigma=0.0, kernel=2, Q0=last.Q,
                 R0=last.overlaps[:, None] + [[kick], [-kick]], rtol=1e-11, atol=1e-14)
    difference = path.R[:, 0, 0] - path.R[:, 1, 0]
    # the first e-foldings mix in the decaying antisymmetric mode
    seen = np.polyfit(t[20:], np.log(difference[20:]), 1)[0]
    return Evidence(
        checks=(
            at_most("falling", "largest ratio of the growth rate to that at the correlation before",
                    np.max(rate[1:] / rate[:-1]), 1.0,
                    reason="the two blocks see more and more of the same input"),
            close("growth", "growth rate of the asymmetry along a solution, at the last correlation", seen,
                  last.rate,
                  relative=5e-3, reason="the linearised rate; the asymmetry has grown by $e^4$ from 2e-6"),
        ),
        data={"c_saddle": np.array(c_saddle), "rate": rate,
              "error": np.array([saddle.E for saddle in saddles]),
              "t": t,
              "growth": difference / difference[0], "rate_seen": seen},
    )


def a18(*, P, eta_half, c_plateau, delta_R, sigma_filters, D_filters, seed) -> Evidence:
    """Check the length of the plateau before two filters specialise, and a simulated run.

    Data
    ----
    c_plateau, t_conv : correlations and times to 1% of the initial error (n,); t_lcn : the LCN's at c = 0;
    t, E : times (k,) and errors of the convolution at each correlation (n, k); t_sgd, E_sgd, E_theory : the
    simulated run with noise at the third correlation (or the last); E_sgd_prepared, E_theory_prepared : the
    same from the initial preference `prepared`, which exceeds the run's fluctuations.
    """
    filters = {"P": P, "eta": eta_half, "filters": 2, "teachers": 2}
    start = {"Q0": 0.5, "R0": delta_R * np.eye(2)}
    initial = [solve("conv", [0.0], C=c, sigma=0.0, **filters, **start).E[0] for c in c_plateau]
    t_conv = np.array([time_to_error("conv", 0.01 * E, C=c, sigma=0.0, **filters, **start)
                       for c, E in zip(c_plateau, initial)])
    t_lcn = time_to_error("lcn", 0.01 * initial[0], C=c_plateau[0], sigma=0.0, **filters, Q0=0.5,
                          R0=np.kron(delta_R * np.eye(2), np.ones((P, 1))), t_max=1e5)
    t = np.linspace(0, 1.2 * np.max(t_conv), 151)
    curves = [solve("conv", t, C=c, sigma=0.0, **filters, **start).E for c in c_plateau]
    c_run = c_plateau[min(2, len(c_plateau) - 1)]
    theory = solve("conv", t, C=c_run, sigma=sigma_filters, **filters, **start).E
    prepared = {"Q0": 0.5, "R0": PREPARED * np.eye(2)}
    theory_prepared, uncorrelated = (solve("conv", t, C=c, sigma=sigma_filters, **filters, **prepared).E
                                     for c in (c_run, c_plateau[0]))
    rng = np.random.default_rng(seed)
    run, run_prepared = (
        simulate("conv", t, C=c_run, sigma=sigma_filters, D=D_filters, rng=stream, **filters, **overlaps).E[0]
        for stream, overlaps in ((rng, start), (rng.spawn(1)[0], prepared)))
    return Evidence(
        checks=(
            at_most("shorter", "largest ratio of the time to 1% of the initial error to that at the "
                               "correlation before",
                    np.max(t_conv[1:] / t_conv[:-1]), 1.0, part="correlation shortens the plateau",
                    reason="other positions show each filter more of the teacher"),
            close("speed_up", "time of the locally connected network over that of the convolution at c = 0",
                  t_lcn / t_conv[0], P, relative=1e-4, part="exact speed-up at c = 0",
                  reason="the identity of the learning curves; the plateau multiplies the integrator's "
                         "errors by 1e3"),
            at_most("sgd", "root mean square difference of one simulated run, from a large preference, to the theory",
                    np.sqrt(np.mean((run_prepared - theory_prepared) ** 2)), 0.25 / np.sqrt(D_filters),
                    reason="fluctuations are of order $D^{-1/2}$; 0.25 is the allowance for a single run at "
                           "this noise. The preference exceeds the fluctuations of an overlap, so that they do "
                           "not decide when the plateau ends"),
            at_least("control", "the same difference to the theory of uncorrelated positions, over the "
                                "allowance",
                     np.sqrt(np.mean((run_prepared - uncorrelated) ** 2)) * np.sqrt(D_filters) / 0.25, 1.0,
                     reason="the comparison must be able to reject a wrong theory"),
        ),
        data={"c_plateau": np.array(c_plateau), "t_conv": t_conv, "t_lcn": t_lcn, "t": t,
              "E": np.array(curves),
              "t_sgd": t, "E_sgd": run, "E_theory": theory, "E_sgd_prepared": run_prepared,
              "E_theory_prepared": theory_prepared, "prepared": PREPARED},
    )


def _saddle_validate(*, P, eta_half, c_saddle) -> None:
    require_increasing("c_saddle", c_saddle)
    require_stable("eta_half", eta_half, P=P, correlations=c_saddle)


def _plateau_validate(*, P, eta_half, c_plateau, **_) -> None:
    require_increasing("c_plateau", c_plateau, first=0.0)
    require_stable("eta_half", eta_half, P=P, correlations=c_plateau)


CLAIMS = (
    Claim(
        id="A16", paper="locality", kind="beyond", notebook="locality/filters", measure=a16,
        statement="Correlation between positions slows the breaking of the shift symmetry by a kernel of two "
                  "patches.",
        source="not in the paper as far as its summary shows",
        parameters=(P, ETA_HALF, C_SADDLE), validate=_saddle_validate,
    ),
    Claim(
        id="A18", paper="locality", kind="beyond", notebook="locality/filters", measure=a18,
        statement="Two shared filters specialise after a plateau that correlation shortens, and exactly P "
                  "times earlier than free ones when positions are uncorrelated.",
        source="not in the paper as far as its summary shows",
        parameters=(P, ETA_HALF, C_PLATEAU, DELTA_R, SIGMA_FILTERS, D_FILTERS, SEED),
        validate=_plateau_validate,
    ),
)
