"""The simulator: movement, radio and medium access around protocols, which it knows only by their interface."""
