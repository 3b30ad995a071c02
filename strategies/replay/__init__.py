"""Calling tools for real, to see whether a rewritten call works."""
