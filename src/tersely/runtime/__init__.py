"""Runtime: the forward pass of a trained model, without torch."""
