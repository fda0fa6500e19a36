"""Middleware that every site of tersely shares: limits, headers, tokens, errors, request log."""
