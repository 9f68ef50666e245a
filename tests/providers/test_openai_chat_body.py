from typing import cast

import msgspec
import pytest
from msgspec import Raw

from tests.providers.asking import message, request
from tests.providers.scenes import HELLO, Wire, about_clocks
from windowpane.context.request import CacheMark, ModelRequest, ToolDefinition
from windowpane.messages import Message
from windowpane.options import ReasoningOptions, RequestOptions
from windowpane.parts import (
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
from windowpane.providers.openai_chat_body import chat_body
from windowpane.providers.openai_chat_hosts import host_of

SOMEWHERE = "https://models.example/v1"
OPENAI = "https://api.openai.com/v1"
AZURE = "https://mine.openai.azure.com/openai/v1"
OPENROUTER = "https://openrouter.ai/api/v1"
MISTRAL = "https://api.mistral.ai/v1"
DEEPSEEK = "https://api.deepseek.com"
GROQ = "https://api.groq.com/openai/v1"
XAI = "https://api.x.ai/v1"
GOOGLE = "https://generativelanguage.googleapis.com/v1beta/openai"
ZAI = "https://api.z.ai/api/paas/v4"
PERPLEXITY = "https://api.perplexity.ai"
OLLAMA = "http://localhost:11434/v1"
VLLM = "http://127.0.0.1:8000/v1"


def body(asking: ModelRequest, *, at: str = SOMEWHERE) -> Wire:
    return msgspec.json.decode(chat_body(asking, host=host_of(at)).body, type=Wire)


def messages_of(*messages: Message, at: str = SOMEWHERE) -> list[Wire]:
    return cast("list[Wire]", body(request(*messages, model="m1"), at=at)["messages"])


def sent_back(*parts: Part, at: str = SOMEWHERE) -> Wire:
    (wire,) = messages_of(message("assistant", *parts), at=at)
    return wire


def native(**fields: object) -> Native:
    return Native(family="openai_chat", block=msgspec.json.encode(fields).decode())


def asking_for(options: RequestOptions, *, model: str = "m1") -> ModelRequest:
    asking = request(HELLO, model=model)
    return msgspec.structs.replace(asking, options=options)


def beyond_the_usual(options: RequestOptions, *, at: str, model: str = "m1") -> Wire:
    """What these options add to a body."""
    usual = body(asking_for(RequestOptions(), model=model), at=at)
    asked_for = body(asking_for(options, model=model), at=at)
    return {name: value for name, value in asked_for.items() if usual.get(name) != value}


def test_a_conversation_with_tools_is_put_in_the_familys_words() -> None:
    asking = about_clocks(error="", model="m1", system="Be brief.")
    assert body(asking) == {
        "model": "m1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What time is it?"},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "now", "arguments": "{}"},
                    },
                    {
                        "id": "c2",
                        "type": "function",
                        "function": {"name": "zone", "arguments": '{"of": "me"}'},
                    },
                ],
            },
            {"role": "tool", "content": "12:00", "tool_call_id": "c1"},
            {"role": "tool", "content": "", "tool_call_id": "c2"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_what_says_nothing_is_not_emitted() -> None:
    sent = messages_of(
        message("assistant", Reasoning(text="Only thoughts.", native=native(reasoning="Only."))),
        message("user", Text(text="")),
        message("user", Text(text="Hello?")),
    )
    assert sent == [{"role": "user", "content": "Hello?"}]


def test_calls_without_words_have_a_content_that_is_null() -> None:
    wire = sent_back(ToolCall(call_id="c1", name="now", arguments="{}"))
    assert "content" in wire
    assert wire["content"] is None


def test_tools_are_sent_when_given() -> None:
    asking = ModelRequest(
        model="m1",
        system="",
        messages=(message("user", Text(text="Hi")),),
        tools=(ToolDefinition(name="now", description="The time.", schema=Raw(b'{"a":1}')),),
    )
    function = {"name": "now", "description": "The time.", "parameters": {"a": 1}}
    assert body(asking)["tools"] == [{"type": "function", "function": function}]


@pytest.mark.parametrize(
    ("at", "name"),
    [
        (SOMEWHERE, "max_tokens"),
        (OPENROUTER, "max_tokens"),
        (OPENAI, "max_completion_tokens"),
        (AZURE, "max_completion_tokens"),
    ],
)
def test_the_output_limit_has_the_name_that_the_server_knows(at: str, name: str) -> None:
    asking = request(message("user", Text(text="Hi")), model="m1")
    sent = body(msgspec.structs.replace(asking, max_output_tokens=50), at=at)
    assert {field: sent[field] for field in sent if field.startswith("max")} == {name: 50}


def test_the_same_request_gives_the_same_bytes() -> None:
    asking = request(message("user", Text(text="Grüße 👋")), model="m1")
    first = chat_body(asking, host=host_of(SOMEWHERE)).body
    assert first == chat_body(asking, host=host_of(SOMEWHERE)).body
    assert "Grüße 👋".encode() in first


def test_an_answer_in_one_piece_is_asked_for_without_the_options_of_a_stream() -> None:
    sent = body(asking_for(RequestOptions(is_streamed=False)))
    assert sent["stream"] is False
    assert "stream_options" not in sent


def test_a_server_that_refuses_options_of_a_stream_gets_none() -> None:
    assert "stream_options" not in body(asking_for(RequestOptions()), at=MISTRAL)


def test_images_stand_between_the_words_as_data_or_as_addresses() -> None:
    (wire,) = messages_of(
        message(
            "user",
            Text(text="Compare"),
            Image(media_type="image/png", data="aGk="),
            Image(media_type="image/*", url="https://pictures.example/b.jpg"),
        )
    )
    assert wire["content"] == [
        {"type": "text", "text": "Compare"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "image_url", "image_url": {"url": "https://pictures.example/b.jpg"}},
    ]


def test_an_image_that_a_tool_gave_is_shown_after_the_results() -> None:
    sent = messages_of(
        message(
            "tool",
            Image(media_type="image/png", data="aGk="),
            ToolResult(call_id="c1", name="draw", text="Done."),
        )
    )
    assert [one["role"] for one in sent] == ["tool", "user"]


def test_a_drawn_image_goes_back_only_where_there_is_a_place_for_it() -> None:
    parts = (Text(text="Here."), Image(media_type="image/png", data="aGk="))
    drawn = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    assert sent_back(*parts, at=OPENROUTER)["images"] == [drawn]
    assert sent_back(*parts) == {"role": "assistant", "content": "Here."}


@pytest.mark.parametrize(
    ("at", "field"),
    [
        (DEEPSEEK, "reasoning_content"),
        (ZAI, "reasoning_content"),
        (GROQ, "reasoning"),
        (OLLAMA, "reasoning"),
        (OPENROUTER, "reasoning"),
        (SOMEWHERE, "anything_else"),
    ],
)
def test_reasoning_goes_back_in_the_field_it_came_in(at: str, field: str) -> None:
    thought = Reasoning(text="Hm.", native=native(**{field: "Hm."}))
    wire = sent_back(thought, Text(text="Yes."), at=at)
    assert wire == {"role": "assistant", "content": "Yes.", field: "Hm."}


@pytest.mark.parametrize(
    ("at", "fields"),
    [
        (OPENAI, {"reasoning_content": "Hm."}),
        (MISTRAL, {"reasoning_content": "Hm."}),
        (GROQ, {"reasoning_content": "Hm."}),
        (OPENAI, {"type": "thinking", "thinking": []}),
        (DEEPSEEK, {"type": "thinking", "thinking": []}),
    ],
)
def test_a_server_that_refuses_what_another_one_sent_does_not_get_it(at: str, fields: Wire) -> None:
    thought = Reasoning(text="Hm.", native=native(**fields))
    wire = sent_back(thought, Text(text="Yes."), at=at)
    assert wire == {"role": "assistant", "content": "Yes."}


def test_reasoning_of_another_family_is_left_out() -> None:
    foreign = Native(family="anthropic", block='{"type":"thinking","signature":"abc"}')
    wire = sent_back(Reasoning(text="Hm.", native=foreign), Text(text="Yes."))
    assert wire == {"role": "assistant", "content": "Yes."}


def test_a_field_that_a_server_misses_on_calls_from_elsewhere_is_there_and_empty() -> None:
    call = ToolCall(call_id="c1", name="now", arguments="{}")
    assert sent_back(call, at=DEEPSEEK)["reasoning_content"] == ""
    assert "reasoning_content" not in sent_back(Text(text="Yes."), at=DEEPSEEK)
    assert "reasoning_content" not in sent_back(call)


def test_the_details_of_all_thoughts_go_back_together() -> None:
    first = {"type": "reasoning.text", "text": "Hm.", "index": 0}
    signed = {"type": "reasoning.text", "signature": "s1", "index": 0}
    sealed = {"type": "reasoning.encrypted", "data": "d1", "index": 1}
    wire = sent_back(
        Reasoning(text="Hm.", native=native(reasoning_details=[first])),
        Text(text="Yes."),
        Reasoning(text="", native=native(reasoning_details=[signed, sealed])),
        at=OPENROUTER,
    )
    assert wire["reasoning_details"] == [first | {"signature": "s1"}, sealed]


def test_parts_of_the_content_that_only_the_server_knows_keep_their_places() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True}
    reference = {"type": "reference", "reference_ids": [1]}
    wire = sent_back(
        Reasoning(text="Hm.", native=native(**thinking)),
        Text(text="As said"),
        Opaque(kind="reference", native=native(**reference)),
        Text(text="."),
        at=MISTRAL,
    )
    assert wire["content"] == [
        thinking,
        {"type": "text", "text": "As said"},
        reference,
        {"type": "text", "text": "."},
    ]


