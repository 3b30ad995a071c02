"""Agents that show Errata at work."""
