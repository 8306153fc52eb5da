"""A node among peers that send anything at any time: stories drawn from a seed, and what must hold after every step.

A story is a list of steps. One that shows a violation is made as short as possible before it is reported, and
``replay_story`` tells it again in a test or a debugger.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import count
from random import Random
from typing import Any, Final

from roamcast.core.event_interests import Interest
from roamcast.core.events import EventId
from roamcast.core.host import Position, PubSub
from roamcast.core.messages import Message
from roamcast.routing import RoutingMessage
from roamcast.testing.conformance.makeable_messages import makeable_kinds
from roamcast.testing.conformance.protocol_check import ConformanceError, Violation, crash_text, shortened
from roamcast.testing.conformance.trial_runs import default_parameters, run_alone
from roamcast.testing.hostile_messages import TIMES_S, TOPICS, HostileMessages
from roamcast.testing.message_types import message_kinds
from roamcast.testing.recording_host import RecordingHost
from roamcast.testing.routed_frames import frames_with
from roamcast.testing.sample_events import event_of, interest_in
from roamcast.testing.tight_parameters import tight_parameters

ME: Final = 2
HERE: Final = Position(500.0, 500.0)
STORIES = 60
"""How many stories are told with the default parameters, and how many with tight tables."""
STEPS_LEAST, STEPS_MOST = 15, 60
TIGHT_LIMIT = 2
DEFAULT, TIGHT = "default", "tight"

Step = tuple[Any, ...]
"""The name of a method of ``Trial``, and its arguments."""


class FindingKind(Enum):
    """The promises that a story can show to be broken."""

    RAISED = "raised"
    TWICE = "delivered twice"
    LATE = "delivered late"
    UNASKED = "delivered without being asked for"
    SENT_EXPIRED = "sent after it expired"
    BAD_MESSAGE = "a message that cannot be true"


class Trial:
    """One node among hostile peers. It notes the first violation of each kind."""

    def __init__(self, protocol: type[PubSub], parameters: object, forgets: bool) -> None:
        """Start a node; one that ``forgets``, with tables of a few entries, may deliver an event again."""
        self.findings: dict[FindingKind, str] = {}
        self.host = RecordingHost(ME, position=HERE)
        self.protocol = self.host.install(protocol, parameters)
        self._interests: list[Interest] = []
        self._published = count()
        self._forgets = forgets
        self._delivered: set[EventId] = set()
        self._checked_deliveries = self._checked_broadcasts = self._checked_unicasts = 0
        self.subscribe(interest_in("news"))

    def receive(self, message: Message, sender: int) -> None:
        """Hand the node a message, bare and as its router would bring it."""
        for frame in frames_with(message, self.protocol, ME, HERE):
            self.protocol.on_message(frame, sender)

    def fail_unicast(self, message: Message, to: int) -> None:
        """Tell the node that a unicast failed, whether or not it ever sent one."""
        self.protocol.on_unicast_failed(message, to)

    def subscribe(self, interest: Interest) -> None:
        """Let the node's user subscribe."""
        self._interests.append(interest)
        self.protocol.subscribe(interest)

    def unsubscribe(self, interest: Interest) -> None:
        """Let the node's user unsubscribe."""
        self._interests = [kept for kept in self._interests if kept != interest]
        self.protocol.unsubscribe(interest)

    def publish(self, topic: str, validity_s: float) -> None:
        """Let the node's user publish."""
        number = next(self._published)
        self.protocol.publish(event_of(ME, number, topic, published_at_s=self.host.now, validity_s=validity_s))

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.host.advance_to(self.host.now + seconds)

    def take(self, step: Step) -> None:
        """Take a step of a story and check what came of it."""
        name, *arguments = step
        getattr(self, name)(*arguments)
        self._check_deliveries()
        self._check_messages()
        if (stored_bytes := self.protocol.storage_bytes()) < 0:
            self._note(FindingKind.BAD_MESSAGE, f"storage_bytes() returned {stored_bytes}")

    def _check_deliveries(self) -> None:
        for at_s, event in self.host.deliveries[self._checked_deliveries :]:
            if not any(interest.matches(event) for interest in self._interests):
                self._note(FindingKind.UNASKED, f"delivered {event.id} on '{event.topic}' without an interest in it")
            if not event.is_valid(at_s):
                self._note(
                    FindingKind.LATE, f"delivered {event.id} at {at_s:g} s; it expired at {event.expires_at_s:g} s"
                )
            if event.id in self._delivered and not self._forgets:
                self._note(FindingKind.TWICE, f"delivered {event.id} twice")
            self._delivered.add(event.id)
        self._checked_deliveries = len(self.host.deliveries)

    def _check_messages(self) -> None:
        broadcasts = self.host.broadcasts[self._checked_broadcasts :]
        unicasts = self.host.unicasts[self._checked_unicasts :]
        for at_s, message in (*broadcasts, *((sent.at_s, sent.message) for sent in unicasts)):
            hash(message)
            expired = [event for event in message.events if not event.is_valid(at_s)]
            if isinstance(message, RoutingMessage) and len(expired) < len(message.events):
                expired = []  # a router passes a payload on unopened while any of its events is worth it
            for event in expired:
                what = f"sent {event.id} at {at_s:g} s; it expired at {event.expires_at_s:g} s"
                self._note(FindingKind.SENT_EXPIRED, what)
            if not message.size_bytes >= sum(event.size_bytes for event in message.events) >= 0:
                what = f"sent a {type(message).__name__} of {message.size_bytes} bytes, which cannot hold its events"
                self._note(FindingKind.BAD_MESSAGE, what)
        self._checked_broadcasts, self._checked_unicasts = len(self.host.broadcasts), len(self.host.unicasts)

    def _note(self, kind: FindingKind, what: str) -> None:
        self.findings.setdefault(kind, what)


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation, and the shortest story found that shows it."""

    what: str
    limits: str
    case: int
    steps: tuple[Step, ...]


def make_story(protocol: type[PubSub], limits: str, case: int) -> list[Step]:
    """Return the steps of a story; its number and the tables' limits are its seed."""
    random = Random(f"{limits} {case}")
    drawn = HostileMessages(random, (*message_kinds(), *(own := makeable_kinds(protocol))), own)
    return [_step(random, drawn) for _ in range(random.randint(STEPS_LEAST, STEPS_MOST))]


