"""``python -m featurelearning`` is the command ``featurelearning``."""

import sys

from featurelearning.cli import main

if __name__ == "__main__":
    sys.exit(main())
