from typing import cast

import msgspec
import pytest
from msgspec import structs

from tests.providers.asking import message, request, say
from tests.providers.scenes import HELLO, LOOK, Wire, about_clocks, as_json
from windowpane.context.marks import cache_marks
from windowpane.context.request import CacheMark, ModelRequest
from windowpane.definitions import ProviderDefinition
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
from windowpane.providers.anthropic_body import messages_body
from windowpane.providers.base import WireRequest
from windowpane.providers.choose import dialect_of

THOUGHT = '{"type":"thinking","thinking":"Hm.","signature":"c2ln"}'
SEALED = '{"type":"redacted_thinking","data":"c2VhbGVk"}'
CALL = '{"type":"tool_use","id":"toolu_1","name":"look","input":{"at":1}}'
SEARCH = '{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"x"}}'
FOUND = '{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"url":"u"}]}'
CITED = '{"type":"text","text":"So.","citations":[{"type":"char_location","document_index":0}]}'
NOVELTY = '{"type":"compaction","content":"zipped"}'
MARK = {"type": "ephemeral"}
SONNET = "claude-sonnet-4-5"


def own(block: str) -> Native:
    return Native(family="anthropic", block=block)


def foreign(block: str) -> Native:
    return Native(family="google", block=block)


def body(asking: ModelRequest) -> Wire:
    return msgspec.json.decode(messages_body(asking, extra={}).body, type=Wire)


def spoken(*messages: Message, model: str = SONNET) -> list[Wire]:
    return cast("list[Wire]", body(request(*messages, model=model))["messages"])


def blocks(*parts: Part) -> object:
    """What an answer becomes in the request of the next turn."""
    [said] = spoken(message("assistant", *parts)) or [{"content": []}]
    return said["content"]


def optioned(options: RequestOptions, *, model: str = SONNET, limit: int | None = None) -> Wire:
    asking = request(HELLO, model=model)
    return body(structs.replace(asking, options=options, max_output_tokens=limit))


def thought_of(effort: Effort | None = None, budget_tokens: int | None = None) -> RequestOptions:
    return RequestOptions(
        temperature=0.5, reasoning=ReasoningOptions(effort=effort, budget_tokens=budget_tokens)
    )


def test_a_conversation_with_tools_is_put_in_the_familys_words() -> None:
    asking = about_clocks(
        error="Unknown.",
        model=SONNET,
        system="Be brief.\n\nPrevious Conversation Summary:\nClocks.",
    )
    nothing: Wire = {}
    assert body(asking) == {
        "max_tokens": 32_000,
        "system": [
            {"type": "text", "text": "Be brief.\n\nPrevious Conversation Summary:\nClocks."}
        ],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What time "},
                    {"type": "text", "text": "is it?"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c1", "name": "now", "input": nothing},
                    {"type": "tool_use", "id": "c2", "name": "zone", "input": {"of": "me"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "12:00"},
                    {
                        "type": "tool_result",
                        "tool_use_id": "c2",
                        "content": "Unknown.",
                        "is_error": True,
                    },
                ],
            },
        ],
    }


def test_the_blocks_of_an_answer_go_back_as_they_came() -> None:
    parts = (
        Reasoning(text="Hm.", native=own(THOUGHT)),
        Reasoning(text="", native=own(SEALED)),
        ServerTool(name="web_search", arguments="{}", native=own(SEARCH)),
        Opaque(kind="web_search_tool_result", native=own(FOUND)),
        Opaque(kind="compaction", native=own(NOVELTY)),
        Text(text="So.", citations=(Citation(url="u"),), native=own(CITED)),
        ToolCall(call_id="toolu_1", name="look", arguments='{"at":1}', native=own(CALL)),
    )
    assert blocks(*parts) == as_json(THOUGHT, SEALED, SEARCH, FOUND, NOVELTY, CITED, CALL)


