import gzip
import io
import json
import tarfile
import zipfile

import pytest

from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.progress import Meter
from tersely.corpus.formats.yelp import is_yelp, read_yelp
from tersely.errors import TerselyError, UsageError

REVIEW_NAME = "yelp_academic_dataset_review.json"
BUSINESS_NAME = "yelp_academic_dataset_business.json"
BUSINESSES = [
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


def json_lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


MEMBERS = {
    "Dataset_User_Agreement.pdf": b"%PDF-1.4\x00",
    f"._{REVIEW_NAME}": b"\x00clutter",
    REVIEW_NAME: json_lines(REVIEWS),
    "yelp_academic_dataset_tip.json": b"not even JSON",
    BUSINESS_NAME: json_lines(BUSINESSES),
}


def tarred(members=MEMBERS):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def write_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def texts(path, **options):
    documents = read_yelp(
        str(path), ReadOptions(**options), meter=Meter(), on_skipped=lambda _: None
    )
    return [document.text for document in documents]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / REVIEW_NAME).write_bytes(MEMBERS[REVIEW_NAME])
    (tmp_path / BUSINESS_NAME).write_bytes(MEMBERS[BUSINESS_NAME])
    return tmp_path


def test_only_restaurants_are_kept_by_the_file_beside(folder):
    assert texts(folder / REVIEW_NAME) == RESTAURANTS


def test_the_place_is_the_line_of_the_review(folder):
    path = str(folder / REVIEW_NAME)
    first = next(read_yelp(path, ReadOptions(), meter=Meter(), on_skipped=print))
    assert first.place == f"{path}, line 2"


def test_both_files_may_be_compressed(tmp_path):
    (tmp_path / f"{REVIEW_NAME}.gz").write_bytes(gzip.compress(MEMBERS[REVIEW_NAME]))
    (tmp_path / f"{BUSINESS_NAME}.gz").write_bytes(gzip.compress(MEMBERS[BUSINESS_NAME]))
    assert texts(tmp_path / f"{REVIEW_NAME}.gz") == RESTAURANTS


@pytest.mark.parametrize("pack", [tarred, lambda: gzip.compress(tarred())])
def test_both_files_are_found_in_a_tar(tmp_path, pack):
    path = tmp_path / "yelp_dataset.tar"
    path.write_bytes(pack())
    assert texts(path) == RESTAURANTS


def test_both_files_are_found_in_a_zip(tmp_path):
    write_zip(tmp_path / "Yelp.zip", MEMBERS)
    assert texts(tmp_path / "Yelp.zip") == RESTAURANTS


def test_both_files_are_found_in_a_tar_inside_a_zip(tmp_path):
    write_zip(tmp_path / "Yelp-JSON.zip", {"Yelp JSON/yelp_dataset.tar": tarred()})
    assert texts(tmp_path / "Yelp-JSON.zip") == RESTAURANTS


def test_the_business_file_can_be_named(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "shops.json"
    (folder / BUSINESS_NAME).rename(elsewhere)
    assert texts(folder / REVIEW_NAME, business=str(elsewhere)) == RESTAURANTS


def test_the_business_file_can_be_named_within_an_archive(folder):
    (folder / BUSINESS_NAME).unlink()
    (folder / "all.tar").write_bytes(tarred())
    assert texts(folder / REVIEW_NAME, business=str(folder / "all.tar")) == RESTAURANTS


def test_other_categories_can_be_asked_for_in_any_case(folder):
    assert texts(folder / REVIEW_NAME, categories=("banks", "Thai")) == [
        "Review of bank.",
        "Review of old.",
    ]


@pytest.mark.parametrize("categories", [(), ("all",), ("All",)])
def test_every_review_can_be_taken_without_a_business_file(folder, categories):
    (folder / BUSINESS_NAME).unlink()
    assert len(texts(folder / REVIEW_NAME, categories=categories)) == len(REVIEWS)


def test_no_business_file_is_told_with_two_ways_out(folder):
    (folder / BUSINESS_NAME).unlink()
    with pytest.raises(UsageError, match=r"no business file.*--business .*--categories all"):
        texts(folder / REVIEW_NAME)


def test_an_archive_without_business_file_looks_beside_itself(folder):
    (folder / "reviews.tar").write_bytes(tarred({REVIEW_NAME: MEMBERS[REVIEW_NAME]}))
    assert texts(folder / "reviews.tar") == RESTAURANTS


def test_of_several_business_files_the_one_of_the_same_name_is_taken(folder):
    (folder / "other_business.json").write_bytes(b"{}")
    assert texts(folder / REVIEW_NAME) == RESTAURANTS
    (folder / BUSINESS_NAME).rename(folder / "third_business.json")
    with pytest.raises(UsageError, match="several business files beside it"):
        texts(folder / REVIEW_NAME)


def test_a_category_no_business_has_is_told_with_the_nearest(folder):
    with pytest.raises(UsageError, match=r'categories "Resturants"\. Did you mean Restaurants\?'):
        texts(folder / REVIEW_NAME, categories=("Resturants",))


def test_files_of_different_releases_are_told(folder):
    (folder / REVIEW_NAME).write_bytes(json_lines([{"business_id": "x", "text": "y"}]))
    with pytest.raises(UsageError, match=r"none of its 1 reviews .*same release"):
        texts(folder / REVIEW_NAME)


def test_an_archive_without_reviews_is_told(tmp_path):
    (tmp_path / "yelp.tar").write_bytes(tarred({BUSINESS_NAME: MEMBERS[BUSINESS_NAME]}))
    with pytest.raises(UsageError, match=r"yelp\.tar: no review file"):
        texts(tmp_path / "yelp.tar")


def test_a_bad_line_is_told_with_its_place(folder):
    (folder / REVIEW_NAME).write_bytes(json_lines(REVIEWS) + b"{oops\n")
    with pytest.raises(UsageError, match=rf"{REVIEW_NAME}, line 7: not JSON"):
        texts(folder / REVIEW_NAME)


def test_a_review_without_its_keys_is_told_with_its_place(folder):
    (folder / REVIEW_NAME).write_bytes(b'{"text": "x"}\n')
    with pytest.raises(UsageError, match=r'line 1: no column "business_id"'):
        texts(folder / REVIEW_NAME)


def test_a_tar_cut_short_is_told(tmp_path):
    (tmp_path / "yelp.tgz").write_bytes(gzip.compress(tarred())[:-60])
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
        ("yelp_dataset.tar", tarred(), True),
        ("dataset.tar", tarred({"yelp/a.txt": b"", "yelp/review.json": b"{}"}), True),
        ("yelp.tar", tarred({"notes.txt": b"a"}), False),
        ("notes.tar", tarred({f"{n}.txt": b"a" for n in range(9)} | {REVIEW_NAME: b""}), False),
    ],
)
def test_the_dataset_is_told_by_its_names(tmp_path, name, data, answer):
    (tmp_path / name).write_bytes(data)
    assert is_yelp(str(tmp_path / name)) is answer
