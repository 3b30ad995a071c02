"""The one list of detectors."""

from __future__ import annotations

from ingest.detectors import fabricated_argument, invalid_json, repeated_call, tool_error, unknown_tool
from ingest.detectors.port import Detector

DETECTORS: tuple[Detector, ...] = (
    tool_error.DETECTOR,
    unknown_tool.DETECTOR,
    invalid_json.DETECTOR,
    fabricated_argument.DETECTOR,
    repeated_call.DETECTOR,
)
