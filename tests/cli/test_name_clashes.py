"""Components that several sources have: an error where they are used, and not where another replaces them."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from test_plugin_mistakes import PROTOCOL, RESCUE

import roamcast as rc
from roamcast.api.compare import compared_scenario
from roamcast.cli import main
from roamcast.protocols.gossip import Gossip

Install = Callable[..., Path]
Captured = pytest.CaptureFixture[str]

SOURCE = PROTOCOL.replace("MISTAKE", "...")


@pytest.fixture
def clash(install_package: Install) -> None:
    """Install a package whose protocol has the name of the scenario's own, which is built in."""
    install_package("other", {"other.py": SOURCE}, {"roamcast.protocols": {"frugal": "other:Loud"}})


@pytest.mark.usefixtures("clash")
def test_a_clash_on_a_protocol_that_is_replaced_blocks_nothing(capsys: Captured) -> None:
    for arguments in (["--protocol", "flooding"], ["--set", "protocol.name=flooding"]):
        assert main(["run", RESCUE, *arguments, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["protocol"] == "flooding"
    for arguments in ([], ["--protocol", "frugal"], ["--set", "radio.range_m=60"]):
        assert main(["run", RESCUE, *arguments]) == 2
        assert "protocol 'frugal' is defined more than once" in capsys.readouterr().err


@pytest.mark.usefixtures("clash")
def test_in_python_a_name_or_a_class_replaces_a_protocol_that_clashes() -> None:
    document = {**tomllib.loads(Path(RESCUE).read_text()), "protocol": {"name": "frugal", "probability": 0.5}}
    for scenario in (RESCUE, document):
        assert rc.run(scenario, "flooding").protocol == "flooding"
        assert rc.run(scenario, set={"protocol.name": "flooding"}).protocol == "flooding"
        with pytest.raises(rc.UserError, match="protocol 'frugal' is defined more than once"):
            rc.run(scenario)
    played = rc.run(document, Gossip, set={"radio.range_m": 60})
    parameters = played.scenario.resolved.components["protocol"].parameters
    assert parameters.probability == 0.5  # a key of the table that the class knows too
    assert played.scenario.value("radio.range_m") == 60


@pytest.mark.usefixtures("clash")
def test_protocols_are_compared_on_a_scenario_whose_own_protocol_clashes(tmp_path: Path, capsys: Captured) -> None:
    scenario = compared_scenario(RESCUE, {"protocol.period_s": 3}, ["flooding", "gossip"], "set=")
    assert scenario.value("protocol.name") == "flooding"
    assert scenario.value("protocol.flooding.period_s") == 3
    compare = ["compare", RESCUE, "--protocols", "flooding,gossip", "--out", str(tmp_path / "out")]
    assert main([*compare, "--master", "nowhere"]) == 2
    assert "--master" in capsys.readouterr().err  # it has come to where Spark would start
    assert main([*compare, "--protocols", "flooding,frugal"]) == 2
    assert "--protocols: protocol 'frugal' is defined more than once" in capsys.readouterr().err


@pytest.mark.parametrize("replaced", [False, True])
def test_a_clash_on_what_is_not_replaced_is_said(
    replaced: bool, install_package: Install, tmp_path: Path, capsys: Captured
) -> None:
    clashes = {"roamcast.mobility": {"random-waypoint": "other:Loud"}}
    if replaced:
        clashes["roamcast.protocols"] = {"frugal": "other:Loud"}
    install_package("other", {"other.py": SOURCE}, clashes)
    compare = ["compare", RESCUE, "--protocols", "flooding", "--out", str(tmp_path / "out"), "--master", "nowhere"]
    assert main(compare) == 2
    assert capsys.readouterr().err.startswith("roamcast: mobility model 'random-waypoint' is defined more than once")
    with pytest.raises(rc.UserError, match="mobility model 'random-waypoint' is defined more than once"):
        rc.run(RESCUE, Gossip)
