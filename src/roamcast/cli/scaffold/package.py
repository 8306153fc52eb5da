"""Writes a new protocol's package: the templates beside this file, with the protocol's names filled in."""

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
    def words(self) -> str:
        """Return the name as words of a sentence."""
        return self.name.replace("-", " ").capitalize()


def write_package(protocol: NewProtocol, folder: Path) -> None:
    """Write the package into a folder that does not exist yet."""
    folder.mkdir()
    values = {"name": protocol.name, "module": protocol.module, "Class": protocol.class_name, "Words": protocol.words}
    for name, template in FILES.items():
        path = folder / name.format(module=protocol.module)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(_template(template)).substitute(values), encoding="utf-8")


def _template(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
