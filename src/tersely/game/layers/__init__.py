"""Layers that both schemes are built from: LSTMs over packed tokens, and the softmax."""
