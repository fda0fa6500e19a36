"""What a trained scheme is on disk, and how it runs without torch."""
