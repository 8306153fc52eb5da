"""The conformance suite notices what it is there for: each broken protocol fails the right check and no other."""

import broken_protocols
import pytest
from broken_messages import HasBrokenMessages
from broken_protocols import RaisesOnHostileMessage, RaisesOnOwnMessage, Sound, TakesNoInterest, WakesItselfForEver

from roamcast.core.host import PubSub
from roamcast.testing import CHECKS, CheckResult, check_protocol, replay_story
from roamcast.testing.conformance import ConformanceError

FRESH = "repeats-a-run-in-a-fresh-process"
BROKEN = {
    "RaisesOnHostileMessage": ("survives-hostile-messages", "raised IndexError: tuple index out of range (broken_prot"),
    "LeavesTheProgram": ("runs-to-the-end", "raised SystemExit: 3 (broken_protocols.py:"),
    "WakesItselfForEver": ("runs-to-the-end", "node 0 still wakes itself after 100,000 wakes"),
    "TakesNoInterest": ("runs-to-the-end", "positional argument but 2 were given (broken_protocols.py:"),
    "IsIncomplete": ("runs-to-the-end", "raised TypeError: Can't instantiate abstract class IsIncomplete"),
    "DeliversTwice": ("delivers-once", "was handed events again"),
    "DeliversTwiceToStrangers": ("delivers-once", "twice, after receive(Carried("),
    "DeliversLate": ("delivers-in-time", "it expired at"),
    "SendsExpired": ("delivers-in-time", "a frame carried an event"),
    "AnswersWithTheExpired": ("delivers-in-time", "it expired at"),
    "AnswersWithoutBytes": ("survives-hostile-messages", "of 0 bytes, which cannot hold its events"),
    "DeliversToEverybody": ("delivers-only-what-was-asked-for", "delivered to node 6, without an interest in it"),
    "DeliversInventions": ("delivers-only-what-was-asked-for", "was handed events that nobody published"),
    "NeverDelivers": ("delivers-on-a-line", "event 0 was not delivered to nodes 0, 1, 2, 3, 4, 5"),
    "SendsOnlyOnce": ("keeps-events-as-declared", "keeps_events is True, but nodes 2, 3"),
    "SaysThatItKeepsNothing": ("keeps-events-as-declared", "keeps_events is False, but nodes 2, 3"),
    "DrawsFromTheGlobalSource": ("repeats-a-run", "two runs with the same seed differ"),
    "DependsOnHashes": (FRESH, "the run differs in a fresh process"),
    "IgnoresTheFirstFrame": ("handles-frames-as-nodes-do", "frame_handler does not do what handler does"),
    "HandlesFramesByNoClassMethod": ("handles-frames-as-nodes-do", "frame_handler must be a class method"),
    "Hoards": ("keeps-within-its-limits", "what can be reached from its attributes grew"),
    "AsksForManyWakes": ("keeps-within-its-limits", "what it asked to be woken for grew"),
    "HasNoSummary": ("describes-itself", "summary must be one line of text"),
    "NeedsParameters": ("describes-itself", "each parameter must have a default, but raised TypeError"),
}


def results(protocol: type[PubSub], *left_out: str) -> dict[str, CheckResult]:
    return {check.name: check.run(protocol) for check in CHECKS if check.name not in left_out}


def violated(found: dict[str, CheckResult]) -> dict[str, list[str]]:
    return {name: [str(each) for each in result.violations] for name, result in found.items() if result.violations}


def test_a_sound_protocol_passes_every_check() -> None:
    found = {result.name: result for result in check_protocol(Sound)}
    assert list(found) == [check.name for check in CHECKS]
    assert [name for name, result in found.items() if not result.holds] == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_protocol_fails_the_right_check_and_no_other(name: str) -> None:
    check, text = BROKEN[name]
    left_out = {FRESH} - {check}  # a process takes its time, and only what depends on hashes needs one
    found = violated(results(getattr(broken_protocols, name), *left_out))
    assert list(found) == [check], found
    assert any(text in violation for violation in found[check]), found


def test_every_check_is_shown_to_notice_something() -> None:
    assert {check for check, _ in BROKEN.values()} | {"messages-are-values"} == {check.name for check in CHECKS}


def test_messages_that_are_not_values_are_named_with_what_is_wrong() -> None:
    found = violated(results(HasBrokenMessages, FRESH))
    assert list(found) == ["messages-are-values"]
    text = "\n".join(found["messages-are-values"])
    assert "can be changed; it must be a frozen dataclass [message type Changeable]" in text
    assert "cannot make a" in text
    assert "[message type HoldsLock]" in text
    assert "kind is 'message'; traffic must be counted under a name of its own [message type Uncounted]" in text


def test_what_could_not_be_checked_is_not_said_to_hold() -> None:
    found = results(WakesItselfForEver, FRESH)
    assert found["delivers-once"].not_run == "the run ended early; see runs-to-the-end"
    assert not found["delivers-once"].holds
    assert found["describes-itself"].holds


def test_a_protocol_that_fails_on_its_own_messages_raises_in_ordinary_networks_too() -> None:
    found = violated(results(RaisesOnOwnMessage, FRESH))
    assert list(found) == ["runs-to-the-end", "survives-hostile-messages"]
    assert "raised KeyError: 0 (broken_protocols.py:" in found["runs-to-the-end"][0]


def test_a_crash_that_ends_several_runs_is_said_once() -> None:
    (violation,) = results(TakesNoInterest, FRESH)["runs-to-the-end"].violations
    assert violation.what.endswith(", in subscribe)")


def test_a_violation_says_how_to_make_it_happen_again() -> None:
    (survives,) = (check for check in CHECKS if check.name == "survives-hostile-messages")
    first = survives.run(RaisesOnHostileMessage).violations[0]
    prefix = "replay_story(RaisesOnHostileMessage, "
    assert first.reproduce.startswith(prefix)
    limits, case = first.reproduce.removeprefix(prefix).removesuffix(")").split(", ")
    with pytest.raises(IndexError):
        replay_story(RaisesOnHostileMessage, limits.strip('"'), int(case))
    assert "after receive(Carried(" in first.what  # and the story was cut down to the step that matters
    assert first.case.endswith("parameters")


def test_the_other_violations_of_a_story_are_assertions_when_it_is_told_again() -> None:
    (once,) = (check for check in CHECKS if check.name == "delivers-once")
    (violation,) = once.run(broken_protocols.DeliversTwiceToStrangers).violations
    limits, case = violation.reproduce.partition(", ")[2].removesuffix(")").split(", ")
    with pytest.raises(ConformanceError, match="twice"):
        replay_story(broken_protocols.DeliversTwiceToStrangers, limits.strip('"'), int(case))


def test_require_fails_as_a_test_does_with_every_violation() -> None:
    for check in CHECKS:
        if check.name == "delivers-once":
            with pytest.raises(ConformanceError, match=r"DeliversTwice fails delivers-once:\n.*handed events again"):
                check.require(broken_protocols.DeliversTwice)
        if check.name != FRESH:  # a process takes its time; a sound protocol's is started above
            check.require(Sound)


def test_a_protocol_inside_a_function_cannot_run_in_a_fresh_process() -> None:
    class Hidden(Sound):
        """Where no other process can find it."""

    (check,) = (check for check in CHECKS if check.name == FRESH)
    (violation,) = check.run(Hidden).violations
    assert "is defined inside a function; define it in a module" in violation.what
