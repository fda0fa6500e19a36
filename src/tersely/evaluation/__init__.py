"""Evaluation: metrics of a model on held-out sentences, and the calibration of its scores."""
