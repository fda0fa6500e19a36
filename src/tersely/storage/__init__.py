"""Storage: files and folders that are written atomically, and SQLite databases."""
