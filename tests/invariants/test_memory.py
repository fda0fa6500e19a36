"""Memory does not grow with the corpus: prepare on a generated Yelp-like file."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tersely.corpus.dataset import PreparedCorpus
from tersely.corpus.fixture import fixture_sentences

GIB = 1 << 30


def write_yelp_like(folder: Path, size: int) -> int:
    """Write reviews of five to twenty sentences until the file has `size` bytes."""
    rng = random.Random(1)
    pool = [sentence for sentence in fixture_sentences(50_000) if sentence.isascii()]
    with (folder / "yelp_academic_dataset_business.json").open("w") as file:
        for number in range(1000):
            categories = "Restaurants, Food" if number % 3 else "Dentists"
            file.write(
                json.dumps({"business_id": f"b{number:021d}", "categories": categories}) + "\n"
            )
    written = reviews = 0
    with (folder / "yelp_academic_dataset_review.json").open("w") as file:
        while written < size:
            own = " ".join(rng.choices(pool, k=rng.randint(5, 20)))
            # New words keep coming, as they do in life.
            text = f"{own} We met w{rng.randrange(10**9):x} there."
            row = {
                "review_id": reviews,
                "business_id": f"b{rng.randrange(1000):021d}",
                "text": text,
            }
            written += file.write(json.dumps(row) + "\n")
            reviews += 1
    return reviews


def resident_bytes(process: int) -> int:
    """Memory of a process and all below it; pages they share are counted once a process."""
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            group = int(status[2])
            if group == process:
                total += int((entry / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            continue
    return total


def prepare_and_watch(folder: Path) -> int:
    """Run prepare as a process group of its own; return the most memory it ever had."""
    source = folder / "yelp_academic_dataset_review.json"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tersely", "prepare", str(source)),
            *("--out", str(folder / "out"), "--processes", "2"),
        ],
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    most = 0
    while process.poll() is None:
        most = max(most, resident_bytes(process.pid))
        time.sleep(0.1)
    assert process.returncode == 0
    return most


def check(folder: Path, size: int) -> None:
    reviews = write_yelp_like(folder, size)
    assert prepare_and_watch(folder) < GIB
    summary = PreparedCorpus.open(folder / "out").summary
    assert summary["documents"] == pytest.approx(reviews * 0.666, rel=0.05)  # restaurants only
    assert summary["splits"]["train"]["sentences"] > 5 * summary["documents"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is read from /proc")
def test_prepare_stays_below_a_gibibyte(tmp_path: Path) -> None:
    check(tmp_path, 20 << 20)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is read from /proc")
def test_prepare_stays_below_a_gibibyte_on_two_gigabytes(tmp_path: Path) -> None:
    check(tmp_path, 2 * 10**9)
