"""Completion: keywords in, sentences out."""
