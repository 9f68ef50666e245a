"""From the command to the first page: ours against a bare litestar app, in the same run.

Warm: a vault exists and the files are in the machine's cache. Prints one JSON line.
"""

from __future__ import annotations

import json
import statistics
import time
from contextlib import AbstractContextManager
from urllib.parse import urljoin

from bench.processes import Process, bare, windowpane_again
from tests.http import Client

ROUNDS = 7


def bare_seconds() -> float:
    begun = time.perf_counter()
    with bare() as process:
        process.until_it_answers("/")
        return time.perf_counter() - begun


def our_seconds(starting: AbstractContextManager[Process], cookie: str) -> tuple[float, float]:
    """Until the page of the last chat is read, and the memory in use then."""
    begun = time.perf_counter()
    with starting as process:
        process.line()
        client = Client(process.address)
        client.cookie = cookie
        home = client.get("/", {"accept": "text/html"})
        page = client.get(urljoin("/", home.headers["location"]), {"accept": "text/html"})
        assert page.status == 200, page
        return time.perf_counter() - begun, process.memory_megabytes()


def main() -> None:
    with windowpane_again() as (start, cookie):
        rounds = [(our_seconds(start(), cookie), bare_seconds()) for _ in range(ROUNDS)]
    ours = statistics.median(seconds for (seconds, _), _ in rounds)
    theirs = statistics.median(seconds for _, seconds in rounds)
    result = {
        "bench": "start",
        "first_page_seconds": round(ours, 3),
        "bare_litestar_seconds": round(theirs, 3),
        "ratio": round(ours / theirs, 2),
        "memory_after_first_page_megabytes": max(memory for (_, memory), _ in rounds),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
