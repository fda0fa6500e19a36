"""distilled."""
