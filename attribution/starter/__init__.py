"""The root causes that ship with the service, so that the first night already attributes."""

from attribution.starter.seeding import seed_causes, starter_causes

__all__ = ["seed_causes", "starter_causes"]
