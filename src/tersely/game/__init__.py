"""The communication game in torch: encoders, decoders, objectives and training steps."""
