"""Street maps in TOML files: reading one, and reporting in one line what is wrong with it."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from roamcast.core.errors import InvalidValueError, UserError, suggestion
from roamcast.core.parameters import AT_LEAST_ZERO, GREATER_THAN_ZERO, at_most, build, coerce
from roamcast.sim.maps import map_names, map_text
from roamcast.sim.mobility._streets import Junction, Street, StreetMap, find_unreachable
from roamcast.sim.trajectories import Area

MAPS_KEPT = 4
"""The maps of the runs that a process makes in turns; a map of a city takes megabytes."""

_KEY = "[mobility] map"


@dataclass(frozen=True, slots=True)
class _Traffic:
    """The keys of a street other than ``from`` and ``to``, which cannot be names in Python."""

    limit_mps: Annotated[float, GREATER_THAN_ZERO, at_most(10_000)]
    popularity: Annotated[float, AT_LEAST_ZERO] = 1.0
    one_way: bool = False


def read_street_map(name: str) -> StreetMap:
    """Read a map: a shipped one by its name, or a file by a path that ends in ``.toml``."""
    return _street_map(name, _read_text(name))


@lru_cache(maxsize=MAPS_KEPT)
def _street_map(name: str, text: str) -> StreetMap:
    """Return the map in a file's text; a campaign asks for the same one several times in each run."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name}: is not valid TOML: {error}") from None
    _check_keys(tables, ("junctions", "streets"), name)
    junctions = _junctions(_rows(tables, "junctions", name), name)
    streets = _streets(_rows(tables, "streets", name), junctions, name)
    street_map = StreetMap(tuple(junctions.values()), tuple(streets))
    _check_connected(street_map, name)
    return street_map


def street_map_digest(name: str) -> str:
    """Return the digest of a map's text."""
    return hashlib.blake2b(_read_text(name).encode(), digest_size=8).hexdigest()


def check_within(street_map: StreetMap, name: str, area: Area) -> None:
    """Check that a map fits into an area."""
    junctions = street_map.junctions
    for junction in junctions:
        if junction.x_m < 0 or junction.y_m < 0:
            where = f"{name} junction '{junction.id}' at ({junction.x_m:g}, {junction.y_m:g})"
            raise UserError(f"{where}: is outside the area of {area}, which begins at (0, 0)")
    east, north = max(junctions, key=lambda junction: junction.x_m), max(junctions, key=lambda junction: junction.y_m)
    for key, extent_m, junction, needed_m in (
        ("width_m", area.width_m, east, east.x_m),
        ("height_m", area.height_m, north, north.y_m),
    ):
        if needed_m > extent_m:
            at = f"junction '{junction.id}' of the map {name} is at ({junction.x_m:g}, {junction.y_m:g})"
            value = int(extent_m) if extent_m == int(extent_m) else extent_m  # as a person would write it
            raise InvalidValueError(f"[area] {key}", value, f"must be at least {needed_m:.12g}, since {at}")


def _read_text(name: str) -> str:
    if not name.endswith(".toml"):
        if name not in map_names():
            known = ", ".join(map_names())
            raise InvalidValueError(_KEY, name, f"must be a path that ends in .toml, or a shipped map: {known}")
        return map_text(name)
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        full = "" if Path(name).is_absolute() else f" ({Path(name).absolute()}, from the working directory)"
        raise InvalidValueError(_KEY, name, f"must be a readable file: {reason}{full}") from None
    except ValueError:  # bytes that are not UTF-8, or a path that no file can have
        raise InvalidValueError(_KEY, name, "must be a text file in UTF-8") from None


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            expected = f"unknown key; {suggestion(key, known)}known keys: {', '.join(sorted(known))}"
            raise InvalidValueError(f"{where} {key}", table[key], expected)


def _rows(tables: Mapping[str, Any], key: str, name: str) -> list[Mapping[str, Any]]:
    """Return the tables of a list, or raise an error if there is none."""
    rows = tables.get(key)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{name} {key}: must be a list of one or more tables, [[{key}]]")
    return rows


def _junctions(rows: list[Mapping[str, Any]], name: str) -> dict[str, Junction]:
    junctions: dict[str, Junction] = {}
    for number, row in enumerate(rows, start=1):
        junction = build(Junction, row, f"{name} junction {number}")
        if junction.id in junctions:
            raise InvalidValueError(f"{name} junction {number} id", junction.id, "must be unique")
        junctions[junction.id] = junction
    return junctions


def _streets(rows: list[Mapping[str, Any]], junctions: Mapping[str, Junction], name: str) -> list[Street]:
    numbers = {junction: number for number, junction in enumerate(junctions)}
    positions_m = [(junction.x_m, junction.y_m) for junction in junctions.values()]
    streets = []
    for number, row in enumerate(rows, start=1):
        where = f"{name} street {number}"
        _check_keys(row, ("from", "to", *(field.name for field in fields(_Traffic))), where)
        start, end = (_end_of_street(row, key, numbers, where) for key in ("from", "to"))
        if positions_m[start] == positions_m[end]:
            raise InvalidValueError(f"{where} to", row["to"], "must not be where the street begins")
        traffic = build(_Traffic, {key: row[key] for key in row if key not in ("from", "to")}, where)
        streets.append(Street(start, end, traffic.limit_mps, traffic.popularity, traffic.one_way))
    if not any(street.popularity > 0 for street in streets):
        raise UserError(f"{name} streets: at least one must have a popularity above 0")
    return streets


def _end_of_street(row: Mapping[str, Any], key: str, numbers: Mapping[str, int], where: str) -> int:
    """Return the junction at one end of a street."""
    if key not in row:
        raise UserError(f"{where} {key}: missing; the id of a junction is needed")
    junction = coerce(str, row[key], f"{where} {key}")
    if junction not in numbers:
        raise InvalidValueError(f"{where} {key}", junction, "must be the id of a junction")
    return numbers[junction]


def _check_connected(street_map: StreetMap, name: str) -> None:
    unreachable = find_unreachable(street_map)
    if unreachable is not None:
        start, end = (street_map.junctions[number].id for number in unreachable)
        raise UserError(
            f"{name}: junction '{end}' cannot be reached from '{start}'; each must be reachable from all others"
        )
