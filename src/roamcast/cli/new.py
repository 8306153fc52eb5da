"""``roamcast new protocol NAME``: write a small package with a working protocol, its test and an entry point."""

import argparse
import importlib.util
import keyword
from pathlib import Path

from roamcast.cli.output import say
from roamcast.cli.scaffold.package import NewProtocol, taken_names, write_package
from roamcast.core.components import NAME
from roamcast.core.errors import UserError
from roamcast.protocols import protocol_names

EXAMPLE = "roamcast new protocol coin-toss"
LENGTH_MAX = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``roamcast new``."""
    kinds = parser.add_subparsers(title="what to write", metavar="protocol", required=True)
    protocol = kinds.add_parser("protocol", help="a package with a publish/subscribe protocol")
    protocol.add_argument("name", metavar="NAME", help="the protocol's name in scenarios, as in coin-toss")
    protocol.add_argument("--into", type=Path, default=Path(), metavar="DIR", help="the folder for it (default: .)")
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the package and say what to do next."""
    protocol = NewProtocol(checked_name(arguments.name))
    folder = arguments.into / protocol.name
    if folder.exists() or folder.is_symlink():
        raise UserError(f"{folder}: exists already; choose another name, or another folder with --into")
    if not arguments.into.is_dir():
        raise UserError(f"{arguments.into}: is not a folder")
    write_package(protocol, folder)
    say(f"{folder}: a package with the protocol {protocol.name}. Next:")
    say(f"  pip install --editable {folder}\n  python -m pytest {folder}\n  roamcast check {protocol.name}")
    return 0


def checked_name(name: str) -> str:
    """Return a name that a protocol can have, or say why it cannot."""
    module = name.replace("-", "_")
    if not NAME.fullmatch(name) or not module.isidentifier() or len(name) > LENGTH_MAX:
        expected = f"must be lower-case words joined by hyphens, as in coin-toss, at most {LENGTH_MAX} characters"
        raise UserError(f"new protocol '{name}': {expected}")
    if keyword.iskeyword(module) or importlib.util.find_spec(module) is not None:
        taken = f"Python or an installed package already uses the name {module}"
        raise UserError(f"new protocol '{name}': {taken}; choose another")
    for class_name in NewProtocol(name).class_names:
        if keyword.iskeyword(class_name) or class_name in taken_names():
            taken = f"Python or roamcast already uses {class_name}, which would be the name of a class"
            raise UserError(f"new protocol '{name}': {taken}; choose another")
    if name in protocol_names():
        raise UserError(f"new protocol '{name}': a protocol with this name already exists")
    return name
