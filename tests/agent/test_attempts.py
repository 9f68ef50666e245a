from pathlib import Path

from tests.workspaces import MODEL, ask, does, new_chat, says, script
from windowpane.context.request import ModelRequest
from windowpane.errors import Failure
from windowpane.parts import Text
from windowpane.providers.scripted import Call, End, Fail, Reply, Say, ScriptedProvider
from windowpane.tools.scripted import Answer, ToolScript
from windowpane.workspace import Workspace

NAMELESS = Failure(kind="overflow", message="Request too large for this model")


def refuses(failure: Failure, *, when: str) -> Reply:
    return does(Fail(failure=failure), when=when)


def too_long(*, sent_tokens: int, limit_tokens: int) -> Failure:
    message = f"prompt is too long: {sent_tokens} tokens > {limit_tokens} maximum"
    return Failure(kind="overflow", message=message, http_status=400)


def requests(workspace: Workspace, text: str) -> list[ModelRequest]:
    """What the provider was asked when this was the last message."""
    provider, _ = workspace.models.resolve(MODEL)
    assert isinstance(provider, ScriptedProvider)
    asked = [one for one in provider.requests if one.messages]
    return [
        one
        for one in asked
        if next(said for said in reversed(one.messages) if said.role == "user").text == text
    ]


async def talked(workspace: Workspace, folder: Path, *replies: Reply) -> str:
    """A chat of four turns, and the replies to what comes next."""
    before = [says("ok", when=f"turn {number}") for number in range(4)]
    await script(workspace, folder=folder, replies=[*before, *replies])
    chat_id = await new_chat(workspace)
    for number in range(4):
        await ask(workspace, chat_id, f"turn {number} " + "word " * 50)
    return chat_id


async def test_a_refusal_without_numbers_costs_the_oldest_turn_and_no_more(
    workspace: Workspace, data_dir: Path
) -> None:
    refusals = [refuses(NAMELESS, when="and now?")] * 2
    chat_id = await talked(workspace, data_dir, *refusals, says("fine", when="and now?"))
    content = await ask(workspace, chat_id, "and now?")
    assert content.messages[-1].text == "fine"
    [first, second, third] = [
        [part.text[:6] for one in asked.messages for part in one.parts if isinstance(part, Text)]
        for asked in requests(workspace, "and now?")
    ]
    assert len(first) == 9
    assert second == first[2:]
    assert third == first[4:]


async def test_a_refusal_that_names_its_numbers_is_met_at_once(
    workspace: Workspace, data_dir: Path
) -> None:
    # The provider counts more than twice what we do, and takes some half of what was sent.
    refusal = refuses(too_long(sent_tokens=600, limit_tokens=350), when="and now?")
    chat_id = await talked(workspace, data_dir, refusal, says("fine", when="and now?"))
    content = await ask(workspace, chat_id, "and now?")
    assert content.messages[-1].text == "fine"
    first, second = requests(workspace, "and now?")
    assert len(first.messages) == 9
    assert len(second.messages) == 5


async def test_when_nothing_can_leave_any_more_the_failure_says_so(
    workspace: Workspace, data_dir: Path
) -> None:
    refusals = [refuses(NAMELESS, when="and now?")] * 20
    chat_id = await talked(workspace, data_dir, *refusals)
    content = await ask(workspace, chat_id, "and now?")
    assert content.turn.state == "error"
    assert content.turn.failure is not None
    assert content.turn.failure.kind == "overflow"
    assert "did not help" in content.turn.failure.message
    assert NAMELESS.message in content.turn.failure.message
    assert len(requests(workspace, "and now?")) == 5


async def test_a_round_of_tools_that_cannot_leave_is_not_sent_again_and_again(
    workspace: Workspace, data_dir: Path
) -> None:
    look = ToolScript(name="look", steps=(Answer(text="a door"),))
    calls = does(Call(call_id="c1", name="look", arguments="{}"), when="go")
    refusals = [does(Fail(failure=NAMELESS), when="go")] * 20
    await script(workspace, folder=data_dir, replies=[calls, *refusals], tools=[look])
    chat_id = await new_chat(workspace)
    content = await ask(workspace, chat_id, "go")
    assert content.turn.failure is not None
    assert content.turn.failure.code == "context_overflow_after_trimming"
    # One that the model answered with a call, and one with its result.
    assert len(requests(workspace, "go")) == 2


async def test_older_rounds_of_tools_leave_before_it_is_given_up(
    workspace: Workspace, data_dir: Path
) -> None:
    look = ToolScript(name="look", steps=(Answer(text="a door"),))
    calls = [
        does(Call(call_id=f"c{number}", name="look", arguments="{}"), when="go")
        for number in range(3)
    ]
    refusals = [does(Fail(failure=NAMELESS), when="go")] * 20
    await script(workspace, folder=data_dir, replies=[*calls, *refusals], tools=[look])
    chat_id = await new_chat(workspace)
    await ask(workspace, chat_id, "go")
    rounds = [len(one.messages) // 2 for one in requests(workspace, "go")]
    assert rounds == [0, 1, 2, 3, 2, 1]


async def test_an_answer_that_has_begun_is_not_asked_for_again(
    workspace: Workspace, data_dir: Path
) -> None:
    broken = does(Say(chunks=("Well",)), Fail(failure=NAMELESS), when="and now?")
    chat_id = await talked(workspace, data_dir, broken, says("fine", when="and now?"))
    content = await ask(workspace, chat_id, "and now?")
    assert content.turn.state == "error"
    assert content.messages[-1].text == "Well"


async def test_a_provider_that_paused_gets_back_what_it_said_and_goes_on(
    workspace: Workspace, data_dir: Path
) -> None:
    paused = does(Say(chunks=("First half. ",)), End(finish="pause"), when="go")
    await script(workspace, folder=data_dir, replies=[paused, says("Second half.", when="go")])
    chat_id = await new_chat(workspace)
    content = await ask(workspace, chat_id, "go")
    assert content.turn.finish == "stop"
    assert [one.text for one in content.messages] == ["go", "First half. ", "Second half."]
    _, second = requests(workspace, "go")
    assert [one.role for one in second.messages] == ["user", "assistant"]
