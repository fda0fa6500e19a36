"""Kernels: the few sums that a suggestion spends its time in, compiled or in NumPy."""
