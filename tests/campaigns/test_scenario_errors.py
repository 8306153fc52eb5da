"""Everything that a person can get wrong in a scenario file, each with the one line it gets."""

from pathlib import Path
from typing import Any

import pytest
from scenario_documents import CITY_TOML, city, write

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.core.errors import UserError
from roamcast.protocols import protocol_names
from roamcast.sim.workload import workload_names

PROTOCOLS = ", ".join(protocol_names())
RADIO_KEYS = "known keys: bitrate_bps, model, range_drawn, range_m, sense_range_m"
MEANT_RANGE_M = "; did you mean range_m?"
TABLES = "area, nodes, energy, mobility, radio, mac, workload, protocol, sweep"
WORKLOADS = ", ".join(workload_names())
COUNTED = "the number of nodes, which count from 0"
SCRIPT = '[workload]\nmodel = "script"\npublications = '


def line(path: Path) -> str:
    """Return what a person is told about a file."""
    with pytest.raises(UserError) as caught:
        Scenario.load(path)
    return str(caught.value)


@pytest.fixture(autouse=True)
def _in_the_folder_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("range_m = 100", "range_m = -5", "[radio] range_m = -5: must be greater than 0"),
        ("range_m = 100", "range_m = nan", "[radio] range_m = nan: must be a finite number"),
        ("range_m = 100", 'range_m = "far"', '[radio] range_m = "far": must be a number or a list of 2, each a number'),
        ("range_m = 100", "", "[radio] range_m: missing; a number or a list of 2, each a number is needed"),
        (
            "range_m = 100",
            "range_m = 1\nrnge_m = 5",
            f"[radio] rnge_m = 5: unknown key; did you mean 'range_m'? {RADIO_KEYS}",
        ),
        (
            "range_m = 100",
            "range_m = 100\nsense_range_m = 50",
            "[radio] sense_range_m = 50: must not be smaller than range_m",
        ),
        (
            'model = "range"\nrange_m = 100',
            'model = "two-ray-ground"\ntransmit_power_dbm = 1e6',
            "[radio] transmit_power_dbm = 1000000.0: must be between -300 and 300",
        ),
        (
            'model = "range"',
            'model = "rnge"',
            "[radio] model: unknown radio model 'rnge'; did you mean 'range'? known: contacts, range, two-ray-ground",
        ),
        (
            'model = "single-topic"\nsubscriber_fraction = 0.5',
            'model = "ranges"\nlead_s = 6',
            "[workload] lead_s = 6.0: must be at most settle_s, 5: the protocol does not run before that",
        ),
        (
            'model = "single-topic"\nsubscriber_fraction = 0.5',
            'model = "ranges"\nlead_s = 9e4',
            "[workload] lead_s = 90000.0: must be at most settle_s, 5: the protocol does not run before that",
        ),
        ('model = "range"', "", "[radio] model: missing; known: contacts, range, two-ray-ground"),
        ("[radio]", "[raido]", f"[raido]: unknown table; did you mean 'radio'? known tables: {TABLES}"),
        (
            "speed_mps = [1, 5]",
            "speed_mps = [5, 1]",
            "[mobility] speed_mps = [5, 1]: must be [lowest, highest], with the lowest not above the highest",
        ),
        (
            'name = "flooding"',
            'name = "gosip"',
            f"[protocol] name: unknown protocol 'gosip'; did you mean 'gossip'? known: {PROTOCOLS}",
        ),
        ('name = "flooding"', "name = 5", f"[protocol] name = 5: must be a text; known: {PROTOCOLS}"),
        ('name = "flooding"', "", f"[protocol] name: missing; known: {PROTOCOLS}"),
        (
            "",
            "[protocol.gosip]\nx = 1",
            f"[protocol.gosip]: unknown protocol 'gosip'; did you mean 'gossip'? known: {PROTOCOLS}",
        ),
        ("", "[protocol.frugal]\nevents_max = 0", "[protocol.frugal] events_max = 0: must be greater than 0"),
        ("", "period_s = 0", "[protocol] period_s = 0: must be between 0.001 and 1,000,000"),
        ("count = 20", "count = 0", "[nodes] count = 0: must be at least 1"),
        (
            "range_m = 100",
            "range_m = [200, 100]",
            "[radio] range_m = [200, 100]: must be [lowest, highest], with the lowest not above the highest",
        ),
        (
            "[radio]",
            '[mac]\nstandard = "802.11g"\n[radio]',
            '[mac] standard = "802.11g": must be one of "802.11b", "802.11a"',
        ),
        (
            "[radio]",
            '[mac]\nstandard = "802.11a"\n[radio]\nbitrate_bps = 2e6',
            "[radio] bitrate_bps = 2000000.0: must be a rate of 802.11a, the standard chosen in [mac]: "
            "6, 9, 12, 18, 24, 36, 48, 54 Mbit/s",
        ),
        ("[radio]", "[energy]\nidle_w = -1\n[radio]", "[energy] idle_w = -1: must be at least 0"),
        ("count = 20", "count = 2.5", "[nodes] count = 2.5: must be a whole number"),
        ("count = 20", "count = 100_001", "[nodes] count = 100001: must be at most 100,000"),
        ("count = 20", "", "[nodes] count: missing; a whole number is needed"),
        ("[nodes]\ncount = 20", "", "[nodes]: missing; a table with count is needed"),
        ("[protocol]\nname =", "[workload.x]\ny =", f"[workload.x]: unknown workload model 'x'; known: {WORKLOADS}"),
        ('[protocol]\nname = "flooding"', "", "[protocol]: missing; a table with name is needed"),
        (
            "[area]\nwidth_m = 1200\nheight_m = 900",
            "",
            "[area]: missing; a table with width_m, height_m is needed",
        ),
        ("height_m = 900", "height_m = 0", "[area] height_m = 0: must be greater than 0"),
        ("height_m = 900", "height_m = 1e7", "[area] height_m = 10000000.0: must be at most 1,000,000"),
        ("duration_s = 60", "duration_s = 0", "duration_s = 0: must be greater than 0"),
        ("duration_s = 60", "duration_s = nan", "duration_s = nan: must be a finite number"),
        ("duration_s = 60", "duration_s = 1_000_001", "duration_s = 1000001: must be at most 1,000,000"),
        ("duration_s = 60", "duration_s = 1979-05-27", "duration_s = 1979-05-27: must be a number"),
        ("duration_s = 60", "", "duration_s: missing; a number is needed"),
        ("duration_s = 60", "duration_s = 60\nwarmup_s = -1", "warmup_s = -1: must be at least 0"),
        ("duration_s = 60", "duration_s = 60\nsettle_s = -1", "settle_s = -1: must be at least 0"),
        ("duration_s = 60", 'duration_s = 60\nname = ""', 'name = "": must be 1 to 100 printable characters'),
        ("duration_s = 60", "duration_s = 60\nmac = 5", "mac = 5: must be a table"),
        (
            "duration_s = 60",
            "duration_s = 60\nduraton_s = 5",
            "duraton_s = 5: unknown key; did you mean 'duration_s'? "
            "known keys: duration_s, name, seed, settle_s, warmup_s",
        ),
        ("seed = 7", "seed = -1", "seed = -1: must be at least 0"),
        ("count = 20", "count = 20\nprocessing_s_max = 11", "[nodes] processing_s_max = 11: must be at most 1"),
        (
            "validity_s = 30",
            "validity_s = 30\npublisher = 20",
            f"[workload] publisher = 20: must be below 20, {COUNTED}",
        ),
        (
            "validity_s = 30",
            "validity_s = 30\npublisher = 1.5",
            "[workload] publisher = 1.5: must be a whole number or a text",
        ),
        (
            "validity_s = 30",
            "validity_s = 30\nevents = 100_001",
            "[workload] events = 100001: must be at most 100,000",
        ),
        (
            "validity_s = 30",
            "validity_s = 30\nfirst_at_s = 60",
            "[workload] first_at_s = 60.0: publishes at 60 s; must be before the end at 60 s",
        ),
        (
            "subscriber_fraction = 0.5",
            "subscriber_fraction = 80",
            "[workload] subscriber_fraction = 80: must be between 0 and 1",
        ),
        (
            '[workload]\nmodel = "single-topic"\nsubscriber_fraction = 0.5\nvalidity_s = 30',
            SCRIPT + '[{ node = 20, topic = "a", at_s = 0, validity_s = 5 }]',
            f"[workload] publications[0] node = 20: must be below 20, {COUNTED}",
        ),
        (
            '[workload]\nmodel = "single-topic"\nsubscriber_fraction = 0.5\nvalidity_s = 30',
            SCRIPT + '[{ node = 0, topic = "a b", at_s = 0, validity_s = 5 }]',
            "[workload] publications[0] topic = \"a b\": 'a b' is not a topic: segments of letters, digits, "
            "'_' and '-' joined by dots, or '.'",
        ),
        (
            'model = "random-waypoint"\nspeed_mps = [1, 5]\npause_s = 1',
            'model = "static"\npositions_m = [[5, 5]]',
            "[mobility] positions_m = [[5.0, 5.0]]: has 1 positions for 20 nodes; one per node is needed",
        ),
        (
            'model = "random-waypoint"\nspeed_mps = [1, 5]\npause_s = 1',
            'model = "city-section"\nmap = "nowhere.toml"',
            '[mobility] map = "nowhere.toml": must be a readable file: no such file or directory '
            "({folder}/nowhere.toml, from the working directory)",
        ),
        (
            "",
            "[sweep]\nradio.rnge_m = [1, 2]",
            f"with [sweep] [radio] rnge_m = 1: unknown key; did you mean 'range_m'? {RADIO_KEYS}",
        ),
        ("", "[sweep]\nradio.range_m = [1, -2]", "with [sweep] [radio] range_m = -2: must be greater than 0"),
        (
            "",
            '[sweep]\n"raido.range_m" = [1]',
            f"with [sweep] [raido]: unknown table; did you mean 'radio'? known tables: {TABLES}",
        ),
        (
            "",
            '[sweep]\nprotocol.name = ["frugal", "x"]',
            f"with [sweep] [protocol] name: unknown protocol 'x'; known: {PROTOCOLS}",
        ),
        ("", "[sweep]\nradio.range_m = []", "[sweep] radio.range_m = []: must have at least one value"),
        ("", "[sweep]\nradio.range_m = 5", "[sweep] radio.range_m = 5: must be a list of values"),
    ],
)
def test_a_mistake_in_a_file_gets_its_line(tmp_path: Path, old: str, new: str, expected: str) -> None:
    expected = expected.replace("{folder}", str(tmp_path))
    assert line(Path(write(tmp_path, old, new).name)) == f"city.toml {expected}"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "city.toml duration_s: missing; a number is needed"),
        (b"name = \xff\xfe", "city.toml: must be a text file in UTF-8; byte 7 is not"),
        (
            b"duration_s 5",
            "city.toml: is not valid TOML: Expected '=' after a key in a key/value pair (at line 1, column 12)",
        ),
        (
            b"\n[area\n",
            "city.toml: is not valid TOML: Expected ']' at the end of a table declaration (at line 2, column 6)",
        ),
        (b"a = 1\na = 2", "city.toml: is not valid TOML: Cannot overwrite a value (at end of document)"),
        (b"a = " + b"[" * 100_000, "city.toml: is not a scenario: lists or tables are nested too deeply"),
        (b"seed = 0x" + b"f" * 5000, "city.toml: has a whole number of more than 64 bits, which TOML does not allow"),
        (b"#" * 16_000_001, "city.toml: is too large; a scenario file has at most 16,000,000 bytes"),
    ],
)
def test_a_file_that_is_no_scenario_gets_its_line(tmp_path: Path, content: bytes, expected: str) -> None:
    (tmp_path / "city.toml").write_bytes(content)
    assert line(Path("city.toml")) == expected


