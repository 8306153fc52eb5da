"""Writes a new protocol's package: the templates beside this file, with the protocol's names filled in."""

import ast
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

FILES = {
    "pyproject.toml": "pyproject.toml.template",
    "README.md": "readme.md.template",
    "src/{module}/__init__.py": "init.py.template",
    "src/{module}/protocol.py": "protocol.py.template",
    "src/{module}/py.typed": "py.typed.template",
    "tests/test_{module}.py": "test.py.template",
}
"""Each file of the package, and the template that it is made from."""


@dataclass(frozen=True, slots=True)
class NewProtocol:
    """The names of a new protocol: ``coin-toss`` in scenarios, ``coin_toss`` as a module, ``CoinToss`` as a class."""

    name: str

    @property
    def module(self) -> str:
        """Return the name of the package that is imported."""
        return self.name.replace("-", "_")

    @property
    def class_name(self) -> str:
        """Return the name of the protocol's class."""
        return "".join(word.capitalize() for word in self.name.split("-"))

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return the names of all classes in the package."""
        return self.class_name, f"{self.class_name}Parameters", f"{self.class_name}Event"

    @property
    def words(self) -> str:
        """Return the name as words of a sentence."""
        return self.name.replace("-", " ").capitalize()


def taken_names() -> set[str]:
    """Return the names that the package's modules import, which no class in them can have."""
    sample = NewProtocol("sample")
    trees = (ast.parse(_filled(template, sample)) for template in FILES.values() if template.endswith(".py.template"))
    return {
        alias.asname or alias.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if not alias.name.startswith(sample.class_name)
    }


def write_package(protocol: NewProtocol, folder: Path) -> None:
    """Write the package into a folder that does not exist yet."""
    folder.mkdir()
    for name, template in FILES.items():
        path = folder / name.format(module=protocol.module)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_filled(template, protocol), encoding="utf-8")


def _filled(template: str, protocol: NewProtocol) -> str:
    """Return the text of a template with the protocol's names."""
    values = {"name": protocol.name, "module": protocol.module, "Class": protocol.class_name, "Words": protocol.words}
    text = files(__package__).joinpath("templates", template).read_text(encoding="utf-8")
    return Template(text).substitute(values)
