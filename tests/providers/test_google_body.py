from typing import cast

import msgspec
import pytest
from msgspec import structs

from tests.providers.asking import message, request, say
from tests.providers.scenes import HELLO, LOOK, Wire, about_clocks
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
from windowpane.providers.choose import dialect_of
from windowpane.providers.google_body import contents_body

THOUGHT = '[{"text":"Hm.","thought":true,"thoughtSignature":"c2lnMQ=="}]'
SPEECH = '[{"text":"I "},{"text":"look.","thoughtSignature":"c2lnMg=="}]'
CALL = '[{"functionCall":{"name":"look","args":{"at":1}},"thoughtSignature":"c2lnMw=="}]'
NAMED_CALL = '[{"functionCall":{"id":"c2","name":"wait","args":{}},"thought":false}]'
CODE = '[{"executableCode":{"language":"PYTHON","code":"1+1"}}]'
RESULT = '[{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}}]'
DRAWN = '[{"inlineData":{"mimeType":"image/png","data":"aWk="},"thoughtSignature":"c2lnNA=="}]'
SKIPPED = "skip_thought_signature_validator"
FLASH, PRO_3 = "gemini-2.5-flash", "gemini-3-pro-preview"


def own(block: str) -> Native:
    return Native(family="google", block=block)


def foreign(block: str) -> Native:
    return Native(family="anthropic", block=block)


def body(asking: ModelRequest) -> Wire:
    return msgspec.json.decode(contents_body(asking).body, type=Wire)


def contents(*messages: Message, model: str = FLASH) -> list[Wire]:
    return cast("list[Wire]", body(request(*messages, model=model))["contents"])


def parts_of(*parts: Part, model: str = FLASH) -> object:
    """What an answer becomes in the request of the next turn."""
    [said] = contents(message("assistant", *parts), model=model)
    assert said["role"] == "model"
    return said["parts"]


def as_json(*natives: str) -> list[object]:
    return [part for one in natives for part in msgspec.json.decode(one)]


def generation(options: RequestOptions, *, model: str = FLASH, limit: int | None = None) -> Wire:
    asking = structs.replace(request(HELLO, model=model), options=options, max_output_tokens=limit)
    return cast(Wire, body(asking).get("generationConfig", {}))


def test_a_conversation_with_tools_is_put_in_the_familys_words() -> None:
    asking = about_clocks(
        error="Unknown.", model=FLASH, system="Be brief.\n\nPrevious Conversation Summary:\nClocks."
    )
    nothing: Wire = {}
    assert body(asking) == {
        "systemInstruction": {
            "parts": [{"text": "Be brief.\n\nPrevious Conversation Summary:\nClocks."}]
        },
        "contents": [
            {"role": "user", "parts": [{"text": "What time "}, {"text": "is it?"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "I look."},
                    {"functionCall": {"name": "now", "args": nothing}},
                    {"functionCall": {"name": "zone", "args": {"of": "me"}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "now", "response": {"result": "12:00"}}},
                    {"functionResponse": {"name": "zone", "response": {"error": "Unknown."}}},
                ],
            },
        ],
    }


def test_the_parts_of_an_answer_go_back_as_they_came() -> None:
    parts = (
        Reasoning(text="Hm.", native=own(THOUGHT)),
        Text(text="I look.", citations=(Citation(url="u"),), native=own(SPEECH)),
        ServerTool(name="code_execution", arguments="{}", native=own(CODE)),
        Opaque(kind="codeExecutionResult", native=own(RESULT)),
        Image(media_type="image/png", data="aWk=", native=own(DRAWN)),
        ToolCall(call_id="resp-1", name="look", arguments='{"at":1}', native=own(CALL)),
        ToolCall(call_id="c2", name="wait", arguments="{}", native=own(NAMED_CALL)),
    )
    assert parts_of(*parts) == as_json(THOUGHT, SPEECH, CODE, RESULT, DRAWN, CALL, NAMED_CALL)


def test_an_answer_goes_back_to_the_letter() -> None:
    spaced = '[{"text": "1.10", "thoughtSignature" : "c2ln"}]'
    asking = request(message("assistant", Text(text="1.10", native=own(spaced))), model=FLASH)
    assert spaced[1:-1].encode() in contents_body(asking).body


