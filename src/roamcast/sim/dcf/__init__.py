"""The shared air and IEEE 802.11's DCF on it: frames go in, receptions come out.

Who hears a frame and who may send next depend on each other at every nanosecond, so both are computed by one compiled
loop over one set of arrays, the *state*. ``medium`` is the interface to the rest of the simulator; ``parameters`` holds
the keys of ``[mac]`` in a scenario. Nothing is imported here: planning a run must not wait for the compiler.
"""
