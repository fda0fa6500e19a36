from tersely.text.tokens import tokenise
from tersely_lab.benchmarks.quality import MASK_SELECTORS

TOKENS = tokenise("The waiter was nice, and I will return.").tokens


def kept(name: str) -> list[str]:
    [mask] = MASK_SELECTORS[name]([TOKENS])
    return [token for token, keep in zip(TOKENS, mask, strict=True) if keep]


def test_stop_words_are_left_out_and_of_the_rest_content_words_are_left() -> None:
    assert kept("Stopword(0)") == [
        "<shift>",
        "waiter",
        "nice",
        ",",
        "<shift>",
        "will",
        "return",
        ".",
    ]
    assert kept("content words") == ["waiter", "nice", "will", "return"]


def test_a_sentence_is_masked_the_same_way_every_time_and_with_any_others() -> None:
    choose = MASK_SELECTORS["Unif(0.5)"]
    [alone] = choose([TOKENS])
    assert choose([["a", "b"], TOKENS])[1] == alone


def test_chance_keeps_the_share_it_is_named_for() -> None:
    sentences = [[f"w{number}", "and", "more"] for number in range(2000)]
    for name, share in (("Unif(0.3)", 0.3), ("Unif(0.5)", 0.5)):
        masks = MASK_SELECTORS[name](sentences)
        assert abs(sum(map(sum, masks)) / 6000 - share) < 0.03
