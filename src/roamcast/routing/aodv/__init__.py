"""AODV: ad hoc on-demand distance vector routing (RFC 3561)."""

from roamcast.routing.native import with_native

__path__ = with_native(__name__, __path__)
