"""A workspace against a tree in memory: random acts of a person, and what must always hold.

``Tree`` is the model: turns with parents, some of them deleted, and a tip. Everything that the
product shows of a chat follows from it. Each rule does one act through the workspace and the same
to the tree; the invariants then compare. To add an act, add a rule; to add a promise, add an
invariant.
"""

import asyncio
import tempfile
from collections.abc import Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.workspaces import KEY, put_forward, script, settings_in, until_ended
from windowpane.accounting import Cost, totals_of
from windowpane.agent.branching import Step
from windowpane.agent.chat_page import ChatPage
from windowpane.agent.turns import TurnMarks
from windowpane.asking import AskAgain, PlanRequest, SendRequest
from windowpane.catalog.overrides import ModelOverride
from windowpane.catalog.prices import PriceValues, Rate
from windowpane.context.replay import sent_depths
from windowpane.definitions import ModelInfo
from windowpane.deletions import Deletion
from windowpane.errors import Failure, NotFound, TooLateToUndo
from windowpane.events import TurnEnded
from windowpane.providers.scripted import Cut, End, Fail, Reply, Report, Say
from windowpane.storage.accounts import usage_between
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.turns import Turn, TurnContent
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace

MODELS = ("script/scripted", "script/other")
USED = Report(usage=TokenUsage(input_tokens=100, output_tokens=20, cache_read_tokens=30))
# By the word in a message: a plain answer, one that breaks off, one that never begins.
REPLIES = (
    Reply(steps=(Say(chunks=("sure",)), USED, End(finish="stop")), when="fine", is_repeatable=True),
    Reply(steps=(Say(chunks=("half an",)), USED, Cut()), when="cut", is_repeatable=True),
    Reply(
        steps=(Fail(failure=Failure(kind="auth", message="no key")),),
        when="refused",
        is_repeatable=True,
    ),
)
WORDS = st.sampled_from(["fine", "fine", "cut", "refused"])
STEPS: st.SearchStrategy[Step] = st.sampled_from([1, -1])
PICKS = st.integers(0, 1_000_000)
# Only what cannot be told from the tree is compared by these.
DEFAULT_EXAMPLES = 20
Result = TypeVar("Result")


class Node:
    """A turn: what was asked, what it hangs on, and whether it is still there."""

    def __init__(self, turn: Turn, *, text: str, born: int) -> None:
        self.id = turn.id
        self.parent_id = turn.parent_id
        self.depth = turn.depth
        self.text = text
        self.born = born
        self.is_there = True
        self.star = turn.star
        self.is_pinned = turn.is_pinned
        self.is_skipped = turn.is_skipped


class Tree:
    """One chat. Its path is the way from the root to ``tip_id``."""

    def __init__(self, *, project_id: str) -> None:
        self.project_id = project_id
        self.nodes: dict[str, Node] = {}
        self.tip_id: str | None = None
        self.spent = Cost(Decimal(0), False)

    def add(self, node: Node) -> None:
        self.nodes[node.id] = node
        self.tip_id = node.id

    @property
    def places(self) -> list[Node]:
        """The path with the places of deleted turns."""
        return self._line(self.tip_id)

    @property
    def path(self) -> list[Node]:
        return [node for node in self.places if node.is_there]

    def line_to(self, node: Node) -> list[Node]:
        return [one for one in self._line(node.id) if one.is_there]

    @property
    def left(self) -> list[Node]:
        path = self.places
        return [node for node in self.nodes.values() if node.is_there and node not in path]

    @property
    def contested(self) -> list[Node]:
        """The turns of the path in whose places others stood as well."""
        return [node for node in self.path if len(self.siblings(node)) > 1]

    def siblings(self, node: Node) -> list[Node]:
        same = [one for one in self.nodes.values() if one.parent_id == node.parent_id]
        return sorted((one for one in same if one.is_there), key=lambda one: one.born)

    def go_to(self, node: Node) -> None:
        if node in self.path:
            return
        while below := [one for one in self.nodes.values() if one.parent_id == node.id]:
            node = max(below, key=lambda one: (self._is_fruitful(one), one.born))
        self.tip_id = node.id

    def _line(self, id: str | None) -> list[Node]:
        line: list[Node] = []
        while id is not None:
            line.insert(0, self.nodes[id])
            id = self.nodes[id].parent_id
        return line

    def _is_fruitful(self, node: Node) -> bool:
        below = (one for one in self.nodes.values() if one.parent_id == node.id)
        return node.is_there or any(self._is_fruitful(one) for one in below)


