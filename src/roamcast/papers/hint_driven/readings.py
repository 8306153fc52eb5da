"""The readings of the hint-driven paper: where its text allows more than one experiment, each is named here."""

from roamcast.papers import Reading

READINGS = (
    Reading(
        "default",
        "1 Mbit/s; a range of 100 to 200 m drawn once for each node; only subscribers send beacons",
        "section 5 names the simulator, J-Sim, and no bit rate; J-Sim's MAC, in the copy of its source that we read, "
        "computes air times with 1 Mbit/s. Section 5.1 has a random range between 100 and 200 m without saying when it "
        "is drawn; a device that keeps its range is the simplest such network. Section 4 has every broker send "
        "beacons, but then those of figure 5's 100 nodes are 20 a second, for 7 deliveries, 2.9 for each: more "
        "than the 2.5 packets that section 5.2 counts in all, so that there is room for those of the subscribers only.",
    ),
    Reading(
        "2-mbit",
        "2 Mbit/s",
        "no bit rate is given; J-Sim's sample radio card states 2 Mbit/s, which its MAC does not use for air times",
        {"radio.bitrate_bps": 2_000_000},
    ),
    Reading(
        "range-per-frame",
        "the range of 100 to 200 m is drawn anew for each frame",
        "section 5.1 calls the range random and varying, which may mean over time",
        {"radio.range_drawn": "frame"},
    ),
    Reading(
        "equal-range",
        "all nodes have a range of 150 m",
        "section 5.1 may describe how far frames happen to get in a two-ray propagation model, around the middle of "
        "100 to 200 m, rather than radios that differ",
        {"radio.range_m": [150, 150]},
    ),
    Reading(
        "every-node-beacons",
        "nodes without subscriptions send beacons too",
        "section 4 and figure 3: each broker sends a summary of its subscriptions in every interval; section 5.2's 2.5 "
        "packets for each delivery then cannot be met",
        {"protocol.empty_beacons": True},
    ),
)
"""The default first. None was chosen because more claims hold under it."""
