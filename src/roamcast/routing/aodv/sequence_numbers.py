"""The arithmetic of AODV's sequence numbers (RFC 3561, section 6.1), and plausibility checks of messages."""

from roamcast.routing.aodv.messages import HOPS_MAX, UNREACHABLE_MAX, RouteError, RouteReply, RouteRequest

SEQUENCE_COUNT = 2**32
"""Sequence numbers have 32 bits and wrap around."""


def is_newer(one: int, other: int) -> bool:
    """Tell whether a sequence number was issued after another: the signed difference in 32 bits is positive."""
    return 0 < (one - other) % SEQUENCE_COUNT < SEQUENCE_COUNT // 2


def next_number(number: int) -> int:
    """Return the sequence number after this one."""
    return (number + 1) % SEQUENCE_COUNT


def is_sequence(number: int) -> bool:
    """Tell whether a number fits into 32 bits."""
    return 0 <= number < SEQUENCE_COUNT


def is_sound_request(message: RouteRequest) -> bool:
    """Tell whether a request's numbers are plausible."""
    sequence = message.destination_sequence
    return (
        0 <= message.hops < HOPS_MAX
        and 0 < message.hops_left <= HOPS_MAX
        and is_sequence(message.originator_sequence)
        and (sequence is None or is_sequence(sequence))
        and message.originator != message.destination
    )


def is_sound_reply(message: RouteReply) -> bool:
    """Tell whether a reply's numbers are plausible; a lifetime of NaN compares as False."""
    return 0 <= message.hops < HOPS_MAX and is_sequence(message.destination_sequence) and message.lifetime_s > 0


def is_sound_error(message: RouteError) -> bool:
    """Tell whether an error's numbers are plausible."""
    numbers = [sequence for _, sequence in message.unreachable if sequence is not None]
    return len(message.unreachable) <= UNREACHABLE_MAX and all(map(is_sequence, numbers))
