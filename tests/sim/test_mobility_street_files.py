"""Street maps in files: the shipped one, and every way in which a file can be wrong."""

from itertools import combinations
from pathlib import Path
from statistics import median

import pytest

from roamcast.core.errors import UserError
from roamcast.core.parameters import build
from roamcast.sim.maps import map_names
from roamcast.sim.mobility._street_files import read_street_map
from roamcast.sim.mobility._streets import Junction, Street, StreetMap
from roamcast.sim.mobility.city_section import CitySection
from roamcast.sim.random_streams import RandomStreams
from roamcast.sim.trajectories import Area

TOWN = """
junctions = [
    { id = "gate", x_m = 0, y_m = 0 },
    { id = "hall", x_m = 100, y_m = 0 },
    { id = "pond", x_m = 100, y_m = 80 },
]
streets = [
    { from = "gate", to = "hall", limit_mps = 10 },
    { from = "hall", to = "pond", limit_mps = 8, popularity = 3, one_way = true },
    { from = "pond", to = "gate", limit_mps = 12, one_way = true },
]
"""


def test_a_file_is_read_with_its_defaults(tmp_path: Path) -> None:
    file = tmp_path / "town.toml"
    file.write_text(TOWN)
    expected = StreetMap(
        (Junction("gate", 0.0, 0.0), Junction("hall", 100.0, 0.0), Junction("pond", 100.0, 80.0)),
        (
            Street(0, 1, 10.0, 1.0, one_way=False),
            Street(1, 2, 8.0, 3.0, one_way=True),
            Street(2, 0, 12.0, 1.0, one_way=True),
        ),
    )
    assert read_street_map(str(file)) == expected


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("junctions = [", "junctions = ", ": is not valid TOML: "),
        ("streets = [", "roads = [", " roads = [{'from'"),
        ("streets = [", "streets = []\nother = [", " other = "),
        (TOWN, "streets = 3", " junctions: must be a list of one or more tables, [[junctions]]"),
        (TOWN, "junctions = [1, 2]", " junctions: must be a list of one or more tables, [[junctions]]"),
        (TOWN, "junctions = [{ id = 'a', x_m = 0, y_m = 0 }]", " streets: must be a list of one or more tables"),
        ('id = "hall"', 'id = "gate"', ' junction 2 id = "gate": must be unique'),
        ('id = "hall"', "id = 7", " junction 2 id = 7: must be a text"),
        ("x_m = 100, y_m = 80", "x_m = 100", " junction 3 y_m: missing; a number is needed"),
        ("x_m = 100, y_m = 80", 'x_m = "far", y_m = 80', ' junction 3 x_m = "far": must be a number'),
        ("x_m = 100, y_m = 80", "x_m = nan, y_m = 80", " junction 3 x_m = nan: must be a finite number"),
        ('from = "gate", ', "", " street 1 from: missing; the id of a junction is needed"),
        ('to = "pond"', 'to = "lake"', ' street 2 to = "lake": must be the id of a junction'),
        ('to = "pond"', 'to = "hall"', ' street 2 to = "hall": must not be where the street begins'),
        ("limit_mps = 8", "limit_mps = -8", " street 2 limit_mps = -8: must be greater than 0"),
        ("limit_mps = 8", "limit_mps = 0", " street 2 limit_mps = 0: must be greater than 0"),
        ("limit_mps = 8, ", "", " street 2 limit_mps: missing"),
        (
            "limit_mps = 8",
            "limit_kmh = 8",
            " street 2 limit_kmh = 8: unknown key; did you mean 'limit_mps'? known keys: from, limit_mps, one_way, ",
        ),
        ("popularity = 3", "popularity = -3", " street 2 popularity = -3: must be at least 0"),
        ("one_way = true", 'one_way = "yes"', ' street 2 one_way = "yes": must be true or false'),
        ('from = "pond", to = "gate"', 'from = "gate", to = "pond"', ": junction 'gate' cannot be reached from 'pond'"),
        ('from = "hall", to = "pond"', 'from = "pond", to = "hall"', ": junction 'pond' cannot be reached from 'gate'"),
        ("x_m = 0,", "x_m = -1,", " junction 'gate' at (-1, 0): is outside the area of 1200 x 900 m"),
    ],
)
def test_a_mistake_in_a_map_is_one_line_with_the_file(tmp_path: Path, old: str, new: str, line: str) -> None:
    file = tmp_path / "town.toml"
    assert old in TOWN
    file.write_text(TOWN.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        CitySection(str(file)).trajectories(1, Area(1200.0, 900.0), 10.0, RandomStreams(1))
    assert str(caught.value).startswith(f"{file}{line}")
    assert "\n" not in str(caught.value)


def test_a_file_that_was_changed_is_read_anew_and_a_mistake_in_it_is_reported_each_time(tmp_path: Path) -> None:
    file, copy = tmp_path / "town.toml", tmp_path / "copy.toml"
    wrong = TOWN.replace("limit_mps = 8", "limit_mps = -8", 1)

    def limit_mps() -> float:
        return read_street_map(str(file)).streets[1].limit_mps

    file.write_text(TOWN)
    assert limit_mps() == 8
    file.write_text(TOWN.replace("limit_mps = 8", "limit_mps = 9", 1))
    assert limit_mps() == 9
    for path in (file, file, copy):  # the same text in another file is a mistake of that file
        path.write_text(wrong)
        with pytest.raises(UserError) as caught:
            read_street_map(str(path))
        assert str(caught.value) == f"{path} street 2 limit_mps = -8: must be greater than 0"
    file.write_text(TOWN)
    assert limit_mps() == 8


def test_a_map_that_reaches_beyond_the_area_is_one_line_with_the_key_that_is_too_small(tmp_path: Path) -> None:
    file = tmp_path / "town.toml"
    file.write_text(TOWN.replace("x_m = 100, y_m = 80", "x_m = 100, y_m = 901", 1))
    with pytest.raises(UserError) as caught:
        CitySection(str(file)).trajectories(1, Area(1200.0, 900.5), 10.0, RandomStreams(1))
    where = f"since junction 'pond' of the map {file} is at (100, 901)"
    assert str(caught.value) == f"[area] height_m = 900.5: must be at least 901, {where}"


def test_a_map_without_popular_streets_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "town.toml"
    file.write_text(TOWN.replace("popularity = 3, ", "").replace("limit_mps", "popularity = 0, limit_mps"))
    with pytest.raises(UserError, match=r"town\.toml streets: at least one must have a popularity above 0"):
        CitySection(str(file))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("nowhere.toml", "must be a readable file: no such file or directory"),
        ("folder.toml", "must be a readable file: is a directory"),
        ("latin.toml", "must be a text file in UTF-8"),
        ("zero\0.toml", "must be a text file in UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "latin.toml").write_bytes("# caf\xe9".encode("latin-1"))
    with pytest.raises(UserError) as caught:
        build(CitySection, {"map": str(tmp_path / name)}, "[mobility]")
    assert str(caught.value).startswith("[mobility] map = ")
    assert str(caught.value).endswith(line)


def test_an_unknown_map_is_answered_with_the_shipped_ones() -> None:
    with pytest.raises(UserError) as caught:
        build(CitySection, {"map": "campsu"}, "[mobility]")
    expected = (
        '[mobility] map = "campsu": must be a path that ends in .toml, or a shipped map: campus, freeway, manhattan'
    )
    assert str(caught.value) == expected


def test_the_campus_is_as_the_paper_describes_its_own() -> None:
    campus = read_street_map("campus")
    area = Area(1200.0, 900.0)
    assert 25 <= len(campus.junctions) <= 40
    assert all(area.contains(junction.x_m, junction.y_m) for junction in campus.junctions)
    limits_mps = [street.limit_mps for street in campus.streets]
    assert (min(limits_mps), max(limits_mps)) == (8.0, 13.0)
    assert any(street.one_way for street in campus.streets)
    popularities = [street.popularity for street in campus.streets]
    assert max(popularities) >= 5 * median(popularities)


@pytest.mark.parametrize("name", map_names())
def test_streets_of_a_shipped_map_meet_at_junctions_only(name: str) -> None:
    street_map = read_street_map(name)
    for one, other in combinations(street_map.streets, 2):
        if not {one.start, one.end} & {other.start, other.end}:
            a, b, c, d = (street_map.junctions[each] for each in (one.start, one.end, other.start, other.end))
            in_turn = max(a.x_m, b.x_m) < min(c.x_m, d.x_m) or max(c.x_m, d.x_m) < min(a.x_m, b.x_m)
            in_turn = in_turn or max(a.y_m, b.y_m) < min(c.y_m, d.y_m) or max(c.y_m, d.y_m) < min(a.y_m, b.y_m)
            assert in_turn or side(a, b, c) * side(a, b, d) > 0 or side(c, d, a) * side(c, d, b) > 0


def side(start: Junction, end: Junction, place: Junction) -> float:
    """Return a number whose sign tells on which side of a line a place is."""
    along = (end.x_m - start.x_m) * (place.y_m - start.y_m)
    return along - (end.y_m - start.y_m) * (place.x_m - start.x_m)
