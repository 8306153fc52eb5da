"""The table of metrics: what each says of itself, what a plug-in's author may write, and when it counts as changed."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from roamcast.core.errors import UserError
from roamcast.core.plugins import forget_plugins, load_plugin_file
from roamcast.measuring.metrics import (
    DriverMetrics,
    Metric,
    axis_label,
    evaluate,
    known_metrics,
    metrics_digest,
    run_metrics,
)
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
METRIC = """
from roamcast.plugin import Metric
PAIRS = Metric(
    "node_pairs", unit="pairs", group="load", description="Pairs.", higher_is_better=None,
    function=lambda run: 2 * run.nodes,
)
"""
InstallPackage = Callable[..., Path]


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


def test_a_helper_module_of_a_plug_ins_metric_counts(install_package: InstallPackage) -> None:
    text = "from measures.factors import FACTOR" + METRIC.replace("2 *", "FACTOR *")
    found = []
    for site, factor in enumerate((2, 3, 2)):
        files = {"measures/__init__.py": "", "measures/factors.py": f"FACTOR = {factor}", "measures/nodes.py": text}
        install_package(
            "measures", files, {"roamcast.metrics": {"node_pairs": "measures.nodes:PAIRS"}}, folder=f"site{site}"
        )
        assert "node_pairs" in known_metrics()
        found.append(metrics_digest(known_metrics().values()))
    assert found[0] == found[2] != found[1]


@pytest.mark.usefixtures("fresh_plugins")
def test_a_plug_in_file_counts_by_its_text_and_not_by_its_place(tmp_path: Path) -> None:
    found = []
    for name, text in (("a.py", METRIC), ("a.py", METRIC.replace("2 *", "3 *")), ("b.py", METRIC)):
        forget_plugins()
        (tmp_path / name).write_text(text, encoding="utf-8")
        load_plugin_file(tmp_path / name)
        found.append(metrics_digest(known_metrics().values()))
    assert found[0] == found[2] != found[1]


def typed(text: str) -> Metric:
    """Return the metric of a function that was typed into a notebook, where there is no module to read."""
    names: dict[str, Any] = {"__name__": "notebook_without_a_file"}
    exec(text, names)
    return made(function=names["function"])


TYPED = """
from functools import partial
import math
FACTOR = 2
NAMES = {"a", "b", "c", ("d", 1)}
class Scale:
    def __init__(self): self.by = 10
    @property
    def twice(self): return 2 * self.by
SCALE = Scale()
def helper(run, more=5): return helper(run) if run is None else run.nodes / FACTOR + more
def made(offset):
    return lambda run: [math.floor(each) for each in (lambda: (offset, 7))()] and helper(run) + SCALE.twice
function = made(6)
"""


def test_a_function_in_a_notebook_counts_with_all_that_it_uses() -> None:
    changes = [
        ("", ""),
        ("FACTOR = 2", "FACTOR = 3"),
        ("more=5", "more=6"),
        ("made(6)", "made(8)"),
        ("(offset, 7)", "(offset, 8)"),
        ("run.nodes", "run.frames"),
        ("math.floor", "math.ceil"),
        ("self.by = 10", "self.by = 11"),
        ("2 * self.by", "3 * self.by"),
        ("made(6)", "partial(made(6))"),
        ("made(6)", "lambda run: run.nodes / 2"),
        ("made(6)", "lambda run: run.nodes / 3"),
        ("made(6)", "lambda run: len(NAMES)"),
    ]
    digests = {metrics_digest([typed(TYPED.replace(*change) if change[0] else TYPED)]) for change in changes}
    assert len(digests) == len(changes)
    assert metrics_digest([typed(TYPED)]) in digests
    assert metrics_digest([typed(TYPED + "\nUNUSED = 1")]) in digests


def test_a_function_in_a_notebook_has_the_same_digest_in_every_process() -> None:
    program = (
        "from roamcast.measuring.metrics.function_text import function_text\n"
        f"names = {{'__name__': '__main__'}}\nexec({TYPED + 'f = lambda run: (function(run), NAMES)'!r}, names)\n"
        "print(function_text(names['f']))"
    )
    texts = []
    for seed in ("1", "2"):
        variables = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True
        )
        texts.append(done.stdout)
    assert texts[0] == texts[1]
    assert "notebook" not in texts[0]
    assert "0x" not in texts[0]


def test_a_worker_without_one_of_the_drivers_metrics_says_so() -> None:
    told = DriverMetrics.of(known_metrics)
    assert list(told.table()) == list(known_metrics())
    fewer = replace(told, function=lambda: {name: known_metrics()[name] for name in told.names[1:]})
    with pytest.raises(UserError, match=f"a worker cannot use the metric '{told.names[0]}': "):
        fewer.table()
    more = replace(told, names=told.names[1:])
    assert tuple(more.table()) == told.names[1:]


def test_the_metrics_of_a_run_are_all_there_in_the_order_of_the_table() -> None:
    found = run_metrics(FACTS)
    assert list(found) == list(known_metrics())
    assert (found["delivery_ratio"], found["latency_p95_s"], found["bytes_sent_per_node"]) == (1.0, 0.5, 600.0)
