"""Claims of the locality paper."""

CLAIMS = ()