def test_the_signature_of_a_call_goes_back_with_it() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    signed = ToolCall(call_id="c1", name="now", arguments="{}", native=native(extra_content=extra))
    function = {"name": "now", "arguments": "{}"}
    plain = {"id": "c1", "type": "function", "function": function}
    assert sent_back(signed, at=GOOGLE)["tool_calls"] == [plain | {"extra_content": extra}]
    assert sent_back(signed, at=OPENAI)["tool_calls"] == [plain]


def test_a_call_of_a_custom_tool_goes_back_as_one() -> None:
    call = ToolCall(call_id="c1", name="run", arguments="ls -l", native=native(type="custom"))
    custom = {"name": "run", "input": "ls -l"}
    assert sent_back(call, at=OPENAI)["tool_calls"] == [
        {"id": "c1", "type": "custom", "custom": custom}
    ]


def test_a_tool_that_the_provider_ran_is_not_sent_back() -> None:
    ran = ServerTool(name="search", arguments="{}", native=native(type="search", output="x"))
    assert sent_back(ran, Text(text="Found.")) == {"role": "assistant", "content": "Found."}


@pytest.mark.parametrize(
    ("at", "call_id", "is_kept"),
    [
        (MISTRAL, "a1B2c3D4e", True),
        (MISTRAL, "call_00_sXqYgMESDht75", False),
        (OPENAI, "c" * 40, True),
        (OPENAI, "c" * 41, False),
        (SOMEWHERE, "c" * 41, True),
    ],
)
def test_an_id_that_the_server_refuses_is_replaced_for_call_and_result_alike(
    at: str, call_id: str, is_kept: bool
) -> None:
    called, result = messages_of(
        message("assistant", ToolCall(call_id=call_id, name="now", arguments="{}")),
        message("tool", ToolResult(call_id=call_id, name="now", text="12:00")),
        at=at,
    )
    (call,) = cast("list[Wire]", called["tool_calls"])
    assert call["id"] == result["tool_call_id"]
    assert (call["id"] == call_id) is is_kept


