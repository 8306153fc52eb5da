"""Random streams: every component draws from its own, derived from (seed, component, node).

Swapping a protocol therefore changes neither the movement nor the publications, and adding a node does not
change what the others draw.
"""

import hashlib
from dataclasses import dataclass
from random import Random

import numpy as np


@dataclass(frozen=True, slots=True)
class RandomStreams:
    """The source of all randomness in a run."""

    seed: int

    def integer(self, component: str, node: int = -1) -> int:
        """Return 64 bits derived from (seed, component, node), the same on every machine."""
        text = f"{self.seed}/{component}/{node}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")

    def python(self, component: str, node: int = -1) -> Random:
        """Return a stream for code that draws one value at a time."""
        return Random(self.integer(component, node))

    def numpy(self, component: str, node: int = -1) -> np.random.Generator:
        """Return a stream for code that draws arrays."""
        return np.random.Generator(np.random.PCG64(self.integer(component, node)))
