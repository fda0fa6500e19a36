"""The Yelp Open Dataset: reviews of the businesses of chosen categories.

The review file refers to a business by its id; the business file contains the categories.
Uses the options `business`, `categories` and `encoding`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tersely.corpus.compression import without_compression_suffix
from tersely.corpus.document import Document, OnSkip, ReadOptions, closest_match
from tersely.corpus.formats.columns import cell_text
from tersely.corpus.formats.json import get_path, read_objects
from tersely.corpus.formats.lines import line_location
from tersely.corpus.open import file_size, open_files
from tersely.corpus.streams import ByteMeter, RawFile
from tersely.errors import UsageError

_ALL_CATEGORIES = "all"
_MAX_MEMBERS_CHECKED = 2  # of an archive without "yelp" in its name, as finding more may take long
_MAX_CATEGORIES_STORED = 10_000
_READ_ALL_HINT = "or pass --categories all to read every review"


def is_yelp(path: str) -> bool:
    """Return True if the file's name, or a member's name, is that of the Yelp reviews."""
    name = Path(path).name
    if "yelp" in name.lower() and _has_role(without_compression_suffix(name), "review"):
        return True
    if file_size(path) is None:
        return False  # a pipe can be opened only once
    is_named_yelp = False
    for position, file in enumerate(open_files(path, ByteMeter())):
        label = name + file.label.removeprefix(path)
        is_named_yelp = is_named_yelp or "yelp" in label.lower()
        if not file.is_member or (position + 1 == _MAX_MEMBERS_CHECKED and not is_named_yelp):
            return False
        if is_named_yelp and _has_role(file.name, "review"):
            return True
    return False


def read_yelp(
    path: str, options: ReadOptions, *, meter: ByteMeter, on_skip: OnSkip
) -> Iterator[Document]:
    """Yield the reviews of businesses of the chosen categories."""
    business_ids = _selected_businesses(path, options)
    has_reviews = False
    for file in open_files(path, meter):
        if file.is_member and not _has_role(file.name, "review"):
            continue
        has_reviews = True
        yield from _reviews(file, options, business_ids=business_ids, on_skip=on_skip)
    if not has_reviews:
        raise UsageError(
            f"{path}: no review file (yelp_academic_dataset_review.json) in this archive. "
            "Name the archive that contains it."
        )


def _reviews(
    file: RawFile, options: ReadOptions, *, business_ids: set[str] | None, on_skip: OnSkip
) -> Iterator[Document]:
    reviews = selected = 0
    for line, review in read_objects(file, options, on_skip=on_skip):
        location = line_location(file, line.number)
        reviews += 1
        if business_ids is not None:
            business_id = get_path(review, "business_id", location=location)
            if business_id not in business_ids:
                continue
        selected += 1
        value = get_path(review, "text", location=location)
        text = cell_text(value, column="text", location=location)
        if text.strip():
            yield Document(text, location)
    if reviews and not selected:
        raise UsageError(
            f"{file.label}: none of its {reviews} reviews is of a business in these categories. "
            f"Give the business file of the same release with --business, {_READ_ALL_HINT}."
        )


def _selected_businesses(path: str, options: ReadOptions) -> set[str] | None:
    """Return the ids of the businesses in the chosen categories; None for all businesses."""
    categories = {name.strip().casefold() for name in options.categories if name.strip()}
    if not categories or _ALL_CATEGORIES in categories:
        return None
    for source in _business_sources(path, options):
        for file in open_files(source, ByteMeter()):
            if not file.is_member and source == path:
                break  # the review file itself, not an archive
            if not file.is_member or _has_role(file.name, "business"):
                return _businesses_of(categories, file, options)
    raise UsageError(
        f"{path}: no business file in it or beside it, so the categories are unknown. "
        f"Give it with --business yelp_academic_dataset_business.json, {_READ_ALL_HINT}."
    )


def _business_sources(path: str, options: ReadOptions) -> Iterator[str]:
    """Yield the paths to search, the most likely first."""
    if options.business is not None:
        yield options.business
        return
    yield path
    siblings = sorted(
        str(other)
        for other in Path(path).parent.iterdir()
        if other.is_file() and _has_role(without_compression_suffix(other.name), "business")
    )
    if len(siblings) > 1:
        twin = re.sub("review", "business", Path(path).name, flags=re.IGNORECASE)
        siblings = [other for other in siblings if Path(other).name == twin] or siblings
    if len(siblings) > 1:
        raise UsageError(
            f"{path}: several business files beside it ({', '.join(siblings)}). "
            "Name the right one with --business."
        )
    yield from siblings


def _businesses_of(categories: set[str], file: RawFile, options: ReadOptions) -> set[str]:
    business_ids: set[str] = set()
    seen: dict[str, str] = {}  # case-folded name: name
    for line, business in read_objects(file, options, on_skip=lambda _: None):
        location = line_location(file, line.number)
        names = _category_names(business.get("categories"))
        if len(seen) < _MAX_CATEGORIES_STORED:
            seen.update((name.casefold(), name) for name in names)
        if not categories.isdisjoint(name.casefold() for name in names):
            business_id = get_path(business, "business_id", location=location)
            business_ids.add(cell_text(business_id, column="business_id", location=location))
    if not business_ids:
        requested = ", ".join(options.categories)
        match = closest_match(options.categories[0], list(seen.values()))
        hint = f"Did you mean {match}? " if match else ""
        raise UsageError(
            f'{file.label}: no business in the categories "{requested}". {hint}'
            f"Name others with --categories, {_READ_ALL_HINT}."
        )
    return business_ids


def _category_names(value: object) -> list[str]:
    """Return the names from a list (older releases) or a comma-separated string (newer ones)."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return []
    return [name.strip() for name in value if isinstance(name, str)]


def _has_role(name: str, role: str) -> bool:
    return re.search(rf"{role}[^/]*\.(?:json|jsonl|ndjson)$", name, re.IGNORECASE) is not None
