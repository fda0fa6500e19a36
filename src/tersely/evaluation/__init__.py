"""Judging schemes: figures, intervals, comparisons."""
