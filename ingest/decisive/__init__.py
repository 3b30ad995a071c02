"""The decisive failure of a run: the earliest step whose repair would have changed the outcome, by written rules."""
