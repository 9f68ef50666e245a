"""The person's browser, if there is one to open."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser


def open_browser(address: str) -> None:
    """In a thread that nobody waits for: some browsers end only when they are closed."""
    if _has_screen():
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _has_screen() -> bool:
    """Without a screen Python would find a text browser, which takes the terminal over."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
