"""Frugal event dissemination (Baehni, Chhabra, Guerraoui: Middleware 2005)."""
