"""Distilled surprisal: an encoder trained to predict the token losses of a monotone decoder."""
