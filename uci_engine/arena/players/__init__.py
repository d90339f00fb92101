"""Engines as players: how one is described, started, spoken to and limited."""
