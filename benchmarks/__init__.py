"""Benchmarks of streamboost: ``speed`` (this machine's limit), ``peers`` (other libraries, side by side)."""
