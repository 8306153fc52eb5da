"""The table of metrics: what each says of itself, what a plug-in's author may write, and when it counts as changed."""

import math
import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from roamcast.core.errors import UserError
from roamcast.measuring.metrics import Metric, axis_label, evaluate, known_metrics, metrics_digest, run_metrics
from roamcast.measuring.statistics import NON_NEGATIVE, SHARE
from roamcast.sim.facts import DeliveryFact, Facts, PublicationFact, TrafficFact

FACTS = Facts(
    nodes=2,
    duration_s=10.0,
    publications=(PublicationFact(0, "news", 0, 1.0, 30.0, 400, interested=1),),
    deliveries=(DeliveryFact(0, 1, 0.5, counted=True),),
    traffic=(TrafficFact(0, "events", 3, 1200, 1000, 3, 0, 0),),
    receptions=(),
    node_facts=(),
    drops=(),
    frames=3,
    frame_receptions=3,
    trace_digest=0,
)


def made(name: str = "frames_each", **others: object) -> Metric:
    known: dict[str, object] = {
        "unit": "frames",
        "group": "traffic",
        "description": "Frames on the air.",
        "higher_is_better": False,
        "function": lambda facts: facts.frames,
    }
    return Metric(name, **(known | others))  # type: ignore[arg-type]


def test_each_metric_explains_itself_in_a_sentence() -> None:
    for name, metric in known_metrics().items():
        assert metric.name == name
        assert metric.description[0].isupper()
        assert metric.description.endswith(".")
        assert metric.bounds in (SHARE, NON_NEGATIVE)
        assert (metric.unit == "1") == (metric.bounds == SHARE)
        assert not name.endswith("_s") or metric.unit in ("s", "bytes/s")
    assert len({axis_label(name) for name in known_metrics()}) == len(known_metrics())


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("delivery_ratio", "Delivery ratio"),
        ("latency_mean_s", "Latency, mean (s)"),
        ("bytes_sent_per_node", "Bytes sent per node"),
        ("storage_bytes_mean", "Storage per node, mean (bytes)"),
        ("energy_j_per_node", "Energy per node (J)"),
    ],
)
def test_an_axis_has_words_and_the_unit_once(name: str, label: str) -> None:
    assert axis_label(name) == label


def test_an_axis_may_show_another_unit() -> None:
    assert axis_label("storage_bytes_mean", "kB") == "Storage per node, mean (kB)"


def test_a_metric_of_a_plug_in_is_a_name_some_words_and_a_function_of_the_facts() -> None:
    hops = Metric(
        "hops_mean",
        unit="hops",
        group="delivery",
        description="How far events go.",
        higher_is_better=None,
        function=lambda facts: facts.frames / len(facts.deliveries),
        bounds=(0, 9),  # type: ignore[arg-type]
    )
    assert evaluate(FACTS, [hops]) == (("hops_mean", 3.0, None, None),)
    assert (hops.label_with(), hops.direction, hops.bounds.high) == ("Hops mean", "-", 9)


def test_a_quotient_has_its_two_sums_beside_its_value() -> None:
    per_delivery = known_metrics()["frames_per_delivery"]
    assert evaluate(FACTS, [per_delivery]) == (("frames_per_delivery", 3.0, 3.0, 1.0),)
    assert evaluate(replace(FACTS, deliveries=()), [per_delivery]) == (("frames_per_delivery", None, 3.0, 0.0),)


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_a_value_that_is_no_number_is_none(value: float | None) -> None:
    assert evaluate(FACTS, [made(function=lambda _: value)])[0].value is None


def test_a_function_that_raises_is_told_by_the_name_of_its_metric_and_its_place() -> None:
    with pytest.raises(UserError, match=r"^metric frames_each: ZeroDivisionError: .* \(test_metrics_table\.py:\d+\)$"):
        evaluate(FACTS, [made(function=lambda facts: 1 / facts.trace_digest)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "Frames each"},
        {"function": None},
        {"numerator": len, "denominator": len},
        {"function": None, "numerator": len},
        {"bounds": (1, 0)},
    ],
)
def test_a_metric_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UserError, match="metric"):
        made(**wrong)  # type: ignore[arg-type]


def plugged(folder: Path, text: str) -> Metric:
    """Return the metric that a plug-in's file makes."""
    (folder / "plugged_metric.py").write_text(text, encoding="utf-8")
    spec = spec_from_file_location("plugged_metric", folder / "plugged_metric.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["plugged_metric"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return made(function=module.function)


def test_a_table_has_changed_if_a_metric_a_function_or_the_code_of_a_plug_in_has(tmp_path: Path) -> None:
    table = list(known_metrics().values())
    same = metrics_digest(table)
    assert metrics_digest(known_metrics().values()) == same
    function = "def function(facts):\n    return facts.nodes"
    digests = [
        same,
        metrics_digest(table[1:]),
        metrics_digest([*table, made()]),
        metrics_digest([*table, made(function=lambda facts: 2 * facts.frames)]),
        metrics_digest([*table, plugged(tmp_path, function)]),
        metrics_digest([*table, plugged(tmp_path, f"{function} + SOME\n\nSOME = 1 + 1")]),
    ]
    assert len(set(digests)) == len(digests)


def test_the_metrics_of_a_run_are_all_there_in_the_order_of_the_table() -> None:
    found = run_metrics(FACTS)
    assert list(found) == list(known_metrics())
    assert (found["delivery_ratio"], found["latency_p95_s"], found["bytes_sent_per_node"]) == (1.0, 0.5, 600.0)
