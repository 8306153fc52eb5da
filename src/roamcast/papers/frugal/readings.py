"""The readings of the Frugal paper: where its text allows more than one experiment, each is named here."""

from roamcast.papers import Reading

READINGS: tuple[Reading, ...] = (
    Reading(
        "default",
        "identifiers are exchanged when neighbours detect each other; a node's floodings have a phase of their own; "
        "2 Mbit/s; a speed for each trip; cars stop at lights and park",
        "section 3 exchanges identifiers when processes detect each other, and sections 2 and 5.2 describe trips, "
        "stops and parking. The default follows the text where text and pseudo-code differ.",
    ),
    Reading(
        "heartbeat-exchange",
        "identifiers are sent at every heartbeat of a neighbour, not only when it is detected",
        "figure 6, lines 8 and 19 to 23, raises the event of a new neighbour at every heartbeat",
        {"protocol.exchange": "heartbeat"},
    ),
    Reading(
        "reception-phase",
        "a flooding node sends an event again one second after it received it, not at a phase of its own",
        "section 5.2: an event is sent every second by a process; where the second begins is not said",
        {"protocol.phase": "reception"},
    ),
    Reading(
        "1-mbit",
        "broadcasts at 1 Mbit/s, which reach 442 m, not at 2 Mbit/s and 339 m",
        "section 5.1 and footnote 11 give ranges for four rates, and not the rate of a broadcast",
        {"radio.range_m": 442, "radio.sense_range_m": 442, "radio.bitrate_bps": 1_000_000},
        ("speed", "mixed", "same-average", "frugality", "one-event", "large-event"),
    ),
    Reading(
        "node-speeds",
        "in figure 12 each process keeps one speed, not each trip",
        "section 5.2 compares the result with a network at 20 m/s: the mean speed, if each process keeps its own",
        {"mobility.speed_drawn": "node"},
        ("mixed",),
    ),
    Reading(
        "no-stops",
        "cars do not stop at junctions",
        "section 5.2: it may happen that they stop; how often and for how long is ours",
        {"mobility.stop_probability": 0.0},
    ),
    Reading(
        "no-parking",
        "cars do not park at their destinations",
        "section 5.2: it may happen that they park; how often and for how long is ours",
        {"mobility.pause_s": [0.0, 0.0]},
        ("heartbeat", "subscribers"),
    ),
)
