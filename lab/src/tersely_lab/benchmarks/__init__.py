"""Benchmarks: one module or package for each `tersely bench NAME`, peers included.

Each declares its options in `add_arguments` and measures and prints in `run`. Shared by several:
measurement.py (clocks, memory, throughput), output.py (tables, figures, JSON), options.py,
peers.py (other software in venvs), paper_size.py (models to time), quality.py (metrics).
"""
