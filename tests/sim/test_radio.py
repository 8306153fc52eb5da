"""The radio models in numbers: how far a frame reaches, and what a person may not ask for."""

from dataclasses import replace
from math import inf, log10
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from medium_play import SECOND_NS, make_medium, make_reference, play, standing
from reference_medium import Request
from reference_radio import Kind

from roamcast.core.errors import UserError
from roamcast.core.parameters import build
from roamcast.sim.dcf.records import KIND_ACK, RECEIVED, SENT
from roamcast.sim.radio import DISC, TWO_RAY, Propagation, RadioModel, load_radio, radio_names
from roamcast.sim.radio.range import Range
from roamcast.sim.radio.two_ray_ground import FRUGAL_RADIOS, TwoRayGround
from roamcast.sim.random_streams import RandomStreams

NS2 = TwoRayGround(
    transmit_power_dbm=10 * log10(0.28183815 * 1e3),
    sensitivity_dbm=10 * log10(3.652e-10 * 1e3),
    sense_threshold_dbm=10 * log10(1.559e-11 * 1e3),
    antenna_height_m=1.5,
    antenna_efficiency=1.0,
    frequency_hz=914e6,
)
"""ns-2's defaults, in watts there."""


def received_dbm(radio: Propagation, distance_m: float) -> float:
    if distance_m < radio.crossover_m:
        return 10 * log10(radio.near_gain_w_m2 / distance_m**2) + 30
    return 10 * log10(radio.far_gain_w_m4 / distance_m**4) + 30


def test_the_radios_are_found_by_their_file_names() -> None:
    assert radio_names() == ("contacts", "range", "two-ray-ground")
    assert load_radio("range") is Range
    assert load_radio("two-ray-ground") is TwoRayGround
    with pytest.raises(
        UserError, match=r"unknown radio model 'rnage'; did you mean 'range'\? known: contacts, range, two-ray-ground"
    ):
        load_radio("rnage")


def test_a_disc_is_sensed_as_far_as_it_is_received_unless_told_otherwise() -> None:
    assert Range(339.0).propagation() == Propagation(DISC, 339.0, 339.0, 0.0, 0.0, inf, inf, None)
    assert Range(339.0, 442.0, 1e6).propagation() == Propagation(DISC, 339.0, 442.0, 0.0, 0.0, inf, inf, 1e6)


def test_ns_2_constants_give_ns_2_ranges() -> None:
    radio = NS2.propagation()
    assert radio.law == TWO_RAY
    assert radio.range_m == pytest.approx(250.0, abs=0.05)
    assert radio.sense_range_m == pytest.approx(550.0, abs=0.05)
    assert radio.crossover_m == pytest.approx(86.2, abs=0.05)
    assert radio.capture_ratio == 10.0


@pytest.mark.parametrize(
    ("name", "range_m", "bitrate_bps", "sensitivity_dbm"),
    [
        ("1 Mbit/s", 442, 1e6, -93),
        ("2 Mbit/s", 339, 2e6, -89),
        ("6 Mbit/s", 321, 6e6, -87),
        ("11 Mbit/s", 273, 11e6, -83),
        ("city", 44, 2e6, -65),
    ],
)
def test_the_frugal_papers_radios_reach_as_far_as_it_says(
    name: str, range_m: float, bitrate_bps: float, sensitivity_dbm: float
) -> None:
    model = FRUGAL_RADIOS[name]
    assert model.propagation().range_m == pytest.approx(range_m, abs=1)
    assert model.propagation().bitrate_bps == bitrate_bps
    assert model.sensitivity_dbm == sensitivity_dbm
    assert (model.transmit_power_dbm, model.antenna_height_m, model.antenna_efficiency) == (15.0, 1.5, 0.8)
    assert model.frequency_hz == 2.4e9


def test_the_frugal_papers_ranges_hide_a_loss_of_five_to_eight_decibels() -> None:
    assert len(FRUGAL_RADIOS) == 5
    for model in FRUGAL_RADIOS.values():
        assert 5 < model.fade_margin_db < 8
    assert replace(FRUGAL_RADIOS["1 Mbit/s"], fade_margin_db=0.0).propagation().range_m == pytest.approx(672, abs=1)


powers_dbm = st.floats(-10, 30)
thresholds_dbm = st.floats(-110, -40)


