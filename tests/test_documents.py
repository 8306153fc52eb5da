"""The documents point at what is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_inside_the_project_leads_somewhere(document: Path) -> None:
    links = [link for link in LINK.findall(document.read_text()) if "://" not in link]
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_there_are_documents_with_links() -> None:
    assert {"README.md", "protocols.md", "frugal.md"} <= {document.name for document in DOCUMENTS}
    assert LINK.search((ROOT / "README.md").read_text())


def test_the_index_in_the_readme_answers_what_stands_there() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    *lines, question = example.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(lines), names)
    asked, answer = question.split("  # ")
    assert eval(asked, names) == eval(answer)
