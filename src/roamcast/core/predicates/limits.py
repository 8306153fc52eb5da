"""Limits that keep hostile predicates small; within them every predicate can be printed and parsed again."""

ALTERNATIVES_MAX = 128
"""The largest number of conjunctions of a predicate, expanded to a disjunction of conjunctions."""
TERMS_MAX = 512
"""The largest number of terms of an expanded predicate: each value counts one, and so does a test for presence."""
DEPTH_MAX = 32
"""The deepest nesting of parentheses."""
LITERAL_LENGTH_MAX = 255
"""The longest text that an attribute can be compared with, in characters."""
SOURCE_LENGTH_MAX = 1_000_000
"""The longest predicate in characters: more than the largest that the other limits allow, when printed."""