@given(powers_dbm, thresholds_dbm, st.floats(0, 30), st.floats(0.5, 20), st.floats(0.1, 1), st.floats(1e8, 6e9))
def test_the_power_at_the_range_is_the_sensitivity_and_at_the_sense_range_the_threshold(
    power_dbm: float, sensitivity_dbm: float, below_db: float, height_m: float, efficiency: float, frequency_hz: float
) -> None:
    sense_dbm = sensitivity_dbm - below_db
    model = TwoRayGround(power_dbm, sensitivity_dbm, sense_dbm, height_m, efficiency, frequency_hz)
    radio = model.propagation()
    assert received_dbm(radio, radio.range_m) == pytest.approx(sensitivity_dbm, abs=1e-6)
    assert received_dbm(radio, radio.sense_range_m) == pytest.approx(sense_dbm, abs=1e-6)
    assert radio.sense_range_m >= radio.range_m


@given(powers_dbm, st.floats(0.5, 20), st.floats(1e8, 6e9))
def test_friis_and_two_ray_meet_at_the_crossover(power_dbm: float, height_m: float, frequency_hz: float) -> None:
    radio = TwoRayGround(power_dbm, antenna_height_m=height_m, frequency_hz=frequency_hz).propagation()
    below = received_dbm(radio, radio.crossover_m * (1 - 1e-9))
    assert below == pytest.approx(received_dbm(radio, radio.crossover_m), abs=1e-6)


def test_friis_loses_20_and_two_ray_40_decibels_a_decade() -> None:
    radio = NS2.propagation()
    assert received_dbm(radio, 5.0) - received_dbm(radio, 50.0) == pytest.approx(20)
    assert received_dbm(radio, 100.0) - received_dbm(radio, 1000.0) == pytest.approx(40)
    assert received_dbm(radio, 1.0) == pytest.approx(24.5 - 31.67, abs=0.01)


def test_a_margin_is_a_loss_and_efficiency_counts_at_both_ends() -> None:
    model = TwoRayGround(antenna_efficiency=1.0)
    plain_dbm = received_dbm(model.propagation(), 300.0)
    assert received_dbm(replace(model, fade_margin_db=7.0).propagation(), 300.0) == pytest.approx(plain_dbm - 7)
    assert received_dbm(replace(model, antenna_efficiency=0.1).propagation(), 300.0) == pytest.approx(plain_dbm - 20)
    assert model.propagation().sense_range_m == model.propagation().range_m


# --- how far each node reaches ----------------------------------------------------------------------------------------

BOUNDS_M = (100.0, 200.0)
DRAWN = [Range(BOUNDS_M), Range(BOUNDS_M, 300.0), replace(NS2, range_m=BOUNDS_M), TwoRayGround(range_m=BOUNDS_M)]


@pytest.mark.parametrize("radio", [Range(150.0), Range(150.0, 300.0), NS2, TwoRayGround()])
def test_nodes_reach_equally_far_unless_the_range_is_drawn(radio: RadioModel) -> None:
    reach, propagation = radio.reach(3, RandomStreams(1)), radio.propagation()
    assert reach.range_m.tolist() == [propagation.range_m] * 3
    assert reach.sense_range_m.tolist() == [propagation.sense_range_m] * 3
    assert reach.strength.tolist() == [1.0] * 3


@pytest.mark.parametrize("radio", DRAWN)
def test_drawn_ranges_lie_uniformly_between_the_bounds(radio: RadioModel) -> None:
    range_m = radio.reach(2_000, RandomStreams(1)).range_m
    assert BOUNDS_M[0] <= range_m.min() < 101
    assert 199 < range_m.max() <= BOUNDS_M[1]
    deciles = np.histogram(range_m, bins=10, range=BOUNDS_M)[0]
    assert abs(deciles - 200).max() < 5 * (2_000 * 0.1 * 0.9) ** 0.5


@pytest.mark.parametrize("radio", DRAWN)
def test_a_nodes_range_depends_on_the_seed_and_its_number_and_not_on_how_many_there_are(radio: RadioModel) -> None:
    ten = radio.reach(10, RandomStreams(1))
    assert ten.range_m[:4].tolist() == radio.reach(4, RandomStreams(1)).range_m.tolist()
    assert ten.range_m.tolist() == DRAWN[0].reach(10, RandomStreams(1)).range_m.tolist()
    assert len(set(ten.range_m.tolist())) == 10
    assert not set(ten.range_m.tolist()) & set(radio.reach(10, RandomStreams(2)).range_m.tolist())


@pytest.mark.parametrize("radio", DRAWN)
def test_the_propagation_of_drawn_ranges_is_that_of_the_strongest_possible_node(radio: RadioModel) -> None:
    reach, propagation = radio.reach(500, RandomStreams(1)), radio.propagation()
    assert propagation.range_m == pytest.approx(BOUNDS_M[1])
    assert (reach.range_m <= propagation.range_m * (1 + 1e-12)).all()
    assert (reach.sense_range_m <= propagation.sense_range_m * (1 + 1e-12)).all()


