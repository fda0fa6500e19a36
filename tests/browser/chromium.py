"""A Chromium for the browser tests: Debian's where it is, else Playwright's own.

The tests only look for one. `python -m tests.browser.chromium` installs one where that needs no
password; where none can be had it says so, and the tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
INSTALL_SECONDS = 180


def find_chromium() -> Path | None:
    """The browser's executable, if there is one."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    return playwrights_own()


def playwrights_own() -> Path | None:
    """The one `playwright install chromium` puts in the user's cache."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return own if own.exists() else None


def install() -> None:
    """Try the ways that ask nobody for a password, the system's first."""
    ways = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        ways = [["apt-get", "update"], ["apt-get", "install", "--yes", "chromium"], *ways]
    for way in ways:
        try:
            subprocess.run(way, check=False, timeout=INSTALL_SECONDS, capture_output=True)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if find_chromium():
            return


if __name__ == "__main__":
    if find_chromium() is None:
        install()
    print(find_chromium() or "No Chromium can be had here: the browser tests will be skipped.")
