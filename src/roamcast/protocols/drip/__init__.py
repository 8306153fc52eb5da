"""DRIP: Voronoi regions around elected brokers (Yuan, Wu: INFOCOM 2008)."""
