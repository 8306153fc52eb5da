"""The sizes in bytes of fields in messages and tables, for protocols whose traffic and storage are compared.

``brvst``, its router and ``drip`` use these, so that none gains from a narrower field for the same thing. A count wraps
around after 65,536; a time takes 4 bytes, and so does a coordinate, a distance or an end of a range, as a
single-precision number.
"""

KIND_BYTES = 1
"""The kind of a message."""
NODE_BYTES = 4
"""The address of a node."""
NUMBER_BYTES = 2
"""A count of messages, of versions or of anything else."""
HOPS_BYTES = 1
TIME_BYTES = 4
VALUE_BYTES = 4
"""A value of an attribute: one end of a range."""
ATTRIBUTE_BYTES = 1
"""The identifier of an attribute."""
DISTANCE_BYTES = 4
POSITION_BYTES = 2 * DISTANCE_BYTES
EVENT_ID_BYTES = NODE_BYTES + NUMBER_BYTES
"""The publisher, and its count of events."""
