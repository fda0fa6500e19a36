"""tersely_lab."""
