"""Keyword sets for promise 8: of sentences no model has seen, and to break the guarantee."""

import random
from collections.abc import Iterator

from tersely.corpus.fixture import fixture_sentences
from tersely.text.keywords import keywords
from tersely.text.tokens import detokenise, tokenise

TRAINED_ON = 600  # sentences of the fixture that the small models of the tests are made from

ODD = """
</s> <unk> <s> <pad> <shift> <SHIFT> < > & -- — … ... ?! !? !!! ??? " “ ” „ ' ’ `` '' ( ) [ ]
{ } | \\
iPhone eBay McDonald NATO USA TV i I Iß ßtraße İstanbul ıstanbul ŉfoo ǰbar ﬁn Ŧ ǅ ΣΑΣ ὈΔΥΣΣΕΎΣ ſo
naïve café e\u0301tude 你好 你 好 日本語 مرحبا שלום สวัสดี हिन्दी 🙂 👩‍👩‍👧 🇩🇪
a\u200bb \u200b \ufeff \u00ad x\u00a0y \x00 \x1b
don't n't 's I'll o'clock 10:30 3.14 1,000 $5 5% #1 @tom foo@bar.com http://a.b/c?d=e&f C++ e-mail
the the a an of to is was it waiter soup cold friendly late zyzzyva quokka Paris Rome paris 10 100 7
""".split()
LETTERS = "abcXYZ019 .,?!'\"“”()<>/-_ßİΣéпж你🙂\u200b\t\n"


def held_out(count: int, seed: int = 1) -> Iterator[str]:
    """Parts of sentences that were not trained on, typed as they stand there."""
    coins = random.Random(seed)
    seen = set(fixture_sentences(TRAINED_ON))
    fresh = [one for one in fixture_sentences(TRAINED_ON + 4000) if one not in seen]
    for _ in range(count):
        tokens = tokenise(coins.choice(fresh)).tokens
        share = coins.choice((0.1, 0.3, 0.5, 0.8))
        yield detokenise(keywords(tokens, [coins.random() < share for _ in tokens]))


def adversarial(count: int, seed: int = 2) -> Iterator[str]:
    """Odd words, odd characters, repeated, quoted, many, in odd case."""
    coins = random.Random(seed)
    for number in range(count):
        words = [coins.choice(ODD) for _ in range(coins.choice((1, 1, 2, 3, 5, 8, 13)))]
        way = number % 8
        if way == 0:
            words = ["".join(coins.choices(LETTERS, k=coins.randint(0, 12))) for _ in words]
        elif way == 1:
            words = words[:2] * coins.randint(1, 6)
        elif way == 2:
            place = coins.randrange(len(words))
            words[place:] = ['"' + " ".join(words[place:]) + '"']
        elif way == 3:
            words = [coins.choice((word.upper(), word.title(), word.lower())) for word in words]
        elif way == 4:
            words.append(coins.choice((".", "?", "!", "…", "?!")))
        elif way == 5:
            words = ["".join(map(chr, coins.choices(range(1, 0xD7FF), k=3))) for _ in words]
        yield coins.choice((" ", " ", "  ", "\u00a0")).join(words)
