"""Sources of runs: bytes in, runs out; one file each, found through `registry`."""