@pytest.mark.parametrize(
    ("at", "model", "effort", "sent"),
    [
        (OPENAI, "gpt-5", "xhigh", {"reasoning_effort": "high"}),
        (OPENAI, "gpt-5", "none", {"reasoning_effort": "minimal"}),
        (OPENAI, "gpt-4o", "high", {}),
        (AZURE, "prod-o3-mini", "minimal", {"reasoning_effort": "low"}),
        (GROQ, "openai/gpt-oss-120b", "xhigh", {"reasoning_effort": "high"}),
        (XAI, "grok-3-mini", "medium", {"reasoning_effort": "low"}),
        (XAI, "grok-4", "high", {}),
        (MISTRAL, "magistral-small", "low", {"reasoning_effort": "high"}),
        (MISTRAL, "magistral-small", "none", {"reasoning_effort": "none"}),
        (GOOGLE, "gemini-3-pro", "xhigh", {"reasoning_effort": "high"}),
        (DEEPSEEK, "deepseek-chat", "high", {"thinking": {"type": "enabled"}}),
        (DEEPSEEK, "deepseek-chat", "none", {"thinking": {"type": "disabled"}}),
        (ZAI, "glm-4.7", "low", {"thinking": {"type": "enabled"}}),
        (OPENROUTER, "x/y", "xhigh", {"reasoning": {"effort": "xhigh"}}),
        (SOMEWHERE, "m1", "minimal", {"reasoning_effort": "minimal"}),
    ],
)
def test_how_much_thought_is_asked_for_in_the_servers_words(
    at: str, model: str, effort: str, sent: Wire
) -> None:
    reasoning = msgspec.convert({"effort": effort}, ReasoningOptions)
    options = RequestOptions(reasoning=reasoning)
    assert beyond_the_usual(options, at=at, model=model) == sent


