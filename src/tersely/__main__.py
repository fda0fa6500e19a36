"""`python -m tersely`."""

import sys

from tersely.cli.main import main

sys.exit(main())
