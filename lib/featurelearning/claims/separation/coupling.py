"""Layers, and channels, know of each other through second moments only."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from featurelearning.claims import Claim, Evidence, at_least, at_most, is_true, within
from featurelearning.claims.parameters import Parameter
from featurelearning.claims.separation.parameters import (
    CHAINS, CHI_STRONG, D_FCN, DRAWS, N_FCN, P, S, SEED, SIGMA2, WIDTHS_ERF, WIDTHS_FCN,
    WIDTHS_LINEAR, WIDTHS_STRONG,
)
from featurelearning.claims.separation.sampling import convergence, mixing
from featurelearning.gaussian import arcsine_kernel
from featurelearning.separation import (
    channel_coupling, cnn_kernel, excess_kurtosis, observe_cnn, observe_fcn3, partial_correlation,
    projections, relative_distance, sample_fcn3, sample_networks, teacher_data,
)

__all__ = ["CLAIMS"]

N_CNN = Parameter("n_cnn", 50, "training samples of the two-layer networks", low=5, high=400)


def _fcn_samples(N, *, n, d, sigma2, chi, chains, draws, rng):
    task = teacher_data("fcn", n=n, P=1, S=d)
    return [
        observe_fcn3(*sample_fcn3(
            task, N1=width, N2=width, sigma2=sigma2, chi=chi, rng=rng, chains=chains, draws=draws, warm_up=120
        ), task)
        for width in N
    ]


def b1a(*, N, n, d, sigma2, chi, chains, draws, seed) -> Evidence:
    """Check that the layers' kernels correlate, and no longer do given the kernel that one hands to the
    other.

    Data: ``N``, ``raw``, ``partial`` (correlations), ``first_fluctuation``, ``second_fluctuation``
    (relative, over the posterior), ``slopes`` (their log-log slopes); ``first_unit`` and ``second_unit``,
    the same for the square of a single pre-activation along the task, which is sqrt(2 + kurtosis); at the
    largest width ``first``, ``link``, ``second`` (all draws). Here and below: ``sampled``, ``rhat``,
    ``ess`` of the sampled quantities.
    """
    rng = np.random.default_rng(seed)
    samples = _fcn_samples(N, n=n, d=d, sigma2=sigma2, chi=chi, chains=chains, draws=draws, rng=rng)
    raw, partial = np.array([partial_correlation(s.first, s.second, s.link) for s in samples]).T
    spread = np.array([[s.teacher_eigenvalue.spread / s.teacher_eigenvalue.mean,
                        s.kernel_growth.spread / s.kernel_growth.mean] for s in samples]).T
    slopes = [np.polyfit(np.log(N), np.log(row), 1)[0] for row in spread]
    effective = min(min(s.teacher_eigenvalue.ess, s.kernel_growth.ess) for s in samples)
    allowed = max(0.15, 4 / np.sqrt(effective))
    # A spread has the relative error 1/sqrt(2 ess), which a line through the widths passes on to its slope.
    uncertain = 1 / np.sqrt(2 * effective * np.sum((np.log(N) - np.mean(np.log(N))) ** 2))
    unit = np.array([[np.sqrt(2 + s.kurtosis[name].mean) for s in samples] for name in ("h1 along w",
                                                                                        "h2 along u")])
    checks = [
        at_most("partial", "largest size of the layers' correlation, given the kernel between them",
                np.abs(partial).max(), allowed,
                reason="zero given the whole kernel in between; one number of it explains nearly all, and "
                       "the rest stays below 0.15 or four standard errors"),
        at_least("raw", "smallest correlation of the layers' kernels along the task", raw.min(),
                 0.2 - (0 if effective >= 400 else 1.5 / np.sqrt(effective)),
                 reason="there must be a correlation to explain away; a "
                        "short run is allowed 1.5 standard errors"),
    ]
    checks += [
        within(f"fluctuation_{layer}", f"log-log slope over the width of the {layer} kernel's fluctuation",
               slope, -0.5 - 2 * uncertain, -0.25 + 2 * uncertain, about="mechanism",
               reason="-1/2 for independent units, -1/4 where adaptation suppresses the fluctuations of "
                      "narrow networks; two standard errors of the slope")
        for layer, slope in zip(("first", "second"), slopes)
    ]
    last = samples[-1]
    return Evidence((*checks, *mixing([x for s in samples for x in s.scalars], chains, draws)), {
        "N": np.array(N), "raw": raw, "partial": partial, "first_fluctuation": spread[0],
        "second_fluctuation": spread[1], "slopes": np.array(slopes), "first_unit": unit[0],
        "second_unit": unit[1],
        "first": last.first.ravel(), "link": last.link.ravel(), "second": last.second.ravel(),
    } | convergence({
        f"{words}, N = {width}": mean for width, s in zip(N, samples) for words, mean in (
            ("first kernel along the task", s.teacher_eigenvalue),
            ("second kernel along the task", s.kernel_growth),
            ("kurtosis, first layer", s.kurtosis["h1 along w"]),
            ("kurtosis, second layer", s.kurtosis["h2 along u"]),
        )
    }))


def b1b(*, N, C_erf, C_strong, n, n_cnn, d, P, S, sigma2, chi, chains, draws, seed) -> Evidence:
    """Check that the mean activation kernel is the arcsine kernel of the mean second moment, better with
    width.

    Data: ``N`` with ``first`` and ``second`` (layers of the three-layer network), ``C_erf`` with ``cnn``
    and ``C_strong`` with ``cnn_strong``: relative Frobenius distances.
    """
    rng = np.random.default_rng(seed)
    samples = _fcn_samples(N, n=n, d=d, sigma2=sigma2, chi=chi, chains=chains, draws=draws, rng=rng)
    layers = np.array([
        [relative_distance(a, arcsine_kernel(m)) for a, m in zip(s.activations, s.moments)] for s in samples
    ]).T
    task = teacher_data("erf", n=n_cnn, P=P, S=S)

    def two_layers(C, scaling):
        potential, networks = sample_networks(
            task, C=C, activation="erf", sigma2=sigma2, chi=scaling, rng=rng, chains=chains, draws=draws
        )
        seen = observe_cnn(potential, networks, every=2)
        predicted = cnn_kernel(potential.model, potential.model.S0 * seen.second_moment)
        scalars[f"filter variance, C = {C}, chi = {scaling:g}"] = seen.teacher_eigenvalue
        scalars[f"learned fraction, C = {C}, chi = {scaling:g}"] = seen.alpha
        return relative_distance(seen.kernel, predicted)

    scalars = {
        f"{words}, N = {width}": mean for width, s in zip(N, samples) for words, mean in (
            ("first kernel along the task", s.teacher_eigenvalue),
            ("second kernel along the task", s.kernel_growth),
        )
    }
    weak = np.array([two_layers(C, 1.0) for C in C_erf])
    strong = np.array([two_layers(C, chi) for C in C_strong])
    checks = [
        at_most(f"second_{width}", f"distance, second layer, width {width}", value, 0.08 * 100 / width,
                reason="8 % at width 100, and in proportion to 1/width more for narrower networks")
        for width, value in reversed(list(zip(N, layers[1])))
    ]
    checks += [
        is_true(f"{name}_falls", f"distance falls with width, {words}",
                all(b < a for a, b in pairwise(values)),
                reason="units become Gaussian with width")
        for name, words, values in (
            ("first", "first layer", layers[0]), ("second", "second layer", layers[1]),
            ("cnn", "two-layer network", weak), ("cnn_strong", "two-layer network, strong learning", strong),
        ) if len(values) > 1
    ]
    checks += [
        at_most(f"cnn_{C}", f"distance, two-layer network, C = {C}", value, 0.03 * max(1.0, 100 / C),
                reason="3 % from width 100 on, and in proportion to 1/width more below")
        for C, value in zip(C_erf, weak)
    ]
    means = [x for s in samples for x in s.scalars]
    return Evidence((*checks, *mixing(means, chains, draws)), {
        "N": np.array(N), "first": layers[0], "second": layers[1], "C_erf": np.array(C_erf), "cnn": weak,
        "C_strong": np.array(C_strong), "cnn_strong": strong,
    } | convergence(scalars))


def b1e(*, C_linear, C_strong, n_cnn, P, S, sigma2, chi, chains, draws, seed) -> Evidence:
    """Check that squared teacher projections of two channels are anticorrelated, within the exchangeable
    bound.

    Data: ``C_linear`` with ``linear``, ``linear_error``, ``linear_bound``, and the same for ``C_strong``
    with ``strong`` (erf, strong learning).
    """
    rng, checks, data, means = np.random.default_rng(seed), [], {}, []
    for name, activation, widths, scaling in (
        ("linear", "linear", C_linear, 1.0), ("strong", "erf", C_strong, chi)
    ):
        task = teacher_data(activation, n=n_cnn, P=P, S=S)
        coupling, bound = [], []
        for C in widths:
            z = projections(*sample_networks(
                task, C=C, activation=activation, sigma2=sigma2, chi=scaling, rng=rng, chains=chains,
                draws=draws
            ), task.w)
            coupling.append(channel_coupling(z))
            bound.append(-(2 + excess_kurtosis(z).mean) / (C - 1))
        means += coupling
        for C, value, lowest in zip(widths, coupling, bound):
            checks.append(within(
                f"{name}_{C}", f"covariance of two channels, {name}, C = {C}", value.mean, lowest - 1e-9,
                2 * value.error,
                reason="the sum over channels has a variance, which bounds it "
                       "below; above, two standard errors of zero",
            ))
        checks.append(at_most(
            f"{name}_negative", f"covariance at the smallest width plus three standard errors, {name}",
            coupling[0].mean + 3 * coupling[0].error, 0.0,
            reason="channels share the task, so one that takes more leaves less; false-positive rate 1e-3",
        ))
        data |= {
            f"C_{name}": np.array(widths), name: np.array([c.mean for c in coupling]),
            f"{name}_error": np.array([c.error for c in coupling]), f"{name}_bound": np.array(bound),
        }
    sampled = dict(zip([*(f"linear, C = {C}" for C in C_linear),
                        *(f"erf, strong, C = {C}" for C in C_strong)], means))
    return Evidence((*checks, *mixing(means, chains, draws)), data | convergence(sampled))


_FCN = (WIDTHS_FCN, N_FCN, D_FCN, SIGMA2, CHI_STRONG, CHAINS, DRAWS, SEED)

CLAIMS = (
    Claim(
        id="B1a", paper="separation",
        statement="The kernels of two layers fluctuate together, and only through the kernel that one "
                  "hands to the next: given that kernel hardly any of the correlation is left.",
        source="Abstract (layers couple only through second moments); the measurement is ours",
        kind="figure", notebook="separation/coupling", parameters=_FCN, measure=b1a,
    ),
    Claim(
        id="B1b", paper="separation",
        statement="The second moment of pre-activations is enough: the kernel of activations is the one of "
                  "Gaussian units with that second moment, up to an error that falls with width.",
        source="Abstract (second moments suffice); the measurement is ours",
        kind="figure", notebook="separation/coupling",
        parameters=(WIDTHS_FCN, WIDTHS_ERF, WIDTHS_STRONG, N_FCN, N_CNN, D_FCN, P, S, SIGMA2, CHI_STRONG,
                    CHAINS, DRAWS, SEED),
        measure=b1b,
    ),
    Claim(
        id="B1e", paper="separation",
        statement="Two channels of a layer are anticorrelated, and no more than in proportion to 1/C.",
        source="Abstract (layers couple only through second moments), "
               "within a layer; the bound is derived here",
        kind="figure", notebook="separation/coupling",
        parameters=(WIDTHS_LINEAR, WIDTHS_STRONG, N_CNN, P, S, SIGMA2, CHI_STRONG, CHAINS, DRAWS, SEED),
        measure=b1e,
    ),
)
