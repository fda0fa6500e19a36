"""What in a mail its author wrote, and what is quoted, forwarded or signature.

Works on the lines of a decoded body; getting at the body is message.py's job.
"""

import re

_MOST_ATTRIBUTION_LINES = 3
_LONGEST_ATTRIBUTION = 300  # characters a line; the patterns are slow on long ones
_MOST_HEADER_LINES = 6
_FEWEST_HEADERS = 2

_DATE_OR_ADDRESS = r"(?=.*(?:\b\d{4}\b|\d{1,2}[:.]\d{2}|\d/\d|\S@\S))"
_DATED_ATTRIBUTION = re.compile(
    rf"{_DATE_OR_ADDRESS}(?:On\b.*\b(?:wrote|writes)\s?:|.*<\S+@[^<>]+>(?:\s*(?:wrote|writes))?\s?:)",
    re.DOTALL,
)
_ANY_ATTRIBUTION = re.compile(r".*\b(?:wrote|writes|said)\s?:")
_CUT = re.compile(
    r"-{2,}\s*(?:original|forwarded)\s+(?:message|mail|appointment)\b.*-{2,}"
    r"|begin forwarded message:"
    r"|--\s?",
    re.IGNORECASE,
)
_HEADER_BLOCK_START = re.compile(r"\W*from:\W*\s\S", re.IGNORECASE)
_HEADER_BLOCK_LINE = re.compile(r"\W*(?:sent|date|to|cc|subject|reply-to):", re.IGNORECASE)
_DEVICE_LINE = re.compile(
    r"sent from my \S+(?: \S+){0,5}"
    r"|sent (?:from|via|with|using) .{0,40}\b"
    r"(?:mail|iphone|ipad|android|samsung|galaxy|blackberry|outlook|phone|mobile|windows)\b.{0,40}"
    r"|get outlook for .{1,40}",
    re.IGNORECASE,
)
_RULE = re.compile(r"[-_=*~]{5,}")


def own_words(body: str) -> str:
    """Keep what the author of a mail wrote."""
    lines = body.replace("\r\n", "\n").split("\n")
    kept: list[str] = []
    index = 0
    while index < len(lines) and not _cuts_off_the_rest(lines, index):
        attribution = _attribution_length(lines, index)
        if attribution:
            if not _quote_follows(lines, index + attribution):
                break  # quoted without marks, down to the end
            index += attribution
            continue
        if not _is_foreign(lines[index]):
            kept.append(lines[index].rstrip())
        index += 1
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _is_foreign(line: str) -> bool:
    text = line.strip()
    return (
        _is_quoted(line)
        or _RULE.fullmatch(text) is not None
        or _DEVICE_LINE.fullmatch(text) is not None
    )


def _cuts_off_the_rest(lines: list[str], index: int) -> bool:
    """Spot where a signature, a forwarded mail or an unmarked quotation begins."""
    if _CUT.fullmatch(lines[index]) or _CUT.fullmatch(lines[index].strip(" *")):
        return True
    if not _HEADER_BLOCK_START.match(lines[index]):
        return False
    following = lines[index + 1 : index + _MOST_HEADER_LINES]
    return sum(bool(_HEADER_BLOCK_LINE.match(line)) for line in following) >= _FEWEST_HEADERS


def _attribution_length(lines: list[str], index: int) -> int:
    """Count the lines of an "On … wrote:" that begins here; 0 where none does."""
    if not lines[index].strip() or len(lines[index]) > _LONGEST_ATTRIBUTION:
        return 0
    if _ANY_ATTRIBUTION.fullmatch(lines[index].strip()) and _quote_follows(lines, index + 1):
        return 1
    for length in range(1, _MOST_ATTRIBUTION_LINES + 1):
        span = [line.strip()[:_LONGEST_ATTRIBUTION] for line in lines[index : index + length]]
        if len(span) < length or not span[-1] or _is_quoted(span[-1]):
            return 0
        if _DATED_ATTRIBUTION.fullmatch("\n".join(span)):
            return length
    return 0


def _is_quoted(line: str) -> bool:
    # The end of an address, broken off: "<ann@example.org" and "> wrote:" below.
    return line.startswith(">") and line != "> wrote:"


def _quote_follows(lines: list[str], index: int) -> bool:
    while index < len(lines) and not lines[index].strip():
        index += 1
    return index < len(lines) and _is_quoted(lines[index])
