"""Text: sentences, tokens, the vocabulary, keywords and where they occur."""
