"""``python -m tests.golden`` makes the golden traces anew."""

from .golden_traces import main

main()