def test_a_drawn_disc_is_sensed_as_far_as_it_is_received_or_as_far_as_all_others() -> None:
    streams = RandomStreams(1)
    assert (
        Range(BOUNDS_M).reach(5, streams).sense_range_m.tolist() == Range(BOUNDS_M).reach(5, streams).range_m.tolist()
    )
    assert Range(BOUNDS_M, 300.0).reach(5, streams).sense_range_m.tolist() == [300.0] * 5
    assert Range(BOUNDS_M, 300.0).reach(5, streams).strength.tolist() == [1.0] * 5


@given(st.floats(20, 500), st.floats(0, 500), st.floats(0, 30), st.integers(0, 100))
def test_a_drawn_range_is_where_the_nodes_own_power_falls_to_the_sensitivity(
    low_m: float, more_m: float, below_db: float, seed: int
) -> None:
    model = TwoRayGround(sense_threshold_dbm=-89.0 - below_db, range_m=(low_m, low_m + more_m))
    reach, propagation = model.reach(4, RandomStreams(seed)), model.propagation()
    for range_m, sense_m, strength in zip(reach.range_m, reach.sense_range_m, reach.strength, strict=True):
        gain_db = 10 * log10(strength)
        assert received_dbm(propagation, range_m) + gain_db == pytest.approx(-89.0, abs=1e-6)
        assert received_dbm(propagation, sense_m) + gain_db == pytest.approx(-89.0 - below_db, abs=1e-6)


def test_a_drawn_range_does_not_depend_on_the_stated_power() -> None:
    weak, strong = (TwoRayGround(power, range_m=BOUNDS_M).reach(5, RandomStreams(1)) for power in (0.0, 30.0))
    assert weak.range_m.tolist() == strong.range_m.tolist()
    assert weak.strength.tolist() == pytest.approx((strong.strength * 1_000).tolist())


# --- how far each frame reaches ---------------------------------------------------------------------------------------

FRAME_BY_FRAME: list[RadioModel] = [
    Range(BOUNDS_M, range_drawn="frame"),
    Range(BOUNDS_M, 300.0, range_drawn="frame"),
    replace(NS2, range_m=BOUNDS_M, range_drawn="frame"),
]


@pytest.mark.parametrize("radio", FRAME_BY_FRAME)
def test_nodes_whose_frames_draw_their_ranges_have_the_farthest_as_their_own(radio: RadioModel) -> None:
    reach, propagation = radio.reach(3, RandomStreams(1)), radio.propagation()
    assert reach.range_m.tolist() == pytest.approx([propagation.range_m] * 3)
    assert reach.sense_range_m.tolist() == pytest.approx([propagation.sense_range_m] * 3)
    assert reach.frames is not None
    assert (reach.frames.lowest_m, reach.frames.highest_m) == BOUNDS_M


@pytest.mark.parametrize("radio", FRAME_BY_FRAME)
def test_the_stream_of_a_nodes_ranges_depends_on_the_seed_and_its_number_alone(radio: RadioModel) -> None:
    ten, four, other = (radio.reach(count, RandomStreams(seed)).frames for count, seed in ((10, 1), (4, 1), (10, 2)))
    assert ten is not None
    assert four is not None
    assert other is not None
    assert ten.random[:4].tolist() == four.random.tolist()
    assert len({*ten.random.tolist(), *other.random.tolist()}) == 20


