"""BRVST: range vectors and summary trees in zones and grids (Li, Wang: MASS 2014)."""
