"""What a person does in a workspace, over every engine."""

import asyncio
from pathlib import Path

import pytest

from tests.databases import POSTGRES, database_of
from tests.workspaces import (
    KEY,
    MODEL,
    Clock,
    ask,
    does,
    new_chat,
    says,
    script,
    settings_in,
    until_ended,
    until_text,
    workspace_over,
)
from windowpane.asking import SendRequest
from windowpane.errors import (
    ChatBusy,
    Failure,
    HeadMoved,
    InvalidInput,
    MessageEmpty,
    MessageTooLarge,
    NotFound,
    NothingRunning,
    UnknownModel,
)
from windowpane.events import (
    EventId,
    MessageDone,
    PartDelta,
    PartDone,
    PartStarted,
    Reload,
    TurnEnded,
    TurnStarted,
)
from windowpane.parts import Reasoning, Text, ToolCall, ToolResult
from windowpane.providers.scripted import Call, Cut, Fail, Hang, Report, Say, Think
from windowpane.storage.base import Store
from windowpane.storage.choose import store_from
from windowpane.storage.vault import Vault
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
def store(request: pytest.FixtureRequest, data_dir: Path) -> Store:
    return store_from(database_of(request, data_dir))


async def test_an_answer_is_streamed_and_stored(workspace: Workspace, data_dir: Path) -> None:
    await script(workspace, folder=data_dir, replies=[says("One ", "journal.")])
    chat_id = await new_chat(workspace)

    content = await ask(workspace, chat_id, "How many journals?")

    assert [message.text for message in content.messages] == ["How many journals?", "One journal."]
    assert (content.turn.state, content.turn.finish) == ("complete", "stop")
    assert content.turn.model == MODEL


async def test_a_reader_sees_the_turn_begin_grow_and_end(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("a", "b", delay_seconds=0.01)])
    chat_id = await new_chat(workspace)
    position = workspace.position(chat_id)

    await workspace.send(chat_id, SendRequest(text="go"))
    events = await until_ended(workspace, chat_id, after=position)

    kinds = [type(event) for event in events]
    assert kinds[0] is TurnStarted
    assert kinds[-1] is TurnEnded
    assert {PartStarted, PartDelta, PartDone, MessageDone} <= set(kinds)
    deltas = "".join(event.text for event in events if isinstance(event, PartDelta))
    assert "ab".startswith(deltas)
    assert PartDone(part=Text(text="ab")) in events


async def test_the_second_answer_knows_the_first_turn(workspace: Workspace, data_dir: Path) -> None:
    await script(workspace, folder=data_dir, replies=[says("first"), says("second")])
    chat_id = await new_chat(workspace)

    await ask(workspace, chat_id, "one")
    content = await ask(workspace, chat_id, "two")

    chat = await workspace.chat(chat_id)
    assert (content.turn.depth, chat.turn_count, chat.head_id) == (1, 2, content.turn.id)
    assert content.turn.parent_id is not None


async def test_stop_keeps_the_text_and_frees_the_chat(workspace: Workspace, data_dir: Path) -> None:
    await script(
        workspace, folder=data_dir, replies=[does(Say(chunks=("so far",)), Hang()), says("again")]
    )
    chat_id = await new_chat(workspace)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await until_text(workspace, chat_id, "so far")

    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)

    page = await workspace.page(chat_id, before_depth=None, limit=5)
    assert page.turns[-1].turn.state == "aborted"
    assert page.turns[-1].messages[-1].text == "so far"
    assert (await ask(workspace, chat_id, "and now?")).messages[-1].text == "again"


async def test_an_answer_can_be_stopped_before_it_has_begun(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("Never said."), says("Said.")])
    chat_id = await new_chat(workspace)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)
    page = await workspace.page(chat_id, before_depth=None, limit=5)
    assert page.turns[-1].turn.state == "aborted"
    await ask(workspace, chat_id, "again")


async def test_a_failure_is_told_and_keeps_what_arrived(
    workspace: Workspace, data_dir: Path
) -> None:
    failure = Failure(kind="overloaded", message="Try later", http_status=529)
    await script(
        workspace,
        folder=data_dir,
        replies=[does(Say(chunks=("half",)), Fail(failure=failure)), does(Cut())],
    )
    chat_id = await new_chat(workspace)

    content = await ask(workspace, chat_id, "go")
    assert content.turn.state == "error"
    assert content.turn.failure == failure
    assert content.messages[-1].text == "half"

    cut = await ask(workspace, chat_id, "go")
    assert cut.turn.failure is not None
    assert cut.turn.failure.kind == "net"