@pytest.mark.parametrize(
    ("at", "sent"),
    [
        (OPENROUTER, {"reasoning": {"max_tokens": 2048}}),
        (GOOGLE, {"extra_body": {"google": {"thinking_config": {"thinking_budget": 2048}}}}),
        (OPENAI, {}),
        (SOMEWHERE, {}),
    ],
)
def test_a_budget_for_thought_is_sent_where_numbers_are_taken(at: str, sent: Wire) -> None:
    options = RequestOptions(reasoning=ReasoningOptions(budget_tokens=2048))
    assert beyond_the_usual(options, at=at) == sent


@pytest.mark.parametrize(
    ("model", "effort", "is_sent"),
    [
        ("gpt-4o", None, True),
        ("gpt-5", None, False),
        ("gpt-5.2", "none", True),
        ("gpt-5", "none", False),
        ("gpt-4o-search-preview", None, False),
    ],
)
def test_a_temperature_is_left_out_for_models_that_refuse_it(
    model: str, effort: str | None, is_sent: bool
) -> None:
    reasoning = msgspec.convert({"effort": effort}, ReasoningOptions) if effort else None
    options = RequestOptions(temperature=0.5, reasoning=reasoning)
    assert ("temperature" in body(asking_for(options, model=model), at=OPENAI)) is is_sent


@pytest.mark.parametrize(
    ("at", "model", "sent"),
    [
        (OPENAI, "gpt-4o-search-preview", {"web_search_options": {}}),
        (OPENAI, "gpt-4o", {}),
        (OPENROUTER, "x/y", {"plugins": [{"id": "web"}]}),
        (XAI, "grok-4", {"search_parameters": {"mode": "auto"}}),
        (GROQ, "groq/compound", {}),
        (PERPLEXITY, "sonar", {}),
        (SOMEWHERE, "m1", {}),
    ],
)
def test_a_search_is_asked_for_in_the_servers_words(at: str, model: str, sent: Wire) -> None:
    assert beyond_the_usual(RequestOptions(has_web_search=True), at=at, model=model) == sent


