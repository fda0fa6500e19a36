"""The command line: one module per command; parsing and printing only."""