def test_an_answer_of_another_family_goes_in_plain_words() -> None:
    assert blocks(
        Reasoning(text="Hm.", native=foreign('[{"thoughtSignature":"c2ln"}]')),
        ServerTool(name="search", arguments="{}", native=foreign("[{}]")),
        Opaque(kind="part", native=foreign("[{}]")),
        Text(text="I look.", citations=(Citation(url="u"),), native=foreign("[{}]")),
        ToolCall(call_id="c1", name="look", arguments='{"at":1}', native=foreign("[{}]")),
        Image(media_type="image/png", data="aWk="),
    ) == [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 1}},
    ]


def test_arguments_that_are_no_object_are_put_into_one() -> None:
    for arguments in ('{"at": ', "[1]"):
        call = ToolCall(call_id="c1", name="look", arguments=arguments)
        [block] = cast("list[Wire]", blocks(call))
        assert block["input"] == {"arguments": arguments}


def test_a_search_that_was_cut_off_before_its_result_is_left_out_unless_it_was_paused() -> None:
    cut = message(
        "assistant",
        Text(text="I search."),
        ServerTool(name="web_search", arguments="{}", native=own(SEARCH)),
    )
    [said] = spoken(cut)
    assert said["content"] == [{"type": "text", "text": "I search."}]
    paused = structs.replace(cut, finish="pause")
    [said] = spoken(paused)
    assert said["content"] == [{"type": "text", "text": "I search."}, *as_json(SEARCH)]
    # It was never taken up again, and the conversation went on.
    said, _ = spoken(paused, HELLO)
    assert said["content"] == [{"type": "text", "text": "I search."}]


def test_an_answer_that_was_paused_goes_on_from_where_it_was() -> None:
    paused = structs.replace(
        message(
            "assistant",
            Reasoning(text="Hm.", native=own(THOUGHT)),
            ServerTool(name="web_search", arguments="{}", native=own(SEARCH)),
        ),
        finish="pause",
    )
    more = message("assistant", Opaque(kind="result", native=own(FOUND)), Text(text="So."))
    options = RequestOptions(has_web_search=True, prefill="It is")
    asking = structs.replace(request(HELLO, paused, model=SONNET), options=options)
    assert cast("list[Wire]", body(asking)["messages"])[1:] == [
        {"role": "assistant", "content": as_json(THOUGHT, SEARCH)}
    ]
    # Both halves are one message, with the search before its result.
    _, said = spoken(HELLO, paused, more)
    assert said["content"] == [*as_json(THOUGHT, SEARCH, FOUND), {"type": "text", "text": "So."}]


def test_citations_are_stripped_from_text_that_follows_a_result() -> None:
    called = message("assistant", ToolCall(call_id="c1", name="look", arguments="{}"))
    result = message("tool", ToolResult(call_id="c1", name="look", text="It."))
    cited = message("assistant", Text(text="So.", native=own(CITED)))
    *_, said = spoken(HELLO, called, result, cited)
    assert said["content"] == [{"type": "text", "text": "So."}]
    *_, said = spoken(HELLO, cited)
    assert said["content"] == as_json(CITED)


def test_images_go_as_data_or_as_addresses_and_results_go_before_them() -> None:
    called = message("assistant", ToolCall(call_id="c1", name="draw", arguments="{}"))
    drawn = message(
        "tool",
        Image(media_type="image/png", data="aGk="),
        ToolResult(call_id="c1", name="draw", text="Done."),
        Image(media_type="image/*", url="https://pictures.example/b.jpg"),
    )
    *_, said = spoken(HELLO, called, drawn)
    assert said["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "Done."},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
        },
        {"type": "image", "source": {"type": "url", "url": "https://pictures.example/b.jpg"}},
    ]


