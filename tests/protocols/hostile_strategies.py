"""The hostile messages of ``roamcast.testing`` as hypothesis strategies, for tests that draw other things as well."""

from random import Random
from typing import Any

from hypothesis import strategies as st

from roamcast.core.event_interests import Interest
from roamcast.core.messages import Message
from roamcast.testing.hostile_messages import HostileMessages

_supplies = st.integers(0, 2**32 - 1).map(lambda seed: HostileMessages(Random(seed)))
interests: st.SearchStrategy[Interest] = _supplies.map(lambda supply: supply.interest())
"""Interests in one of the topics, or in what events say."""


def messages() -> st.SearchStrategy[Message]:
    """Draw a message of any type with any contents."""
    return _supplies.map(lambda supply: supply.message())


def anything(hint: Any) -> st.SearchStrategy[Any]:
    """Draw a value of a type: plausible ones, so that they meet, and absurd ones."""
    return _supplies.map(lambda supply: supply.value(hint))
