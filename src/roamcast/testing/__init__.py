"""The test kit for people who write protocols, inside this project and in their own packages (docs/testing.md).

- ``RecordingHost`` and ``FakeLink`` drive a protocol without a simulator;
- ``line``, ``healing_partition`` and ``network`` are small networks in a real simulation;
- ``CHECKS`` is the conformance suite, ``check_protocol`` runs it;
- ``HostileMessages`` and ``flood`` make messages that nobody expects.
"""

from roamcast.testing.conformance import CHECKS, Check, CheckResult, Violation, check_protocol, replay_story
from roamcast.testing.fake_link import FakeLink
from roamcast.testing.hostile_messages import HostileMessages
from roamcast.testing.message_flood import flood
from roamcast.testing.recording_host import Delivered, Dropped, RecordingHost, Sent, Unicast
from roamcast.testing.sample_events import event_of, interest_in
from roamcast.testing.small_networks import healing_partition, line, network

__all__ = [
    "CHECKS",
    "Check",
    "CheckResult",
    "Delivered",
    "Dropped",
    "FakeLink",
    "HostileMessages",
    "RecordingHost",
    "Sent",
    "Unicast",
    "Violation",
    "check_protocol",
    "event_of",
    "flood",
    "healing_partition",
    "interest_in",
    "line",
    "network",
    "replay_story",
]
