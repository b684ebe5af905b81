"""Theory, simulators and tested claims of three papers on how neural networks choose features.

The papers live in :mod:`featurelearning.locality` (A), :mod:`featurelearning.separation` (B)
and :mod:`featurelearning.gauge` (C); what they share is in :mod:`featurelearning.gaussian`.
:mod:`featurelearning.claims` turns each statement into a check with a tolerance.
"""

__version__ = "0.1.0"
