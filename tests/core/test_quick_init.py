"""The quicker ``__init__`` of messages: the same objects, the same errors."""

import inspect
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import ClassVar

import pytest

from roamcast.core.messages import Message


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """A message with a default."""

    kind: ClassVar[str] = "hellos"
    sender: int
    hops: int = 3


@dataclass(frozen=True, slots=True)
class LongHello(Hello):
    """One that derives from it."""

    words: tuple[str, ...] = ()


def is_quick(kind: type) -> bool:
    return hasattr(vars(kind)["__init__"], "__wrapped__")


def test_a_message_has_its_fields_and_defaults() -> None:
    assert is_quick(Hello)
    assert is_quick(LongHello)
    assert (Hello(10, 4).size_bytes, Hello(10, 4).sender, Hello(10, sender=4).hops) == (10, 4, 3)
    assert LongHello(1, 2, 3, ("a",)).words == ("a",)
    assert LongHello(1, 2).words == ()
    assert Hello(10, 4) == Hello(size_bytes=10, sender=4, hops=3)
    assert Hello(10, 4) != Hello(10, 4, 2)


def test_a_message_cannot_be_changed_but_a_copy_can_differ() -> None:
    message = LongHello(1, 2, 3)
    with pytest.raises(FrozenInstanceError):
        message.hops = 9  # type: ignore[misc]
    assert replace(message, hops=9) == LongHello(1, 2, 9)


def test_the_signature_is_that_of_the_dataclass() -> None:
    assert str(inspect.signature(Hello)) == "(size_bytes: int, sender: int, hops: int = 3) -> None"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'sender'"):
        Hello(10)  # type: ignore[call-arg]


def test_classes_whose_init_does_more_keep_it() -> None:
    @dataclass(frozen=True, slots=True)
    class Checked(Message):
        def __post_init__(self) -> None:
            if self.size_bytes < 0:
                raise ValueError("negative")

    @dataclass(frozen=True, slots=True)
    class Listed(Message):
        parts: list[int] = field(default_factory=list)

    @dataclass(frozen=True)
    class Open(Message):
        part: int

    @dataclass(frozen=True, slots=True)
    class Sized(Message):
        part: int

        def __init__(self, part: int) -> None:
            object.__setattr__(self, "size_bytes", 10 * part)
            object.__setattr__(self, "part", part)

    @dataclass(slots=True)
    class Plain:
        part: int

    assert not any(map(is_quick, (Checked, Listed, Open, Sized, Plain)))
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)
    assert Listed(1).parts is not Listed(1).parts
    assert Open(1, 2).part == 2
    assert (Sized(3).size_bytes, Sized(3).part) == (30, 3)


def test_arguments_of_a_class_reach_what_is_mixed_in() -> None:
    class Named:
        __slots__ = ()
        names: ClassVar[list[str]] = []

        def __init_subclass__(cls, name: str = "") -> None:
            Named.names.append(name)

    @dataclass(frozen=True, slots=True)
    class Both(Message, Named, name="both"):
        part: int

    assert "both" in Named.names
    assert Both(1, 2).part == 2
