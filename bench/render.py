"""What drawing costs: a reply of 15 kB whole, and the same streamed in 20-character deltas.

The floor of the whole reply is comrak and nh3 alone, without code, formulas or streaming, in the
same run. Streaming ten times the text should cost about ten times as much.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import comrak
import msgspec
import nh3

from windowpane.render import StreamRenderer, markdown_html

REPLY_CHARS = 15_000
DELTA_CHARS = 20
ROUNDS = 25

PARAGRAPH = (
    "A plan is **one value**: the page draws it, the command line prints it, and `to_wire` accepts "
    "nothing else. It names every turn with its state and its reason, so that whoever asks why an "
    "answer forgot something gets a sentence and not a shrug. See [the notes](https://example.org/"
    "notes) for the details, and mind that *estimates* are shown as such.\n\n"
)
SECTION = (
    "## What a section of a reply is made of\n\n"
    + PARAGRAPH * 3
    + "1. First it reads the turns, newest first.\n2. Then it stops where the budget ends.\n"
    "   - pinned turns are in before\n   - skipped ones are not\n3. Then it says so.\n\n"
    + "| state | sent | why |\n| --- | :-: | --- |\n| current | yes | it is the draft |\n"
    "| trimmed | no | the draft is larger than the allowance |\n\n"
    + "```python\ndef usable(window: int, *, reserve: int) -> int:\n"
    '    """What is left for history."""\n'
    "    return window - reserve - window // 20  # five percent\n```\n\n"
    + "The reserve is $r = \\min(m, w/2)$ and the rest follows.\n\n"
    + PARAGRAPH * 2
)


def text_of(chars: int) -> str:
    return (SECTION * (chars // len(SECTION) + 1))[:chars]


def seconds(work: Callable[[], object], *, rounds: int) -> float:
    """The quickest of several rounds, in CPU seconds: other work does not count."""
    best = float("inf")
    for _ in range(rounds):
        started = process_time()
        work()
        best = min(best, process_time() - started)
    return best


def floor_html(text: str) -> str:
    return nh3.clean(comrak.render_markdown(text))


def stream(text: str) -> None:
    renderer = StreamRenderer()
    for start in range(0, len(text), DELTA_CHARS):
        renderer.feed(text[start : start + DELTA_CHARS])
    renderer.finish()


def main() -> None:
    reply, long_reply = text_of(REPLY_CHARS), text_of(10 * REPLY_CHARS)
    paragraphs = (PARAGRAPH * (REPLY_CHARS // len(PARAGRAPH) + 1))[:REPLY_CHARS]
    code = "```python\n" + "total = sum(sizes.values())  # all of them\n" * 5_000
    whole = seconds(lambda: markdown_html(reply), rounds=ROUNDS)
    floor = seconds(lambda: floor_html(reply), rounds=ROUNDS)
    streamed = seconds(lambda: stream(reply), rounds=5)
    streamed_long = seconds(lambda: stream(long_reply), rounds=2)
    streamed_paragraphs = seconds(lambda: stream(paragraphs), rounds=5)
    formulas = [f"$x_{{{number}}} = \\frac{{1}}{{{number}}}$\n\n" for number in range(200)]
    new_formulas = seconds(lambda: markdown_html("".join(formulas)), rounds=1)
    streamed_code = seconds(lambda: stream(code), rounds=1)
    feeds = REPLY_CHARS / DELTA_CHARS
    numbers = {
        "bench": "render",
        "reply_ms": round(whole * 1e3, 2),
        "comrak_nh3_ms": round(floor * 1e3, 2),
        "reply_ratio": round(whole / floor, 2),
        "stream_15kB_ms": round(streamed * 1e3, 1),
        "stream_150kB_ms": round(streamed_long * 1e3, 1),
        "stream_growth_ratio": round(streamed_long / streamed, 1),
        "new_formula_ms": round(new_formulas / len(formulas) * 1e3, 2),
        "feed_us": round(streamed / feeds * 1e6, 1),
        "feed_paragraph_us": round(streamed_paragraphs / feeds * 1e6, 1),
        "feed_5000_line_code_us": round(streamed_code / (len(code) / DELTA_CHARS) * 1e6, 1),
    }
    print(msgspec.json.encode(numbers).decode())


if __name__ == "__main__":
    main()