async def test_reasoning_calls_and_usage_are_kept_in_order(
    workspace: Workspace, data_dir: Path
) -> None:
    usage = TokenUsage(input_tokens=10, output_tokens=5, reasoning_tokens=2)
    await script(
        workspace,
        folder=data_dir,
        replies=[
            does(
                Think(chunks=("hm",)),
                Say(chunks=("Let me look.",)),
                Call(call_id="c1", name="look", arguments="{}"),
                Report(usage=usage),
            ),
            says("Nothing there."),
        ],
    )
    chat_id = await new_chat(workspace)

    content = await ask(workspace, chat_id, "look")

    user, call, result, answer = content.messages
    assert [type(part) for part in call.parts] == [Reasoning, Text, ToolCall]
    assert (call.usage, call.finish) == (usage, "tool_use")
    assert isinstance(result.parts[0], ToolResult)
    assert result.parts[0].is_error
    assert (user.role, answer.text) == ("user", "Nothing there.")


async def test_a_model_that_calls_tools_for_ever_is_stopped(
    workspace: Workspace, data_dir: Path
) -> None:
    call = does(Call(call_id="c", name="again", arguments="{}"))
    await script(workspace, folder=data_dir, replies=[call] * workspace.settings.max_iterations)
    chat_id = await new_chat(workspace)

    content = await ask(workspace, chat_id, "go")

    assert (content.turn.state, content.turn.finish) == ("complete", "max_iterations")


async def test_one_send_at_a_time_per_chat_many_chats_at_once(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(
        workspace,
        folder=data_dir,
        replies=[does(Say(chunks=("x",)), Hang()), does(Say(chunks=("y",)), Hang())],
    )
    first, second = await new_chat(workspace), await new_chat(workspace)
    await workspace.send(first, SendRequest(text="go"))
    await workspace.send(second, SendRequest(text="go"))

    with pytest.raises(ChatBusy):
        await workspace.send(first, SendRequest(text="again"))

    assert (await workspace.chat(first)).turn_count == 1


async def test_two_sends_at_the_same_moment_store_one_turn(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("a"), says("b")])
    chat_id = await new_chat(workspace)

    results = await asyncio.gather(
        *(workspace.send(chat_id, SendRequest(text="go")) for _ in range(5)),
        return_exceptions=True,
    )

    refused = [result for result in results if isinstance(result, ChatBusy | HeadMoved)]
    assert len(refused) == 4
    assert (await workspace.chat(chat_id)).turn_count == 1


async def test_a_stale_tab_is_refused_with_a_way_on(workspace: Workspace, data_dir: Path) -> None:
    await script(workspace, folder=data_dir, replies=[says("a"), says("b")])
    chat_id = await new_chat(workspace)
    await ask(workspace, chat_id, "one")

    with pytest.raises(HeadMoved, match="Reload"):
        await workspace.send(chat_id, SendRequest(text="two", seen_head_id=""))

    head_id = (await workspace.chat(chat_id)).head_id
    await workspace.send(chat_id, SendRequest(text="two", seen_head_id=head_id))


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
async def test_an_empty_message_is_refused(workspace: Workspace, text: str) -> None:
    chat_id = await new_chat_without_script(workspace)
    with pytest.raises(MessageEmpty):
        await workspace.send(chat_id, SendRequest(text=text))


async def new_chat_without_script(workspace: Workspace) -> str:
    project = await workspace.create_project(name="Ledger")
    return (await workspace.create_chat(project.id)).id


async def test_a_huge_message_is_refused_with_both_numbers(workspace: Workspace) -> None:
    chat_id = await new_chat_without_script(workspace)
    with pytest.raises(MessageTooLarge, match=r"2,000,000.*1,000,000"):
        await workspace.send(chat_id, SendRequest(text="x" * 2_000_000))
    assert (await workspace.chat(chat_id)).turn_count == 0


async def test_unknown_things_are_named(workspace: Workspace) -> None:
    chat_id = await new_chat_without_script(workspace)
    with pytest.raises(NotFound, match="cht_nowhere"):
        await workspace.send("cht_nowhere", SendRequest(text="hello"))
    with pytest.raises(UnknownModel, match="nobody/nothing"):
        await workspace.send(chat_id, SendRequest(text="hello", model="nobody/nothing"))
    with pytest.raises(NothingRunning):
        await workspace.stop(chat_id)
    with pytest.raises(InvalidInput, match="empty"):
        await workspace.rename_chat(chat_id, title="  ")


async def test_a_chat_is_called_by_its_first_words_until_renamed(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("a"), says("b")])
    chat_id = await new_chat(workspace)
    await ask(workspace, chat_id, "Does the queue\nalready dedupe by message id, or must we? " * 3)

    title = (await workspace.chat(chat_id)).title
    assert title == "Does the queue already dedupe by message id, or must we?…"

    await workspace.rename_chat(chat_id, title="Dedupe")
    await ask(workspace, chat_id, "And then?")
    assert (await workspace.chat(chat_id)).title == "Dedupe"


