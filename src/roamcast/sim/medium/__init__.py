"""The shared air: frames go in, receptions come out."""

from roamcast.sim.medium.medium import EVERYBODY, Medium, Reception
from roamcast.sim.medium.run import WAKE_DUE

__all__ = ["EVERYBODY", "WAKE_DUE", "Medium", "Reception"]
