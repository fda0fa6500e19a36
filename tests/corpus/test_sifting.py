from tersely.corpus.sifting import Sifter


def test_documents_become_tokenised_sentences_short_enough() -> None:
    sifter = Sifter(max_tokens=6)
    documents, tally = sifter(["It was good. It was a very long and winding evening.", "Yum!"])
    assert documents[0].sentences == ["<shift> it was good ."]
    assert not documents[0].is_single
    assert documents[1].sentences == ["<shift> yum !"]
    assert documents[1].is_single
    assert (tally.sentences, tally.too_long, tally.restored_exactly) == (3, 1, 3)


def test_a_line_that_is_a_sentence_is_not_cut() -> None:
    documents, _ = Sifter(max_tokens=16, segment=False)(["Wow. Just wow. "])
    assert documents[0].sentences == ["<shift> wow . <shift> just wow ."]


def test_nothing_and_lone_surrogates_do_no_harm() -> None:
    documents, tally = Sifter(max_tokens=16)(["", "  ", "bad \ud800 here"])
    assert [document.sentences for document in documents] == [[], [], ["bad ? here"]]
    assert tally.sentences == 1
