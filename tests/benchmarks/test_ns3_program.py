"""Finding, compiling and running programs for ns-3, with stand-ins for the tools."""

from pathlib import Path

import pytest
from benchmarks.ns3_program import MISSING, SOURCES, Ns3, Ns3Error, Tools
from fake_ns3 import PRINTED, VERSION, lines, make_absent_package, make_tools


def test_without_pkg_config_one_line_says_which_package_brings_ns3(tmp_path: Path) -> None:
    with pytest.raises(Ns3Error) as problem:
        Ns3.find(Tools(str(tmp_path / "pkg-config"), "sh"), tmp_path)
    assert str(problem.value) == MISSING
    assert "libns3-dev" in MISSING
    assert "\n" not in MISSING


def test_without_a_compiler_ns3_counts_as_missing(tmp_path: Path) -> None:
    tools = make_tools(tmp_path)
    with pytest.raises(Ns3Error, match="not installed"):
        Ns3.find(Tools(tools.pkg_config, str(tmp_path / "no-compiler")), tmp_path)


def test_a_pkg_config_that_does_not_know_ns3_gives_the_same_line(tmp_path: Path) -> None:
    with pytest.raises(Ns3Error) as problem:
        Ns3.find(make_absent_package(tmp_path), tmp_path)
    assert str(problem.value) == MISSING


def test_ns3_is_found_with_its_version_and_each_library_once(tmp_path: Path) -> None:
    ns3 = Ns3.find(make_tools(tmp_path), tmp_path / "cache")
    assert ns3.version == VERSION
    assert ns3.libraries == ("-lns3-wifi", "-lns3-core")


def test_a_program_is_compiled_once_and_optimised_and_run_with_its_options(tmp_path: Path) -> None:
    ns3 = Ns3.find(make_tools(tmp_path), tmp_path / "cache")
    assert ns3.run("broadcast", {"nodes": 7}) == PRINTED
    assert ns3.run("broadcast", {"nodes": 8}) == PRINTED
    (compiled,) = lines(tmp_path / "compiled.log")
    assert compiled.startswith(f"-O3 -std=c++17 {SOURCES / 'broadcast.cc'} -o ")
    assert compiled.endswith("-lns3-wifi -lns3-core")
    assert lines(tmp_path / "ran.log") == ["--nodes=7", "--nodes=8"]


def test_another_version_of_ns3_means_another_program(tmp_path: Path) -> None:
    old = Ns3.find(make_tools(tmp_path, version="3.37"), tmp_path / "cache").program("broadcast")
    new = Ns3.find(make_tools(tmp_path, version="3.38"), tmp_path / "cache").program("broadcast")
    assert old != new
    assert len(lines(tmp_path / "compiled.log")) == 2


def test_each_source_is_a_program_of_its_own(tmp_path: Path) -> None:
    ns3 = Ns3.find(make_tools(tmp_path), tmp_path / "cache")
    names = sorted(source.stem for source in SOURCES.glob("*.cc"))
    assert names == ["aodv", "broadcast", "contention"]
    assert len({ns3.program(name) for name in names}) == 3
    with_aodv = ["-lns3-aodv" in line for line in lines(tmp_path / "compiled.log")]
    assert with_aodv == [True, False, False]  # the others are measured, and not burdened with it


def test_a_program_that_cannot_be_compiled_is_one_line_with_the_reason(tmp_path: Path) -> None:
    tools = make_tools(tmp_path)
    Path(tools.compiler).write_text("#!/bin/sh\necho 'x.cc:1: error:' >&2; echo 'no' >&2; exit 1\n", "utf-8")
    with pytest.raises(Ns3Error, match=r"^broadcast\.cc could not be compiled: x\.cc:1: error: no$"):
        Ns3.find(tools, tmp_path / "cache").program("broadcast")
    assert not list((tmp_path / "cache").iterdir())


def test_a_program_that_prints_something_else_is_one_line(tmp_path: Path) -> None:
    ns3 = Ns3.find(make_tools(tmp_path, printed="terminate called"), tmp_path / "cache")
    with pytest.raises(Ns3Error, match="broadcast printed no JSON: 'terminate called'"):
        ns3.run("broadcast", {})
