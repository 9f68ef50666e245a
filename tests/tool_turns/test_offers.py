"""Which tools a model is offered, and what it may do with them."""

from pathlib import Path

from msgspec import structs

from tests.tool_turns.scene import LOOK, WRITE, calls, chat_with, requests, results
from tests.workspaces import ask, new_chat, says, script
from windowpane.asking import PlanRequest
from windowpane.choices import Choices, chosen_names
from windowpane.parts import ToolCall, ToolResult
from windowpane.workspace import Workspace


async def choose(workspace: Workspace, chat_id: str, choices: Choices) -> None:
    await workspace.choices.change_chat(chat_id, choices, names=chosen_names(choices))


async def test_a_model_that_cannot_call_is_offered_nothing(
    workspace: Workspace, data_dir: Path
) -> None:
    await script(workspace, folder=data_dir, replies=())
    chat_id = await new_chat(workspace)
    assert (await workspace.plan(chat_id, PlanRequest())).tools == ()


async def test_the_plan_names_the_tools_in_one_order_with_their_weight(
    workspace: Workspace, data_dir: Path
) -> None:
    prompted = structs.replace(LOOK, prompt="Look before you leap.")
    chat_id = await chat_with(workspace, data_dir, (), prompted, WRITE)
    ready = await workspace.plan(chat_id, PlanRequest())
    assert [tool.name for tool in ready.tools] == ["recall", "look", "write"]
    assert ready.system == "Look before you leap."
    assert sum(one.definition_tokens for one in ready.tool_weights) == ready.fixed.tools_tokens
    assert ready.tool_weights[1].prompt_tokens > 0


async def test_with_all_tools_off_past_calls_go_in_words(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("look"), says("Open."), says("Bye.")])
    await ask(workspace, chat_id, "Is it open?")
    await choose(workspace, chat_id, Choices(tool_mode="all-off"))
    ready = await workspace.plan(chat_id, PlanRequest(draft="Thanks"))
    assert ready.tools == ()
    await ask(workspace, chat_id, "Thanks")
    sent = requests(workspace)[-1]
    assert not any(isinstance(part, ToolCall | ToolResult) for one in sent for part in one.parts)
    assert "[called look: {}]\n[gave: an open door]" in sent[1].text


async def test_a_forbidden_tool_is_refused_and_one_that_is_off_is_unknown(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await chat_with(workspace, data_dir, [calls("look", "recall"), says("Ok.")])
    await choose(workspace, chat_id, Choices(tools={}, tool_approvals={"look": "never"}))
    content = await ask(workspace, chat_id, "go")
    forbidden, unknown = results(content.messages)
    assert forbidden.text == "The tool look may not be used here."
    assert unknown.text.startswith("There is no tool called recall.")
