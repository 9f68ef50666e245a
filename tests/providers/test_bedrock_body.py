from typing import cast

import msgspec
import pytest
from msgspec import structs

from tests.providers.asking import message, request, say
from tests.providers.scenes import HELLO, LOOK, Wire, about_clocks, as_json
from windowpane.context.request import CacheMark, ModelRequest
from windowpane.errors import InvalidInput
from windowpane.messages import Message
from windowpane.options import Effort, ReasoningOptions, RequestOptions
from windowpane.parts import (
    Citation,
    Image,
    Native,
    Opaque,
    Part,
    Reasoning,
    ServerTool,
    Text,
    ToolCall,
    ToolResult,
)
from windowpane.providers.bedrock_body import converse_body

THOUGHT = '{"reasoningContent":{"reasoningText":{"text":"Hm.","signature":"c2ln"}}}'
SEALED = '{"reasoningContent":{"redactedContent":"c2VhbGVk"}}'
CITED = '{"citationsContent":{"content":[{"text":"So."}],"citations":[]}}'
SEARCH = (
    '{"toolUse":{"toolUseId":"s1","name":"nova_grounding","type":"server_tool_use","input":{}}}'
)
FOUND = '{"toolResult":{"toolUseId":"s1","type":"nova_grounding_result","content":[]}}'
CALL = '{"toolUse":{"toolUseId":"tooluse_1","name":"look","input":{"at":1}}}'
POINT = {"cachePoint": {"type": "default"}}
SONNET = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA, NOVA_2 = "us.amazon.nova-pro-v1:0", "us.amazon.nova-2-lite-v1:0"
LLAMA = "us.meta.llama4-scout-17b-instruct-v1:0"


def own(block: str) -> Native:
    return Native(family="bedrock", block=block)


def foreign(block: str) -> Native:
    return Native(family="anthropic", block=block)


def body(asking: ModelRequest) -> Wire:
    return msgspec.json.decode(converse_body(asking).body, type=Wire)


def spoken(*messages: Message, model: str = SONNET, has_tools: bool = True) -> list[Wire]:
    asking = structs.replace(request(*messages, model=model), tools=(LOOK,) if has_tools else ())
    return cast("list[Wire]", body(asking)["messages"])


def blocks(*parts: Part) -> object:
    """What an answer becomes in the request of the next turn."""
    [said] = spoken(message("assistant", *parts))
    return said["content"]


def optioned(options: RequestOptions, *, model: str = SONNET, limit: int | None = None) -> Wire:
    """What is said beside the messages."""
    asking = structs.replace(request(HELLO, model=model), options=options, max_output_tokens=limit)
    return {name: value for name, value in body(asking).items() if name != "messages"}


def test_a_conversation_with_tools_is_put_in_the_familys_words() -> None:
    asking = about_clocks(
        error="", model=SONNET, system="Be brief.\n\nPrevious Conversation Summary:\nClocks."
    )
    nothing: Wire = {}
    assert body(structs.replace(asking, tools=(LOOK,), max_output_tokens=50)) == {
        "system": [{"text": "Be brief.\n\nPrevious Conversation Summary:\nClocks."}],
        "messages": [
            {"role": "user", "content": [{"text": "What time "}, {"text": "is it?"}]},
            {
                "role": "assistant",
                "content": [
                    {"text": "I look."},
                    {"toolUse": {"toolUseId": "c1", "name": "now", "input": nothing}},
                    {"toolUse": {"toolUseId": "c2", "name": "zone", "input": {"of": "me"}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "c1",
                            "content": [{"text": "12:00"}],
                            "status": "success",
                        }
                    },
                    {
                        "toolResult": {
                            "toolUseId": "c2",
                            # A text without a word is refused.
                            "content": [{"text": "(nothing)"}],
                            "status": "error",
                        }
                    },
                ],
            },
        ],
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "look",
                        "description": "Looks.",
                        "inputSchema": {"json": {"type": "object"}},
                    }
                }
            ]
        },
        "inferenceConfig": {"maxTokens": 50},
    }


