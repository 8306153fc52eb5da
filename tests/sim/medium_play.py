"""Play a list of requests on the compiled medium and write down what it did, as the reference model does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reference_medium import Heard, Request

from roamcast.sim.mac.dcf import Dcf
from roamcast.sim.medium import Medium
from roamcast.sim.movement import Area, Point, Trajectories
from roamcast.sim.radio import RadioModel
from roamcast.sim.random_streams import RandomStreams

SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class Played:
    """What came of the requests."""

    medium: Medium
    trace: list[Heard]
    refused: list[int]
    """The requests that found the queue full."""


def standing(*places: tuple[float, float]) -> list[list[Point]]:
    """Return nodes that never move."""
    return [[(0.0, x_m, y_m)] for x_m, y_m in places]


def make_medium(
    points: Sequence[Sequence[Point]],
    radio: RadioModel,
    mac: Dcf | None = None,
    seed: int = 1,
    processing_s_max: float = 0.0,
    area: Area | None = None,
) -> Medium:
    """Return a medium that reports and counts every frame from the start."""
    medium = Medium(
        Trajectories.from_points([list(each) for each in points]),
        area or Area(1000.0, 1000.0),
        radio.propagation(),
        (mac or Dcf()).timing(),
        RandomStreams(seed),
        processing_s_max,
    )
    medium.report_every_frame()
    medium.measure()
    return medium


def play(medium: Medium, requests: Iterable[Request], until_ns: int) -> Played:
    """Queue every request at its time and run to a time."""
    trace: list[Heard] = []
    refused: list[int] = []
    of_frame: dict[int, tuple[int, int]] = {}

    def advance(to_ns: int) -> None:
        while (reception := medium.advance(to_ns)) is not None:
            number, sender = of_frame[reception.frame]
            trace.append(Heard(reception.at_ns, sender, number, reception.receivers))

    for number, request in enumerate(requests):
        advance(request.at_ns)
        frame = medium.enqueue(request.node, request.size_bytes, 0, 0, request.at_ns)
        if frame is None:
            refused.append(number)
        else:
            of_frame[frame] = (number, request.node)
    advance(until_ns)
    return Played(medium, trace, refused)
