"""Marking: which parts of a suggestion a person typed, so that they can be shown."""

import re

_WORD = re.compile(r"[^\s\"“”„]+")


def marked(text: str, typed: str) -> list[tuple[str, bool]]:
    """Cut a suggestion into parts that were typed and parts that were not.

    Each typed word is looked for after the one before it, at the beginning of a word and
    without regard to case; one that is not there in that order is left out.
    """
    parts: list[tuple[str, bool]] = []
    shown = 0
    for word in _WORD.findall(typed):
        found = re.compile(rf"(?<!\w){re.escape(word)}", re.IGNORECASE).search(text, shown)
        if found is None and not word[0].isalnum():  # punctuation follows a word directly
            place = text.find(word, shown)
            found = re.compile(re.escape(word)).match(text, place) if place >= 0 else None
        if found is None:
            continue
        parts += [(text[shown : found.start()], False), (found[0], True)]
        shown = found.end()
    parts.append((text[shown:], False))
    return [part for part in parts if part[0]]
