"""The readings of the Frugal paper: where its text allows more than one experiment, each is named here."""

from roamcast.papers import Reading

READINGS: tuple[Reading, ...] = (
    Reading(
        "default",
        "identifiers are exchanged when neighbours detect each other; a node's floodings have a phase of their own; "
        "2 Mbit/s; a speed for each trip; cars stop at lights and park; every process subscribes to something and "
        "sends heartbeats; bytes are those of messages; the publisher counts as reached; the third flooding sends a "
        "copy for each interested neighbour; all runs in the city are on one movement of the cars",
        "section 3 exchanges identifiers when processes detect each other, and sections 2 and 5.2 describe trips, "
        "stops and parking: the default follows the text where text and pseudo-code differ. Figure 9 delivers an event "
        'to its own publisher. In section 5.2, 20 % have subscribed "to the topic of the event", sizes are given of '
        "messages, and the third flooding uses more bandwidth than the second although it sends in fewer cases. In "
        "section 5.1 one mobility model was created for the 15 cars, and in 5.2 publishers differ by the path that "
        "they take, which 30 movements would even out.",
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
    Reading(
        "only-subscribers-beat",
        "processes that do not subscribe to the event's topic subscribe to nothing and send no heartbeats",
        "section 5.2 varies the number of subscribers, and names no other topic that the others subscribe to",
        {"workload.other_topic": None},
        ("speed", "mixed", "same-average", "subscribers", "frugality", "one-event", "large-event"),
    ),
    Reading(
        "with-headers",
        "bytes include the MAC's header of every frame",
        "section 5.2 measures the bandwidth used per process, and does not say at which layer",
        metrics={"payload_bytes_sent_per_node": "bytes_sent_per_node"},
    ),
    Reading(
        "publisher-apart",
        "the publisher does not count as one of those that are reached",
        "section 5.2 speaks of the probability of event reception, and a publisher receives nothing",
        metrics={"reliability": "delivery_ratio"},
    ),
    Reading(
        "thirty-movements",
        "the paper's numbers of the city are means over 30 movements of the cars, not 30 runs on one",
        "section 5.2: all experiments were conducted 30 times, as in the random waypoint model, where seeds differed",
        sweeps=("heartbeat", "subscribers"),
        runs=30,
    ),
    Reading(
        "one-frame",
        "the third flooding sends one frame for all its neighbours, not a copy for each",
        "section 2: a process cannot send a message to only one of its neighbours",
        {"protocol.per_neighbour": False},
        ("frugality", "one-event", "large-event"),
    ),
)
