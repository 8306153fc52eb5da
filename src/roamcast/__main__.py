"""``python -m roamcast`` is the command line."""

import sys

from roamcast.cli import main

if __name__ == "__main__":
    sys.exit(main())
