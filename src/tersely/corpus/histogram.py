"""Histogram of sentence lengths and token frequencies of a prepared corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tersely.corpus.dataset import iterate_array


def plot_histogram(folder: Path, summary: Mapping[str, Any]) -> bool:
    """Draw FOLDER/histogram.png; return False if matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(10, 4), layout="constrained")
    FigureCanvasAgg(figure)
    lengths, frequencies = figure.subplots(1, 2)
    _draw_lengths(lengths, summary)
    _draw_frequencies(frequencies, folder, summary)
    figure.savefig(folder / "histogram.png", dpi=120, metadata={"Software": None})
    return True


def _draw_lengths(axes: Any, summary: Mapping[str, Any]) -> None:
    train = summary["splits"]["train"]
    lengths = {int(length): count for length, count in train["lengths"].items()}
    axes.bar(list(lengths), list(lengths.values()), width=0.85, color="#33658a")
    axes.axvline(train["tokens_a_sentence"], color="#f26419", linewidth=1.5)
    axes.set_title(
        f"{train['sentences']:,} sentences, {train['tokens_a_sentence']:.1f} tokens each"
    )
    axes.set_xlabel("tokens in a sentence (words, punctuation, <shift>)")
    axes.set_ylabel("sentences")
    _hide_frame(axes)


def _draw_frequencies(axes: Any, folder: Path, summary: Mapping[str, Any]) -> None:
    counts = np.zeros(summary["lexicon_size"], np.int64)
    for tokens in iterate_array(folder / "train.tokens.npy"):
        counts += np.bincount(tokens, minlength=len(counts))
    counts = np.sort(counts[counts > 0])[::-1]
    axes.loglog(np.arange(1, len(counts) + 1), counts, color="#33658a")
    axes.axvline(summary["vocabulary_size"], color="#f26419", linewidth=1.5)
    share = summary["splits"]["train"]["in_vocabulary_share"]
    axes.set_title(f"{len(counts):,} distinct tokens; vocabulary covers {share:.1%}")
    axes.set_xlabel("rank of token (line: vocabulary)")
    axes.set_ylabel("occurrences")
    _hide_frame(axes)


def _hide_frame(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