async def test_pages_go_back_through_a_long_chat(workspace: Workspace, data_dir: Path) -> None:
    await script(workspace, folder=data_dir, replies=[says(str(n)) for n in range(7)])
    chat_id = await new_chat(workspace)
    for n in range(7):
        await ask(workspace, chat_id, f"question {n}")

    newest = await workspace.page(chat_id, before_depth=None, limit=3)
    older = await workspace.page(chat_id, before_depth=newest.turns[0].turn.depth, limit=3)
    oldest = await workspace.page(chat_id, before_depth=older.turns[0].turn.depth, limit=3)

    pages = [oldest, older, newest]
    depths = [[content.turn.depth for content in page.turns] for page in pages]
    assert depths == [[0], [1, 2, 3], [4, 5, 6]]
    assert [page.has_older for page in pages] == [False, True, True]


async def test_deleting_a_project_deletes_what_is_in_it(
    clock: Clock, workspace: Workspace, data_dir: Path, store: Store
) -> None:
    await script(workspace, folder=data_dir, replies=[says("a"), does(Say(chunks=("b",)), Hang())])
    chat_id = await new_chat(workspace)
    await ask(workspace, chat_id, "one")
    await workspace.send(chat_id, SendRequest(text="two"))
    project_id = (await workspace.chat(chat_id)).project_id

    await workspace.delete_project(project_id)

    with pytest.raises(NotFound):
        await workspace.chat(chat_id)
    assert not await store.get("runs", [chat_id])
    clock.pass_seconds(61)
    await workspace.purger.purge()
    assert not await store.count("chats", project_id)
    assert not await store.count("turns", chat_id)


async def test_an_answer_that_is_stopped_before_it_began_ends_as_stopped(
    workspace: Workspace, data_dir: Path, store: Store
) -> None:
    await script(workspace, folder=data_dir, replies=[says("never said"), says("next")])
    chat_id = await new_chat(workspace)
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await workspace.stop(chat_id)
    await until_ended(workspace, chat_id, after=position)
    [content] = (await workspace.page(chat_id, before_depth=None, limit=5)).turns
    assert content.turn.state == "aborted"
    assert not await store.get("runs", [chat_id])


async def test_a_late_reader_gets_what_was_said_before(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[does(Say(chunks=("early ",)), Hang())])
    chat_id = await new_chat(workspace)
    await workspace.send(chat_id, SendRequest(text="go"))
    await until_text(workspace, chat_id, "early")

    page = await workspace.page(chat_id, before_depth=None, limit=5)
    assert page.is_answering
    assert page.open_part is not None
    assert page.open_part.text == "early "
    with workspace.follow(chat_id, after=page.position) as reader:
        events = [logged.event for logged in await reader.read()]
    assert events == [PartStarted(kind="text", name=""), PartDelta(text="early ")]


async def test_what_happens_in_other_chats_does_not_make_a_reader_lose_its_place(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=[says("a"), says("b")])
    chat_id = await new_chat(workspace)
    position = workspace.position(chat_id)
    await ask(workspace, await new_chat(workspace), "elsewhere")
    await workspace.send(chat_id, SendRequest(text="here"))
    events = await until_ended(workspace, chat_id, after=position)
    assert (type(events[0]), type(events[-1])) == (TurnStarted, TurnEnded)


async def test_a_place_from_another_life_reloads(workspace: Workspace) -> None:
    chat_id = await new_chat_without_script(workspace)
    position = workspace.position(chat_id)
    stale = EventId(epoch=position.epoch + 1, seq=position.seq)
    with workspace.follow(chat_id, after=stale) as reader:
        assert [logged.event for logged in await reader.read()] == [Reload()]


async def test_closing_the_server_keeps_the_text_as_interrupted(
    data_dir: Path,
) -> None:
    path = str(data_dir / "windowpane.sqlite3")
    replies = [does(Say(chunks=("so far",)), Hang())]
    async with workspace_over(store_from(path), folder=data_dir, replies=replies) as workspace:
        chat_id = await new_chat(workspace)
        await workspace.send(chat_id, SendRequest(text="go"))
        await until_text(workspace, chat_id, "so far")

    async with Workspace(Vault(store_from(path), key=KEY), settings=settings_in(data_dir)) as again:
        page = await again.page(chat_id, before_depth=None, limit=5)
    assert page.turns[0].turn.state == "interrupted"
    assert page.turns[0].messages[-1].text == "so far"


async def test_the_demo_model_is_there_at_once_and_labelled(workspace: Workspace) -> None:
    choices = (await workspace.model_list()).choices
    assert choices[0].name == "local/smollm2-135m"
    assert choices[0].model.label == "demo model"
