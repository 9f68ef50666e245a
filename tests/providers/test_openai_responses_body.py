from typing import cast

import msgspec
import pytest
from msgspec import Raw

from tests.providers.asking import message, request
from tests.providers.scenes import HELLO
from windowpane.context.request import CacheMark, ModelRequest, ToolDefinition
from windowpane.messages import Message
from windowpane.options import Effort, ReasoningOptions, ReasoningSummary, RequestOptions
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
from windowpane.providers.openai_responses_body import responses_body

THOUGHT = '{"id":"rs_1","type":"reasoning","encrypted_content":"seal","summary":[]}'
SPEECH = '{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"I look."}]}'
SEARCH = '{"id":"ws_1","type":"web_search_call","action":{"type":"search","query":"x"}}'
CALL = (
    '{"id":"fc_1","type":"function_call","call_id":"c1","name":"look","arguments":"{\\"at\\": 1}"}'
)
USER: dict[str, object] = {"role": "user", "content": "And?"}


def own(block: str) -> Native:
    return Native(family="openai_responses", block=block)


def foreign(block: str) -> Native:
    return Native(family="anthropic", block=block)


def body(asking: ModelRequest) -> dict[str, object]:
    return msgspec.json.decode(responses_body(asking).body, type=dict[str, object])


def sent(*messages: Message, model: str = "gpt-5.2") -> object:
    return body(request(*messages, model=model))["input"]


def answered(*parts: Part) -> object:
    """What an answer becomes in the request of the next turn."""
    return sent(message("assistant", *parts))


def optioned(model: str, options: RequestOptions) -> dict[str, object]:
    return body(ModelRequest(model=model, system="", messages=(HELLO,), options=options))


def test_a_plan_becomes_exactly_these_bytes() -> None:
    asking = ModelRequest(
        model="gpt-5.2",
        system="Be exact.\n\nPrevious Conversation Summary:\nPixels.",
        messages=(
            message(
                "user", Text(text="What is it? »ü«"), Image(media_type="image/png", data="aWk=")
            ),
            message(
                "assistant",
                Reasoning(text="", native=own(THOUGHT)),
                Text(text="I look.", native=own(SPEECH)),
                ToolCall(call_id="c1", name="look", arguments='{"at": 1}', native=own(CALL)),
            ),
            message("tool", ToolResult(call_id="c1", name="look", text="A pixel.")),
            message("user", Text(text="And?")),
        ),
        tools=(ToolDefinition(name="look", description="Looks.", schema=Raw(b'{"a": 1}')),),
        marks=(CacheMark(after_message_id=None),),
        max_output_tokens=4096,
        options=RequestOptions(
            temperature=0.5,
            reasoning=ReasoningOptions(effort="xhigh", budget_tokens=2048, summary="auto"),
            has_web_search=True,
            prefill="It is",
        ),
    )
    golden = (
        '{"model":"gpt-5.2",'
        '"instructions":"Be exact.\\n\\nPrevious Conversation Summary:\\nPixels.",'
        '"input":[{"role":"user","content":[{"type":"input_text","text":"What is it? »ü«"},'
        '{"type":"input_image","image_url":"data:image/png;base64,aWk=","detail":"auto"}]},'
        f"{THOUGHT},{SPEECH},{CALL},"
        '{"type":"function_call_output","call_id":"c1","output":"A pixel."},'
        '{"role":"user","content":"And?"}],'
        '"tools":[{"type":"function","name":"look","description":"Looks.","parameters":{"a": 1},'
        '"strict":false},{"type":"web_search"}],'
        '"max_output_tokens":4096,'
        '"reasoning":{"effort":"xhigh","summary":"auto"},'
        '"store":false,"include":["reasoning.encrypted_content"],"stream":true}'
    )
    assert responses_body(asking).body.decode() == golden


def test_the_least_request_asks_for_nothing_more() -> None:
    assert optioned("gpt-4o", RequestOptions(is_streamed=False)) == {
        "model": "gpt-4o",
        "input": [{"role": "user", "content": "Hi"}],
        "store": False,
        "stream": False,
    }


