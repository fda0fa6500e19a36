from tersely.text.tokens import tokenise
from tersely_lab.benchmarks.quality import MASK_SELECTORS

TOKENS = tokenise("The waiter was nice, and I will return.").tokens


def keywords_of(name: str) -> list[str]:
    [mask] = MASK_SELECTORS[name]([TOKENS])
    return [token for token, keep in zip(TOKENS, mask, strict=True) if keep]


def test_stopword_rules_drop_stop_words_and_then_marks() -> None:
    assert keywords_of("Stopword(0)") == [
        "<shift>",
        "waiter",
        "nice",
        ",",
        "<shift>",
        "will",
        "return",
        ".",
    ]
    assert keywords_of("content words") == ["waiter", "nice", "will", "return"]


def test_the_mask_of_a_sentence_does_not_depend_on_the_batch() -> None:
    choose = MASK_SELECTORS["Unif(0.5)"]
    [alone] = choose([TOKENS])
    assert choose([["a", "b"], TOKENS])[1] == alone


def test_unif_keeps_its_share_of_tokens() -> None:
    sentences = [[f"w{number}", "and", "more"] for number in range(2000)]
    for name, share in (("Unif(0.3)", 0.3), ("Unif(0.5)", 0.5)):
        masks = MASK_SELECTORS[name](sentences)
        assert abs(sum(map(sum, masks)) / 6000 - share) < 0.03
