"""Plots, pages and text tables made from measurements."""
