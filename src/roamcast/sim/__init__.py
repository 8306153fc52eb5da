"""The simulator: movement, radio and medium access round the protocols, which it knows only by their interface."""
