"""Kernels: the inner loops of the runtime, compiled from C or in NumPy (backend.py selects)."""
