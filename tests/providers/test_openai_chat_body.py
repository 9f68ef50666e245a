import msgspec
from msgspec import Raw

from tests.providers.asking import message, request
from windowpane.context.request import ModelRequest, ToolDefinition
from windowpane.parts import Reasoning, Text, ToolCall, ToolResult
from windowpane.providers.openai_chat_body import chat_body


def body(asking: ModelRequest) -> dict[str, object]:
    encoded = chat_body(asking, limit_name="max_tokens")
    return msgspec.json.decode(encoded, type=dict[str, object])


def test_a_conversation_with_tools_is_put_in_the_familys_words() -> None:
    asking = request(
        message("user", Text(text="What time "), Text(text="is it?")),
        message(
            "assistant",
            Reasoning(text="I need a clock."),
            Text(text="I look."),
            ToolCall(call_id="c1", name="now", arguments=""),
            ToolCall(call_id="c2", name="zone", arguments='{"of": "me"}'),
        ),
        message(
            "tool",
            ToolResult(call_id="c1", name="now", text="12:00"),
            ToolResult(call_id="c2", name="zone", text="", is_error=True),
        ),
        model="m1",
        system="Be brief.",
    )
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
    asking = request(
        message("assistant", Reasoning(text="Only thoughts.")),
        message("user", Text(text="Hello?")),
        model="m1",
    )
    assert body(asking)["messages"] == [{"role": "user", "content": "Hello?"}]


def test_tools_and_the_output_limit_are_sent_when_given() -> None:
    asking = ModelRequest(
        model="m1",
        system="",
        messages=(message("user", Text(text="Hi")),),
        tools=(ToolDefinition(name="now", description="The time.", schema=Raw(b'{"a":1}')),),
        max_output_tokens=50,
    )
    sent = body(asking)
    function = {"name": "now", "description": "The time.", "parameters": {"a": 1}}
    assert sent["tools"] == [{"type": "function", "function": function}]
    assert sent["max_tokens"] == 50
    newer = chat_body(asking, limit_name="max_completion_tokens")
    assert b'"max_completion_tokens":50' in newer
    assert b'"max_tokens"' not in newer


def test_the_same_request_gives_the_same_bytes() -> None:
    asking = request(message("user", Text(text="Grüße 👋")), model="m1")
    first = chat_body(asking, limit_name="max_tokens")
    assert first == chat_body(asking, limit_name="max_tokens")
    assert "Grüße 👋".encode() in first
