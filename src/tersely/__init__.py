"""tersely: type a few keywords, get the sentence."""

__version__ = "0.1.0"
