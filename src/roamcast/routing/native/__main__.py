"""``python -m roamcast.routing.native`` compiles the routers."""

import sys

from roamcast.routing.native import main

sys.exit(main())
