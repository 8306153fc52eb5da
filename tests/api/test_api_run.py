"""``roamcast.run``: the same run as on the command line, as values."""

import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest

import roamcast as rc
from roamcast.api.scenario_argument import with_protocol_class
from roamcast.cli import main
from roamcast.core.parameters import FRACTION
from roamcast.protocols.gossip import Gossip, GossipParameters

RESCUE = str(Path(__file__).parents[2] / "scenarios" / "rescue.toml")


@dataclass(frozen=True, slots=True)
class ShyParameters(GossipParameters):
    """Those of gossip, with a smaller probability."""

    probability: Annotated[float, FRACTION] = 0.0


class ShyGossip(Gossip):
    """Gossip that sends nothing on."""

    Parameters: ClassVar[type[Any]] = ShyParameters
    summary = "gossip that sends nothing on"


def test_a_run_is_the_one_that_the_command_makes_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", RESCUE, "--protocol", "flooding", "--seed", "7", "--set", "radio.range_m=60", "--json"]
    assert main(arguments) == 0
    document = json.loads(capfd.readouterr().out)
    result = rc.run(RESCUE, protocol="flooding", seed=7, set={"radio.range_m": 60})
    assert capfd.readouterr() == ("", "")
    assert result.facts.digest() == document["digest"]
    assert dict(result.metrics) == document["metrics"]
    assert (result.protocol, result.seed, result.run_id) == ("flooding", 7, document["run_id"])


def test_deliveries_say_who_received_what_when_and_agree_with_the_metrics() -> None:
    result = rc.run(RESCUE)
    counted = [each.latency_s for each in result.deliveries if each.counted and each.in_time]
    assert result.metrics["latency_mean_s"] == pytest.approx(sum(counted) / len(counted))
    own = [each for each in result.deliveries if each.node == each.publisher]
    assert own
    assert not any(each.counted for each in own)
    assert {each.topic for each in result.deliveries} <= {each.topic for each in result.facts.publications}


def test_metrics_and_deliveries_as_tables() -> None:
    result = rc.run(RESCUE)
    metrics = result.to_pandas()
    assert list(metrics.columns) == ["scenario", "protocol", "seed", "metric", "value", "unit"]
    assert list(metrics["metric"]) == list(result.metrics)
    assert set(metrics["protocol"]) == {"frugal"}
    assert metrics.set_index("metric")["unit"]["latency_mean_s"] == "s"
    deliveries = result.to_pandas("deliveries")
    assert len(deliveries) == len(result.deliveries)
    assert list(deliveries.columns) == list(result.deliveries[0]._fields)


def test_a_result_shows_itself_in_a_line_and_in_a_notebook() -> None:
    result = rc.run({**rc.Scenario.load(RESCUE).document, "name": "a <b>"})
    assert repr(result).startswith("<RunResult a <b>, frugal, seed 1: delivery_ratio 0.")
    html = result._repr_html_()
    assert "a &lt;b&gt;, frugal, seed 1" in html
    assert all(name in html for name in result.metrics)


def test_a_scenario_may_be_a_path_a_dictionary_or_a_scenario() -> None:
    scenario = rc.Scenario.load(RESCUE)
    digests = {rc.run(each).facts.digest() for each in (RESCUE, Path(RESCUE), scenario, scenario.document)}
    assert len(digests) == 1


def test_a_class_runs_like_a_named_protocol_and_takes_its_parameters_from_set() -> None:
    named = rc.run(RESCUE, protocol="gossip", set={"protocol.probability": 0.5})
    own = rc.run(RESCUE, protocol=ShyGossip, set={"protocol.probability": 0.5})
    assert own.facts == named.facts
    assert (own.protocol, own.run_id) == ("shy-gossip", None)
    assert own.scenario.value("protocol.probability") == 0.5
    silent = rc.run(RESCUE, protocol=ShyGossip)
    assert silent.facts.frames == len(silent.facts.publications)


def test_a_class_has_the_name_that_it_would_have_in_a_plug_in_file() -> None:
    own = type("TTLGossip", (ShyGossip,), {})
    assert with_protocol_class(rc.Scenario.load(RESCUE), own, {}).resolved.components["protocol"].name == "ttl-gossip"


def test_every_frame_is_shown_to_who_asks_and_changes_nothing() -> None:
    frames: list[Any] = []
    assert rc.run(RESCUE, on_frame=frames.append).facts == rc.run(RESCUE).facts
    assert len(frames) > 10


def test_progress_is_shown_only_if_it_is_asked_for_or_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("roamcast.api.run_progress.PATIENCE_S", -1.0)
    rc.run(RESCUE)
    rc.run(RESCUE, progress=False)
    assert capsys.readouterr().err == ""
    rc.run(RESCUE, progress=True)
    assert "simulate: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: rc.run("no.toml"), "no.toml: no such file"),
        (lambda: rc.run(RESCUE, protocol="gosip"), "unknown protocol 'gosip'; did you mean 'gossip'? known: "),
        (lambda: rc.run(RESCUE, protocol="gosip"), "did you mean 'gossip'?"),
        (lambda: rc.run(RESCUE, set={"radio.range_m": -1}), "with set= [radio] range_m = -1: must be greater than 0"),
        (lambda: rc.run(RESCUE, seed=-1), "seed = -1: must be a whole number from 0"),
        (lambda: rc.run(RESCUE, seed=1.5), "seed = 1.5: must be a whole number from 0"),  # type: ignore[arg-type]
        (lambda: rc.run(RESCUE, protocol=int), 'protocol = "int": must be a name or a complete subclass of PubSub'),  # type: ignore[arg-type]
        (lambda: rc.run(RESCUE, protocol=ShyGossip, set={"protocol.probabilty": 1}), "did you mean 'probability'?"),
        (
            lambda: rc.run(RESCUE).to_pandas("delivery"),
            "unknown table 'delivery'; did you mean 'deliveries'? known: deliveries, metrics",
        ),
    ],
)
def test_a_persons_mistake_is_a_user_error_of_one_line(call: Callable[[], object], line: str) -> None:
    with pytest.raises(rc.UserError) as caught:
        call()
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_result_travels_to_another_process_whether_or_not_its_metrics_were_read() -> None:
    result = rc.run(RESCUE, protocol="flooding", seed=7)
    unread = pickle.loads(pickle.dumps(result))
    assert result.deliveries
    read = pickle.loads(pickle.dumps(result))
    assert unread.metrics == read.metrics == result.metrics
    assert (read.facts, read.run_id) == (result.facts, result.run_id)


def test_scenarios_that_mean_the_same_are_equal_and_can_be_keys() -> None:
    scenario = rc.Scenario.load(RESCUE)
    again = rc.Scenario.from_document(scenario.as_dict())
    other = scenario.with_values({"radio.range_m": 61})
    assert again == scenario
    assert other != scenario
    assert {scenario: "first", other: "other", again: "again"} == {scenario: "again", other: "other"}
