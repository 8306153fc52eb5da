"""Frugal event dissemination in a mobile environment (Baehni, Chhabra, Guerraoui: Middleware 2005)."""
