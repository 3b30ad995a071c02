"""Secrets and personal data are replaced before anything is stored, by placeholders that keep their shape."""

from ingest.masking.leftovers import Leftovers
from ingest.masking.masker import Masker

__all__ = ["Leftovers", "Masker"]
