"""Whatever happens to a history, the index answers as if every text had been read anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from tests.agent.plain_search import plain_search
from tests.agent.searching import Histories, find, outcome
from tests.workspaces import KEY
from windowpane.agent import search as searching
from windowpane.agent.search import Search, SearchScope
from windowpane.search import merging
from windowpane.storage.base import Delete, Table
from windowpane.storage.memory import MemoryStore
from windowpane.storage.shelves import TOP, TURNS, left_of
from windowpane.storage.vault import Vault

WORDS = (
    "key keys payment paid pay ran running run yesterday the retry_limit retryLimit loop.py "
    "漢字仮名 仮名 naïve naive group support"
).split()
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
queries = st.one_of(
    texts,
    texts.map("When did {}?".format),
    texts.map('"{}"'.format),
    st.tuples(texts, st.sampled_from(WORDS)).map(lambda two: f"{two[0]} -{two[1]}"),
    st.sampled_from(["pa*", "ru* key", "仮", "retry*", "-key pa*", "yesterday", '"the key" run*']),
)
ACTS = (
    "turn turn turn turn open end branch rename chat project delete_turn delete_chat "
    "delete_project delete_caches lose_segment other_process"
).split()


class Step(Struct, frozen=True):
    act: str
    number: int
    texts: tuple[str, str, str]
    query: str
    scope: str


steps = st.builds(
    Step,
    act=st.sampled_from(ACTS),
    number=st.integers(0, 99),
    texts=st.tuples(texts, texts, texts),
    query=queries,
    scope=st.sampled_from(["everything", "project", "chat"]),
)


@pytest.fixture(autouse=True)
def small_segments() -> Iterator[None]:
    """So small that a few turns fill, merge and dissolve them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "SMALL_TURNS", 3)
        patch.setattr(merging, "FULL_TURNS", 6)
        patch.setattr(searching, "TURNS_PER_SEARCH", 4)
        yield


class Life:
    """A vault that things happen to, and a process that has searched it all the time."""

    def __init__(self) -> None:
        self.vault = Vault(MemoryStore(), key=KEY)
        self.histories = Histories(self.vault)
        self.search = Search(self.vault)

    async def ids(self, table: Table, *parent_ids: str) -> list[str]:
        found = [
            await self.vault.store.child_ids(table, parent_id, from_position=None)
            for parent_id in parent_ids
        ]
        return [id for ids in found for id in ids]

    async def happen(self, step: Step) -> None:
        projects = await self.ids("projects", TOP)
        if step.act == "project" or not projects:
            await self.histories.chat(await self.histories.project())
        elif step.act == "delete_caches":
            await self.histories.delete_caches()
        elif step.act == "lose_segment":
            await self._lose(_one(await self.ids("segments", *projects), step.number))
        elif step.act == "other_process":
            self.search = Search(self.vault)
        elif step.act == "delete_project":
            await self.histories.delete_project(_one(projects, step.number) or "")
        else:
            await self._happen_to_chat(step, chats=await self.ids("chats", *projects))

    async def _lose(self, id: str | None) -> None:
        if id is not None:
            await self.vault.commit([Delete(table="segments", id=id, expected_version=None)])

    async def _happen_to_chat(self, step: Step, *, chats: list[str]) -> None:
        chat_id = _one(chats, step.number)
        asked, answered, tool = step.texts
        if step.act == "chat" or chat_id is None:
            project_id = _one(await self.ids("projects", TOP), step.number) or ""
            await self.histories.chat(project_id, title=asked)
        elif step.act == "turn":
            await self.histories.turn(chat_id, asked, answered, tool=tool)
        elif step.act == "open":
            await self.histories.turn(chat_id, asked, state="sending")
        elif step.act == "branch":
            await self.histories.turn(chat_id, asked, answered, depth=step.number % 3)
        elif step.act == "rename":
            await self.histories.rename(chat_id, asked)
        elif step.act == "delete_chat":
            await self.histories.delete_chat(chat_id)
        else:
            turns = await self.ids("turns", chat_id, left_of(chat_id))
            await self._happen_to_turn(step, _one(turns, step.number))

    async def _happen_to_turn(self, step: Step, turn_id: str | None) -> None:
        if turn_id is None:
            return
        if step.act == "delete_turn":
            await self.histories.delete_turn(turn_id)
        elif (await self.vault.get(TURNS, turn_id)).value.state == "sending":
            await self.histories.end(turn_id, step.texts[0])

    async def scope(self, step: Step) -> SearchScope:
        projects = await self.ids("projects", TOP)
        match step.scope:
            case "project":
                return SearchScope(project_id=_one(projects, step.number))
            case "chat":
                return SearchScope(chat_id=_one(await self.ids("chats", *projects), step.number))
            case _:
                return SearchScope()


def _one(ids: list[str], number: int) -> str | None:
    return ids[number % len(ids)] if ids else None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=1, max_size=25))
async def test_search_finds_what_reading_everything_would_find(story: list[Step]) -> None:
    life = Life()
    for step in story:
        await life.happen(step)
        scope = await life.scope(step)
        found = await find(life.search, step.query, scope)
        assert outcome(found) == await plain_search(life.vault, step.query, scope)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=5, max_size=25), queries)
async def test_an_index_that_was_never_looked_at_catches_up_at_once(
    story: list[Step], query: str
) -> None:
    life = Life()
    for step in story:
        await life.happen(step)
    before = outcome(await find(life.search, query))
    assert before == await plain_search(life.vault, query, SearchScope())
    await life.histories.delete_caches()
    assert outcome(await find(Search(life.vault), query)) == before