def test_the_blocks_of_an_answer_go_back_as_they_came() -> None:
    parts = (
        Reasoning(text="Hm.", native=own(THOUGHT)),
        Reasoning(text="", native=own(SEALED)),
        ServerTool(name="ground", arguments="{}", native=own(SEARCH)),
        Opaque(kind="toolResult", native=own(FOUND)),
        Text(text="So.", citations=(Citation(url="u"),), native=own(CITED)),
        ToolCall(call_id="tooluse_1", name="look", arguments='{"at":1}', native=own(CALL)),
    )
    assert blocks(*parts) == as_json(THOUGHT, SEALED, SEARCH, FOUND, CITED, CALL)


def test_an_answer_of_another_family_goes_in_plain_words() -> None:
    """Of Claude itself, asked at Anthropic, too: the blocks are others."""
    assert blocks(
        Reasoning(text="Hm.", native=foreign('{"signature":"s"}')),
        ServerTool(name="web_search", arguments="{}", native=foreign("{}")),
        Opaque(kind="fallback", native=foreign("{}")),
        Text(text="I look.", citations=(Citation(url="u"),), native=foreign("{}")),
        ToolCall(call_id="c1", name="look", arguments='{"at":1}', native=foreign("{}")),
        Image(media_type="image/png", data="aWk="),
    ) == [
        {"text": "I look."},
        {"toolUse": {"toolUseId": "c1", "name": "look", "input": {"at": 1}}},
    ]


@pytest.mark.parametrize(
    ("asked_before", "asked_now", "is_sent"),
    [
        ("bedrock/us.anthropic.claude-3-7-sonnet-20250219-v1:0", SONNET, True),
        ("bedrock/anthropic.claude-opus-5", "global.anthropic.claude-sonnet-5", True),
        (f"bedrock/{SONNET}", "openai.gpt-oss-120b-1:0", False),
        (f"bedrock/{NOVA_2}", SONNET, False),
        ("bedrock/arn:aws:bedrock:us-east-1:1:imported-model/a", SONNET, False),
        (None, SONNET, True),
    ],
)
def test_what_one_makers_models_signed_goes_back_to_them_alone(
    asked_before: str | None, asked_now: str, is_sent: bool
) -> None:
    answer = message(
        "assistant",
        Reasoning(text="Hm.", native=own(THOUGHT)),
        Text(text="So.", native=own(CITED)),
        ToolCall(call_id="tooluse_1", name="look", arguments='{"at":1}', native=own(CALL)),
    )
    [said] = spoken(structs.replace(answer, model=asked_before), model=asked_now)
    assert said["content"] == [*as_json(*([THOUGHT] if is_sent else [])), *as_json(CITED, CALL)]


def test_calls_are_told_in_words_where_no_tool_is_on() -> None:
    """Converse refuses them as calls then."""
    said = spoken(
        HELLO,
        message(
            "assistant",
            ToolCall(call_id="tooluse_1", name="look", arguments='{"at":1}', native=own(CALL)),
            ToolCall(call_id="c2", name="wait", arguments=""),
        ),
        message(
            "tool",
            ToolResult(call_id="tooluse_1", name="look", text="It."),
            ToolResult(call_id="c2", name="wait", text="No.", is_error=True),
        ),
        has_tools=False,
    )
    assert [one["content"] for one in said[1:]] == [
        [{"text": '[called look: {"at":1}]'}, {"text": "[called wait: {}]"}],
        [{"text": "[look gave: It.]"}, {"text": "[wait failed: No.]"}],
    ]


def test_a_call_and_its_result_get_an_id_of_the_right_form_and_of_their_own() -> None:
    def round_of(call_id: str, native: Native | None = None) -> tuple[Message, Message]:
        call = ToolCall(call_id=call_id, name="look", arguments="{}", native=native)
        result = ToolResult(call_id=call_id, name="look", text="It.")
        return message("assistant", call), message("tool", result)

    said = spoken(
        *round_of("c" * 65),
        *round_of("tooluse_1", own(CALL)),
        *round_of("tooluse_1", own(CALL)),
    )
    ids = [
        cast("dict[str, str]", block.get("toolUse") or block.get("toolResult"))["toolUseId"]
        for one in said
        for block in cast("list[Wire]", one["content"])
    ]
    assert ids[::2] == ids[1::2]
    assert ids[2] == "tooluse_1"
    assert len(set(ids)) == 3
    assert all(len(id) <= 64 for id in ids)


