"""Traces that come in over HTTP, span by span, and what becomes of them."""
