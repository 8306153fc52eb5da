"""Alarms: every ship subscribes to alarms, and a random ship raises one at an even pace."""

from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

from roamcast.plugin import (
    GREATER_THAN_ZERO,
    Publication,
    RandomStreams,
    Subscription,
    Topic,
    TopicInterest,
    Workload,
    WorkloadModel,
    at_most,
)

ALARM = Topic("alarm")


@dataclass(frozen=True, slots=True)
class HarbourAlarms(WorkloadModel):
    """All ships subscribe; some raise alarms."""

    summary: ClassVar[str] = "every node subscribes to alarms, and random nodes raise some"

    alarms: Annotated[int, GREATER_THAN_ZERO, at_most(1000)] = 3
    """How many alarms are raised, spread evenly over the first half of the run."""
    validity_s: Annotated[float, GREATER_THAN_ZERO, at_most(1e6)] = 5.0
    """How long an alarm is worth hearing, in seconds."""

    def workload(self, count: int, duration_s: float, streams: RandomStreams) -> Workload:
        """Draw who raises each alarm."""
        draws = streams.python("harbour-alarms")
        publications = tuple(
            Publication(duration_s / 2 * number / self.alarms, int(draws.random() * count), ALARM, self.validity_s, 200)
            for number in range(self.alarms)
        )
        return Workload(tuple(Subscription(-inf, node, TopicInterest(ALARM)) for node in range(count)), publications)
