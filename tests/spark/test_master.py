import socket

import pytest

from roamcast.core.errors import UserError
from roamcast.spark.session.master import DEFAULT_MASTER, check_master


@pytest.mark.parametrize("url", [DEFAULT_MASTER, "local", "local[2]", "local[*]", "local[2, 4]"])
def test_this_machine_needs_no_address(url: str) -> None:
    assert check_master(url).is_local


@pytest.mark.parametrize(
    "url",
    [
        "",
        "lokal[2]",
        "local[0]",
        "local[two]",
        "local[2",
        "spark://",
        "spark://somewhere",
        "spark://host:port",
        "spark://host:0",
        "spark://host:70000",
        "spark://host:7077,other",
        "http://host:7077",
        "k8s://",
        "host:7077",
    ],
)
def test_a_malformed_master_is_refused_with_what_was_expected(url: str) -> None:
    with pytest.raises(UserError, match=r"^--master = .*: expected local, .*spark://host:port") as refused:
        check_master(url)
    assert "\n" not in str(refused.value)


def test_a_master_where_nobody_listens_is_refused_at_once() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # bound but not listening: a connection is refused, and nobody else gets it
        url = f"spark://127.0.0.1:{reserved.getsockname()[1]}"
        with pytest.raises(UserError, match=rf'^--master = "{url}": cannot be reached \(connection refused\)$'):
            check_master(url)


def test_one_of_several_masters_is_enough() -> None:
    with socket.socket() as reserved, socket.create_server(("127.0.0.1", 0)) as listening:
        reserved.bind(("127.0.0.1", 0))
        ports = reserved.getsockname()[1], listening.getsockname()[1]
        master = check_master(f"spark://127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}")
    assert master.is_standalone
    assert not master.is_local


def test_yarn_needs_to_know_its_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with pytest.raises(UserError, match="HADOOP_CONF_DIR"):
        check_master("yarn")
    monkeypatch.setenv("YARN_CONF_DIR", "/etc/hadoop")
    assert check_master("yarn").url == "yarn"
