"""The shared air: frames go in, receptions come out."""

from roamcast.sim.medium.medium import EVERYBODY, Medium, Reception

__all__ = ["EVERYBODY", "Medium", "Reception"]
