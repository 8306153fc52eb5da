"""Checking the ``--master`` that a person gave, before anything is started.

Spark itself reports a wrong address after a minute, with a page of Java; this takes seconds and one line.
"""

import os
import re
import socket
from dataclasses import dataclass
from typing import Any

from roamcast.core.errors import InvalidValueError

DEFAULT_MASTER = "local[*,4]"
"""All cores of this machine; a task that dies (a crashing run kills its worker) gets four attempts."""
CONNECT_TIMEOUT_S = 5.0
"""How long an address may take to answer; a useful cluster is near."""

_LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\])?|local-cluster\[\d+,\s*\d+,\s*\d+\]")
_ADDRESS = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")
_KUBERNETES = re.compile(r"k8s://(https?://)?(?P<address>[^/]+)/?")
_EXPECTED = "expected local, local[4], local[*], spark://host:port, yarn or k8s://https://host:port"


@dataclass(frozen=True, slots=True)
class Master:
    """A valid master URL."""

    url: str

    @property
    def is_local(self) -> bool:
        """Tell whether everything runs in one Java process on this machine."""
        return self.url == "local" or self.url.startswith("local[")

    @property
    def url_with_retries(self) -> str:
        """Return the URL with four attempts per task, which is Spark's default on a cluster but not on one machine."""
        if not self.is_local or "," in self.url:
            return self.url
        cores = self.url.removeprefix("local").strip("[]") or "1"
        return f"local[{cores},4]"

    @property
    def is_standalone(self) -> bool:
        """Tell whether this is Spark's own cluster manager."""
        return self.url.startswith("spark://")


def check_master(url: str) -> Master:
    """Return the master if the URL is well formed and something answers at its address."""
    given: Any = url
    if not isinstance(given, str):  # by a Python program
        raise InvalidValueError("--master", given, _EXPECTED)
    if _LOCAL.fullmatch(url):
        return Master(url)
    if url == "yarn":
        if not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
            raise InvalidValueError("--master", url, "YARN needs HADOOP_CONF_DIR or YARN_CONF_DIR in the environment")
        return Master(url)
    addresses = _addresses(url)
    problems = [problem for host, port in addresses if (problem := _connect(host, port))]
    if len(problems) == len(addresses):  # with several masters, one that answers is enough
        raise InvalidValueError("--master", url, f"cannot be reached ({problems[0]})")
    return Master(url)


def _addresses(url: str) -> list[tuple[str, int]]:
    if url.startswith("spark://"):
        texts = url.removeprefix("spark://").split(",")
    elif found := _KUBERNETES.fullmatch(url):
        address = found["address"]
        texts = [address if _ADDRESS.fullmatch(address) else f"{address}:443"]
    else:
        texts = []
    matches = [_ADDRESS.fullmatch(text) for text in texts]
    addresses = [(match["host"].strip("[]"), int(match["port"])) for match in matches if match]
    if not addresses or len(addresses) < len(texts) or not all(0 < port < 65536 for _, port in addresses):
        raise InvalidValueError("--master", url, _EXPECTED)
    return addresses


def _connect(host: str, port: int) -> str | None:
    """Return None if something listens at the address, otherwise what went wrong."""
    try:
        with socket.create_connection((host, port), timeout=CONNECT_TIMEOUT_S):
            return None
    except TimeoutError:
        return f"no answer within {CONNECT_TIMEOUT_S:g} s"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except UnicodeError:
        return "not a host name"
