"""The client of Errata: the words both sides speak, the rule engine, and the sync with the service."""
