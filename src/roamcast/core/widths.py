"""How many bytes the fields of messages and tables take, for protocols that are compared with each other byte by byte.

``brvst``, its router and ``drip`` count by these, so that none is ahead by a narrower field for the same thing. What a
number or a time is good for is the same in all: a count goes round after 65,536, a time is of 4 bytes, and so is a
coordinate, a distance or an end of a range, as a number of single precision.
"""

KIND_BYTES = 1
"""What a message is."""
NODE_BYTES = 4
"""The address of a node."""
NUMBER_BYTES = 2
"""A count of messages, of versions or of anything else."""
HOPS_BYTES = 1
TIME_BYTES = 4
VALUE_BYTES = 4
"""A value of an attribute: one end of a range."""
ATTRIBUTE_BYTES = 1
"""Which attribute it is."""
DISTANCE_BYTES = 4
POSITION_BYTES = 2 * DISTANCE_BYTES
EVENT_ID_BYTES = NODE_BYTES + NUMBER_BYTES
"""The publisher, and its count of events."""
