"""Golden traces; ``golden_traces`` says what they are and how to make them anew."""
