"""BRVST: an information matching overlay in wireless networks (Li, Wang: MASS 2014)."""
