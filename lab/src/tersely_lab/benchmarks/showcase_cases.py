"""The inputs of the showcase: sixty, of every kind that people type."""

from tersely_lab.benchmarks.showcase import (
    Case,
    as_written,
    begins_low,
    contains_all,
    contains_any_order,
    ends_as_typed,
    lacks,
    offers_correction,
)


def _plain(kind: str, *inputs: str) -> list[Case]:
    return [Case(kind, typed, rules=(contains_all,)) for typed in inputs]


def cases() -> list[Case]:
    """All of them, by kind."""
    return [*_keywords(), *_as_written(), *_read(), *_wished()]


def _keywords() -> list[Case]:
    """Keywords alone, and how a sentence is to end."""
    return [
        *_plain(
            "Keywords, lower case, no punctuation",
            *("10 minutes late", "thank help yesterday", "see tomorrow morning"),
            *("call tonight", "meeting cancelled", "happy birthday", "need help homework"),
            *("dinner tonight", "left keys home", "train delayed snow", "sorry forgot"),
            *("love place", "weather nice today", "bought new car", "coffee milk sugar"),
            *(
                "never been france",
                "send report friday",
                "speak english well",
                "city cold lonely without",
            ),
        ),
        *_plain("One word", "late", "thanks", "hungry", "tomorrow", "why"),
        *(
            Case("How it is to end", typed, rules=(contains_all, ends_as_typed))
            for typed in (
                *("where station?", "what time train?", "help!", "you coming party?"),
                *("how old?", "watch out!", "like coffee?"),
            )
        ),
    ]


def _as_written() -> list[Case]:
    """What must come back as it was typed."""
    return [
        *(
            Case("Names, numbers, unknown words", typed, rules=(contains_all, as_written(*words)))
            for typed, words in (
                ("Zanzibar ticket", ("Zanzibar",)),
                ("meet Priya 7:30", ("Priya", "7:30")),
                ("born 1987 Lisbon", ("1987", "Lisbon")),
                ("install numpy", ("numpy",)),
                ("zyxomma photo", ("zyxomma",)),
                ("NASA launch", ("NASA",)),
                ("café Zoë", ("afé", "Zoë")),
                ("$20 ticket", ("$20",)),
            )
        ),
        *(
            Case("Phrases in quotes", typed, rules=(contains_all, as_written(phrase)))
            for typed, phrase in (
                ('"ice cream" friday', "ice cream"),
                ('bought "a few" books', "a few"),
                ('"living room" cold', "living room"),
            )
        ),
    ]


def _read() -> list[Case]:
    """What is read otherwise than it stands."""
    return [
        *(
            Case("An unfinished last word", typed, {"prefix": True}, (contains_all,))
            for typed in ("10 minutes la", "see you tomo", "where sta", "thank you for yo", "i wan")
        ),
        *(
            Case("Misspelt", typed, {"corrections": True}, (offers_correction(read),))
            for typed, read in (
                ("10 minuts late", "minutes"),
                ("tomorow morning", "tomorrow"),
                ("resturant expensive", "restaurant"),
                ("becuase tired", "because"),
            )
        ),
        *(
            Case("In any order", typed, {"order": "free"}, (contains_any_order,))
            for typed in ("late minutes 10", "station where?", "dog walk morning every")
        ),
    ]


def _wished() -> list[Case]:
    """What is asked for besides."""
    return [
        Case(
            "Words that must and must not appear",
            "meeting late",
            {"including": ["sorry"]},
            (contains_all, as_written("orry")),
        ),
        Case(
            "Words that must and must not appear",
            "train late",
            {"without": ["was", "is"]},
            (contains_all, lacks(" was ", " is ")),
        ),
        *(
            Case("After other text", typed, {"context": context}, rules)
            for typed, context, rules in (
                ("10 minutes late", "I am sorry, but", (contains_all, begins_low)),
                ("late", "I will be", (contains_all, begins_low)),
                ("10 minutes late", "I am sorry.", (contains_all,)),
                ("rain", "We stayed at home because", (contains_all, begins_low)),
            )
        ),
    ]
