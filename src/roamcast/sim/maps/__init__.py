"""The street maps that come with Roamcast, one TOML file each; the file's name is the map's name in a scenario."""

from importlib import resources

_SUFFIX = ".toml"


def map_names() -> tuple[str, ...]:
    """List the shipped maps."""
    files = (file.name for file in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in files if name.endswith(_SUFFIX)))


def map_text(name: str) -> str:
    """Return the content of a shipped map."""
    return resources.files(__name__).joinpath(name + _SUFFIX).read_text(encoding="utf-8")
