"""The first page in a browser with an empty cache: requests, and bytes over the wire."""

from __future__ import annotations

import json
from typing import TypedDict

from playwright.sync_api import CDPSession, sync_playwright

from bench.processes import windowpane
from tests import machine


class Finished(TypedDict):
    encodedDataLength: float


def watch(session: CDPSession) -> list[float]:
    sizes: list[float] = []

    def finished(event: Finished) -> None:
        sizes.append(event["encodedDataLength"])

    # Playwright leaves the type of the parameters open.
    session.send("Network.enable")  # pyright: ignore[reportUnknownMemberType]
    session.on("Network.loadingFinished", finished)
    return sizes


def main() -> None:
    chromium = machine.chromium()
    if chromium is None:
        raise SystemExit(machine.CHROMIUM_MISSING)
    with windowpane(base_url="http://127.0.0.1:9/v1") as (_, entrance), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        sizes = watch(page.context.new_cdp_session(page))
        page.goto(entrance, wait_until="load")
        page.wait_for_timeout(500)
        browser.close()
    print(
        json.dumps(
            {
                "bench": "page",
                "requests": len(sizes),
                "transferred_kilobytes": round(sum(sizes) / 1000, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
