"""Finds or installs Chromium for the browser tests: the system's, or else Playwright's.

The tests only look for it and are skipped without it. `python -m tests.browser.chromium`
installs it, if that needs no password.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
INSTALL_SECONDS = 180


def find_chromium() -> Path | None:
    """Return the path of the executable, or None."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return Path(path)
    return find_playwright_chromium()


def find_playwright_chromium() -> Path | None:
    """Return the one that `playwright install chromium` has installed, or None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


def install() -> None:
    """Install Chromium with the system's package manager, or else with Playwright."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        commands = [["apt-get", "update"], ["apt-get", "install", "--yes", "chromium"], *commands]
    for command in commands:
        try:
            subprocess.run(command, check=False, timeout=INSTALL_SECONDS, capture_output=True)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if find_chromium():
            return


if __name__ == "__main__":
    if find_chromium() is None:
        install()
    print(find_chromium() or "Chromium cannot be installed: the browser tests will be skipped.")