def test_an_answer_of_another_family_goes_in_plain_words() -> None:
    assert answered(
        Reasoning(text="Hm.", native=foreign('{"signature":"s"}')),
        ServerTool(name="web_search", arguments="{}", native=foreign("{}")),
        Opaque(kind="fallback", native=foreign("{}")),
        Text(text="I look.", citations=(Citation(url="https://a.example/"),)),
        ToolCall(call_id="c1", name="now", arguments="", native=foreign("{}")),
        Image(media_type="image/png", data="aWk="),
    ) == [
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "now", "arguments": "{}"},
    ]


def test_items_of_this_family_go_back_as_they_came() -> None:
    other = '{"id":"cmp_1","type":"compaction","encrypted_content":"seal"}'
    asking = request(
        message(
            "assistant",
            Reasoning(text="", native=own(THOUGHT)),
            ServerTool(name="web_search", arguments="{}", native=own(SEARCH)),
            Reasoning(text="", native=own(THOUGHT)),
            Opaque(kind="compaction", native=own(other)),
            Text(text="I look.", native=own(SPEECH)),
        ),
        model="gpt-5.2",
    )
    items = f'"input":[{THOUGHT},{SEARCH},{THOUGHT},{other},{SPEECH}]'
    assert items in responses_body(asking).body.decode()


@pytest.mark.parametrize(
    "after",
    [
        (),
        (Text(text="Said anew."),),
        (Text(text="Of another family.", native=foreign("{}")),),
    ],
)
def test_a_thought_without_the_item_that_it_led_to_is_left_out(after: tuple[Part, ...]) -> None:
    items = answered(Reasoning(text="", native=own(THOUGHT)), *after)
    assert items == [
        {"role": "assistant", "content": part.text} for part in after if isinstance(part, Text)
    ]


def test_the_thoughts_before_a_cut_one_stay() -> None:
    first, second = Reasoning(text="", native=own(THOUGHT)), Reasoning(text="Hm")
    items = answered(first, Text(text="I look.", native=own(SPEECH)), first, second)
    assert items == [msgspec.json.decode(THOUGHT), msgspec.json.decode(SPEECH)]


def test_a_thought_that_only_the_server_could_know_is_left_out() -> None:
    bare = '{"id":"rs_1","type":"reasoning","encrypted_content":null,"summary":[]}'
    told = '{"id":"8f","type":"reasoning","content":[{"type":"reasoning_text","text":"Hm."}]}'
    speech = Text(text="I look.", native=own(SPEECH))
    assert answered(Reasoning(text="", native=own(bare)), speech) == [msgspec.json.decode(SPEECH)]
    assert answered(Reasoning(text="Hm.", native=own(told)), speech) == [
        msgspec.json.decode(told),
        msgspec.json.decode(SPEECH),
    ]


def test_a_sealed_thought_is_left_out_for_a_model_that_does_not_think() -> None:
    thought, speech = Reasoning(text="", native=own(THOUGHT)), Text(text="I.", native=own(SPEECH))
    answer = message("assistant", thought, speech)
    assert sent(answer, model="gpt-4.1") == [msgspec.json.decode(SPEECH)]
    assert sent(answer, model="o3") == [msgspec.json.decode(THOUGHT), msgspec.json.decode(SPEECH)]


def test_an_image_can_be_an_address() -> None:
    picture = Image(media_type="image/png", url="https://a.example/a.png")
    assert sent(message("user", picture)) == [
        {
            "role": "user",
            "content": [
                {
                    "type": "input_image",
                    "image_url": "https://a.example/a.png",
                    "detail": "auto",
                }
            ],
        }
    ]


def test_an_image_that_a_tool_gave_is_shown_after_the_results() -> None:
    picture = Image(media_type="image/png", data="aWk=")
    result = ToolResult(call_id="c1", name="draw", text="Done.")
    assert sent(message("tool", picture, result)) == [
        {"type": "function_call_output", "call_id": "c1", "output": "Done."},
        {
            "role": "user",
            "content": [
                {
                    "type": "input_image",
                    "image_url": "data:image/png;base64,aWk=",
                    "detail": "auto",
                }
            ],
        },
    ]


