"""The Yelp Open Dataset: reviews of the businesses of chosen categories.

The review file names a business by its id; what that business is, the
business file says. Heeds `business`, `categories` and `encoding`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tersely.corpus.formats.columns import text_of
from tersely.corpus.formats.compression import without_compression_suffix
from tersely.corpus.formats.document import Document, OnSkipped
from tersely.corpus.formats.json import find, read_objects
from tersely.corpus.formats.lines import place
from tersely.corpus.formats.opening import file_size, open_files
from tersely.corpus.formats.options import ReadOptions, nearest
from tersely.corpus.formats.progress import Meter
from tersely.corpus.formats.streams import RawFile
from tersely.errors import UsageError

_EVERYTHING = "all"
_MEMBERS_LOOKED_AT = 2  # of an archive that does not say yelp: looking further may take long
_MOST_CATEGORIES_REMEMBERED = 10_000
_TAKE_EVERYTHING = "or pass --categories all to take every review"


def is_yelp(path: str) -> bool:
    """Tell the dataset by file names: the file's own, or those of an archive's members."""
    name = Path(path).name
    if "yelp" in name.lower() and _has_role(without_compression_suffix(name), "review"):
        return True
    if file_size(path) is None:
        return False  # a pipe can be opened only once
    says_yelp = False
    for position, file in enumerate(open_files(path, Meter())):
        label = name + file.shown.removeprefix(path)
        says_yelp = says_yelp or "yelp" in label.lower()
        if not file.member or (position + 1 == _MEMBERS_LOOKED_AT and not says_yelp):
            return False
        if says_yelp and _has_role(file.name, "review"):
            return True
    return False


def read_yelp(
    path: str, options: ReadOptions, *, meter: Meter, on_skipped: OnSkipped
) -> Iterator[Document]:
    """Yield the reviews of businesses of the chosen categories."""
    wanted = _wanted_businesses(path, options)
    found_reviews = False
    for file in open_files(path, meter):
        if file.member and not _has_role(file.name, "review"):
            continue
        found_reviews = True
        yield from _reviews(file, options, wanted=wanted, on_skipped=on_skipped)
    if not found_reviews:
        raise UsageError(
            f"{path}: no review file (yelp_academic_dataset_review.json) in this archive. "
            "Name the archive that has it."
        )


def _reviews(
    file: RawFile, options: ReadOptions, *, wanted: set[str] | None, on_skipped: OnSkipped
) -> Iterator[Document]:
    reviews = kept = 0
    for line, review in read_objects(file, options, on_skipped=on_skipped):
        where = place(file, line.number)
        reviews += 1
        if wanted is not None and find(review, "business_id", place=where) not in wanted:
            continue
        kept += 1
        text = text_of(find(review, "text", place=where), column="text", place=where)
        if text.strip():
            yield Document(text, where)
    if reviews and not kept:
        raise UsageError(
            f"{file.shown}: none of its {reviews} reviews is of a business of these categories. "
            f"Give the business file of the same release with --business, {_TAKE_EVERYTHING}."
        )


def _wanted_businesses(path: str, options: ReadOptions) -> set[str] | None:
    """Collect the ids of the businesses wanted; None: all of them."""
    categories = {name.strip().casefold() for name in options.categories if name.strip()}
    if not categories or _EVERYTHING in categories:
        return None
    for source in _business_sources(path, options):
        for file in open_files(source, Meter()):
            if not file.member and source == path:
                break  # the reviews themselves: not an archive
            if not file.member or _has_role(file.name, "business"):
                return _businesses_of(categories, file, options)
    raise UsageError(
        f"{path}: no business file in it or beside it to tell the categories. "
        f"Give it with --business yelp_academic_dataset_business.json, {_TAKE_EVERYTHING}."
    )


def _business_sources(path: str, options: ReadOptions) -> Iterator[str]:
    """Name the places to look, the likeliest first."""
    if options.business is not None:
        yield options.business
        return
    yield path
    beside = sorted(
        str(other)
        for other in Path(path).parent.iterdir()
        if other.is_file() and _has_role(without_compression_suffix(other.name), "business")
    )
    if len(beside) > 1:
        twin = re.sub("review", "business", Path(path).name, flags=re.IGNORECASE)
        beside = [other for other in beside if Path(other).name == twin] or beside
    if len(beside) > 1:
        raise UsageError(
            f"{path}: several business files beside it ({', '.join(beside)}). "
            "Name the right one with --business."
        )
    yield from beside


def _businesses_of(categories: set[str], file: RawFile, options: ReadOptions) -> set[str]:
    wanted: set[str] = set()
    seen: dict[str, str] = {}  # folded name: name
    for line, business in read_objects(file, options, on_skipped=lambda _: None):
        where = place(file, line.number)
        names = _category_names(business.get("categories"))
        if len(seen) < _MOST_CATEGORIES_REMEMBERED:
            seen.update((name.casefold(), name) for name in names)
        if not categories.isdisjoint(name.casefold() for name in names):
            business_id = find(business, "business_id", place=where)
            wanted.add(text_of(business_id, column="business_id", place=where))
    if not wanted:
        asked = ", ".join(options.categories)
        close = nearest(options.categories[0], list(seen.values()))
        hint = f"Did you mean {close}? " if close else ""
        raise UsageError(
            f'{file.shown}: no business of the categories "{asked}". {hint}'
            f"Name others with --categories, {_TAKE_EVERYTHING}."
        )
    return wanted


def _category_names(value: object) -> list[str]:
    """Read both spellings: a list in older releases, one string with commas in newer ones."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return []
    return [name.strip() for name in value if isinstance(name, str)]


def _has_role(name: str, role: str) -> bool:
    return re.search(rf"{role}[^/]*\.(?:json|jsonl|ndjson)$", name, re.IGNORECASE) is not None
