"""The documents point at what is there: links and their anchors, files and folders, modules and commands.

A mention is a word in backticks or in a code block. One that looks like a path of this project must exist, from the
project's root or from ``src/roamcast`` (``sim/dcf/air.py``). Names that contain ``my_`` or ``my-`` are the reader's
own. The checker is shown to catch what it is there for by planting mentions.
"""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from roamcast.cli.main import COMMANDS
from roamcast.core.plugins import GROUP_PREFIX, TOPICS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "roamcast"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CURRENT = [document for document in DOCUMENTS if document.name != "CHANGELOG.md"]
"""The changelog tells of files and commands that are gone."""
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)]*))?\)")
CODE = re.compile(r"^```[\s\S]*?^```|^(?: {4}.*\n)+|`[^`\n]+`", re.MULTILINE)
"""Fenced blocks, indented blocks and words in backticks."""
WORD = re.compile(r"[\w./*-]+")
FOLDERS = {"src", "tests", "docs", "scenarios", "examples", "benchmarks"}
PLUGINS = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^### .*`(\w+)\.py`$", PLUGINS, re.MULTILINE)
OWN = re.compile("|".join([r"my[_-]", "coin_toss", r"tryout\.toml", r"\b[A-Z]{3,}\b", *EXAMPLES]))
"""Names that are the reader's to choose; the examples of docs/protocols.md and plugins.md are such."""
FOREIGN = {"xml2csv.py"}
"""Programs of other projects: SUMO's converter."""


def code(text: str) -> Iterator[str]:
    """Yield the pieces of code in a document."""
    yield from (found.strip("`") for found in CODE.findall(text))


def missing_paths(text: str) -> list[str]:
    """Return the paths of this project that a document mentions and that do not exist."""
    words = (word.rstrip(".") for piece in code(text) for word in WORD.findall(piece))
    return [word for word in dict.fromkeys(words) if is_path(word) and not exists(word)]


def is_path(word: str) -> bool:
    """Tell whether a word names a file or folder of this project, as it is now or as it once was."""
    first, slash, _ = word.partition("/")
    if word in FOREIGN or OWN.search(word):
        return False
    packages = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    return word.endswith(".py") or (bool(slash) and first in FOLDERS | packages)


def exists(word: str) -> bool:
    """Tell whether a path, a pattern of paths or the bare name of a Python file stands for something."""
    if "/" not in word:
        return any(True for folder in FOLDERS for _ in (ROOT / folder).rglob(word))
    return any(any(True for _ in start.glob(word.rstrip("/"))) for start in (ROOT, PACKAGE))


def missing_modules(text: str) -> list[str]:
    """Return the modules of roamcast that a document mentions and that do not exist."""
    names = dict.fromkeys(name for piece in code(text) for name in re.findall(r"\broamcast(?:\.\w+)+", piece))
    groups = {GROUP_PREFIX + topic for topic in TOPICS}
    return [name for name in names if not OWN.search(name) and name not in groups and not is_module(name)]


def is_module(name: str) -> bool:
    """Tell whether a dotted name is a module, or something in one."""
    for module in (name, name.rpartition(".")[0]):
        try:
            if importlib.util.find_spec(module) is not None:
                return module == name or hasattr(importlib.import_module(module), name.rpartition(".")[2])
        except ModuleNotFoundError:
            continue
    return False


def unknown_commands(text: str) -> list[str]:
    """Return the commands of roamcast that a document shows and that do not exist."""
    known = {name for group in COMMANDS.values() for name in group}
    shown = (
        name for piece in code(text) for name in re.findall(r"(?<!import )(?<![\w/.-])roamcast ([a-z][\w-]*)", piece)
    )
    return [name for name in dict.fromkeys(shown) if name not in known]


def anchors(document: Path) -> set[str]:
    """Return the anchors that a page's headings get when it is shown."""
    text = re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_inside_the_project_leads_somewhere(document: Path) -> None:
    links = [link for link in LINK.findall(document.read_text("utf-8")) if "://" not in link[0]]
    assert [file for file, _ in links if not (document.parent / file).exists()] == []
    pages = [(document.parent / file if file else document, anchor) for file, anchor in links if anchor]
    assert [f"{page.name}#{anchor}" for page, anchor in pages if anchor not in anchors(page)] == []


@pytest.mark.parametrize("document", CURRENT, ids=lambda path: path.name)
def test_every_file_module_and_command_that_a_document_mentions_exists(document: Path) -> None:
    text = document.read_text("utf-8")
    assert missing_paths(text) + missing_modules(text) + unknown_commands(text) == []


@pytest.mark.parametrize(
    ("planted", "missing"),
    [
        ("The air is `sim/dcf/air.py`, not `sim/air/kernel.py`.", ["sim/air/kernel.py"]),
        ("    python -m pytest tests/routing tests/nowhere\n", ["tests/nowhere"]),
        ("```sh\nroamcast run scenarios/atlantis.toml\n```\n", ["scenarios/atlantis.toml"]),
        ("See `docs/*.md` and `docs/*.rst`.", ["docs/*.rst"]),
        ("It was `pipeline/session.py` and `_topic_homes.py` once.", ["pipeline/session.py", "_topic_homes.py"]),
        ("Folders: `sim/dcf/`, `core/predicates`, `core/kernels`.", ["core/kernels"]),
        ("Write `src/roamcast/protocols/my_protocol.py`, then `roamcast run my-town.toml`.", []),
        ("A word with a slash, either/or, and sim/nothing.py outside of code.", []),
    ],
)
def test_a_planted_path_that_does_not_exist_is_caught(planted: str, missing: list[str]) -> None:
    assert missing_paths(planted) == missing


def test_a_planted_module_that_does_not_exist_is_caught() -> None:
    text = "`roamcast.core.host.PubSub`, `roamcast.core.host.Nobody`, `roamcast.pipeline.session`, `roamcast.matching`"
    assert missing_modules(text) == ["roamcast.core.host.Nobody", "roamcast.pipeline.session"]


def test_a_planted_command_that_does_not_exist_is_caught() -> None:
    text = (
        "    roamcast run city.toml\n    roamcast fly city.toml\n\nRoamcast runs; `roamcast sail`, and roamcast swims."
    )
    assert unknown_commands(text) == ["fly", "sail"]


def test_there_are_documents_with_links() -> None:
    assert {"README.md", "protocols.md", "frugal.md"} <= {document.name for document in DOCUMENTS}
    assert LINK.search((ROOT / "README.md").read_text())


@pytest.mark.parametrize(
    "example", re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
)
def test_an_example_in_the_readme_gives_the_answer_that_stands_there(
    example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    *lines, question = example.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(lines), names)
    asked, answer = question.split("  # ")
    assert eval(asked, names) == eval(answer)
