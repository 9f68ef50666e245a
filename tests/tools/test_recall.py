"""What the model gets from ``recall``: hits with handles, and pages of a whole."""

from datetime import UTC, datetime

from windowpane.tools.base import Result, Surroundings
from windowpane.tools.history import Excerpt, Hit, Hits
from windowpane.tools.recall import READ_CHARACTERS, RECALL

AT = datetime(2026, 11, 2, 9, 13, tzinfo=UTC)
LONG = "".join(f"line {number}\n" for number in range(3_000))


class Past:
    """A history of one turn and one long output."""

    async def search(self, query: str, *, limit: int) -> Hits:
        if "ledger" not in query:
            return Hits(best=(), has_more=False)
        hit = Hit(
            handle="trn_1",
            number=14,
            at=AT,
            is_left=True,
            excerpts=(Excerpt(role="user", text="Which ledger?"),),
        )
        return Hits(best=(hit,) * min(limit, 3), has_more=limit < 3)

    async def read(self, handle: str) -> str | None:
        return {"trn_1": "user:\nWhich ledger?", "out_1": LONG}.get(handle)


async def recalled(**arguments: object) -> Result:
    surroundings = Surroundings(chat_id="cht_1", turn_id="trn_2", history=Past())
    steps = [
        step async for step in RECALL.execute(arguments, options={}, surroundings=surroundings)
    ]
    [result] = steps
    assert isinstance(result, Result)
    return result


async def test_a_search_tells_where_and_when_and_how_to_read_on() -> None:
    result = await recalled(query="the ledger", limit=2)
    assert not result.is_error
    first = 'The best 2 turns of this chat for "the ledger"; there are more:'
    assert result.text.startswith(first)
    assert (await recalled(query="the ledger")).text.startswith("3 turns of this chat for")
    assert "Turn 14, 2026-11-02 09:13 UTC, on a branch that was left, handle trn_1" in result.text
    assert "  user: Which ledger?" in result.text


async def test_a_search_that_finds_nothing_says_so() -> None:
    result = await recalled(query="penguins")
    assert (result.text, result.is_error) == (
        'Nothing in this chat fits "penguins". Try other or fewer words.',
        False,
    )


async def test_a_long_text_is_read_in_pages_that_join_without_a_gap() -> None:
    read, offset = "", 0
    while True:
        page = (await recalled(handle="out_1", offset=offset)).text
        text, _, note = page.partition("\n\n[Characters ")
        read += text
        if not note:
            break
        offset += READ_CHARACTERS
        assert note.endswith(f"Go on with offset {offset}.]")
    assert read == LONG


async def test_what_cannot_be_read_is_explained() -> None:
    unknown = await recalled(handle="trn_9")
    assert unknown.is_error and "nothing with the handle trn_9" in unknown.text
    behind = await recalled(handle="trn_1", offset=900)
    assert behind.is_error and "ends at character 19" in behind.text
    for arguments in ({}, {"query": "ledger", "handle": "trn_1"}):
        both = await recalled(**arguments)
        assert (both.text, both.is_error) == ("Give either query or handle.", True)


def test_a_call_is_shown_by_what_it_looks_for() -> None:
    assert RECALL.input_drawing('{"query": "the\\nledger"}').title == "the ledger"
    assert RECALL.input_drawing('{"handle": "trn_1"}').title == '{"handle": "trn_1"}'
    broken = RECALL.input_drawing('{"query": ')
    assert (broken.text, broken.language) == ('{"query": ', "")