def test_images_go_as_data_and_results_go_before_them() -> None:
    called = message("assistant", ToolCall(call_id="c1", name="draw", arguments="{}"))
    drawn = message(
        "tool",
        Image(media_type="image/jpeg", data="aGk="),
        ToolResult(call_id="c1", name="draw", text="Done."),
    )
    *_, said = spoken(HELLO, called, drawn)
    result, image = cast("list[Wire]", said["content"])
    assert "toolResult" in result
    assert image == {"image": {"format": "jpeg", "source": {"bytes": "aGk="}}}


def test_an_image_by_address_is_refused_with_a_way_on() -> None:
    picture = Image(media_type="image/png", url="https://pictures.example/a.png")
    with pytest.raises(InvalidInput, match="Attach the image itself"):
        spoken(message("user", picture))


@pytest.mark.parametrize(
    ("model", "effort", "budget_tokens", "fields"),
    [
        (
            "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
            "low",
            None,
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        ),
        (SONNET, "low", None, {"reasoning_config": {"type": "enabled", "budget_tokens": 2048}}),
        (SONNET, None, 100, {"reasoning_config": {"type": "enabled", "budget_tokens": 1024}}),
        (SONNET, "none", 5000, None),
        (SONNET, None, None, None),
        (
            "us.anthropic.claude-opus-4-6-v1",
            "xhigh",
            5000,
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
        (
            "global.anthropic.claude-opus-4-7",
            "low",
            None,
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
            },
        ),
        ("anthropic.claude-opus-5", "none", None, {"thinking": {"type": "disabled"}}),
        (
            NOVA_2,
            "minimal",
            None,
            {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}},
        ),
        (
            NOVA_2,
            None,
            5000,
            {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "medium"}},
        ),
        (NOVA_2, "none", None, None),
        (NOVA, "high", None, None),
        ("us.deepseek.r1-v1:0", "high", None, {"showThinking": True}),
        (LLAMA, "high", 5000, None),
    ],
)
def test_a_wish_for_thought_is_put_as_the_model_takes_it(
    model: str, effort: Effort | None, budget_tokens: int | None, fields: Wire | None
) -> None:
    reasoning = ReasoningOptions(effort=effort, budget_tokens=budget_tokens)
    told = optioned(RequestOptions(reasoning=reasoning), model=model)
    assert told.get("additionalModelRequestFields") == fields


@pytest.mark.parametrize(
    ("model", "effort", "limits"),
    [
        (SONNET, None, {"maxTokens": 3000, "temperature": 0.5}),
        # Thought counts against the limit, and any temperature but its own is refused.
        (SONNET, "low", {"maxTokens": 3000}),
        ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", "low", {"maxTokens": 3000}),
        ("us.anthropic.claude-opus-4-6-v1", "low", {"maxTokens": 3000}),
        ("us.anthropic.claude-opus-4-7", None, {"maxTokens": 3000}),
        (NOVA_2, "medium", {"maxTokens": 3000, "temperature": 0.5}),
        (NOVA_2, "high", None),
        (LLAMA, "high", {"maxTokens": 3000, "temperature": 0.5}),
    ],
)
def test_limits_that_a_model_refuses_while_it_thinks_are_left_out(
    model: str, effort: Effort | None, limits: Wire | None
) -> None:
    reasoning = ReasoningOptions(effort=effort) if effort else None
    options = RequestOptions(temperature=0.5, reasoning=reasoning)
    assert optioned(options, model=model, limit=3000).get("inferenceConfig") == limits