@pytest.mark.parametrize(
    ("text", "is_error", "sent"),
    [
        ("", False, {}),
        (" \n", False, {}),
        ("", True, {"content": "(nothing)", "is_error": True}),
        ("No.", True, {"content": "No.", "is_error": True}),
    ],
)
def test_a_result_without_words_is_sent_as_the_api_takes_it(
    text: str, is_error: bool, sent: Wire
) -> None:
    result = ToolResult(call_id="c1", name="look", text=text, is_error=is_error)
    [said] = spoken(message("tool", result))
    assert said["content"] == [{"type": "tool_result", "tool_use_id": "c1", **sent}]


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("",), []),
        ((" ",), []),
        (("So", "", "\n", "it is."), ["So", "\n", "it is."]),
    ],
)
def test_texts_that_are_refused_do_not_go_back(texts: tuple[str, ...], kept: list[str]) -> None:
    natives = [msgspec.json.encode({"type": "text", "text": text}).decode() for text in texts]
    parts = [
        Text(text=text, native=own(native)) for text, native in zip(texts, natives, strict=True)
    ]
    assert blocks(*parts) == [{"type": "text", "text": text} for text in kept]


def test_a_call_and_its_result_get_an_id_of_the_right_form_and_of_their_own() -> None:
    def round_of(call_id: str, native: Native | None = None) -> tuple[Message, Message]:
        call = ToolCall(call_id=call_id, name="look", arguments="{}", native=native)
        result = ToolResult(call_id=call_id, name="look", text="It.")
        return message("assistant", call), message("tool", result)

    said = spoken(
        *round_of("functions.look:0"),
        *round_of("toolu_1", own(CALL)),
        *round_of("toolu_1", own(CALL)),
    )
    ids = [
        str(block.get("id") or block.get("tool_use_id"))
        for one in said
        for block in cast("list[Wire]", one["content"])
    ]
    assert ids[::2] == ids[1::2]
    assert ids[2] == "toolu_1"
    assert len(set(ids)) == 3
    assert all(id.replace("_", "").isalnum() for id in ids)


def test_tools_and_a_search_are_offered() -> None:
    asking = structs.replace(
        request(HELLO, model=SONNET), tools=(LOOK,), options=RequestOptions(has_web_search=True)
    )
    assert body(asking)["tools"] == [
        {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}},
        {"type": "web_search_20250305", "name": "web_search"},
    ]


@pytest.mark.parametrize(
    ("model", "limit", "sent"),
    [
        (SONNET, 300, 300),
        (SONNET, 70_000, 70_000),
        ("claude-opus-99", None, 32_000),
        ("claude-unheard-of", None, 8192),
    ],
)
def test_the_output_limit_is_the_requests_or_else_what_models_of_this_age_write(
    model: str, limit: int | None, sent: int
) -> None:
    assert optioned(RequestOptions(), model=model, limit=limit)["max_tokens"] == sent


@pytest.mark.parametrize(
    ("effort", "budget_tokens", "limit", "sent"),
    [
        ("low", None, 3048, 2048),
        (None, 5000, 6000, 5000),
        ("high", 100, 2024, 1024),
        (None, 100_000, 64_000, 63_999),
        ("low", None, 1500, 1499),
        ("low", None, 1024, None),
        ("none", 5000, 1000, None),
        (None, None, 1000, None),
    ],
)
def test_a_budget_for_thought_is_a_part_of_the_limit(
    effort: Effort | None, budget_tokens: int | None, limit: int, sent: int | None
) -> None:
    told = optioned(thought_of(effort, budget_tokens), limit=limit)
    expected = {"type": "enabled", "budget_tokens": sent} if sent else None
    assert (told.get("thinking"), told["max_tokens"]) == (expected, limit)
    assert ("temperature" in told) is (sent is None)


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "config"),
    [
        ("claude-opus-4-6", "minimal", {"type": "adaptive"}, {"effort": "low"}),
        ("claude-opus-4-6", "xhigh", {"type": "adaptive"}, {"effort": "high"}),
        ("claude-sonnet-4-6-20260201", None, {"type": "adaptive"}, None),
        (
            "claude-opus-4-7",
            "xhigh",
            {"type": "adaptive", "display": "summarized"},
            {"effort": "xhigh"},
        ),
        ("claude-opus-5", None, {"type": "adaptive", "display": "summarized"}, None),
        ("claude-opus-4-7", "none", {"type": "disabled"}, None),
    ],
)
def test_a_model_that_decides_itself_how_long_it_thinks_gets_no_budget(
    model: str, effort: Effort | None, thinking: Wire, config: Wire | None
) -> None:
    told = optioned(thought_of(effort, 5000), model=model, limit=1000)
    assert (told.get("thinking"), told.get("output_config")) == (thinking, config)
    assert told["max_tokens"] == 1000


