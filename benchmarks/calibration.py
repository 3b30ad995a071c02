"""Measures the packaged calibrations on the exemplars of the starter set; prints them as attribution/defaults.yaml."""

from __future__ import annotations

import yaml

from attribution.encoders.measuring import measured
from attribution.encoders.registry import make_encoder


def main() -> None:
    """Print what `attribution/defaults.yaml` holds."""
    found = {}
    for name in ("minilm", "use-multilingual", "hash"):
        encoder = make_encoder(name)
        found[encoder.id] = {"error_pattern": measured(encoder).model_dump(mode="json")}
    print(yaml.safe_dump({"calibrations": found}, sort_keys=False, default_flow_style=None))


if __name__ == "__main__":
    main()
