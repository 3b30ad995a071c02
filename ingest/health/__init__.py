"""Health of tools: what probes saw, and the errors of tools that were down."""
