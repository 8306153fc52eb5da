"""The conformance suite for protocols: promises that every protocol makes, each a check that can be run by itself."""

from roamcast.testing.conformance.hostile_stories import replay_story
from roamcast.testing.conformance.protocol_check import Check, CheckResult, ConformanceError, Violation
from roamcast.testing.conformance.suite import CHECKS, check_protocol

__all__ = ["CHECKS", "Check", "CheckResult", "ConformanceError", "Violation", "check_protocol", "replay_story"]
