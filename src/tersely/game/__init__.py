"""The communication game in torch: encoder, decoder, objectives, estimator."""
