"""Detectors of failures: a run in, evidence-carrying findings out; one file each, found through `registry`."""
