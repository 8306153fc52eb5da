"""Checks that the same seed gives the same run: in this process, in a fresh one, and node by node."""

from collections.abc import Iterator
from functools import lru_cache
from inspect import getattr_static

from roamcast.core.host import PubSub
from roamcast.sim.simulation import simulate
from roamcast.testing.conformance.fresh_process import FreshProcessError, digests_in_a_fresh_process
from roamcast.testing.conformance.protocol_check import NotCheckedError, Violation
from roamcast.testing.conformance.trial_runs import LINE_CASES, SEED, reporting_crashes, run_line
from roamcast.testing.small_networks import line

CASE = f"a line of 6 nodes, seed {SEED}"


def check_repeats_a_run(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield whether a second run with the same seed differs from the first."""
    if not _repeats(protocol):
        what = "two runs with the same seed differ; take time from host.now and chance from host.random only"
        yield Violation(what, CASE, f"simulate(line({protocol.__name__}), seed={SEED}).digest()")


def check_repeats_a_run_in_a_fresh_process(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield whether a run in another process, where texts hash differently, differs from the run in this one."""
    here = run_line(protocol, LINE_CASES[0]).digest()
    if not _repeats(protocol):
        raise NotCheckedError("two runs in this process differ already; see repeats-a-run")
    try:
        (there,) = digests_in_a_fresh_process([protocol])
    except FreshProcessError as error:
        yield Violation(f"cannot run in a fresh process: {error}", CASE)
        return
    if here != there:
        what = "the run differs in a fresh process; do not iterate over sets, and use neither hash() nor id()"
        yield Violation(what, CASE)


def check_handles_frames_as_nodes_do(protocol: type[PubSub]) -> Iterator[Violation]:
    """Yield a violation if a run in which each receiver of a frame is called by itself differs."""
    declared = getattr_static(protocol, "frame_handler")
    if declared is getattr_static(PubSub, "frame_handler"):
        return
    if not isinstance(declared, classmethod):
        yield Violation("frame_handler must be a class method", protocol.__name__)
        return
    if not _repeats(protocol):
        raise NotCheckedError("two runs with the same seed differ already; see repeats-a-run")
    together = run_line(protocol, LINE_CASES[0]).digest()
    alone: type[PubSub] = type(protocol.__name__, (protocol,), {"frame_handler": PubSub.frame_handler})
    with reporting_crashes(protocol, CASE):
        if simulate(line(alone), SEED).digest() != together:
            yield Violation("frame_handler does not do what handler does, called for one receiver after another", CASE)


@lru_cache(maxsize=4)
def _repeats(protocol: type[PubSub]) -> bool:
    first = run_line(protocol, LINE_CASES[0]).digest()
    with reporting_crashes(protocol, CASE):
        return simulate(line(protocol), SEED).digest() == first