class Person(RuleBasedStateMachine):
    """Acts on a workspace over a real SQLite file, one act at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.patch = pytest.MonkeyPatch()
        self.clock = put_forward(self.patch)
        self.runner = asyncio.Runner()
        self.chats: dict[str, Tree] = {}
        self.projects: list[str] = []
        self.deletions: list[Deletion] = []
        self.hidden: dict[str, Tree] = {}
        self.births = 0

    def do(self, act: Coroutine[Any, Any, Result]) -> Result:
        return self.runner.run(act)

    # The life of the workspace

    @initialize()
    def begin(self) -> None:
        self.do(self.opened())
        self.projects = [self.do(self.a_project(name)) for name in ("Ledger", "Garden")]
        self.add_chat()

    async def a_project(self, name: str) -> str:
        project = await self.workspace.create_project(name=name)
        await self.workspace.topics.create(
            project.id, name="Retries", parent_id=None, at=self.clock()
        )
        return project.id

    async def opened(self) -> None:
        path = Path(self.folder.name)
        self.vault = Vault(store_from(str(path / "windowpane.sqlite3")), key=KEY)
        self.workspace = Workspace(self.vault, settings=settings_in(path))
        await self.workspace.__aenter__()
        if not any(known.name == "script" for known in self.workspace.models.definitions):
            models = tuple(ModelInfo(name=name.partition("/")[2]) for name in MODELS)
            await script(self.workspace, folder=path, replies=REPLIES, models=models)
            prices = PriceValues(
                input=Rate(Decimal("1.5")),
                output=Rate(Decimal(6)),
                cache_read=Rate(Decimal("0.15")),
            )
            await self.workspace.models.set_override(
                "script", ModelOverride(models="scripted", prices=prices)
            )

    async def closed(self) -> None:
        await self.workspace.__aexit__(None, None, None)

    def teardown(self) -> None:
        if self.projects:
            for tree in self.chats.values():
                for node in tree.nodes.values():
                    self.receipts_give_the_same_bytes_again(tree, node)
            self.every_branch_can_be_reached()
            self.do(self.closed())
        self.runner.close()
        self.patch.undo()
        self.folder.cleanup()

    @rule()
    def restart(self) -> None:
        self.do(self.closed())
        self.do(self.opened())

    @precondition(lambda self: len(self.deletions) > 2)
    @rule()
    def let_a_minute_pass(self) -> None:
        self.clock.pass_seconds(61)
        self.do(self.workspace.purger.purge())
        for deletion in self.deletions:
            with pytest.raises(TooLateToUndo):
                self.do(self.workspace.deletions.undo(deletion.id))
        self.deletions.clear()
        self.hidden.clear()

    # Chats

    @precondition(lambda self: len(self.chats) < 2)
    @rule()
    def add_chat(self) -> None:
        async def made() -> str:
            chat = await self.workspace.create_chat(self.projects[0])
            await self.workspace.choose_model(chat.id, model=MODELS[0])
            return chat.id

        self.chats[self.do(made())] = Tree(project_id=self.projects[0])

    @precondition(lambda self: len(self.chats) > 1)
    @rule(pick=PICKS)
    def delete_chat(self, pick: int) -> None:
        chat_id = self.a_chat(pick)
        self.deletions.append(self.do(self.workspace.delete_chat(chat_id)))
        self.hidden[chat_id] = self.chats.pop(chat_id)
        with pytest.raises(NotFound):
            self.do(self.workspace.chat(chat_id))

    @rule(pick=PICKS)
    def move_chat(self, pick: int) -> None:
        chat_id = self.a_chat(pick)
        tree = self.chats[chat_id]
        [other] = [id for id in self.projects if id != tree.project_id]
        self.do(self.workspace.move_chat(chat_id, project_id=other))
        tree.project_id = other

    @precondition(lambda self: self.has_turns and len(self.chats) < 3)
    @rule(pick=PICKS)
    def fork(self, pick: int) -> None:
        chat_id, node = self.any_turn(pick)
        tree = self.chats[chat_id]
        made = self.do(self.workspace.fork(chat_id, turn_id=node.id))
        forked = Tree(project_id=tree.project_id)
        line = tree.line_to(node)
        for content, original in zip(self.page_of(made.id).turns, line, strict=True):
            forked.add(Node(content.turn, text=original.text, born=self.birth()))
        self.chats[made.id] = forked
        before, after = self.totals(chat_id), self.totals(made.id)
        assert after.own.calls == 0
        assert after.inherited == before.shown

    # Turns

    @rule(pick=PICKS, word=WORDS, model=st.sampled_from(MODELS))
    def send(self, pick: int, word: str, model: str) -> None:
        chat_id = self.a_chat(pick)
        text = f"{word} {self.births}"
        self.answered(chat_id, text, self.sent(chat_id, SendRequest(text=text, model=model)))

    @rule(words=st.lists(WORDS, min_size=2, max_size=4))
    def talk(self, words: list[str]) -> None:
        for word in words:
            self.send(0, word, MODELS[0])

    @precondition(lambda self: self.has_path)
    @rule(pick=PICKS, word=WORDS)
    def edit(self, pick: int, word: str) -> None:
        chat_id, node = self.turn_on_path(pick)
        text = f"{word} edited {self.births}"
        self.answered(chat_id, text, self.again(chat_id, node, AskAgain(text=text)))

    @precondition(lambda self: self.has_path)
    @rule(pick=PICKS, model=st.none() | st.sampled_from(MODELS))
    def retry(self, pick: int, model: str | None) -> None:
        chat_id, node = self.turn_on_path(pick)
        self.answered(chat_id, node.text, self.again(chat_id, node, AskAgain(model=model)))

    @precondition(lambda self: any(tree.contested for tree in self.chats.values()))
    @rule(pick=PICKS, step=STEPS)
    def swap(self, pick: int, step: Step) -> None:
        contested = {id: tree.contested for id, tree in self.chats.items()}
        chat_id, node = self.picked(pick, contested)
        siblings = self.chats[chat_id].siblings(node)
        there = siblings[(siblings.index(node) + step) % len(siblings)]
        swapped = self.do(self.workspace.turns.swap(node.id, step=step))
        assert swapped.turn_id == there.id
        self.chats[chat_id].go_to(there)

    @precondition(lambda self: self.has_turns)
    @rule(pick=PICKS)
    def go_to(self, pick: int) -> None:
        chat_id, node = self.any_turn(pick)
        self.do(self.workspace.turns.go_to(node.id))
        self.chats[chat_id].go_to(node)

    @precondition(lambda self: self.has_turns)
    @rule(pick=PICKS)
    def delete_turn(self, pick: int) -> None:
        _, node = self.any_turn(pick)
        self.deletions.append(self.do(self.workspace.delete_turn(node.id)))
        node.is_there = False

    @precondition(lambda self: any(tree.left for tree in self.chats.values()))
    @rule(pick=PICKS)
    def delete_left_turn(self, pick: int) -> None:
        _, node = self.picked(pick, {id: tree.left for id, tree in self.chats.items()})
        self.deletions.append(self.do(self.workspace.delete_turn(node.id)))
        node.is_there = False

    @precondition(lambda self: any(map(self.can_undo, self.deletions)))
    @rule(pick=PICKS)
    def undo(self, pick: int) -> None:
        possible = [one for one in self.deletions if self.can_undo(one)]
        deletion = possible[pick % len(possible)]
        self.do(self.workspace.deletions.undo(deletion.id))
        self.deletions.remove(deletion)
        self.bring_back(deletion)

    @precondition(lambda self: self.has_turns)
    @rule(pick=PICKS, star=st.integers(0, 3), pinned=st.booleans(), skipped=st.booleans())
    def mark(self, pick: int, star: int, pinned: bool, skipped: bool) -> None:
        _, node = self.any_turn(pick)
        marks = TurnMarks(star=star, is_pinned=pinned, is_skipped=skipped)
        self.do(self.workspace.turns.mark(node.id, marks))
        node.star, node.is_pinned, node.is_skipped = star, pinned, skipped

    @precondition(lambda self: any(node.star == 3 for node in self.nodes))
    @rule(pick=PICKS)
    def delete_by_command(self, pick: int) -> None:
        chat_id = self.a_chat(pick)
        outcome = self.do(
            self.workspace.run_command(chat_id, "s3 :delete --force", is_confirmed=True)
        )
        starred = [node for node in self.chats[chat_id].path if node.star == 3]
        assert outcome.turns == len(starred)
        if outcome.deletion is not None:
            self.deletions.append(outcome.deletion)
        for node in starred:
            node.is_there = False

    @precondition(lambda self: any(self.nodes))
    @rule(pick=PICKS)
    def replay(self, pick: int) -> None:
        chat_id, node = self.picked(
            pick, {id: list(tree.nodes.values()) for id, tree in self.chats.items()}
        )
        self.receipts_give_the_same_bytes_again(self.chats[chat_id], node)

    # What always holds

    @invariant()
    def a_chat_shows_its_path_and_nothing_else(self) -> None:
        for chat_id, tree in self.chats.items():
            page = self.page_of(chat_id)
            assert [asked(content) for content in page.turns] == [one.text for one in tree.path]
            assert [content.turn.id for content in page.turns] == [one.id for one in tree.path]
            depths = [content.turn.depth for content in page.turns]
            assert depths == [one.depth for one in tree.path] == sorted(set(depths))
            chat = page.chat
            assert chat.kept_turns == len(tree.path)
            assert chat.turn_count == len(tree.places)
            assert chat.head_id == (tree.path[-1].id if tree.path else None)
            assert chat.project_id == tree.project_id
            for content, node in zip(page.turns, tree.path, strict=True):
                turn = content.turn
                assert (turn.star, turn.is_pinned, turn.is_skipped) == (
                    node.star,
                    node.is_pinned,
                    node.is_skipped,
                )

    @invariant()
    def siblings_are_counted_where_they_stand(self) -> None:
        for chat_id, tree in self.chats.items():
            places = self.page_of(chat_id).places
            expected = {node.id: [one.id for one in tree.siblings(node)] for node in tree.contested}
            assert {id: place.count for id, place in places.items()} == {
                id: len(ids) for id, ids in expected.items()
            }
            for id, ids in expected.items():
                assert ids.index(id) + 1 == places[id].number

    @invariant()
    def a_plan_counts_every_turn_once(self) -> None:
        for chat_id, tree in self.chats.items():
            plan = self.do(self.workspace.plan(chat_id, PlanRequest(draft="fine")))
            named = [turn.turn_id for turn in plan.turns]
            assert len(named) == len(set(named))
            assert len(named) + sum(span.turns for span in plan.ranges) == len(tree.path)
            skipped = {node.id for node in tree.path if node.is_skipped}
            assert not skipped & set(plan.sent_turn_ids)
            assert set(named) <= {node.id for node in tree.path}
            depths = [tree.nodes[id].depth for id in plan.sent_turn_ids]
            assert depths == sorted(depths)

    @invariant()
    def totals_are_the_usage_events(self) -> None:
        events = self.do(
            usage_between(
                self.vault,
                datetime.now(UTC) - timedelta(days=1),
                self.clock() + timedelta(days=1),
            )
        )
        for chat_id, tree in self.chats.items():
            totals = self.totals(chat_id)
            assert totals.own == totals_of(one.entry for one in events if one.chat_id == chat_id)
            assert totals.shown.cost.known_usd >= tree.spent.known_usd
            tree.spent = totals.shown.cost

    def every_branch_can_be_reached(self) -> None:
        """Going to any turn that is there shows it, and all that it was asked after."""
        for tree in self.chats.values():
            for node in [one for one in tree.nodes.values() if one.is_there]:
                chat = self.do(self.workspace.turns.go_to(node.id))
                tree.go_to(node)
                shown = [content.turn.id for content in self.page_of(chat.id).turns]
                assert shown == [one.id for one in tree.path]
                line = [one.id for one in tree.line_to(node)]
                assert shown[: len(line)] == line

    def receipts_give_the_same_bytes_again(self, tree: Tree, node: Node) -> None:
        """Unless something of the request was deleted: then that is said."""
        for receipt in self.do(self.workspace.receipts.of(node.id)):
            again = self.do(self.workspace.receipts.reproduce(receipt.id))
            depths = {node.depth, *sent_depths(receipt)}
            line = [one for one in tree.line_to(node) if one.depth in depths]
            if len(line) == len(depths):
                assert again.is_same, again.missing
            else:
                assert again.is_same or again.missing

    # Inside

    def birth(self) -> int:
        self.births += 1
        return self.births

    def page_of(self, chat_id: str) -> ChatPage:
        return self.do(self.workspace.page(chat_id, before_depth=None, limit=200))

    def totals(self, chat_id: str) -> Any:
        return self.do(self.workspace.totals(chat_id))

    def sent(self, chat_id: str, request: SendRequest) -> Turn:
        return self.until_answered(chat_id, lambda: self.workspace.send(chat_id, request))

    def again(self, chat_id: str, node: Node, again: AskAgain) -> Turn:
        return self.until_answered(chat_id, lambda: self.workspace.ask_again(node.id, again))

    def until_answered(self, chat_id: str, act: Any) -> Turn:
        async def acted() -> Turn:
            position = self.workspace.position(chat_id)
            turn = await act()
            events = await until_ended(self.workspace, chat_id, after=position)
            assert isinstance(events[-1], TurnEnded)
            return turn

        return self.do(acted())

    def answered(self, chat_id: str, text: str, turn: Turn) -> None:
        self.chats[chat_id].add(Node(turn, text=text, born=self.birth()))

    def can_undo(self, deletion: Deletion) -> bool:
        """Turns of a chat that is deleted itself have to wait for it."""
        chat_id = getattr(deletion.deleted, "chat_id", None)
        return chat_id is None or chat_id in self.chats

    def bring_back(self, deletion: Deletion) -> None:
        chat = getattr(deletion.deleted, "chat", None)
        if chat is not None:
            self.chats[chat.id] = self.hidden.pop(chat.id)
            return
        tree = self.chats[getattr(deletion.deleted, "chat_id", "")]
        for id in getattr(deletion.deleted, "turn_ids", ()):
            tree.nodes[id].is_there = True

    @property
    def nodes(self) -> list[Node]:
        return [node for tree in self.chats.values() for node in tree.nodes.values()]

    @property
    def has_turns(self) -> bool:
        return any(node.is_there for node in self.nodes)

    @property
    def has_path(self) -> bool:
        return any(tree.path for tree in self.chats.values())

    def a_chat(self, pick: int) -> str:
        return list(self.chats)[pick % len(self.chats)]

    def turn_on_path(self, pick: int) -> tuple[str, Node]:
        return self.picked(pick, {id: tree.path for id, tree in self.chats.items()})

    def any_turn(self, pick: int) -> tuple[str, Node]:
        """A turn that is there, on a path or left of one."""
        return self.picked(
            pick,
            {
                id: [node for node in tree.nodes.values() if node.is_there]
                for id, tree in self.chats.items()
            },
        )

    def picked(self, pick: int, turns: dict[str, list[Node]]) -> tuple[str, Node]:
        every = list(flat(turns))
        return every[pick % len(every)]


def flat(turns: dict[str, list[Node]]) -> Iterator[tuple[str, Node]]:
    for chat_id, nodes in turns.items():
        for node in nodes:
            yield chat_id, node


def asked(content: TurnContent) -> str:
    return content.messages[0].text


TestPerson = Person.TestCase
TestPerson.settings = settings(
    max_examples=max(1, settings().max_examples * DEFAULT_EXAMPLES // 50),
    stateful_step_count=30,
)
