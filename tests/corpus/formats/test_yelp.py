import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tersely.corpus.document import ReadOptions
from tersely.corpus.formats.yelp import is_yelp, read_yelp
from tersely.corpus.streams import ByteMeter
from tersely.errors import TerselyError, UsageError
from tests.corpus.files import tar_bytes, zip_bytes

REVIEW_NAME = "yelp_academic_dataset_review.json"
BUSINESS_NAME = "yelp_academic_dataset_business.json"
BUSINESSES: list[dict[str, object]] = [
    {"business_id": "new", "categories": "Italian, Restaurants"},
    {"business_id": "old", "categories": ["Restaurants", "Thai"]},
    {"business_id": "bank", "categories": "Banks"},
    {"business_id": "none", "categories": None},
    {"business_id": "bare"},
]
REVIEWS = [
    {"business_id": name, "stars": 4, "text": f"Review of {name}."}
    for name in ("bank", "new", "none", "old", "bare", "unknown")
]
RESTAURANTS = ["Review of new.", "Review of old."]


def json_lines(records: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


MEMBERS = {
    "Dataset_User_Agreement.pdf": b"%PDF-1.4\x00",
    f"._{REVIEW_NAME}": b"\x00clutter",
    REVIEW_NAME: json_lines(REVIEWS),
    "yelp_academic_dataset_tip.json": b"not even JSON",
    BUSINESS_NAME: json_lines(BUSINESSES),
}


def write_zip(path: Path, members: Mapping[str, bytes]) -> None:
    path.write_bytes(zip_bytes(members))


def texts(path: Path, **options: Any) -> list[str]:
    documents = read_yelp(
        str(path), ReadOptions(**options), meter=ByteMeter(), on_skip=lambda _: None
    )
    return [document.text for document in documents]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / REVIEW_NAME).write_bytes(MEMBERS[REVIEW_NAME])
    (tmp_path / BUSINESS_NAME).write_bytes(MEMBERS[BUSINESS_NAME])
    return tmp_path


def test_only_restaurants_are_read_by_the_business_file_beside(folder: Path) -> None:
    assert texts(folder / REVIEW_NAME) == RESTAURANTS


def test_the_location_is_the_line_of_the_review(folder: Path) -> None:
    path = str(folder / REVIEW_NAME)
    first = next(read_yelp(path, ReadOptions(), meter=ByteMeter(), on_skip=print))
    assert first.location == f"{path}, line 2"


def test_both_files_may_be_compressed(tmp_path: Path) -> None:
    (tmp_path / f"{REVIEW_NAME}.gz").write_bytes(gzip.compress(MEMBERS[REVIEW_NAME]))
    (tmp_path / f"{BUSINESS_NAME}.gz").write_bytes(gzip.compress(MEMBERS[BUSINESS_NAME]))
    assert texts(tmp_path / f"{REVIEW_NAME}.gz") == RESTAURANTS


