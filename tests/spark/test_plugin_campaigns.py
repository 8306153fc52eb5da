"""Plug-ins in campaigns: the workers know the driver's, and what they need is sent along."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest
from conftest import MASTER
from pyspark.sql import SparkSession

from roamcast.campaigns.checked_scenario import Scenario
from roamcast.campaigns.plan import plan
from roamcast.core.errors import UserError
from roamcast.core.plugin_packages import is_compiled
from roamcast.core.plugins import PackagedComponent, load_plugin_file
from roamcast.protocols import PROTOCOLS
from roamcast.spark.runs.campaign import run_campaign
from roamcast.spark.session.shipping import worker_plugins, zip_plugin

Install = Callable[..., Path]
CHATTY = """
from roamcast.plugin import Message, PubSub

WORD_BYTES = 50

class Chatty(PubSub):
    summary = "says a word every second"
    def __init__(self, host, parameters): self._host = host
    def start(self): self._host.wake(1.0, "say")
    def subscribe(self, interest): ...
    def unsubscribe(self, interest): ...
    def publish(self, event): ...
    def on_message(self, message, sender): ...
    def on_wake(self, token):
        self._host.broadcast(Message(WORD_BYTES))
        self._host.wake(self._host.now + 1.0, token)
    def storage_bytes(self): return 0
"""
METRIC = """
from roamcast.plugin import Metric

ONES = Metric("ones", unit="1", group="load", description="One.", higher_is_better=None, function=lambda run: 1)
"""
PACKAGE = {
    "acme/chat/__init__.py": "",  # acme itself is a namespace, which other packages share
    "acme/chat/words.py": "WORD_BYTES = 50\n",
    "acme/chat/protocol.py": CHATTY.replace("WORD_BYTES = 50", "from acme.chat.words import WORD_BYTES"),
    "acme/chat/notes.txt": "comes along",
}
POINTS = {"roamcast.protocols": {"packaged-chat": "acme.chat.protocol:Chatty"}}
DOCUMENT = {
    "duration_s": 5,
    "area": {"width_m": 100, "height_m": 100},
    "nodes": {"count": 3},
    "mobility": {"model": "static"},
    "radio": {"model": "range", "range_m": 200},
    "workload": {"model": "single-topic", "subscriber_fraction": 1, "validity_s": 1},
    "protocol": {"name": "flooding"},
}


def test_protocols_of_a_file_and_of_a_package_are_made_by_workers_beside_our_own(
    tmp_path: Path, install_package: Install, spark: SparkSession
) -> None:
    assert spark.sparkContext.master == MASTER
    install_package("acme-chat", PACKAGE, POINTS)
    file = tmp_path / "chatty.py"
    file.write_text(CHATTY)
    load_plugin_file(file)
    protocols = ["chatty", "packaged-chat", "flooding"]
    runs = plan("chat", Scenario.from_document(DOCUMENT), {"protocol.name": protocols}, [1, 2])
    result = run_campaign(runs, tmp_path / "out", MASTER)
    assert (result.simulated, result.failed) == (6, ())
    traffic = pq.read_table(tmp_path / "out" / "tables" / "traffic", filters=[("kind", "==", "message")]).to_pylist()
    assert {row["run_id"] for row in traffic} == {run.run_id for run in runs if "chat" in run.point}
    assert {row["bytes_sent"] for row in traffic if row["frames_sent"] == 5} == {5 * (50 + 36)}  # with the MAC's header
    file.write_text(CHATTY.replace("= 50", "= 60"))
    load_plugin_file(file)
    again = plan("chat", Scenario.from_document(DOCUMENT), {"protocol.name": protocols}, [1, 2])
    result = run_campaign(again, tmp_path / "out", MASTER)
    assert (result.kept, result.simulated) == (4, 2)


@pytest.mark.usefixtures("fresh_plugins")
def test_a_plug_in_that_only_the_driver_can_use_ends_the_campaign_with_a_line(tmp_path: Path) -> None:
    file = tmp_path / "chatty.py"
    file.write_text(f"import os\nassert os.getpid() == {os.getpid()}\n{CHATTY}")
    load_plugin_file(file)
    runs = plan("chat", Scenario.from_document(DOCUMENT), {"protocol.name": ["chatty"]}, [1])
    with pytest.raises(UserError) as caught:
        run_campaign(runs, tmp_path / "out", MASTER)
    assert str(caught.value) == f"a worker cannot use a plug-in: {file}:2: AssertionError"


def test_a_metric_that_only_the_driver_can_use_ends_the_campaign_before_a_run_is_stored(
    tmp_path: Path, install_package: Install
) -> None:
    text = f"import os\nassert os.getpid() == {os.getpid()}\n{METRIC}"
    site = install_package("measures", {"measures.py": text}, {"roamcast.metrics": {"ones": "measures:ONES"}})
    runs = plan("chat", Scenario.from_document(DOCUMENT), {}, [1])
    with pytest.raises(UserError) as caught:
        run_campaign(runs, tmp_path / "out", MASTER)
    assert str(caught.value) == f"a worker cannot use the metric 'ones': {site / 'measures.py'}:2: AssertionError"
    assert not list((tmp_path / "out").rglob(f"{runs[0].run_id}*.parquet"))


def test_workers_of_a_cluster_look_for_packages_in_no_folder_of_the_drivers(
    install_package: Install, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = install_package("acme-chat", PACKAGE, POINTS)
    assert component() in worker_plugins(spark).packaged
    assert str(site) in {each.location for each in worker_plugins(spark).packaged}
    monkeypatch.setattr("roamcast.spark.session.shipping.Master.is_local", False)
    assert component() in worker_plugins(spark).packaged
    assert {each.location for each in worker_plugins(spark).packaged} == {""}


def component() -> PackagedComponent:
    source = PROTOCOLS.source("packaged-chat")
    assert isinstance(source, PackagedComponent)
    return source


def test_the_zip_of_a_package_has_all_packages_of_its_distribution(install_package: Install, tmp_path: Path) -> None:
    more = {"acme_shared/__init__.py": "", "acme_shared/data.txt": "x", "acme_one.py": "", "tests/__init__.py": ""}
    install_package("acme-chat", {**PACKAGE, **more}, POINTS)
    with ZipFile(zip_plugin(component(), tmp_path)) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    assert names == {*PACKAGE, *more} - {"tests/__init__.py"}


def test_the_zip_of_a_package_is_all_that_a_worker_needs_of_it(install_package: Install, tmp_path: Path) -> None:
    site = install_package("acme-chat", PACKAGE, POINTS)
    install_package("acme-other", {"acme/other.py": ""}, {})
    assert not is_compiled(component())
    shipped = zip_plugin(component(), tmp_path)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from importlib.resources import files\n"
        "from acme.chat import words\n"
        "print(words.__file__, words.WORD_BYTES, files('acme.chat').joinpath('notes.txt').read_text())\n"
        "import acme.other"
    )
    command = [sys.executable, "-I", "-S", "-c", program, str(shipped)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(shipped / "acme" / "chat" / "words.py"), "50", "comes", "along"]
    assert "No module named 'acme.other'" in done.stderr  # it is another distribution's
    (site / "acme" / "chat" / "fast.cpython-311-x86_64-linux-gnu.so").write_bytes(b"")
    assert is_compiled(component())