def test_a_number_with_thousands_of_digits_gets_a_line(tmp_path: Path) -> None:
    (tmp_path / "city.toml").write_bytes(b"seed = " + b"9" * 5000)
    assert line(Path("city.toml")).startswith("city.toml: is not valid TOML: ")


def test_a_missing_file_gets_its_line() -> None:
    assert line(Path("no/city.toml")) == "no/city.toml: no such file; the path of a scenario file is needed"


def test_a_folder_gets_its_line(tmp_path: Path) -> None:
    (tmp_path / "cities").mkdir()
    assert line(Path("cities")) == "cities: is a folder; the path of a scenario file is needed"


def test_a_path_through_a_file_gets_its_line(tmp_path: Path) -> None:
    write(tmp_path)
    assert line(Path("city.toml/x.toml")) == "city.toml/x.toml: cannot be read: not a directory"


def test_a_street_map_that_does_not_fit_into_the_area_gets_a_line(tmp_path: Path) -> None:
    new = CITY_TOML.replace("width_m = 1200", "width_m = 500")
    start, end = new.index("model = "), new.index("[radio]")
    (tmp_path / "city.toml").write_text(new[:start] + 'model = "city-section"\n' + new[end:], encoding="utf-8")
    expected = "must be at least 1150, since junction 'east-gate' of the map campus is at (1150, 450)"
    assert line(Path("city.toml")) == f"city.toml [area] width_m = 500: {expected}"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"radio.range_m": -5}, "[radio] range_m = -5: must be greater than 0"),
        ({"radio.rnge_m": 5}, f"[radio] rnge_m = 5: unknown key; did you mean 'range_m'? {RADIO_KEYS}"),
        ({"raido.range_m": 5}, f"[raido]: unknown table; did you mean 'radio'? known tables: {TABLES}"),
        ({"range_m": 5}, "range_m = 5: unknown key; known keys: duration_s, name, seed, settle_s, warmup_s"),
        ({"radio": 5}, "radio = 5: must be a table"),
        ({"radio.": 5}, f'[radio] "" = 5: unknown key; {RADIO_KEYS}'),
        ({"a.b.c.d.e": 5}, "a.b.c.d.e: unknown key; keys have at most 4 parts"),
        ({"area.width_m.x": 5}, "[area] width_m = {'x': 5}: must be a number"),
        (
            {"protocol.name": "gosip"},
            f"[protocol] name: unknown protocol 'gosip'; did you mean 'gossip'? known: {PROTOCOLS}",
        ),
        (
            {"protocol.name": "frugal\n"},
            f"[protocol] name: unknown protocol '\"frugal\\n\"'; did you mean 'frugal'? known: {PROTOCOLS}",
        ),
        ({"protocol.name": 5}, f"[protocol] name = 5: must be a text; known: {PROTOCOLS}"),
        (
            {"protocol.gosip.x": 5},
            f"[protocol.gosip]: unknown protocol 'gosip'; did you mean 'gossip'? known: {PROTOCOLS}",
        ),
        ({"protocol.frugal.events_max": 0}, "[protocol.frugal] events_max = 0: must be greater than 0"),
        ({"nodes.count": 3, "workload.publisher": 3}, f"[workload] publisher = 3: must be below 3, {COUNTED}"),
    ],
)
def test_a_value_that_cannot_be_set_gets_its_line(values: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        Scenario.from_document(city(), "city.toml").with_values(values, "--set")
    assert str(caught.value) == f"city.toml with --set {expected}"


def test_a_file_that_must_not_be_read_gets_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")  # as the system says it; root, in a container, reads everything

    monkeypatch.setattr(Path, "open", refuse)
    assert line(path).endswith("city.toml: cannot be read: permission denied")