@pytest.mark.parametrize("data", [tar_bytes(MEMBERS), gzip.compress(tar_bytes(MEMBERS))])
def test_both_files_are_found_in_a_tar(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "yelp_dataset.tar"
    path.write_bytes(data)
    assert texts(path) == RESTAURANTS


def test_both_files_are_found_in_a_zip(tmp_path: Path) -> None:
    write_zip(tmp_path / "Yelp.zip", MEMBERS)
    assert texts(tmp_path / "Yelp.zip") == RESTAURANTS


def test_both_files_are_found_in_a_tar_inside_a_zip(tmp_path: Path) -> None:
    write_zip(tmp_path / "Yelp-JSON.zip", {"Yelp JSON/yelp_dataset.tar": tar_bytes(MEMBERS)})
    assert texts(tmp_path / "Yelp-JSON.zip") == RESTAURANTS


def test_the_business_file_can_be_named(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "shops.json"
    (folder / BUSINESS_NAME).rename(elsewhere)
    assert texts(folder / REVIEW_NAME, business=str(elsewhere)) == RESTAURANTS


def test_the_business_file_can_be_named_within_an_archive(folder: Path) -> None:
    (folder / BUSINESS_NAME).unlink()
    (folder / "all.tar").write_bytes(tar_bytes(MEMBERS))
    assert texts(folder / REVIEW_NAME, business=str(folder / "all.tar")) == RESTAURANTS


def test_other_categories_can_be_chosen_in_any_case(folder: Path) -> None:
    assert texts(folder / REVIEW_NAME, categories=("banks", "Thai")) == [
        "Review of bank.",
        "Review of old.",
    ]


@pytest.mark.parametrize("categories", [(), ("all",), ("All",)])
def test_all_reviews_can_be_read_without_a_business_file(
    folder: Path, categories: tuple[str, ...]
) -> None:
    (folder / BUSINESS_NAME).unlink()
    assert len(texts(folder / REVIEW_NAME, categories=categories)) == len(REVIEWS)


def test_a_missing_business_file_is_reported_with_two_ways_out(folder: Path) -> None:
    (folder / BUSINESS_NAME).unlink()
    with pytest.raises(UsageError, match=r"no business file.*--business .*--categories all"):
        texts(folder / REVIEW_NAME)


def test_the_business_file_may_be_beside_the_archive(folder: Path) -> None:
    (folder / "reviews.tar").write_bytes(tar_bytes({REVIEW_NAME: MEMBERS[REVIEW_NAME]}))
    assert texts(folder / "reviews.tar") == RESTAURANTS


def test_of_several_business_files_the_one_of_the_same_name_is_used(folder: Path) -> None:
    (folder / "other_business.json").write_bytes(b"{}")
    assert texts(folder / REVIEW_NAME) == RESTAURANTS
    (folder / BUSINESS_NAME).rename(folder / "third_business.json")
    with pytest.raises(UsageError, match="several business files beside it"):
        texts(folder / REVIEW_NAME)


def test_an_unknown_category_is_reported_with_the_closest_one(folder: Path) -> None:
    with pytest.raises(UsageError, match=r'categories "Resturants"\. Did you mean Restaurants\?'):
        texts(folder / REVIEW_NAME, categories=("Resturants",))


def test_files_of_different_releases_are_reported(folder: Path) -> None:
    (folder / REVIEW_NAME).write_bytes(json_lines([{"business_id": "x", "text": "y"}]))
    with pytest.raises(UsageError, match=r"none of its 1 reviews .*same release"):
        texts(folder / REVIEW_NAME)


def test_an_archive_without_reviews_is_reported(tmp_path: Path) -> None:
    (tmp_path / "yelp.tar").write_bytes(tar_bytes({BUSINESS_NAME: MEMBERS[BUSINESS_NAME]}))
    with pytest.raises(UsageError, match=r"yelp\.tar: no review file"):
        texts(tmp_path / "yelp.tar")


def test_a_bad_line_is_reported_with_its_location(folder: Path) -> None:
    (folder / REVIEW_NAME).write_bytes(json_lines(REVIEWS) + b"{oops\n")
    with pytest.raises(UsageError, match=rf"{REVIEW_NAME}, line 7: not JSON"):
        texts(folder / REVIEW_NAME)


def test_a_review_without_its_keys_is_reported_with_its_location(folder: Path) -> None:
    (folder / REVIEW_NAME).write_bytes(b'{"text": "x"}\n')
    with pytest.raises(UsageError, match=r'line 1: no column "business_id"'):
        texts(folder / REVIEW_NAME)


def test_a_tar_cut_short_is_reported(tmp_path: Path) -> None:
    (tmp_path / "yelp.tgz").write_bytes(gzip.compress(tar_bytes(MEMBERS))[:-60])
    with pytest.raises(TerselyError, match="ends too early"):
        texts(tmp_path / "yelp.tgz")


@pytest.mark.parametrize(
    ("name", "data", "answer"),
    [
        (REVIEW_NAME, b"{}", True),
        ("yelp_review.json.gz", b"", True),
        ("yelp_reviews.csv", b"text\n", False),
        ("reviews.json", b"{}", False),
        ("yelp_notes.txt", b"text", False),
        ("yelp_dataset.tar", tar_bytes(MEMBERS), True),
        ("dataset.tar", tar_bytes({"yelp/a.txt": b"", "yelp/review.json": b"{}"}), True),
        ("yelp.tar", tar_bytes({"notes.txt": b"a"}), False),
        ("notes.tar", tar_bytes({f"{n}.txt": b"a" for n in range(9)} | {REVIEW_NAME: b""}), False),
    ],
)
def test_the_dataset_is_detected_by_its_names(
    tmp_path: Path, name: str, data: bytes, answer: bool
) -> None:
    (tmp_path / name).write_bytes(data)
    assert is_yelp(str(tmp_path / name)) is answer
