"""Model: a trained scheme on disk, and what every architecture has in common."""
