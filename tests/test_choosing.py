"""Settings of projects, topics and chats, and what they make of a send."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.workspaces import MODEL, ask, does, new_chat, says, script, until_ended
from windowpane.agent.turns import TurnMarks
from windowpane.asking import PlanRequest, SendRequest
from windowpane.catalog import ModelOverride
from windowpane.choices import NOTHING_CHOSEN, Choices, chosen_names
from windowpane.context.request import ModelRequest
from windowpane.definitions import ModelInfo, ModelPrices, ProviderDefinition
from windowpane.errors import BadChoice, Failure, InvalidInput, NotFound, UnknownModel
from windowpane.options import ReasoningOptions
from windowpane.parts import Text
from windowpane.providers.scripted import Call, Fail, Report, Say, ScriptedProvider
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace

USAGE = TokenUsage(input_tokens=100, output_tokens=20)


def last_request(workspace: Workspace) -> ModelRequest:
    provider, _ = workspace.models.resolve(MODEL)
    assert isinstance(provider, ScriptedProvider)
    return provider.requests[-1]


async def begun(workspace: Workspace, folder: Path, *, answers: int = 3) -> str:
    await script(workspace, folder=folder, replies=[says("ok")] * answers)
    return await new_chat(workspace)


async def choose(workspace: Workspace, chat_id: str, choices: Choices) -> None:
    """For the project of a chat."""
    chat = await workspace.chat(chat_id)
    await workspace.choices.change_project(chat.project_id, choices, names=chosen_names(choices))


async def test_a_projects_settings_shape_the_request(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await begun(workspace, data_dir)
    await choose(
        workspace,
        chat_id,
        Choices(
            system_prompt="Be brief.",
            temperature=0.25,
            max_output_tokens=500,
            reasoning_effort="low",
            has_web_search=True,
        ),
    )
    await ask(workspace, chat_id, "hello")
    request = last_request(workspace)
    assert (request.system, request.max_output_tokens) == ("Be brief.", 500)
    assert (request.options.temperature, request.options.has_web_search) == (0.25, True)
    assert request.options.reasoning == ReasoningOptions(effort="low")


async def test_a_chat_a_topic_and_a_send_each_have_their_say(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    chat = await workspace.chat(chat_id)
    await choose(
        workspace, chat_id, Choices(system_prompt="P", temperature=0.4, max_output_tokens=400)
    )
    topic = await workspace.topics.create(
        chat.project_id, name="Retries", parent_id=None, at=datetime.now(UTC)
    )
    await workspace.topics.instruct(topic.id, system_message="T")
    await workspace.choices.change_topic(
        topic.id,
        Choices(temperature=0.3, reasoning_effort="high"),
        names=["temperature", "reasoning_effort"],
    )
    await workspace.choose_topic(chat_id, topic_id=topic.id)
    await workspace.choices.change_chat(chat_id, Choices(temperature=0.2), names=["temperature"])

    found = await workspace.applied(await workspace.chat(chat_id), send=NOTHING_CHOSEN)
    assert {
        name: found.sources[name]
        for name in ("model", "temperature", "reasoning_effort", "max_output_tokens", "cache_mode")
    } == {
        "model": "chat",
        "temperature": "chat",
        "reasoning_effort": "topic",
        "max_output_tokens": "project",
        "cache_mode": "default",
    }

    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="x", choices=Choices(temperature=0.1)))
    await until_ended(workspace, chat_id, after=position)
    assert last_request(workspace).options.temperature == 0.1
    assert last_request(workspace).system == "P\n\nT"

    await workspace.choose_topic(chat_id, topic_id=None)
    await ask(workspace, chat_id, "y")
    assert last_request(workspace).options.temperature == 0.2
    assert last_request(workspace).options.reasoning is None
    assert last_request(workspace).system == "P"


async def test_a_topics_model_answers_its_turns(workspace: Workspace, data_dir: Path) -> None:
    models = (ModelInfo(name="scripted"), ModelInfo(name="other"))
    await script(workspace, folder=data_dir, replies=[says("a"), says("b")], models=models)
    project = await workspace.create_project(name="Ledger")
    chat = await workspace.create_chat(project.id)
    topic = await workspace.topics.create(
        project.id, name="Retries", parent_id=None, at=datetime.now(UTC)
    )
    await workspace.choices.change_project(project.id, Choices(model=MODEL), names=["model"])
    await workspace.choices.change_topic(topic.id, Choices(model="script/other"), names=["model"])

    assert (await ask(workspace, chat.id, "one")).turn.model == MODEL
    await workspace.choose_topic(chat.id, topic_id=topic.id)
    assert (await ask(workspace, chat.id, "two")).turn.model == "script/other"


async def test_a_choice_is_taken_away_again_and_the_next_place_decides(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    await choose(workspace, chat_id, Choices(temperature=0.4))
    await workspace.choices.change_chat(chat_id, Choices(temperature=0.9), names=["temperature"])
    await workspace.choices.change_chat(chat_id, NOTHING_CHOSEN, names=["temperature"])
    found = await workspace.applied(await workspace.chat(chat_id), send=NOTHING_CHOSEN)
    assert (found.temperature, found.sources["temperature"]) == (0.4, "project")
    # What was not named is left alone.
    assert found.sources["model"] == "chat"


async def test_what_does_not_fit_is_refused_and_nothing_of_it_is_stored(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    project_id = (await workspace.chat(chat_id)).project_id
    with pytest.raises(BadChoice, match="temperature"):
        await choose(workspace, chat_id, Choices(prefill="x", temperature=3.0))
    with pytest.raises(UnknownModel):
        await choose(workspace, chat_id, Choices(model="nowhere/model"))
    with pytest.raises(BadChoice, match="day_hard_usd cannot be chosen for a send"):
        request = SendRequest(text="x", choices=Choices(day_hard_usd=Decimal(1)))
        await workspace.send(chat_id, request)
    assert (await workspace.project(project_id)).choices == NOTHING_CHOSEN
    assert (await workspace.chat(chat_id)).turn_count == 0


async def test_settings_that_change_while_a_turn_is_answered_act_from_the_next_one(
    workspace: Workspace, data_dir: Path
) -> None:
    calling = does(Call(call_id="c1", name="look", arguments="{}"))
    slow = does(Say(chunks=("done",), delay_seconds=0.2))
    await script(workspace, folder=data_dir, replies=[calling, slow, says("ok")])
    chat_id = await new_chat(workspace)
    await choose(workspace, chat_id, Choices(temperature=0.1, system_prompt="before"))
    position = workspace.position(chat_id)
    await workspace.send(chat_id, SendRequest(text="go"))
    await choose(workspace, chat_id, Choices(temperature=0.9, system_prompt="after"))
    await until_ended(workspace, chat_id, after=position)
    request = last_request(workspace)
    assert len(request.messages) == 3
    assert (request.options.temperature, request.system) == (0.1, "before")
    await ask(workspace, chat_id, "again")
    assert last_request(workspace).options.temperature == 0.9


async def test_the_switch_for_the_long_window_reaches_the_request(
    workspace: Workspace, data_dir: Path
) -> None:
    models = (ModelInfo(name="claude-sonnet-4-5"), ModelInfo(name="scripted"))
    await script(workspace, folder=data_dir, replies=[says("a")] * 3, models=models)
    chat_id = await new_chat(workspace)
    await workspace.choose_model(chat_id, model="script/claude-sonnet-4-5")
    await ask(workspace, chat_id, "short")
    assert not last_request(workspace).options.uses_long_context
    switched_on = ModelOverride(models="c*", uses_long_context=True)
    await workspace.models.set_override("script", switched_on)
    await ask(workspace, chat_id, "long")
    assert last_request(workspace).options.uses_long_context


# Messages as they are worded for the model


async def test_what_was_typed_is_kept_beside_what_was_sent(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    await choose(
        workspace,
        chat_id,
        Choices(message_format="template", message_template="<q>{{userMessage}}</q>"),
    )
    content = await ask(workspace, chat_id, "a < b?")
    assert last_request(workspace).messages[-1].text == "<q>a < b?</q>"
    assert content.messages[0].text == "a < b?"
    assert content.messages[0].sent_text == "<q>a < b?</q>"
    assert (await workspace.chat(chat_id)).title == "a < b?"
    # A filter searches what was typed, and what the format adds is not found.
    for filter_text, visible in (("c'a < b'", 1), ("c'<q>'", 0)):
        plan = await workspace.plan(chat_id, PlanRequest(filter_text=filter_text))
        assert plan.visible_turns == visible


async def test_another_format_leaves_older_turns_as_they_were_sent(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    await choose(workspace, chat_id, Choices(message_format="metadata"))
    await ask(workspace, chat_id, "one")
    before = last_request(workspace)
    assert before.messages[0].text.startswith("<metadata>\n<timestamp>")
    await choose(workspace, chat_id, Choices(message_format="plain"))
    await ask(workspace, chat_id, "two")
    after = last_request(workspace)
    assert after.messages[: len(before.messages)] == before.messages
    assert after.messages[-1].text == "two"


async def test_a_draft_is_counted_as_it_would_be_sent(workspace: Workspace, data_dir: Path) -> None:
    chat_id = await begun(workspace, data_dir)
    plain = await workspace.plan(chat_id, PlanRequest(draft="hello"))
    await choose(workspace, chat_id, Choices(message_format="metadata"))
    worded = await workspace.plan(chat_id, PlanRequest(draft="hello"))
    assert worded.current.sent_tokens > plain.current.sent_tokens
    content = await ask(workspace, chat_id, "hello")
    sent = content.messages[0].sent_text
    assert sent is not None and sent.endswith("</metadata>\n\nhello")
    assert content.turn.digest is not None
    assert content.turn.digest.raw_tokens > worded.current.sent_tokens


async def test_metadata_tells_what_the_chat_has_used_and_cost_so_far(
    workspace: Workspace, data_dir: Path
) -> None:
    priced = ModelInfo(
        name="scripted", prices=ModelPrices(input_usd=Decimal(1000), output_usd=Decimal(5000))
    )
    replies = [does(Say(chunks=("ok",)), Report(usage=USAGE)) for _ in range(3)]
    await script(workspace, folder=data_dir, replies=replies, models=(priced,))
    chat_id = await new_chat(workspace)
    lines = ("timestamp_relative", "model", "context", "cost")
    await choose(workspace, chat_id, Choices(message_format="metadata", message_metadata=lines))

    first = await ask(workspace, chat_id, "one")
    assert first.messages[0].sent_text == (
        "<metadata>\n<timestamp>0 seconds since chat start</timestamp>\n<model>scripted</model>\n"
        "<current_cost>$0.000</current_cost>\n</metadata>\n\none"
    )
    await ask(workspace, chat_id, "two")
    third = await ask(workspace, chat_id, "three")
    assert third.messages[0].sent_text is not None
    assert "<context_window_usage>120 tokens</context_window_usage>" in third.messages[0].sent_text
    # Two answers, each 100 tokens at 0.001 and 20 tokens at 0.005 dollars.
    assert "<current_cost>$0.400</current_cost>" in third.messages[0].sent_text


# How an answer shall begin


async def test_an_answer_begins_as_it_was_asked_to_and_goes_back_whole(
    workspace: Workspace, data_dir: Path
) -> None:
    replies = [does(Say(chunks=(" world",)), Report(usage=USAGE)), says("ok")]
    await script(workspace, folder=data_dir, replies=replies)
    chat_id = await new_chat(workspace)
    await choose(workspace, chat_id, Choices(prefill="Hello "))
    bare = await workspace.plan(chat_id, PlanRequest(draft="greet", choices=Choices(prefill="")))
    begun = await workspace.plan(chat_id, PlanRequest(draft="greet"))
    assert begun.total_tokens == bare.total_tokens + begun.fixed.prefill_tokens > bare.total_tokens

    content = await ask(workspace, chat_id, "greet")
    assert last_request(workspace).options.prefill == "Hello"
    assert content.messages[-1].parts == (
        Text(text="Hello", is_prefill=True),
        Text(text=" world"),
    )
    await ask(workspace, chat_id, "and again")
    assert last_request(workspace).messages[1].text == "Hello world"


async def test_an_answer_begins_once_also_when_tools_run(
    workspace: Workspace, data_dir: Path
) -> None:
    calling = does(Call(call_id="c1", name="look", arguments="{}"))
    await script(workspace, folder=data_dir, replies=[calling, says("done")])
    chat_id = await new_chat(workspace)
    await choose(workspace, chat_id, Choices(prefill="Well,"))
    content = await ask(workspace, chat_id, "go")
    assert [message.text for message in content.messages] == ["go", "Well,", "", "done"]
    assert last_request(workspace).options.prefill == ""


async def test_a_request_that_fails_has_no_answer_however_it_should_have_begun(
    workspace: Workspace, data_dir: Path
) -> None:
    failing = does(Fail(failure=Failure(kind="server", message="down")))
    await script(workspace, folder=data_dir, replies=[failing])
    chat_id = await new_chat(workspace)
    await choose(workspace, chat_id, Choices(prefill="Well,"))
    content = await ask(workspace, chat_id, "go")
    assert (content.turn.state, len(content.messages)) == ("error", 1)


async def test_a_beginning_that_a_model_does_not_take_is_neither_sent_nor_counted(
    workspace: Workspace, data_dir: Path
) -> None:
    await workspace.models.add(
        ProviderDefinition(id="prv_x", name="open", family="openai_responses", api_key="sk")
    )
    chat_id = await begun(workspace, data_dir)
    await workspace.choose_model(chat_id, model="open/gpt-4o")
    await choose(workspace, chat_id, Choices(prefill="Sure:"))
    plan = await workspace.plan(chat_id, PlanRequest(draft="x"))
    assert (plan.prefill, plan.fixed.prefill_tokens) == ("", 0)
    found = await workspace.applied(await workspace.chat(chat_id), send=NOTHING_CHOSEN)
    [remark] = await workspace.choices.remarks(found)
    assert remark.key == "prefill"


async def test_the_boundary_is_looked_for_anew_when_settings_make_room(
    workspace: Workspace, data_dir: Path
) -> None:
    small = ModelInfo(name="scripted", context_window_tokens=600)
    await script(workspace, folder=data_dir, replies=[says("ok")] * 12, models=(small,))
    chat_id = await new_chat(workspace)
    await choose(workspace, chat_id, Choices(system_prompt="word " * 60))
    for number in range(8):
        await ask(workspace, chat_id, f"question {number} " + "word " * 12)
    tight = await workspace.plan(chat_id, PlanRequest())
    await choose(workspace, chat_id, Choices(system_prompt=""))
    roomy = await workspace.plan(chat_id, PlanRequest())
    assert 0 < tight.predicted_turns < roomy.predicted_turns


# Topics


async def test_a_topic_begins_with_its_parents_message_and_goes_its_own_way(
    workspace: Workspace,
) -> None:
    project = await workspace.create_project(name="Ledger")
    at = datetime.now(UTC)
    parent = await workspace.topics.create(project.id, name="AI", parent_id=None, at=at)
    await workspace.topics.instruct(parent.id, system_message="Cite papers.")
    child = await workspace.topics.create(project.id, name="GPT", parent_id=parent.id, at=at)
    await workspace.topics.instruct(parent.id, system_message="Never mind.")
    assert (await workspace.topics.get(child.id)).system_message == "Cite papers."


async def test_a_topic_that_holds_something_is_not_deleted_and_says_what(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    project_id = (await workspace.chat(chat_id)).project_id
    at = datetime.now(UTC)
    parent = await workspace.topics.create(project_id, name="AI", parent_id=None, at=at)
    child = await workspace.topics.create(project_id, name="GPT", parent_id=parent.id, at=at)
    await workspace.choose_topic(chat_id, topic_id=parent.id)
    await ask(workspace, chat_id, "one")
    turn = await ask(workspace, chat_id, "two")
    assert await workspace.topics.turn_counts(project_id) == {parent.id: 2}
    with pytest.raises(InvalidInput, match="has 2 turns and 1 topic below it"):
        await workspace.topics.delete(parent.id)

    await workspace.turns.mark(turn.turn.id, TurnMarks(topic_id=child.id))
    await workspace.topics.move(child.id, parent_id=None)
    with pytest.raises(InvalidInput, match=r"has 1 turn\."):
        await workspace.topics.delete(parent.id)


async def test_deleting_an_empty_topic_frees_the_chats_that_had_chosen_it(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    project_id = (await workspace.chat(chat_id)).project_id
    topic = await workspace.topics.create(
        project_id, name="AI", parent_id=None, at=datetime.now(UTC)
    )
    await workspace.choose_topic(chat_id, topic_id=topic.id)
    await workspace.topics.delete(topic.id)
    assert (await workspace.chat(chat_id)).topic_id is None
    await ask(workspace, chat_id, "still works")
    with pytest.raises(NotFound):
        await workspace.topics.get(topic.id)


async def test_a_chat_cannot_take_a_topic_of_another_project(
    workspace: Workspace, data_dir: Path
) -> None:
    chat_id = await begun(workspace, data_dir)
    other = await workspace.create_project(name="Garden")
    topic = await workspace.topics.create(
        other.id, name="Pears", parent_id=None, at=datetime.now(UTC)
    )
    with pytest.raises(InvalidInput, match="belongs to another project"):
        await workspace.choose_topic(chat_id, topic_id=topic.id)