def test_an_answer_of_another_family_goes_in_plain_words() -> None:
    assert parts_of(
        Reasoning(text="Hm.", native=foreign('{"signature":"s"}')),
        ServerTool(name="web_search", arguments="{}", native=foreign("{}")),
        Opaque(kind="fallback", native=foreign("{}")),
        Text(text="I look.", citations=(Citation(url="u"),), native=foreign("{}")),
        ToolCall(call_id="c1", name="look", arguments='{"at":1}', native=foreign("{}")),
        Image(media_type="image/png", data="aWk="),
    ) == [
        {"text": "I look."},
        {"functionCall": {"name": "look", "args": {"at": 1}}},
        {"inlineData": {"mimeType": "image/png", "data": "aWk="}},
    ]


def test_a_result_names_its_call_only_where_the_call_had_a_name() -> None:
    _, said = contents(
        message(
            "assistant",
            ToolCall(call_id="resp-1", name="look", arguments="{}", native=own(CALL)),
            ToolCall(call_id="c2", name="wait", arguments="{}", native=own(NAMED_CALL)),
        ),
        message(
            "tool",
            ToolResult(call_id="resp-1", name="look", text="It."),
            ToolResult(call_id="c2", name="wait", text="Done."),
        ),
    )
    assert said["parts"] == [
        {"functionResponse": {"name": "look", "response": {"result": "It."}}},
        {"functionResponse": {"id": "c2", "name": "wait", "response": {"result": "Done."}}},
    ]


def test_calls_of_another_model_get_the_signature_that_stands_for_none() -> None:
    """From the third generation on, the first call of an answer is refused without one."""
    first = ToolCall(call_id="c1", name="look", arguments="{}")
    second = ToolCall(call_id="c2", name="look", arguments="{}")
    call: Wire = {"functionCall": {"name": "look", "args": cast(Wire, {})}}
    signed = {**call, "thoughtSignature": SKIPPED}
    assert parts_of(Text(text="Hm."), first, second, model=PRO_3) == [
        {"text": "Hm."},
        signed,
        call,
    ]
    assert parts_of(first, second) == [call, call]
    own_call = ToolCall(call_id="r-1", name="look", arguments='{"at":1}', native=own(CALL))
    assert parts_of(own_call, model=PRO_3) == as_json(CALL)


def test_images_go_as_data_or_as_addresses() -> None:
    [said] = contents(
        message(
            "user",
            Text(text="Compare"),
            Image(media_type="image/png", data="aGk="),
            Image(media_type="image/jpeg", url="https://pictures.example/b.jpg"),
        )
    )
    assert said["parts"] == [
        {"text": "Compare"},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://pictures.example/b.jpg"}},
    ]


def test_what_says_nothing_is_not_sent_and_neighbours_are_joined() -> None:
    assert contents(
        message("assistant", Reasoning(text="Only thoughts.")),
        message("user", Text(text=" ")),
        message("user", Text(text="An")),
        message("user", Text(text="d?")),
    ) == [{"role": "user", "parts": [{"text": "An"}, {"text": "d?"}]}]


def test_tools_are_offered_and_a_search_only_without_them() -> None:
    searching = RequestOptions(has_web_search=True)
    asking = structs.replace(request(HELLO, model=FLASH), options=searching)
    assert body(asking)["tools"] == [{"googleSearch": {}}]
    declared: Wire = {
        "name": "look",
        "description": "Looks.",
        "parametersJsonSchema": {"type": "object"},
    }
    asking = structs.replace(asking, tools=(LOOK,))
    assert body(asking)["tools"] == [{"functionDeclarations": [declared]}]


