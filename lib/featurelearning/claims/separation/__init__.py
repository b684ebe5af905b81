"""Claims of the separation paper."""

CLAIMS = ()
