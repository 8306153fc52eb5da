"""Fill the generated blocks of the documentation: ``make docs``.

A block stands in a Markdown file between ``<!-- generated: NAME -->`` and ``<!-- end -->``, and ``GENERATORS`` has the
function that writes it. Everything outside of the blocks is written by hand. With ``--check`` nothing is written: the
command names the stale blocks and exits with 1 if there are any.
"""

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

from roamcast.api.verdict_record import published_record
from roamcast.campaigns.run_files import FACTS, table_name
from roamcast.campaigns.scenario_choices import CHOICES, Choice
from roamcast.campaigns.scenario_tables import AreaTable, General, Nodes
from roamcast.cli.main import COMMANDS
from roamcast.core.host import PubSub
from roamcast.core.plugins import Plugins, use_plugins
from roamcast.measuring.verdicts.record import Record
from roamcast.papers import Paper, load_paper, paper_names
from roamcast.protocols import load_protocol, protocol_names
from roamcast.report.metrics_page import metrics_markdown
from roamcast.report.parameter_tables import field_docstrings, inner_tables, nested_tables, parameter_table
from roamcast.report.record_page import (
    changes_markdown,
    claims_markdown,
    groups_markdown,
    readings_markdown,
    tally_markdown,
    verdicts_markdown,
)
from roamcast.routing import load_router, router_names
from roamcast.sim.energy import Energy
from roamcast.testing.conformance import CHECKS

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"<!-- generated: (?P<name>[\w-]+) -->\n(?P<text>.*?)<!-- end -->", re.DOTALL)
ROUTER = Choice("router", "", router_names, load_router)
"""Routers are no table of a scenario; a protocol chooses its own, and takes the router's keys in a table ``router``."""
ALL_CHOICES = (*CHOICES.values(), ROUTER)


def shipped_scenarios() -> str:
    """List the shipped scenario files, each with the first sentence of its opening comment."""
    rows = []
    for path in sorted((ROOT / "scenarios").glob("*.toml")):
        opening = re.match(r"(?:#.*\n)+", path.read_text(encoding="utf-8"))
        if opening is None:
            raise ValueError(f"{path.name} does not begin with a comment that says what it is")
        comment = " ".join(line.removeprefix("#").strip() for line in opening[0].splitlines())
        rows.append((f"`{path.name}`", re.split(r"(?<=[.:])\s+(?=[A-Z])|\s+roamcast run ", comment)[0]))
    return _markdown_table(("file", "scenario"), rows)


def component_list(choice: Choice) -> str:
    """List the components of a kind, each with its summary and a link to its keys."""
    anchors = {name: _anchor(choice, names) for names in _alike(choice) for name in names}
    rows = [(f"[`{name}`](reference.md#{anchors[name]})", choice.load(name, "").summary) for name in sorted(anchors)]
    return _markdown_table(("name", "summary"), rows)


def component_keys(choice: Choice) -> str:
    """Write a section for each component of a kind: its summary and the table of its keys."""
    sections = []
    for names in _alike(choice):
        cls = _parameters(choice, names[0])
        summaries = [_sentence(choice.load(name, "").summary) for name in names]
        if len(names) > 1:
            summaries = [f"`{name}`: {summary}" for name, summary in zip(names, summaries, strict=True)]
        sections.append("\n\n".join([f"### {_title(choice, names)}", *summaries, *_tables(choice, cls)]))
    return "\n\n".join(sections)


def plain_keys() -> str:
    """Write the tables of the keys that belong to no component."""
    general = parameter_table(General, {"name": "the file's name"})
    tables = {"[area]": AreaTable, "[nodes]": Nodes, "[energy]": Energy}
    sections = [f"### `{title}`\n\n{parameter_table(cls)}" for title, cls in tables.items()]
    return "\n\n".join(["### Above the first table", general, *sections])


def broadcast_only() -> str:
    """List the protocols that never address a frame to a single node."""
    names = [name for name in protocol_names() if load_protocol(name).on_unicast_failed is PubSub.on_unicast_failed]
    return ", ".join(f"`{name}`" for name in names)


def commands() -> str:
    """List the commands of the command line with the first line of their help."""
    rows = [(f"`roamcast {name}`", summary) for group in COMMANDS.values() for name, summary in group.items()]
    return _markdown_table(("command", "purpose"), rows)


def fact_tables() -> str:
    """Write a section for each table of facts: what a row is, and its columns."""
    types = {int: "integer", float: "number", str: "text", bool: "yes/no"}
    sections = []
    for kind, fact in FACTS.items():
        hints, meanings = get_type_hints(fact), field_docstrings(fact)
        rows = [("`run_id`", "text", "The run.")]
        rows += [(f"`{name}`", types[hints[name]], meaning) for name, meaning in meanings.items()]
        row_is = " ".join((inspect.getdoc(fact) or "").replace("``", "`").split())
        table = _markdown_table(("column", "type", "content"), rows)
        sections.append(f"### {table_name(kind)}\n\n{row_is}\n\n{table}")
    return "\n\n".join(sections)


