"""The simulator: movement, radio and medium access round the protocols, which it knows only by their interface."""

from roamcast.core.native import with_native

__path__ = with_native(__name__, __path__)
