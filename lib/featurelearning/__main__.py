"""``python -m featurelearning`` is the command ``featurelearning``."""

import sys

from featurelearning.cli import main

sys.exit(main())