def test_an_id_that_is_too_long_or_there_already_is_replaced_for_call_and_result() -> None:
    def round_of(call_id: str, native: Native | None = None) -> tuple[Message, Message]:
        call = ToolCall(call_id=call_id, name="look", arguments="{}", native=native)
        result = ToolResult(call_id=call_id, name="look", text="It.")
        return message("assistant", call), message("tool", result)

    items = cast(
        "list[dict[str, str]]",
        sent(*round_of("c" * 65), *round_of("c1", own(CALL)), *round_of("c1", own(CALL))),
    )
    ids = [item["call_id"] for item in items]
    assert ids[::2] == ids[1::2]
    assert ids[2] == "c1"
    assert items[2] == msgspec.json.decode(CALL)
    assert len(set(ids)) == 3
    assert all(len(id) <= 64 for id in ids)


def test_what_says_nothing_is_not_sent() -> None:
    messages = (
        message("assistant", Reasoning(text="Only thoughts.")),
        message("assistant", Text(text="")),
        message("user", Text(text="")),
        message("user", Text(text="An"), Text(text="d?")),
    )
    assert sent(*messages) == [USER]


@pytest.mark.parametrize(
    ("model", "effort", "summary", "expected"),
    [
        ("gpt-5", "xhigh", None, {"effort": "high"}),
        ("gpt-5-pro", "low", "detailed", {"effort": "high", "summary": "detailed"}),
        ("o3", None, "auto", {"summary": "auto"}),
        ("o3", None, None, None),
        ("gpt-4o", "high", "auto", None),
        ("deepseek-v4-flash", "minimal", None, {"effort": "low"}),
    ],
)
def test_a_wish_for_thought_is_put_as_the_model_takes_it(
    model: str,
    effort: Effort | None,
    summary: ReasoningSummary | None,
    expected: dict[str, str] | None,
) -> None:
    reasoning = ReasoningOptions(effort=effort, summary=summary)
    assert optioned(model, RequestOptions(reasoning=reasoning)).get("reasoning") == expected


@pytest.mark.parametrize(
    ("model", "effort", "is_sent"),
    [
        ("gpt-4o", None, True),
        ("deepseek-v4-flash", "high", True),
        ("gpt-5", None, False),
        ("gpt-5.2", "none", True),
        ("gpt-5", "none", False),
    ],
)
def test_a_temperature_is_sent_where_it_is_taken(
    model: str, effort: Effort | None, is_sent: bool
) -> None:
    reasoning = ReasoningOptions(effort=effort)
    sent = optioned(model, RequestOptions(temperature=0.0, reasoning=reasoning))
    assert sent.get("temperature") == (0.0 if is_sent else None)


@pytest.mark.parametrize(
    ("model", "is_asked"),
    [
        ("o4-mini", True),
        ("openai.gpt-5.6-luna", True),
        ("gpt-4.1", False),
        ("gpt-5-chat-latest", False),
        ("deepseek-v4-flash", False),
        ("my-own", False),
    ],
)
def test_sealed_thoughts_are_asked_of_models_that_seal_them(model: str, is_asked: bool) -> None:
    assert ("include" in optioned(model, RequestOptions())) == is_asked


def test_every_byte_of_the_conversation_has_its_source() -> None:
    asking = request(
        message("user", Text(text="And?")),
        message("assistant", Text(text="I look.", native=own(SPEECH)), Text(text="So.")),
        model="gpt-5.2",
        system="Be kind.",
    )
    written = responses_body(asking)
    assert [
        (span.kind, written.body[span.start : span.end].decode()) for span in written.spans
    ] == [
        ("system", '"Be kind."'),
        ("message", '{"role":"user","content":"And?"}'),
        ("message", SPEECH),
        ("message", '{"role":"assistant","content":"So."}'),
    ]