@pytest.mark.parametrize("radio", FRAME_BY_FRAME)
def test_the_share_of_frames_that_arrive_falls_evenly_between_the_bounds(radio: RadioModel) -> None:
    """At 130 m, a frame with a range of 100 to 200 m arrives in seven of ten cases."""
    for away_m, share in ((99.0, 1.0), (130.0, 0.7), (180.0, 0.2), (201.0, 0.0)):
        medium = make_medium(standing((0, 0), (away_m, 0)), radio)
        requests = [Request(number * SECOND_NS // 100, 0, 0) for number in range(2_000)]
        arrived = sum(heard.receivers == [1] for heard in play(medium, requests, 30 * SECOND_NS).trace)
        assert arrived == pytest.approx(2_000 * share, abs=4 * (2_000 * share * (1 - share)) ** 0.5)


def test_a_frame_that_draws_its_range_is_sensed_as_far_as_its_own_power_reaches() -> None:
    """ns-2's frames are sensed 2.2 times as far as they are received: those of 100 to 200 m up to 220 to 440 m."""
    for away_m, share in ((219.0, 1.0), (330.0, 0.5), (441.0, 0.0)):
        radio = replace(NS2, range_m=BOUNDS_M, range_drawn="frame")
        reference = make_reference(standing((0, 0), (away_m, 0)), radio)
        sensed = [bool(reference.radio.begin(Kind.BROADCAST, 0, 0, -1, 0, 1, 0).power_w) for _ in range(1_000)]
        assert sum(sensed) == pytest.approx(1_000 * share, abs=4 * (1_000 * share * (1 - share)) ** 0.5 + 1)


@pytest.mark.parametrize("radio", [Range((150.0, 150.0)), replace(NS2, range_m=(150.0, 150.0))])
def test_frames_that_draw_between_equal_bounds_are_those_of_a_fixed_range(radio: Range | TwoRayGround) -> None:
    """So drawing ranges takes no random number from anything else."""
    places = standing(*[(100.0 * (node % 5), 90.0 * (node // 5)) for node in range(25)])
    requests = [Request(number * 300_000, 7 * number % 25, 20, -1) for number in range(300)]
    by_node, by_frame = (make_medium(places, replace(radio, range_drawn=drawn_for)) for drawn_for in ("node", "frame"))
    assert play(by_node, requests, SECOND_NS).trace == play(by_frame, requests, SECOND_NS).trace
    assert by_node.digest == by_frame.digest


def test_an_acknowledgement_has_a_range_of_its_own() -> None:
    """Of ten data frames that arrive over 150 m, some are repeated, because the ACK did not reach as far."""
    medium = make_medium(standing((0, 0), (150, 0)), Range(BOUNDS_M, range_drawn="frame"))
    requests = [Request(number * SECOND_NS // 10, 0, 0, 1) for number in range(200)]
    play(medium, requests, 30 * SECOND_NS)
    data, received = (int(medium.traffic[node, :3, column].sum()) for node, column in ((0, SENT), (1, RECEIVED)))
    sent_acks, acks = int(medium.traffic[1, KIND_ACK, SENT]), int(medium.traffic[0, KIND_ACK, RECEIVED])
    assert sent_acks == received
    assert received == pytest.approx(data / 2, abs=4 * (data / 4) ** 0.5)
    assert acks == pytest.approx(sent_acks / 2, abs=4 * (sent_acks / 4) ** 0.5)


@pytest.mark.parametrize(
    ("name", "table", "line"),
    [
        (
            "range",
            {"range_m": 100, "range_drawn": "frame"},
            '[radio] range_drawn = "frame": needs range_m = [lowest, highest] to draw between',
        ),
        ("two-ray-ground", {"range_drawn": "frame"}, '[radio] range_drawn = "frame": needs range_m = [lowest, highes'),
        (
            "range",
            {"range_m": [1, 2], "range_drawn": "hour"},
            '[radio] range_drawn = "hour": must be one of "node", "frame"',
        ),
        ("range", {"range_m": [200, 100]}, "[radio] range_m = [200"),
        ("range", {"range_m": [0, 100]}, "[radio] range_m"),
        ("range", {"range_m": [100, 200, 300]}, "[radio] range_m = [100"),
        ("range", {"range_m": [100, 200], "sense_range_m": 150}, "[radio] sense_range_m = 150: must not be smaller "),
        ("two-ray-ground", {"range_m": [200, 100]}, "[radio] range_m = [200"),
        ("two-ray-ground", {"range_m": 100}, "[radio] range_m = 100: must be "),
        ("range", {}, "[radio] range_m: missing; a number"),
        ("range", {"range_m": -5}, "[radio] range_m = -5: must be greater than 0"),
        ("range", {"range_m": 0}, "[radio] range_m = 0: must be greater than 0"),
        ("range", {"range_m": 100, "sense_range_m": 99}, "[radio] sense_range_m = 99: must not be smaller than range"),
        ("range", {"range_m": 100, "bitrate_bps": 0}, "[radio] bitrate_bps = 0: must be "),
        ("range", {"range_m": 100, "power": 1}, "[radio] power = 1: unknown key; known keys: "),
        ("two-ray-ground", {"antenna_height_m": 0}, "[radio] antenna_height_m = 0: must be between 0.001 and 100,000"),
        ("two-ray-ground", {"antenna_efficiency": 1.1}, "[radio] antenna_efficiency = 1.1: must be between 1e-6 and 1"),
        ("two-ray-ground", {"capture_ratio": 0.5}, "[radio] capture_ratio = 0.5: must be at least 1"),
        ("two-ray-ground", {"sense_threshold_dbm": -80}, "[radio] sense_threshold_dbm = -80: must not be above sens"),
        ("two-ray-ground", {"frequency_hz": "2.4 GHz"}, '[radio] frequency_hz = "2.4 GHz": must be a number'),
    ],
)
def test_an_impossible_radio_is_one_line_with_the_key_and_the_expectation(
    name: str, table: dict[str, Any], line: str
) -> None:
    with pytest.raises(UserError) as caught:
        build(load_radio(name), table, "[radio]")
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)