@pytest.mark.parametrize(
    ("model", "effort", "budget_tokens", "sent"),
    [
        (FLASH, "none", None, {"thinkingBudget": 0, "includeThoughts": False}),
        (FLASH, "low", None, {"thinkingBudget": 1024, "includeThoughts": True}),
        (FLASH, "xhigh", None, {"thinkingBudget": 24_576, "includeThoughts": True}),
        (FLASH, "low", 5000, {"thinkingBudget": 5000, "includeThoughts": True}),
        (FLASH, None, -1, {"thinkingBudget": -1, "includeThoughts": True}),
        (FLASH, None, None, {"includeThoughts": True}),
        (
            "gemini-2.5-flash-lite",
            None,
            100,
            {"thinkingBudget": 512, "includeThoughts": True},
        ),
        ("gemini-2.5-flash-lite", "none", None, {"thinkingBudget": 0, "includeThoughts": False}),
        ("models/gemini-2.5-pro", "none", None, {"thinkingBudget": 128, "includeThoughts": True}),
        ("gemini-2.5-pro", None, 99_999, {"thinkingBudget": 32_768, "includeThoughts": True}),
        (PRO_3, "medium", None, {"thinkingLevel": "low", "includeThoughts": True}),
        (PRO_3, "none", None, {"thinkingLevel": "low", "includeThoughts": True}),
        (PRO_3, None, 5000, {"includeThoughts": True}),
        (
            "gemini-3.1-pro-preview",
            "medium",
            None,
            {"thinkingLevel": "medium", "includeThoughts": True},
        ),
        ("gemini-3-flash", "none", None, {"thinkingLevel": "minimal", "includeThoughts": True}),
        ("gemini-3-flash", "xhigh", 9, {"thinkingLevel": "high", "includeThoughts": True}),
        ("gemini-2.0-flash", "high", 5000, None),
        ("gemma-3-27b-it", "high", 5000, None),
    ],
)
def test_a_wish_for_thought_is_put_as_the_model_takes_it(
    model: str, effort: Effort | None, budget_tokens: int | None, sent: Wire | None
) -> None:
    reasoning = ReasoningOptions(effort=effort, budget_tokens=budget_tokens)
    config = generation(RequestOptions(reasoning=reasoning), model=model)
    assert config.get("thinkingConfig") == sent


def test_the_limit_and_the_temperature_are_sent_when_set() -> None:
    assert generation(RequestOptions()) == {}
    assert generation(RequestOptions(temperature=0.0), limit=50) == {
        "maxOutputTokens": 50,
        "temperature": 0.0,
    }


def test_how_the_answer_shall_begin_is_said_once() -> None:
    prefilled = RequestOptions(prefill="Well, ")
    asking = structs.replace(request(HELLO, model=FLASH), options=prefilled)
    assert cast("list[Wire]", body(asking)["contents"])[1:] == [
        {"role": "model", "parts": [{"text": "Well, "}]}
    ]
    called = message("assistant", ToolCall(call_id="c1", name="look", arguments="{}"))
    result = message("tool", ToolResult(call_id="c1", name="look", text="It."))
    asking = structs.replace(asking, messages=(HELLO, called, result))
    assert "Well" not in str(body(asking))


def test_marks_have_no_words_here() -> None:
    asking = request(HELLO, model=FLASH, system="Be brief.")
    marks = (CacheMark(after_message_id=None), CacheMark(after_message_id=HELLO.id))
    assert body(structs.replace(asking, marks=marks)) == body(asking)


@pytest.mark.parametrize(
    ("base_url", "model", "url"),
    [
        (
            "",
            "models/gemini-3-flash",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash",
        ),
        ("https://proxy.example", "m/1", "https://proxy.example/v1beta/models/m%2F1"),
        (
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google",
            "gemini-3-flash",
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/"
            "google/models/gemini-3-flash",
        ),
    ],
)
def test_the_model_is_in_the_address(base_url: str, model: str, url: str) -> None:
    definition = ProviderDefinition(
        id="prv_1", name="g", family="google", base_url=base_url, api_key="AIza-secret"
    )
    dialect = dialect_of(definition)
    asking = request(HELLO, model=model)
    wire = dialect.to_wire(asking)
    assert wire.url == f"{url}:streamGenerateContent?alt=sse"
    whole = dialect.to_wire(structs.replace(asking, options=RequestOptions(is_streamed=False)))
    assert whole.url == f"{url}:generateContent"
    is_vertex = "aiplatform" in url
    name, value = (
        ("authorization", "Bearer AIza-secret") if is_vertex else ("x-goog-api-key", "AIza-secret")
    )
    assert dialect.authorise(wire) == {name: value}


def test_every_byte_of_a_message_has_its_source() -> None:
    asking = request(
        say("rec_1", "user", Text(text="Hi")),
        say("rec_2", "assistant", Text(text="I look.", native=own(SPEECH))),
        model=FLASH,
        system="Be brief.",
    )
    written = contents_body(asking)
    assert [
        (span.kind, span.id, written.body[span.start : span.end]) for span in written.spans
    ] == [
        ("system", "", b'{"parts":[{"text":"Be brief."}]}'),
        ("message", "rec_1", b'{"text":"Hi"}'),
        ("message", "rec_2", b'{"text":"I "}'),
        ("message", "rec_2", b'{"text":"look.","thoughtSignature":"c2lnMg=="}'),
    ]
