"""docs/plugins.md: its examples are complete, and its commands do what the page says."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from roamcast.cli import main
from roamcast.core.plugins import load_plugin_file
from roamcast.plugin import Message, RouterUser, RoutingToken, load_router
from roamcast.testing import RecordingHost

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
EXAMPLES = dict(
    re.findall(r"^### [^\n]*`(\w+\.py)`\n(?:(?!^#).)*?^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
)
SCENARIO = re.findall(r"^```toml\n(name = .*?)^```", PAGE, re.DOTALL | re.MULTILINE)
pytestmark = pytest.mark.usefixtures("fresh_plugins")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that holds what a reader of the page has saved."""
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    for name, text in EXAMPLES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tryout.toml").write_text(SCENARIO[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(beginning: str) -> Sequence[str]:
    """Return the arguments of the page's command that begins like this."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"    roamcast {beginning}"))
    return shlex.split(line)[1:]


def test_there_is_an_example_of_every_kind_of_component_but_protocols() -> None:
    assert len(SCENARIO) == 1
    assert sorted(EXAMPLES) == [
        "events_lost.py",
        "mixed_range.py",
        "one_hop.py",
        "range_paper.py",
        "roster.py",
        "shuttle.py",
    ]


def test_the_metric_is_measured_in_a_run_of_any_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    flooding = ["--set", "protocol.name=flooding"]
    arguments = [*command("run scenarios/rescue.toml"), "--json"]
    lost = []
    for range_m in (1, 400):  # nobody hears anybody, or all hear all
        assert main([*arguments, *flooding, "--set", f"radio.range_m={range_m}"]) == 0
        lost.append(json.loads(capsys.readouterr().out)["metrics"]["events_lost"])
    assert lost == [3, 0]


def test_the_models_and_the_metric_work_together_in_the_scenario_of_the_page(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*command("run tryout.toml"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["nodes"], found["duration_s"]) == (12, 60)
    assert found["metrics"]["delivery_ratio"] > 0.5
    assert found["metrics"]["events_lost"] == 0
    assert main([*command("run tryout.toml"), "--json", "--set", "radio.range_m=1"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["delivery_ratio"] < 0.5


class _Listener(RouterUser):
    """A protocol above a router that remembers what it was told."""

    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def on_packet(self, payload: Message, origin: int) -> None:
        self.heard.append((payload, origin))

    def on_undeliverable(self, payload: Message, destination: object, reason: str) -> None:
        self.heard.append((payload, destination, reason))


def test_the_router_carries_a_payload_to_a_neighbour_and_reports_one_that_is_lost(folder: Path) -> None:
    load_plugin_file(folder / "one_hop.py")
    router = load_router("one-hop")
    hosts, users = [RecordingHost(node=1), RecordingHost(node=2)], [_Listener(), _Listener()]
    one, two = (router(host, router.Parameters(), user) for host, user in zip(hosts, users, strict=True))
    one.send(Message(100), 2)
    (sent,) = hosts[0].unicasts
    assert (sent.to, sent.message.size_bytes) == (2, 128)
    two.on_message(sent.message, 1)
    assert users[1].heard == [(Message(100), 1)]
    one.on_unicast_failed(sent.message, 2)
    one.send(Message(50), 1)
    assert users[0].heard == [(Message(100), 2, "not-acknowledged"), (Message(50), 1)]
    two.on_message(Message(7), 1)
    assert hosts[1].drop_reasons() == ["unknown-kind"]
    two.on_wake(RoutingToken("nothing"))
    assert two.storage_bytes() == 0


def test_the_router_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(command("list routers"))) == 0
    assert re.search(r"^ *one-hop .*sends to direct neighbours", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.usefixtures("spark")
def test_the_paper_is_reproduced_and_its_claims_are_decided(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert main(list(command("reproduce range-paper"))) == 0
    printed = capsys.readouterr().out
    assert "Claims: 2 holds\n" in printed
    assert re.search(r"^✓ holds  most  .*; declared at least 0\.5$", printed, re.MULTILINE)
    assert re.search(r"^✓ holds  gain  .*; declared at least 0\.1$", printed, re.MULTILINE)
    results = folder / "results" / "range-paper-quick"
    assert (results / "figures" / "figure-1.png").exists()
    assert set(json.loads((results / "verdicts.json").read_text(encoding="utf-8"))) == {"most", "gain"}
    assert main([*command("claims range-paper"), "--json"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert {each["name"]: (each["verdict"], each["look"] > 0) for each in claims} == {
        "most": ("holds", True),
        "gain": ("holds", True),
    }
