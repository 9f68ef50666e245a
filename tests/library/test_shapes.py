"""OpenAI's and Anthropic's JSON: read whole, given back verbatim, refused with a path."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image

from tests.library.conversations import ANTHROPIC_TOOLS, CALL, OPENAI_TOOLS, WINDOWS
from windowpane import BadMessages, ContextSettings, Conversation, InvalidInput
from windowpane.library.reading import Json

MODEL = "gpt-4o"
CLAUDE = "claude-sonnet-4-5"
NOTHING_OLD = ContextSettings(reasoning_turns=0, tool_turns=0)


def image(width_px: int, height_px: int) -> str:
    file = BytesIO()
    Image.new("RGB", (width_px, height_px)).save(file, "PNG")
    return b64encode(file.getvalue()).decode()


def openai_sent(messages: list[Json], *, settings: ContextSettings | None = None) -> list[Json]:
    conversation = Conversation.from_openai(messages)
    return conversation.to_openai(conversation.plan(MODEL, settings=settings))


def anthropic_sent(
    messages: list[Json], *, settings: ContextSettings | None = None
) -> dict[str, object]:
    conversation = Conversation.from_anthropic(messages)
    return conversation.to_anthropic(conversation.plan(CLAUDE, settings=settings))


def test_tool_calls_unknown_fields_and_names_come_back() -> None:
    assert openai_sent(OPENAI_TOOLS) == OPENAI_TOOLS


def test_old_reasoning_and_tools_leave_their_message_and_nothing_else_does() -> None:
    assert openai_sent(OPENAI_TOOLS, settings=NOTHING_OLD) == [
        OPENAI_TOOLS[0],
        {"role": "assistant", "content": "I look.", "annotations": []},
        {"role": "assistant", "content": "No."},
        *OPENAI_TOOLS[4:],
    ]


def test_the_messages_that_were_given_are_not_changed() -> None:
    before = repr(OPENAI_TOOLS)
    openai_sent(OPENAI_TOOLS, settings=NOTHING_OLD)
    assert repr(OPENAI_TOOLS) == before


def test_a_running_tool_round_is_asked_now() -> None:
    conversation = Conversation.from_openai(OPENAI_TOOLS[:3])
    assert (len(conversation), len(conversation.current)) == (0, 3)
    assert conversation.to_openai(conversation.plan(MODEL)) == OPENAI_TOOLS[:3]


def test_a_call_that_is_still_open_is_not_sent() -> None:
    assert openai_sent(OPENAI_TOOLS[:2]) == [
        OPENAI_TOOLS[0],
        {"role": "assistant", "content": "I look.", "annotations": []},
    ]


def test_developer_messages_are_instructions() -> None:
    messages: list[Json] = [
        {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
        *WINDOWS[1:],
    ]
    conversation = Conversation.from_openai(messages).summarised("Windows.", through=1)
    plan = conversation.plan(MODEL)
    assert plan.context.system == "Be brief."
    assert conversation.to_openai(plan)[1]["role"] == "developer"


def test_instructions_in_the_middle_stay_with_their_turn() -> None:
    messages: list[Json] = [
        *WINDOWS[:3],
        {"role": "system", "content": "From now on in French."},
        *WINDOWS[3:],
    ]
    assert openai_sent(messages) == messages
    conversation = Conversation.from_openai(messages)
    assert conversation.to_openai(conversation.skip(1).plan(MODEL)) == [WINDOWS[0], *WINDOWS[3:]]


def test_a_message_without_words_is_not_sent() -> None:
    blank: Json = {"role": "assistant", "content": ""}
    assert openai_sent([*WINDOWS[:3], blank, *WINDOWS[3:]]) == WINDOWS


def test_custom_tool_calls_come_back() -> None:
    call: Json = {"id": "c", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}
    messages: list[Json] = [
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "1"}]},
    ]
    assert openai_sent(messages) == messages


def with_image(url: str) -> list[Json]:
    picture: Json = {"type": "image_url", "image_url": {"url": url, "detail": "high"}}
    text: Json = {"type": "text", "text": "What is this?"}
    return [
        {"role": "user", "content": [text, picture]},
        {"role": "assistant", "content": "A cat."},
    ]


@pytest.mark.parametrize(
    ("url", "image_tokens"),
    [
        (f"data:image/png;base64,{image(512, 512)}", 85 + 170),
        # A size that cannot be seen counts as 1024 × 1024.
        ("https://example.org/cat.png", 85 + 4 * 170),
        ("data:image/png;base64,bm90IGFuIGltYWdl", 85 + 4 * 170),
        ("data:image/png;base64,!", 85 + 4 * 170),
    ],
)
def test_images_are_weighed_by_their_size_and_come_back(url: str, image_tokens: int) -> None:
    messages = with_image(url)
    plain = Conversation.from_openai(
        [{"role": "user", "content": "What is this?"}, {"role": "assistant", "content": "A cat."}]
    )
    conversation = Conversation.from_openai(messages)
    assert conversation.count(MODEL) == plain.count(MODEL) + image_tokens
    assert openai_sent(messages) == messages
    assert conversation.filter("i") == [1]


def test_tools_are_weighed_with_every_request() -> None:
    parameters: Json = {"type": "object", "properties": {"at": {"type": "string"}}}
    function: Json = {"name": "look", "description": "Look.", "parameters": parameters}
    openai = Conversation.from_openai([], tools=[{"type": "function", "function": function}])
    own: Json = {"name": "look", "description": "Look.", "input_schema": parameters}
    anthropic = Conversation.from_anthropic([], tools=[own])
    assert openai.tools == anthropic.tools
    assert openai.plan(MODEL).context.fixed.tools_tokens > 15


def test_a_provider_s_own_tool_counts_as_its_json() -> None:
    search: Json = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    bare: Json = {"type": "code_interpreter"}
    assert [one.name for one in Conversation.from_anthropic([], tools=[search, bare]).tools] == [
        "web_search",
        "code_interpreter",
    ]


def test_thinking_signatures_and_results_come_back() -> None:
    assert anthropic_sent(ANTHROPIC_TOOLS) == {"messages": ANTHROPIC_TOOLS}


def test_results_in_a_user_s_message_go_on_with_the_turn() -> None:
    conversation = Conversation.from_anthropic(ANTHROPIC_TOOLS)
    assert (len(conversation), len(conversation.turns[0].messages)) == (1, 4)


def test_old_thinking_leaves_and_the_call_stays() -> None:
    settings = ContextSettings(reasoning_turns=0)
    messages = anthropic_sent(ANTHROPIC_TOOLS, settings=settings)["messages"]
    assert "thinking" not in repr(messages)
    assert "tool_use" in repr(messages)


def test_old_tools_leave_with_the_thinking_that_led_to_them() -> None:
    sent = anthropic_sent(ANTHROPIC_TOOLS, settings=ContextSettings(tool_turns=0))
    assert sent == {
        "messages": [
            ANTHROPIC_TOOLS[0],
            {"role": "assistant", "content": [{"type": "text", "text": "I look."}]},
            *ANTHROPIC_TOOLS[3:],
        ]
    }


def test_blocks_that_nobody_knows_come_back() -> None:
    unknown: Json = {"type": "hologram", "depth": {"of": [1, 2, 3]}}
    messages: list[Json] = [
        {"role": "user", "content": [{"type": "text", "text": "Look."}, unknown]},
        {"role": "assistant", "content": "I see."},
    ]
    assert anthropic_sent(messages) == {"messages": messages}
    assert Conversation.from_anthropic(messages).count(CLAUDE) > 15


@pytest.mark.parametrize(
    "system",
    [
        "Be brief.",
        [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    ],
)
def test_the_system_text_keeps_its_shape(system: str | list[Json]) -> None:
    conversation = Conversation.from_anthropic(ANTHROPIC_TOOLS, system=system)
    plan = conversation.plan(CLAUDE)
    assert plan.context.system == "Be brief."
    assert conversation.to_anthropic(plan)["system"] == system


def test_a_summary_joins_the_system_text_in_its_shape() -> None:
    def system_of(system: str | list[Json] | None) -> object:
        conversation = Conversation.from_anthropic(ANTHROPIC_TOOLS, system=system)
        conversation = conversation.summarised("It was dirty.", through=1)
        return conversation.to_anthropic(conversation.plan(CLAUDE))["system"]

    summary = "Previous Conversation Summary:\nIt was dirty."
    assert system_of(None) == summary
    assert system_of("Be brief.") == f"Be brief.\n\n{summary}"
    block: Json = {"type": "text", "text": "Be brief."}
    assert system_of([block]) == [block, {"type": "text", "text": summary}]


def test_messages_go_back_in_the_shape_they_came_in() -> None:
    conversation = Conversation.from_openai(WINDOWS)
    with pytest.raises(InvalidInput, match="Use to_openai"):
        conversation.to_anthropic(conversation.plan(MODEL))


ASK: Json = {"role": "user", "content": "x"}
BROKEN_OPENAI: list[tuple[object, str]] = [
    ("hello", "messages must be a list, not text."),
    ([7], "messages[0] must be an object, not a number."),
    ([{}], "messages[0].role is missing. It must be text."),
    ([{"role": "bot"}], "messages[0].role is 'bot'; it must be user, assistant, tool, system"),
    (
        [{"role": "user", "content": 7}],
        "messages[0].content must be text or a list of blocks, not a number.",
    ),
    (
        [{"role": "user", "content": {}}],
        "messages[0].content must be text or a list of blocks, not an object.",
    ),
    ([{"role": "user", "content": [{}]}], "messages[0].content[0].type is missing."),
    (
        [ASK, {"role": "user", "content": [{"type": "text", "text": ["x"]}]}],
        "messages[1].content[0].text must be text, not a list.",
    ),
    (
        [{"role": "system", "content": True}],
        "messages[0].content must be text or a list of blocks, not true or",
    ),
    (
        [ASK, {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "x"}}]}],
        "messages[1].tool_calls[0].function.arguments is missing. It must be text.",
    ),
    (
        [ASK, {"role": "assistant", "tool_calls": [{"function": {}}]}],
        "messages[1].tool_calls[0].id is missing.",
    ),
    ([ASK, {"role": "tool", "content": "x"}], "messages[1].tool_call_id is missing."),
    (
        [WINDOWS[0], ASK, {"role": "tool", "tool_call_id": "9", "content": "x"}],
        "messages[2] answers the call '9', which is not open before it.",
    ),
    (
        [WINDOWS[0], ASK, {"role": "assistant", "tool_calls": [CALL]}, ASK, WINDOWS[2], ASK],
        "messages[2] makes the call 'call_1', which has no result after it.",
    ),
    (
        [ASK, {"role": "assistant", "function_call": {"name": "x", "arguments": ""}}],
        "messages[1].function_call is of the past. Write it as tool_calls.",
    ),
    (
        [{"role": "user", "content": b"x"}],
        "messages[0].content must be text or a list of blocks, not bytes",
    ),
]
BROKEN_ANTHROPIC: list[tuple[object, str]] = [
    ([{"role": "system", "content": "x"}], "it must be user or assistant. Pass it as system=."),
    ([{"role": "user"}], "messages[0].content is missing. It must be text or a list of blocks."),
    (
        [ASK, {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "x"}]}],
        "messages[1].content[0].input is missing. It must be an object.",
    ),
    (
        [{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}],
        "messages[0].content[0].tool_use_id is missing.",
    ),
    (
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}],
        "messages[0] answers the call '1', which is not open before it.",
    ),
]


@pytest.mark.parametrize(
    ("read", "messages", "complaint"),
    [(Conversation.from_openai, *case) for case in BROKEN_OPENAI]
    + [(Conversation.from_anthropic, *case) for case in BROKEN_ANTHROPIC],
)
def test_what_is_wrong_is_named_by_its_path(
    read: Callable[..., Conversation], messages: object, complaint: str
) -> None:
    with pytest.raises(BadMessages) as caught:
        read(messages)
    assert complaint in str(caught.value)
    assert str(caught.value).startswith(caught.value.path)
