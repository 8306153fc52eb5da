"""``python -m roamcast.routing.native`` compiles the routers."""

import sys

from roamcast.routing.native import main

if __name__ == "__main__":
    sys.exit(main())