def _step(random: Random, drawn: HostileMessages) -> Step:
    makers: tuple[Callable[[], Step], ...] = (
        lambda: ("receive", drawn.message(), drawn.sender()),
        lambda: ("receive", drawn.message(), drawn.sender()),
        lambda: ("receive", drawn.message(), drawn.sender()),
        lambda: ("fail_unicast", drawn.message(), drawn.sender()),
        lambda: ("subscribe", drawn.interest()),
        lambda: ("unsubscribe", drawn.interest()),
        lambda: ("publish", random.choice(TOPICS), random.choice(TIMES_S[1:])),
        lambda: ("advance", random.choice(TIMES_S)),
    )
    return random.choice(makers)()


def start_trial(protocol: type[PubSub], limits: str) -> Trial:
    """Start a node with the default parameters or with tight tables."""
    parameters = default_parameters(protocol)
    if limits == TIGHT:
        parameters = tight_parameters(protocol, TIGHT_LIMIT)
    return Trial(protocol, parameters, forgets=limits == TIGHT)


def tell(protocol: type[PubSub], limits: str, steps: Sequence[Step]) -> dict[FindingKind, tuple[str, int]]:
    """Tell a story to a new node and return the first violation of each kind, with the number of steps it took."""
    found: dict[FindingKind, tuple[str, int]] = {}
    number = 0
    try:
        trial = start_trial(protocol, limits)
        for number, step in enumerate(steps, 1):
            trial.take(step)
            for kind, what in trial.findings.items():
                found.setdefault(kind, (what, number))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
        found.setdefault(FindingKind.RAISED, (crash_text(error, protocol), number))
    return found


def replay_story(protocol: type[PubSub], limits: str, case: int) -> None:
    """Tell a story again, for a debugger: what the protocol raises is raised, other violations are assertions."""
    trial = start_trial(protocol, limits)
    for step in make_story(protocol, limits, case):
        trial.take(step)
        if trial.findings:
            raise ConformanceError(f"after {_shown(step)}: {'; '.join(trial.findings.values())}")


@lru_cache(maxsize=4)
def hostile_findings(protocol: type[PubSub]) -> dict[FindingKind, Finding]:
    """Tell all stories and return the first violation of each kind."""
    run_alone(protocol)
    found: dict[FindingKind, Finding] = {}
    for limits in (DEFAULT, TIGHT):
        for case in range(STORIES):
            steps = make_story(protocol, limits, case)
            for kind, (what, length) in tell(protocol, limits, steps).items():
                if kind not in found:
                    found[kind] = _shortest(protocol, kind, Finding(what, limits, case, tuple(steps[:length])))
    return found


def _shortest(protocol: type[PubSub], kind: FindingKind, finding: Finding) -> Finding:
    """Return the finding without the steps that it does not need."""
    steps, what = list(finding.steps), finding.what
    for index in reversed(range(len(finding.steps))):
        fewer = steps[:index] + steps[index + 1 :]
        told = tell(protocol, finding.limits, fewer)
        if kind in told:
            steps, what = fewer, told[kind][0]
    return Finding(what, finding.limits, finding.case, tuple(steps))


def hostile_violations(protocol: type[PubSub], kind: FindingKind) -> Iterator[Violation]:
    """Yield the violation of one kind that the stories show, if there is one."""
    finding = hostile_findings(protocol).get(kind)
    if finding is None:
        return
    last = f" after {_shown(finding.steps[-1])}" if finding.steps else " at the start"
    before = f", {len(finding.steps) - 1} steps before it" if len(finding.steps) > 1 else ""
    case = f"story {finding.case} with {finding.limits} parameters{before}"
    yield Violation(
        f"{finding.what},{last}", case, f'replay_story({protocol.__name__}, "{finding.limits}", {finding.case})'
    )


def _shown(step: Step) -> str:
    name, *arguments = step
    return shortened(f"{name}({', '.join(map(repr, arguments))})")
