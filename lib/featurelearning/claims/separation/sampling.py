"""Checks that a sampled number can be trusted, shared by the claims that sample."""

from __future__ import annotations

from collections.abc import Iterable

from featurelearning.claims import Check, at_least, at_most
from featurelearning.separation import ChainMean

__all__ = ["mixing"]

LONG = 800


def mixing(means: Iterable[ChainMean], chains: int, draws: int, every: int = 1) -> tuple[Check, Check]:
    """Checks of the largest R-hat and the smallest effective sample size of sampled scalars."""
    means = list(means)
    total = chains * draws / every
    limit, wanted = (1.01, 400.0) if total >= LONG else (1.1, 0.15 * total)
    return (
        at_most(
            "rhat", r"largest split $\hat R$", max(mean.rhat for mean in means), limit,
            reason="chains from independent starts must agree; a short run estimates the ratio with more noise",
        ),
        at_least(
            "ess", "smallest effective sample size", min(mean.ess for mean in means), wanted,
            reason="400 makes the standard errors themselves reliable; a short run is held to 15 % of its draws",
        ),
    )
