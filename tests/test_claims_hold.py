"""Every claim, measured at the quick preset."""

from __future__ import annotations

import json

import pytest

from featurelearning import claims
from featurelearning.claims import PASSING


@pytest.mark.parametrize("claim", claims.load(), ids=lambda claim: claim.id)
def test_claim_holds(claim):
    record = claim.run("quick").record()
    json.dumps(record, allow_nan=False)
    broken = {n: (record["measured"][n], record["expected"][n]) for n, held in record["holds"].items() if not held}
    assert record["verdict"] in PASSING, f"{claim.id}: {broken}"
    assert record["measured"], "a claim without a check proves nothing"
