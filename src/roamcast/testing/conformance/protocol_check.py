"""A check of the conformance suite, and its result for one protocol."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from roamcast.core.errors import one_line
from roamcast.core.host import PubSub
from roamcast.testing.message_types import own_modules
from roamcast.testing.recording_host import EndlessWorkError

TEXT_MAX = 300
"""Longer texts, such as a message with a huge list, are cut."""
VIOLATIONS_MAX = 3
"""How many violations a check reports; more would say the same again."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A protocol broke a promise."""

    what: str
    """The event that broke it, in one line."""
    case: str
    """The run, story or type of message in which it happened."""
    reproduce: str = ""
    """A Python expression that makes it happen again; empty where the case says enough."""

    def __str__(self) -> str:
        again = f"; again: {self.reproduce}" if self.reproduce else ""
        return f"{self.what} [{self.case}{again}]"


class NotCheckedError(Exception):
    """Say why a check could not be made; another check reports the cause."""


class RunCrashedError(NotCheckedError):
    """Say that a protocol raised in a run, so that nothing can be said about what it would have delivered."""

    def __init__(self, violation: Violation, reported_by: str) -> None:
        super().__init__(f"the run ended early; see {reported_by}")
        self.violation = violation


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check for one protocol."""

    name: str
    violations: tuple[Violation, ...] = ()
    not_run: str = ""
    """Why the check could not be made; empty if it was."""

    @property
    def holds(self) -> bool:
        """Tell whether the check was made and found no violation."""
        return not self.violations and not self.not_run


class ConformanceError(AssertionError):
    """Say which promise a protocol broke, as a failed test."""


@dataclass(frozen=True, slots=True)
class Check:
    """One promise that every protocol makes, and how to look for violations of it."""

    name: str
    description: str
    """One sentence: what a protocol that passes does."""
    find: Callable[[type[PubSub]], Iterator[Violation]]
    """Yields the violations that it finds."""

    def run(self, protocol: type[PubSub]) -> CheckResult:
        """Look for violations. Whatever the protocol raises is a violation too, and not an exception here."""
        found: list[Violation] = []
        try:
            for violation in self.find(protocol):
                if violation not in found:  # one crash may end several runs
                    found.append(violation)
                if len(found) == VIOLATIONS_MAX:
                    break
        except NotCheckedError as reason:
            return CheckResult(self.name, tuple(found), "" if found else str(reason))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
            found.append(Violation(crash_text(error, protocol), self.name))
        return CheckResult(self.name, tuple(found))

    def require(self, protocol: type[PubSub]) -> None:
        """Fail, as an assertion does, unless the protocol keeps the promise."""
        result = self.run(protocol)
        if not result.holds:
            lines = [result.not_run] if result.not_run else [str(violation) for violation in result.violations]
            raise ConformanceError("\n  ".join([f"{protocol.__name__} fails {self.name}:", *lines]))


def crash_text(error: BaseException, protocol: type[PubSub]) -> str:
    """Say in one line what a protocol raised, and where in its own code."""
    if isinstance(error, EndlessWorkError):
        return str(error)
    own_files = {getattr(module, "__file__", None) for module in own_modules(protocol)}
    frames = traceback.extract_tb(error.__traceback__)
    own = next((frame for frame in reversed(frames) if frame.filename in own_files), None)
    place = own or _called_wrongly(error, protocol) or (frames[-1] if frames else None)
    where = f" ({Path(place.filename).name}:{place.lineno}, in {place.name})" if place else ""
    return f"raised {type(error).__name__}{': ' if str(error) else ''}{shortened(str(error))}{where}"


def _called_wrongly(error: BaseException, protocol: type[PubSub]) -> traceback.FrameSummary | None:
    """Return where a method begins that does not take the arguments it is called with; None: that is not the error.

    Python raises in the caller, which is not the protocol's code, and names the method.
    """
    named = str(error).partition("()")[0] if isinstance(error, TypeError) else ""
    method = getattr(protocol, named.rpartition(".")[2], None)
    code = getattr(method, "__code__", None)
    if code is None or getattr(method, "__qualname__", "") != named:
        return None
    return traceback.FrameSummary(code.co_filename, code.co_firstlineno, code.co_name)


def shortened(text: str) -> str:
    """Return a text as one line of a length that a person reads."""
    line = one_line(" ".join(text.split()))
    return line if len(line) <= TEXT_MAX else f"{line[: TEXT_MAX - 3]}..."
