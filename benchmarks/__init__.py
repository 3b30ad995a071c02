"""Benchmarks: each prints ratios that were measured in one run, on one machine, side by side."""