@pytest.mark.parametrize(
    ("model", "options", "is_sent"),
    [
        (SONNET, RequestOptions(temperature=0.5), True),
        ("claude-opus-4-6", thought_of("none"), True),
        ("claude-opus-4-6", thought_of("low"), False),
        ("claude-opus-4-7", RequestOptions(temperature=0.5), False),
    ],
)
def test_a_temperature_is_left_out_where_it_is_refused(
    model: str, options: RequestOptions, is_sent: bool
) -> None:
    assert optioned(options, model=model).get("temperature") == (0.5 if is_sent else None)


def test_an_answer_that_began_without_a_thought_of_claudes_own_does_not_think_midway() -> None:
    """Another model called the tool, or the thought was left out: the API would refuse."""
    result = message("tool", ToolResult(call_id="toolu_1", name="look", text="It."))
    call = ToolCall(call_id="toolu_1", name="look", arguments="{}", native=own(CALL))
    for parts, is_asked in (
        ((call,), False),
        ((Reasoning(text="Hm.", native=foreign("[{}]")), call), False),
        ((Reasoning(text="Hm.", native=own(THOUGHT)), call), True),
        ((Reasoning(text="", native=own(SEALED)), call), True),
    ):
        asking = request(HELLO, message("assistant", *parts), result, model=SONNET)
        asking = structs.replace(asking, options=thought_of("low"))
        assert ("thinking" in body(asking)) is is_asked
        asking = structs.replace(asking, messages=(*asking.messages, HELLO))
        assert "thinking" in body(asking)


@pytest.mark.parametrize(
    ("model", "options", "is_sent"),
    [
        (SONNET, RequestOptions(prefill="Well, "), True),
        (SONNET, RequestOptions(prefill=" "), False),
        (SONNET, structs.replace(thought_of("low"), prefill="Well, "), False),
        ("claude-opus-4-6", RequestOptions(prefill="Well, "), False),
    ],
)
def test_how_the_answer_shall_begin_is_said_where_the_model_goes_on_from_it(
    model: str, options: RequestOptions, is_sent: bool
) -> None:
    messages = cast("list[Wire]", optioned(options, model=model)["messages"])
    # White space at its end would be refused.
    assert messages[1:] == ([{"role": "assistant", "content": "Well,"}] if is_sent else [])


def test_the_beginning_is_not_said_again_after_a_tool() -> None:
    called = message("assistant", ToolCall(call_id="c1", name="look", arguments="{}"))
    result = message("tool", ToolResult(call_id="c1", name="look", text="It."))
    asking = request(HELLO, called, result, model=SONNET)
    asking = structs.replace(asking, options=RequestOptions(prefill="Well,"))
    assert [one["role"] for one in cast("list[Wire]", body(asking)["messages"])] == [
        "user",
        "assistant",
        "user",
    ]


def marked(asking: ModelRequest, *ids: str | None) -> list[tuple[str, object]]:
    """Where the marks are: the field, and the text of the block that carries one."""
    marks = tuple(CacheMark(after_message_id=id) for id in ids)
    told = body(structs.replace(asking, marks=marks))
    listed = [("tools", tool) for tool in cast("list[Wire]", told.get("tools", []))]
    listed += [("system", one) for one in cast("list[Wire]", told.get("system", []))]
    for one in cast("list[Wire]", told["messages"]):
        listed += [("messages", block) for block in cast("list[Wire]", one["content"])]
    return [
        (field, block.get("name") or block.get("text") or block["type"])
        for field, block in listed
        if block.get("cache_control") == MARK
    ]


