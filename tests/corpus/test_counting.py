from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.counting import TokenCounter


@given(st.lists(st.lists(st.text(alphabet="abñ😀", min_size=1, max_size=2))), st.integers(1, 6))
def test_counts_are_the_same_however_often_they_spill(tmp_path_factory, lists, max_types) -> None:
    counter = TokenCounter(tmp_path_factory.mktemp("counts"), max_types=max_types)
    for tokens in lists:
        counter.add(tokens)
    expected = Counter(token for tokens in lists for token in tokens)
    ranked = sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))
    assert list(counter.most_frequent(100).items()) == ranked
    assert list(counter.most_frequent(2).items()) == ranked[:2]


def test_mentioned_tokens_are_listed_last(tmp_path: Path) -> None:
    counter = TokenCounter(tmp_path, max_types=2)
    counter.mention(["x", "a"])
    counter.add(["b", "b", "a"])
    assert counter.most_frequent(10) == {"b": 2, "a": 1, "x": 0}
