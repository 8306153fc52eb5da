"""Components are found by their files: adding one is adding a file."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roamcast.core.components import component_modules, component_names, load_component
from roamcast.core.errors import UnknownNameError

PACKAGE = "animals_of_a_test"
ANIMAL = """
from abc import ABC, abstractmethod

class Animal(ABC):
    @abstractmethod
    def sound(self): ...
"""
HEADER = f"from {PACKAGE}._animal import Animal\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with components in it, forgotten again afterwards."""
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "_animal.py").write_text(ANIMAL)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [each for each in sys.modules if each.split(".")[0] == PACKAGE]:
        del sys.modules[name]
    component_modules.cache_clear()


def animal(*names: str) -> str:
    return HEADER + "".join(f"class {name}(Animal):\n    def sound(self): return '{name}'\n" for name in names)


def load(name: str, place: str = "") -> object:
    kind = sys.modules[f"{PACKAGE}._animal"].Animal if f"{PACKAGE}._animal" in sys.modules else object
    return load_component(PACKAGE, name, kind, "animal", place)


def test_names_are_those_of_the_files_with_hyphens_in_order_and_without_private_ones(package: Path) -> None:
    (package / "water_vole.py").write_text(animal("WaterVole"))
    (package / "cat.py").write_text(animal("Cat"))
    (package / "herd").mkdir()  # a component with several files is a folder with a main file
    (package / "herd" / "__init__.py").write_text("")
    (package / "herd" / "protocol.py").write_text(animal("Herd"))
    (package / "shared").mkdir()  # a folder without one holds shared code
    (package / "shared" / "__init__.py").write_text("")
    (package / "shared" / "fur.py").write_text(animal("Fur"))
    (package / "notes.txt").write_text("no component")
    assert component_names(PACKAGE) == ("cat", "herd", "water-vole")


def test_a_component_is_the_one_class_of_its_kind_that_its_file_defines(package: Path) -> None:
    (package / "cat.py").write_text(animal("Cat"))
    # Another component's class that is imported, and an abstract one, do not count.
    (package / "tiger.py").write_text(
        f"from {PACKAGE}.cat import Cat\n" + HEADER + "class Big(Animal): ...\nclass Tiger(Cat): ...\n"
    )
    __import__(f"{PACKAGE}._animal")
    assert getattr(load("cat"), "__name__", None) == "Cat"
    assert getattr(load("tiger"), "__name__", None) == "Tiger"


@pytest.mark.parametrize("classes", [(), ("One", "Two")])
def test_a_file_without_exactly_one_component_is_a_programmers_mistake(package: Path, classes: tuple[str, ...]) -> None:
    (package / "cat.py").write_text(animal(*classes))
    __import__(f"{PACKAGE}._animal")
    with pytest.raises(TypeError, match=rf"{PACKAGE}\.cat must define one Animal, it defines {len(classes)}"):
        load("cat")


@pytest.mark.parametrize(
    ("name", "closest"), [("dog", ""), ("_animal", ""), ("water_vole", "water-vole"), ("", ""), ("../cat", "cat")]
)
def test_an_unknown_name_is_a_persons_mistake_and_gets_the_known_ones(package: Path, name: str, closest: str) -> None:
    (package / "cat.py").write_text(animal("Cat"))
    (package / "water_vole.py").write_text(animal("WaterVole"))
    with pytest.raises(UnknownNameError) as caught:
        load(name, "zoo.toml [animal] name")
    meant = f"; did you mean {closest}?" if closest else ""
    assert str(caught.value) == f"zoo.toml [animal] name: unknown animal '{name}'; known: cat, water-vole{meant}"