@pytest.mark.parametrize(
    ("at", "prefill", "fields"),
    [
        (SOMEWHERE, {"role": "assistant", "content": "Well,"}, {}),
        (OLLAMA, {"role": "assistant", "content": "Well,"}, {}),
        (OPENROUTER, {"role": "assistant", "content": "Well,"}, {}),
        (MISTRAL, {"role": "assistant", "content": "Well,", "prefix": True}, {}),
        (DEEPSEEK, None, {}),
        (f"{DEEPSEEK}/beta", {"role": "assistant", "content": "Well,", "prefix": True}, {}),
        (
            VLLM,
            {"role": "assistant", "content": "Well,"},
            {"continue_final_message": True, "add_generation_prompt": False},
        ),
        (OPENAI, None, {}),
        (AZURE, None, {}),
    ],
)
def test_how_the_answer_shall_begin_is_said_where_the_server_goes_on_from_it(
    at: str, prefill: Wire | None, fields: Wire
) -> None:
    question: Wire = {"role": "user", "content": "Hi"}
    added = beyond_the_usual(RequestOptions(prefill="Well,"), at=at)
    expected = fields if prefill is None else fields | {"messages": [question, prefill]}
    assert added == expected


def test_the_beginning_is_not_said_again_after_a_tool() -> None:
    asking = request(
        message("user", Text(text="Hi")),
        message("assistant", ToolCall(call_id="c1", name="now", arguments="{}")),
        message("tool", ToolResult(call_id="c1", name="now", text="12:00")),
        model="m1",
    )
    prefilled = msgspec.structs.replace(asking, options=RequestOptions(prefill="Well,"))
    assert body(prefilled, at=VLLM) == body(asking, at=VLLM)


def marked(model: str, *, at: str) -> list[Wire]:
    question = message("user", Text(text="Hi"), Image(media_type="image/png", data="aGk="))
    asking = ModelRequest(
        model=model,
        system="Be brief.",
        messages=(question,),
        marks=(CacheMark(after_message_id=None), CacheMark(after_message_id=question.id)),
    )
    return cast("list[Wire]", body(asking, at=at)["messages"])


def test_marks_stand_on_the_last_part_for_models_that_take_them() -> None:
    mark = {"type": "ephemeral"}
    system, user = marked("anthropic/claude-sonnet-4.5", at=OPENROUTER)
    assert system["content"] == [{"type": "text", "text": "Be brief.", "cache_control": mark}]
    words, image = cast("list[Wire]", user["content"])
    assert "cache_control" not in words
    assert image["cache_control"] == mark


@pytest.mark.parametrize(
    ("model", "at"), [("openai/gpt-5", OPENROUTER), ("anthropic/claude-sonnet-4.5", SOMEWHERE)]
)
def test_servers_that_remember_by_themselves_get_no_marks(model: str, at: str) -> None:
    assert "cache_control" not in str(marked(model, at=at))


def test_a_mark_on_calls_alone_has_no_place() -> None:
    called = message("assistant", ToolCall(call_id="c1", name="now", arguments="{}"))
    asking = ModelRequest(
        model="anthropic/x",
        system="",
        messages=(called,),
        marks=(CacheMark(after_message_id=called.id),),
    )
    assert "cache_control" not in str(body(asking, at=OPENROUTER))


def test_every_byte_of_a_message_has_its_source() -> None:
    asking = request(message("user", Text(text="Hi")), model="m1", system="Be brief.")
    written = chat_body(asking, host=host_of(SOMEWHERE))
    assert [
        (span.kind, span.id, written.body[span.start : span.end]) for span in written.spans
    ] == [
        ("system", "", b'{"role":"system","content":"Be brief."}'),
        ("message", "rec_1", b'{"role":"user","content":"Hi"}'),
    ]
