"""One reader a corpus format; corpus.py picks among them."""
