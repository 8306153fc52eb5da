"""Benchmarks: ``python -m benchmarks`` prints what the simulator costs on this machine, in CPU time and memory."""
