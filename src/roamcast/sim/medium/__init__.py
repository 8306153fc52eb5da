"""The shared air: frames go in, receptions come out."""

from roamcast.sim.medium.medium import Medium, Reception

__all__ = ["Medium", "Reception"]
