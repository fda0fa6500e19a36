"""Decoding: from a decoder's steps to sentences, by beam search or greedily."""
