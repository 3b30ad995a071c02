"""Silent failures by contrast: what successful runs did to the world that a failed one did not, or the reverse."""