def test_an_answer_that_began_without_a_thought_of_its_own_does_not_think_midway() -> None:
    result = message("tool", ToolResult(call_id="tooluse_1", name="look", text="It."))
    call = ToolCall(call_id="tooluse_1", name="look", arguments="{}", native=own(CALL))
    options = RequestOptions(reasoning=ReasoningOptions(effort="low"))
    for parts, is_asked in (
        ((Reasoning(text="Hm.", native=foreign("{}")), call), False),
        ((Reasoning(text="Hm.", native=own(THOUGHT)), call), True),
    ):
        asking = request(HELLO, message("assistant", *parts), result, model=SONNET)
        told = body(structs.replace(asking, options=options, tools=(LOOK,)))
        assert ("additionalModelRequestFields" in told) is is_asked


def test_a_long_window_is_asked_of_claude_alone() -> None:
    long = RequestOptions(uses_long_context=True)
    assert optioned(long)["additionalModelRequestFields"] == {
        "anthropic_beta": ["context-1m-2025-08-07"]
    }
    assert optioned(long, model=NOVA) == {}


@pytest.mark.parametrize(
    ("model", "effort", "is_sent"),
    [
        (SONNET, None, True),
        (SONNET, "low", False),
        ("us.anthropic.claude-opus-4-6-v1", None, False),
        (NOVA, None, True),
        (LLAMA, None, False),
    ],
)
def test_how_the_answer_shall_begin_is_said_where_the_model_goes_on_from_it(
    model: str, effort: Effort | None, is_sent: bool
) -> None:
    reasoning = ReasoningOptions(effort=effort) if effort else None
    options = RequestOptions(prefill="Well, ", reasoning=reasoning)
    asking = structs.replace(request(HELLO, model=model), options=options)
    said = cast("list[Wire]", body(asking)["messages"])[1:]
    assert said == ([{"role": "assistant", "content": [{"text": "Well,"}]}] if is_sent else [])


def marked(asking: ModelRequest) -> Wire:
    marks = (CacheMark(after_message_id=None), CacheMark(after_message_id="rec_2"))
    return body(structs.replace(asking, marks=marks))


def test_marks_stand_behind_what_may_be_remembered() -> None:
    asking = request(
        say("rec_1", "user", Text(text="Hi")),
        say("rec_2", "assistant", Text(text="Hello.")),
        say("rec_3", "user", Text(text="And?")),
        model=SONNET,
        system="Be brief.",
    )
    asking = structs.replace(asking, tools=(LOOK,))
    for model in (SONNET, NOVA):
        told = marked(structs.replace(asking, model=model))
        assert told["system"] == [{"text": "Be brief."}, POINT]
        contents = [one["content"] for one in cast("list[Wire]", told["messages"])]
        assert contents == [[{"text": "Hi"}], [{"text": "Hello."}, POINT], [{"text": "And?"}]]
        assert str(told).count("cachePoint") == 2
    assert "cachePoint" not in str(marked(structs.replace(asking, model=LLAMA)))


def test_without_a_system_text_the_mark_stands_behind_the_tools_where_that_is_taken() -> None:
    asking = structs.replace(request(HELLO, model=SONNET), tools=(LOOK,))
    config = cast("dict[str, list[Wire]]", marked(asking)["toolConfig"])
    assert config["tools"][-1] == POINT
    assert "cachePoint" not in str(marked(structs.replace(asking, model=NOVA)))


def test_what_says_nothing_is_not_sent_and_neighbours_are_joined() -> None:
    assert spoken(
        message("assistant", Reasoning(text="Only thoughts.")),
        message("user", Text(text=" ")),
        message("user", Text(text="An")),
        message("user", Text(text="d?")),
    ) == [{"role": "user", "content": [{"text": "An"}, {"text": "d?"}]}]


def test_every_byte_of_a_message_has_its_source() -> None:
    asking = request(
        say("rec_1", "user", Text(text="Hi")),
        say("rec_2", "assistant", Reasoning(text="Hm.", native=own(THOUGHT))),
        model=SONNET,
        system="Be brief.",
    )
    written = converse_body(asking)
    assert [
        (span.kind, span.id, written.body[span.start : span.end].decode()) for span in written.spans
    ] == [
        ("system", "", '{"text":"Be brief."}'),
        ("message", "rec_1", '{"text":"Hi"}'),
        ("message", "rec_2", THOUGHT),
    ]
