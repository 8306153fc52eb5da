"""Values of a wrong type in a Python program: one line that names the argument, and no error from deep inside."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import roamcast as rc

SCENARIO: dict[str, Any] = {
    "duration_s": 5,
    "area": {"width_m": 100, "height_m": 100},
    "nodes": {"count": 3},
    "mobility": {"model": "static"},
    "radio": {"model": "range", "range_m": 50},
    "workload": {"model": "single-topic", "subscriber_fraction": 1, "validity_s": 3},
    "protocol": {"name": "flooding"},
}
NOTHING: Any = None
NUMBER: Any = 5


def compare(**arguments: Any) -> object:
    return rc.compare(SCENARIO, ["frugal"], 1, **arguments)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rc.run(NOTHING), "scenario = None: must be a path, a dictionary or a Scenario"),
        (lambda: rc.run(NUMBER), "scenario = 5: must be a path, a dictionary or a Scenario"),
        (lambda: rc.run({5: 1}), "scenario = 5: must have texts as keys"),  # type: ignore[dict-item]
        (lambda: rc.run({**SCENARIO, "nodes": {5: 1}}), "scenario nodes = 5: must have texts as keys"),
        (lambda: rc.run(SCENARIO, set=NUMBER), "set = 5: must be a dictionary"),
        (lambda: rc.run(SCENARIO, "frugal", set=NUMBER), "set = 5: must be a dictionary"),
        (lambda: rc.run(SCENARIO, protocol=NUMBER), "scenario with protocol= [protocol] name = 5: must be a text"),
        (lambda: rc.run(SCENARIO, on_frame=NUMBER), "on_frame = 5: must be a function"),
        (lambda: rc.compare(NOTHING, ["frugal"]), "scenario = None: must be a path, a dictionary or a Scenario"),
        (lambda: rc.compare(SCENARIO, NOTHING), "protocols = None: must be a list of names"),
        (lambda: compare(set=NUMBER), "set = 5: must be a dictionary"),
        (lambda: compare(set={5: 1}), "set = 5: must have texts as keys"),
        (lambda: compare(sweep=NUMBER), "sweep = 5: must be a dictionary"),
        (lambda: compare(sweep={"nodes.count": 5}), "scenario [sweep] nodes.count = 5: must be a list"),
        (lambda: compare(precision=NUMBER), "precision = 5: must be a dictionary"),
        (lambda: compare(out=NUMBER), "out = 5: must be a path"),
        (lambda: compare(master=NUMBER), "--master = 5: expected local, "),
        (lambda: rc.reproduce(NOTHING), "paper = None: must be a name; known: "),
        (lambda: rc.load_plugin(NOTHING), "path = None: must be a path"),
        (lambda: rc.Scenario.load(NOTHING), "path = None: must be a path"),
        (lambda: rc.Scenario.from_document(NOTHING), "scenario = None: must be a dictionary"),
        (lambda: rc.Scenario.from_json(NOTHING), "scenario = None: must be a text in JSON"),
        (lambda: rc.Scenario.from_document(SCENARIO).with_values(NOTHING), "values = None: must be a dictionary"),
        (lambda: rc.Scenario.from_document(SCENARIO).sweep(NUMBER), "sweep = 5: must be a table"),
        (lambda: rc.Scenario.from_document(SCENARIO).value(NOTHING), "key = None: must be a text"),
    ],
)
def test_a_value_of_a_wrong_type_is_one_line_that_names_the_argument(
    call: Callable[[], object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(rc.UserError) as raised:
        call()
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.iterdir())
