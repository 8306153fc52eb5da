"""The analysis of publish/subscribe systems over mobile wireless ad hoc networks (2007)."""