def conformance_checks() -> str:
    """List the checks of the conformance suite with the promise that each looks at."""
    return _markdown_table(("check", "promise"), [(f"`{check.name}`", check.description) for check in CHECKS])


def from_record(write: Callable[[Paper, Record], str], name: str) -> str:
    """Write something of a paper's published record."""
    paper = load_paper(name)
    return write(paper, published_record(paper))


def record_blocks(name: str) -> dict[str, Callable[[], str]]:
    """Return the blocks about a paper's record: two for the paper's page, the others for the page of its claims."""
    writers: dict[str, Callable[[Paper, Record], str]] = {
        "tally": tally_markdown,
        "groups": groups_markdown,
        "verdicts": verdicts_markdown,
        "claims": claims_markdown,
        "changes": changes_markdown,
    }
    blocks = {f"{block}-{name}": partial(from_record, write, name) for block, write in writers.items()}
    return {**blocks, f"readings-{name}": lambda: readings_markdown(load_paper(name))}


PUBLISHED = [name for name in paper_names() if published_record(load_paper(name))]
"""The papers with a record."""
GENERATORS: dict[str, Callable[[], str]] = {
    "scenarios": shipped_scenarios,
    "scenario-keys": plain_keys,
    **{f"{choice.table}-list": partial(component_list, choice) for choice in ALL_CHOICES if len(choice.names()) > 1},
    **{f"{choice.table}-keys": partial(component_keys, choice) for choice in ALL_CHOICES},
    "broadcast-only": broadcast_only,
    "commands": commands,
    "metrics": metrics_markdown,
    "fact-tables": fact_tables,
    "checks": conformance_checks,
    **{block: write for name in PUBLISHED for block, write in record_blocks(name).items()},
}
"""The function that fills the block of each name."""


def filled(text: str) -> str:
    """Return a page with all of its blocks written anew."""
    return BLOCK.sub(lambda block: _written(block["name"]), text)


def stale_blocks(text: str) -> list[str]:
    """Name the blocks of a page that do not hold what their generator writes."""
    return [block["name"] for block in BLOCK.finditer(text) if block[0] != _written(block["name"])]


def main(arguments: list[str]) -> int:
    """Fill the blocks of all pages, or check them."""
    parser = argparse.ArgumentParser(prog="docs/generate.py", description="Fill the generated blocks of the pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a block is stale")
    only_checks = parser.parse_args(arguments).check
    use_plugins(Plugins())  # the pages describe what is built in, whatever else is installed
    stale = 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for name in stale_blocks(text):
            stale += 1
            print(f"{page.relative_to(ROOT)}: {name} {'is stale; run make docs' if only_checks else 'was written'}")
        if not only_checks:
            page.write_text(filled(text), encoding="utf-8")
    return 1 if stale and only_checks else 0


def pages() -> Iterator[Path]:
    """Yield the pages of the documentation."""
    yield from sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def _written(name: str) -> str:
    if name not in GENERATORS:
        raise ValueError(f"no generator writes the block {name!r}; known: {', '.join(sorted(GENERATORS))}")
    text = re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](\1)", GENERATORS[name]())  # docstrings name pages by their path
    return f"<!-- generated: {name} -->\n{text}\n<!-- end -->"


def _alike(choice: Choice) -> list[list[str]]:
    """Group the components of a kind that share one dataclass of keys; they share a section, too."""
    groups: dict[type[Any], list[str]] = {}
    for name in choice.names():
        groups.setdefault(_parameters(choice, name), []).append(name)
    return list(groups.values())


def _parameters(choice: Choice, name: str) -> type[Any]:
    return choice.load(name, "").Parameters if choice is ROUTER else choice.parameters_class(name)


def _tables(choice: Choice, cls: type[Any]) -> Iterator[str]:
    """Yield the table of a component's keys, then those of the tables inside it."""
    routers = {_parameters(ROUTER, names[0]): _anchor(ROUTER, names) for names in _alike(ROUTER)}
    links = {key: f"[its defaults](#{routers[inner]})" for key, inner in inner_tables(cls).items() if inner in routers}
    yield parameter_table(cls, links)
    for key, nested in nested_tables(cls).items():
        yield f"Each `[[{choice.table}.{key}]]`:"
        yield parameter_table(nested)


def _title(choice: Choice, names: list[str]) -> str:
    return f"{choice.table} " + ", ".join(f"`{name}`" for name in names)


def _anchor(choice: Choice, names: list[str]) -> str:
    """Return the anchor that a heading gets when the page is shown."""
    return re.sub(r"[^\w -]", "", _title(choice, names).lower()).replace(" ", "-")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _markdown_table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, ("---",) * len(header), *rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
