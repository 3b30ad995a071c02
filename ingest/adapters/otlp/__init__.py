"""Traces of OpenTelemetry as a source of runs: whatever they come in, and by whichever convention they speak."""