def test_a_mark_stands_on_the_last_block_that_can_carry_it() -> None:
    answer = say(
        "rec_2",
        "assistant",
        Text(text="I look.", native=own('{"type":"text","text":"I look."}')),
        Opaque(kind="compaction", native=own(NOVELTY)),
        Reasoning(text="Hm.", native=own(THOUGHT)),
    )
    asking = request(say("rec_1", "user", Text(text="Hi")), answer, model=SONNET, system="Be.")
    asking = structs.replace(asking, tools=(LOOK,))
    assert marked(asking, None, "rec_1", "rec_2") == [
        ("system", "Be."),
        ("messages", "Hi"),
        ("messages", "I look."),
    ]
    # The tools come before the system text, so that its mark holds for them too.
    assert marked(structs.replace(asking, system=""), None) == [("tools", "look")]
    assert marked(asking) == []
    assert marked(asking, "rec_9") == []


def test_there_are_never_more_than_four_marks() -> None:
    messages = tuple(
        say(f"rec_{number}", "user" if number % 2 else "assistant", Text(text=f"{number}"))
        for number in range(1, 40)
    )
    asking = structs.replace(request(*messages, model=SONNET, system="Be."), tools=(LOOK,))
    ids = [one.id for one in messages]
    for mode in ("cached", "system", "all-off"):
        marks = cache_marks(ids, stable=len(ids), mode=mode, frozen_at=None)
        assert len(marked(asking, *(mark.after_message_id for mark in marks))) <= 4


def shown(base_url: str, options: RequestOptions) -> WireRequest:
    definition = ProviderDefinition(id="prv_1", name="a", family="anthropic", base_url=base_url)
    asking = structs.replace(request(HELLO, model=SONNET), options=options)
    return dialect_of(definition).to_wire(asking)


def test_a_long_window_is_asked_for_in_a_header_and_through_bedrock_in_the_body() -> None:
    beta = "context-1m-2025-08-07"
    long = RequestOptions(uses_long_context=True)
    assert shown("", long).headers["anthropic-beta"] == beta
    assert "anthropic-beta" not in shown("", RequestOptions()).headers
    through = shown("bedrock:us-east-1", long)
    assert msgspec.json.decode(through.body)["anthropic_beta"] == [beta]
    assert "anthropic-beta" not in through.headers


def test_through_bedrock_the_words_are_the_same_but_for_the_search() -> None:
    options = RequestOptions(has_web_search=True, is_streamed=False)
    direct = msgspec.json.decode(shown("", options).body)
    through = shown("bedrock:eu-central-1", options)
    assert through.url == (
        "https://bedrock-runtime.eu-central-1.amazonaws.com/model/claude-sonnet-4-5/invoke"
    )
    told = msgspec.json.decode(through.body)
    assert told.pop("anthropic_version") == "bedrock-2023-05-31"
    assert {name: direct[name] for name in direct.keys() - told.keys()} == {
        "model": SONNET,
        "stream": False,
        "tools": [{"type": "web_search_20250305", "name": "web_search"}],
    }
    assert {name: direct[name] for name in told} == told


def test_every_byte_of_a_message_has_its_source() -> None:
    asking = request(
        say("rec_1", "user", Text(text="Hi")),
        say("rec_2", "user", Text(text="Hello?")),
        model=SONNET,
        system="Be brief.",
    )
    written = messages_body(asking, extra={})
    assert [
        (span.kind, span.id, written.body[span.start : span.end]) for span in written.spans
    ] == [
        ("system", "", b'{"type":"text","text":"Be brief."}'),
        ("message", "rec_1", b'{"type":"text","text":"Hi"}'),
        ("message", "rec_2", b'{"type":"text","text":"Hello?"}'),
    ]
