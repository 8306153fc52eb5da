"""Parts that several routers are built from."""

from roamcast.routing.native import with_native

__path__ = with_native(__name__, __path__)
