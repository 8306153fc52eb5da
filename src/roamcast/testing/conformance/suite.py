"""The conformance suite: what every protocol promises, whichever it is, as a list of checks."""

from collections.abc import Iterator

from roamcast.core.host import PubSub
from roamcast.testing.conformance.delivery_checks import (
    check_delivers_in_time,
    check_delivers_on_a_line,
    check_delivers_once,
    check_delivers_only_what_was_asked_for,
    check_keeps_events_as_declared,
    check_runs_to_the_end,
)
from roamcast.testing.conformance.description_checks import check_describes_itself, check_messages_are_values
from roamcast.testing.conformance.hostile_checks import (
    SURVIVES,
    check_keeps_within_its_limits,
    check_survives_hostile_messages,
)
from roamcast.testing.conformance.protocol_check import Check, CheckResult
from roamcast.testing.conformance.repeatability_checks import (
    check_handles_frames_as_nodes_do,
    check_repeats_a_run,
    check_repeats_a_run_in_a_fresh_process,
)

CHECKS = (
    Check(
        "describes-itself",
        "It has a summary of one line, and its parameters are a frozen dataclass with a default for every field.",
        check_describes_itself,
    ),
    Check(
        "messages-are-values",
        "Its messages cannot be changed, are compared by their contents, and are counted under a name of their own.",
        check_messages_are_values,
    ),
    Check(
        "runs-to-the-end",
        "In ordinary networks it raises nothing, and does not keep waking itself without end.",
        check_runs_to_the_end,
    ),
    Check(
        "delivers-on-a-line",
        "Along a connected line every event reaches every subscriber.",
        check_delivers_on_a_line,
    ),
    Check(
        "keeps-events-as-declared",
        "Nodes that come into reach later get a valid event if, and only if, the protocol says that it keeps events.",
        check_keeps_events_as_declared,
    ),
    Check("delivers-once", "No node is handed an event twice.", check_delivers_once),
    Check("delivers-in-time", "No event is delivered or sent after it has expired.", check_delivers_in_time),
    Check(
        "delivers-only-what-was-asked-for",
        "A node is handed only events that were published and that match its interests.",
        check_delivers_only_what_was_asked_for,
    ),
    Check("repeats-a-run", "The same seed gives the same run.", check_repeats_a_run),
    Check(
        "repeats-a-run-in-a-fresh-process",
        "The same seed gives the same run in another process, where texts hash differently.",
        check_repeats_a_run_in_a_fresh_process,
    ),
    Check(
        "handles-frames-as-nodes-do",
        "A function that handles a frame for all its receivers does what they would do one after another.",
        check_handles_frames_as_nodes_do,
    ),
    Check(
        SURVIVES,
        "Whatever peers send, and in whatever order, it raises nothing and its messages stay plausible.",
        check_survives_hostile_messages,
    ),
    Check(
        "keeps-within-its-limits",
        "Under a flood of new messages it stores no more than its parameters that end in _max allow.",
        check_keeps_within_its_limits,
    ),
)
"""In the order in which they are run: what explains the failure of others comes first."""


def check_protocol(protocol: type[PubSub]) -> Iterator[CheckResult]:
    """Run every check against a protocol and yield the results, one by one."""
    for check in CHECKS:
        yield check.run(protocol)
