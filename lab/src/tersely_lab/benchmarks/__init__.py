"""Benchmarks: one module a question."""
