"""Contacts on Spark: computed from movement, or imported from recordings, with statistics."""
