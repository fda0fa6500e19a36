"""Sentences, tokens, keywords, corpora. No models here."""
