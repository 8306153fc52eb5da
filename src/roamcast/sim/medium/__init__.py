"""The shared air: frames go in, receptions come out."""

from roamcast.sim.medium.medium import EVERYBODY, Medium, Reception
from roamcast.sim.medium.run import WAKE

__all__ = ["EVERYBODY", "WAKE", "Medium", "Reception"]
