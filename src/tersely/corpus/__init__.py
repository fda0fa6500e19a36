"""Corpus: from raw text in files of many formats to a prepared dataset."""
