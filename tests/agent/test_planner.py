"""What was chosen and what a model takes, on their way into a plan and its request."""

import re
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.workspaces import ask, does, new_chat, path_of, script, workspace_over
from windowpane.agent.turns import TurnMarks
from windowpane.asking import PlanRequest, SendRequest
from windowpane.catalog import LimitValues, ModelOverride
from windowpane.choices import Choices, chosen_names
from windowpane.definitions import Family, ModelInfo, ProviderDefinition
from windowpane.errors import BudgetExceeded
from windowpane.ids import new_id
from windowpane.providers.scripted import Say, Think
from windowpane.storage.choose import store_from
from windowpane.workspace import Workspace

MODEL = "claude/claude-sonnet-4-5"
THOUGHTFUL = Choices(max_output_tokens=4096, reasoning_effort="high")


@pytest.fixture
async def workspace(data_dir: Path) -> AsyncIterator[Workspace]:
    store = store_from(str(data_dir / "windowpane.sqlite3"))
    async with workspace_over(store, folder=data_dir, replies=()) as opened:
        yield opened


async def claude_chat(workspace: Workspace, choices: Choices) -> str:
    return await chat_with(MODEL, workspace, choices, family="anthropic")


async def chat_with(model: str, workspace: Workspace, choices: Choices, *, family: Family) -> str:
    definition = ProviderDefinition(
        id=new_id("provider"), name=model.partition("/")[0], family=family, api_key="sk"
    )
    await workspace.models.add(definition)
    chat_id = await new_chat(workspace)
    await workspace.choose_model(chat_id, model=model)
    await workspace.choices.change_chat(chat_id, choices, names=chosen_names(choices))
    return chat_id


async def told_tokens(workspace: Workspace, chat_id: str) -> int:
    body = (await workspace.lens(chat_id, PlanRequest(draft="Well?"))).body
    found = re.search(r'"max_tokens":(\d+)', body)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("choices", [THOUGHTFUL, Choices(), Choices(max_output_tokens=150_000)])
@pytest.mark.parametrize("limits", [LimitValues(), LimitValues(output_tokens=9_000)])
async def test_the_reserve_is_the_limit_that_the_model_is_told(
    workspace: Workspace, choices: Choices, limits: LimitValues
) -> None:
    chat_id = await claude_chat(workspace, choices)
    await workspace.models.set_override("claude", ModelOverride(models="claude-*", limits=limits))
    budget = (await workspace.plan(chat_id, PlanRequest(draft="Well?"))).budget
    assert await told_tokens(workspace, chat_id) == budget.reserve_tokens
    assert budget.usable_tokens is not None and budget.window_tokens is not None
    assert budget.usable_tokens + budget.reserve_tokens <= budget.window_tokens


async def test_a_hard_budget_counts_the_thought_that_a_request_allows(
    workspace: Workspace,
) -> None:
    choices = Choices(max_output_tokens=4096, reasoning_effort="high", chat_hard_usd=Decimal("0.2"))
    chat_id = await claude_chat(workspace, choices)
    # At fifteen dollars a million the answer alone would fit; with 16,384 tokens of thought not.
    with pytest.raises(BudgetExceeded, match=r"could cost up to \$0\.30"):
        await workspace.send(chat_id, SendRequest(text="Well?"))


async def test_a_search_that_was_switched_on_beats_a_tool_that_nobody_chose(
    workspace: Workspace,
) -> None:
    choices = Choices(has_web_search=True)
    chat_id = await chat_with("gemini/gemini-2.5-flash", workspace, choices, family="google")
    lens = await workspace.lens(chat_id, PlanRequest(draft="Well?"))
    assert "googleSearch" in lens.body
    assert "functionDeclarations" not in lens.body
    planned = await workspace.plan(chat_id, PlanRequest(draft="Well?"))
    assert planned.fixed.tools_tokens == 0


async def test_tools_that_were_chosen_stay_and_the_search_gives_way(workspace: Workspace) -> None:
    choices = Choices(has_web_search=True, tools={"recall": {}})
    chat_id = await chat_with("gemini/gemini-2.5-flash", workspace, choices, family="google")
    lens = await workspace.lens(chat_id, PlanRequest(draft="Well?"))
    assert "functionDeclarations" in lens.body
    assert "googleSearch" not in lens.body


async def test_where_both_are_taken_both_are_sent(workspace: Workspace) -> None:
    chat_id = await claude_chat(workspace, Choices(has_web_search=True))
    body = (await workspace.lens(chat_id, PlanRequest(draft="Well?"))).body
    assert "web_search_20250305" in body
    assert '"name":"recall"' in body


async def talked_past_the_window(workspace: Workspace, folder: Path) -> str:
    """A chat whose first turn left for a long thought that is not sent any more."""
    thought = does(Think(chunks=("hm " * 700,)), Say(chunks=("ok",)), when="think")
    plain = does(Say(chunks=("ok",)), when="turn")
    model = ModelInfo(name="scripted", context_window_tokens=2_000, output_tokens=200)
    await script(workspace, folder=folder, replies=[*[plain] * 4, thought, plain], models=(model,))
    chat_id = await new_chat(workspace)
    choices = Choices(reasoning_turns=1, cache_mode="all-off")
    await workspace.choices.change_chat(chat_id, choices, names=chosen_names(choices))
    for words in ("turn", "turn", "turn", "turn", "think", "turn"):
        await ask(workspace, chat_id, words + " word" * 200)
    return chat_id


async def start_of(workspace: Workspace, chat_id: str) -> int | None:
    return (await workspace.plan(chat_id, PlanRequest(draft="and now?"))).start_index


@pytest.mark.parametrize(
    ("marks", "is_still"),
    [
        (TurnMarks(star=2), True),
        (TurnMarks(flag="grey"), True),
        (TurnMarks(is_skipped=False), False),
    ],
)
async def test_a_mark_that_no_request_depends_on_leaves_the_boundary_where_it_is(
    workspace: Workspace, data_dir: Path, marks: TurnMarks, is_still: bool
) -> None:
    chat_id = await talked_past_the_window(workspace, data_dir)
    before = await start_of(workspace, chat_id)
    [*_, last] = await path_of(workspace, chat_id)
    await workspace.turns.mark(last.turn.id, marks)
    assert (await start_of(workspace, chat_id) == before) is is_still
