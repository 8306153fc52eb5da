"""The shared air: frames go in, receptions come out."""

from roamcast.sim.medium.medium import EVERYBODY, Medium, Reception
from roamcast.sim.medium.run import REFUSED, WAKE_DUE

__all__ = ["EVERYBODY", "REFUSED", "WAKE_DUE", "Medium", "Reception"]
