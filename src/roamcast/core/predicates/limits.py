"""The limits that keep hostile predicates small; with them every predicate can be printed and parsed again."""

ALTERNATIVES_MAX = 128
"""The most conjunctions of a predicate, once it is written out as a disjunction of conjunctions."""
TERMS_MAX = 512
"""The most terms of a predicate, written out: a value counts one each, a test for presence one."""
DEPTH_MAX = 32
"""The deepest parentheses."""
LITERAL_LENGTH_MAX = 255
"""The longest text that an attribute is compared with, in characters."""
SOURCE_LENGTH_MAX = 1_000_000
"""The longest predicate in characters: more than the largest one that the other limits allow, printed."""
