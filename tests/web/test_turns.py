"""A turn as HTML: which pieces an answer has, what is said of its end, what strangers write."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.web.scene import AT, TURN
from windowpane.errors import Failure
from windowpane.events import OpenPart
from windowpane.messages import Finish, Message, Role
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
from windowpane.turns import Turn, TurnContent
from windowpane.usage import TokenUsage
from windowpane.web.activity import ENDED
from windowpane.web.open_part import loaded_html
from windowpane.web.pieces import (
    Piece,
    ReasoningPiece,
    SourcesPiece,
    TextPiece,
    ToolPiece,
    pieces_of,
)
from windowpane.web.turns import standing_of

NATIVE = Native(family="anthropic", block="{}")
PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
HOSTILE = "<img src=x onerror=alert(1)>"


def message(role: Role, *parts: Part) -> Message:
    return Message(id="rec_a", role=role, parts=parts, created_at=AT)


def shown_pieces(messages: Sequence[Message]) -> list[Piece]:
    return pieces_of(messages, activity=ENDED)


def html_of(*messages: Message, turn: Turn = TURN) -> str:
    return loaded_html(
        TurnContent(turn=turn, messages=messages),
        open_part=None,
        tool_runs=(),
        held=None,
        place=None,
    )


def test_a_result_joins_the_call_that_it_answers() -> None:
    pieces = shown_pieces(
        [
            message("user", Text(text="look")),
            message(
                "assistant",
                Reasoning(text="hm"),
                ToolCall(call_id="a", name="read", arguments="{}"),
                ToolCall(call_id="b", name="list", arguments="{}"),
            ),
            message(
                "tool",
                ToolResult(call_id="b", name="list", text="two"),
                ToolResult(call_id="a", name="read", text="one", is_error=True),
            ),
            message("assistant", Text(text="done")),
        ]
    )
    assert pieces == [
        ReasoningPiece("hm"),
        ToolPiece(name="read", arguments="{}", result="one", is_error=True),
        ToolPiece(name="list", arguments="{}", result="two", is_error=False),
        TextPiece("done"),
    ]


def test_a_call_id_that_is_used_again_belongs_to_the_later_call() -> None:
    call = message("assistant", ToolCall(call_id="a", name="read", arguments="{}"))
    pieces = shown_pieces(
        [
            call,
            message("tool", ToolResult(call_id="a", name="read", text="one")),
            call,
            message("tool", ToolResult(call_id="a", name="read", text="two")),
        ]
    )
    assert [piece.result for piece in pieces if isinstance(piece, ToolPiece)] == ["one", "two"]


def test_a_result_without_its_call_is_still_shown() -> None:
    [piece] = shown_pieces([message("tool", ToolResult(call_id="a", name="read", text="alone"))])
    assert piece == ToolPiece(name="read", arguments="", result="alone", is_error=False)


call_ids = st.sampled_from("abc")
parts = st.one_of(
    st.builds(Text, text=st.text(max_size=3)),
    st.builds(Reasoning, text=st.text(max_size=3)),
    st.builds(ToolCall, call_id=call_ids, name=st.just("t"), arguments=st.just("{}")),
    st.builds(ToolResult, call_id=call_ids, name=st.just("t"), text=st.just("r")),
)


@given(st.lists(parts, max_size=12))
def test_no_part_is_lost_whatever_comes(shown: list[Part]) -> None:
    pieces = shown_pieces([message("assistant", *shown)])
    texts = [part.text for part in shown if isinstance(part, Text)]
    results = [part for part in shown if isinstance(part, ToolResult)]
    tools = [piece for piece in pieces if isinstance(piece, ToolPiece)]
    said = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    assert "".join(said.split()) == "".join("".join(texts).split())
    assert sum(piece.result is not None for piece in tools) == len(results)


@given(st.lists(parts, max_size=8))
def test_a_piece_that_was_drawn_keeps_its_place_when_more_arrives(shown: list[Part]) -> None:
    kinds = [piece.kind for piece in shown_pieces([message("assistant", *shown)])]
    for count in range(len(shown)):
        earlier = [piece.kind for piece in shown_pieces([message("assistant", *shown[:count])])]
        assert kinds[: len(earlier)] == earlier


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": "aborted", "finish": "stopped"}, "Stopped"),
        ({"state": "interrupted", "finish": "stopped"}, "Interrupted"),
        ({"finish": "length"}, "Truncated"),
        ({"finish": "max_iterations"}, "the limit of tool rounds was reached"),
        (
            {"state": "error", "failure": Failure(kind="net", message="Broken.")},
            "[error: net] Broken.",
        ),
    ],
)
def test_an_unusual_end_is_said(changes: dict[str, object], words: str) -> None:
    assert words in html_of(turn=structs.replace(TURN, **changes))


@pytest.mark.parametrize(
    ("finish", "words"),
    [("pause", "Paused"), ("refusal", "Refused"), ("filter", "Filtered")],
)
def test_an_end_that_the_provider_chose_is_said(finish: Finish, words: str) -> None:
    assert words in html_of(turn=structs.replace(TURN, finish=finish))


def test_an_expected_end_says_nothing() -> None:
    html = html_of(message("user", Text(text="hi")), turn=structs.replace(TURN, finish="stop"))
    assert '<div class="turn-foot"></div>' in html.replace("\n", "")


def test_a_failed_turn_without_a_word_is_not_drawn_as_seen_by_the_model() -> None:
    failed = structs.replace(TURN, state="error")
    asked = message("user", Text(text="hi"))
    answered = message("assistant", Text(text="Half"))
    assert standing_of(TurnContent(turn=failed, messages=(asked,))) == "failed"
    assert standing_of(TurnContent(turn=failed, messages=(asked, answered))) == "sent"
    sending = structs.replace(TURN, state="sending")
    assert standing_of(TurnContent(turn=sending, messages=(asked,))) == "current"


def test_usage_of_all_rounds_is_added_up() -> None:
    usage = TokenUsage(input_tokens=1000, cache_read_tokens=200, output_tokens=40)
    answer = structs.replace(message("assistant", Text(text="x")), usage=usage)
    html = html_of(answer, answer)
    assert "2,480" in html
    assert "2,000 in, 400 cached, 80 out" in html


def test_whatever_a_stranger_wrote_is_escaped() -> None:
    html = html_of(
        message("user", Text(text=HOSTILE)),
        message(
            "assistant",
            Text(text=HOSTILE),
            Reasoning(text=HOSTILE),
            ToolCall(call_id="a", name=HOSTILE, arguments=HOSTILE),
        ),
        message("tool", ToolResult(call_id="a", name=HOSTILE, text=HOSTILE)),
        turn=structs.replace(TURN, model=HOSTILE, failure=Failure(kind="server", message=HOSTILE)),
    )
    assert "<img" not in html


def test_an_open_part_is_drawn_open() -> None:
    content = TurnContent(turn=structs.replace(TURN, state="sending"), messages=())
    half = OpenPart(kind="text", name="", text="Half a **sen")
    assert "data-open" in loaded_html(content, open_part=half, tool_runs=(), held=None, place=None)
    call = OpenPart(kind="tool_call", name="read", text='{"pa')
    assert "read" in loaded_html(content, open_part=call, tool_runs=(), held=None, place=None)


def cited(text: str, *citations: Citation) -> Text:
    return Text(text=text, citations=citations)


def test_a_text_that_citations_cut_apart_is_one_text_with_its_sources_below() -> None:
    shannon = Citation(url="https://a.example/shannon", title="Shannon", cited_text="Born 1916")
    again = structs.replace(shannon, cited_text="In Petoskey")
    other = Citation(url="https://b.example/")
    text, sources = shown_pieces(
        [
            message(
                "assistant",
                Text(text="He was "),
                cited("born in 1916", shannon, other),
                Text(text=" in "),
                cited("Petoskey", again),
                Text(text="."),
            )
        ]
    )
    assert text == TextPiece("He was born in 1916 in Petoskey.")
    assert isinstance(sources, SourcesPiece)
    assert [(it.number, it.title, it.host, it.quotes) for it in sources.sources] == [
        (1, "Shannon", "a.example", ("Born 1916", "In Petoskey")),
        (2, "b.example", "", ()),
    ]


def test_two_whole_sentences_of_one_message_are_two_paragraphs() -> None:
    [piece] = shown_pieces(
        [message("assistant", Text(text="I will look."), Text(text="Found it."))]
    )
    assert piece == TextPiece("I will look.\n\nFound it.")


def test_a_source_keeps_its_number_through_the_whole_answer() -> None:
    one, two = Citation(url="https://one.example"), Citation(url="https://two.example")
    pieces = shown_pieces(
        [
            message("assistant", cited("a", one), Reasoning(text="hm"), cited("b", two, one)),
        ]
    )
    numbers = [
        [source.number for source in piece.sources]
        for piece in pieces
        if isinstance(piece, SourcesPiece)
    ]
    assert numbers == [[1], [2, 1]]


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://[", "file:///x"]
)
def test_only_addresses_of_the_web_become_links(url: str) -> None:
    html = html_of(message("assistant", cited("x", Citation(url=url, title=HOSTILE))))
    assert "href" not in html.partition('class="answer"')[2]
    assert "<img" not in html
    linked = html_of(message("assistant", cited("x", Citation(url="https://a.example/?q=1&r=2"))))
    assert 'href="https://a.example/?q=1&amp;r=2"' in linked
    assert 'rel="noopener noreferrer"' in linked


def test_images_are_drawn_where_they_were_sent() -> None:
    image = Image(media_type="image/gif", data=PIXEL, width_px=640, height_px=480)
    html = html_of(message("user", image), message("assistant", Text(text="See:"), image))
    asked, _, answered = html.partition('class="answer"')
    assert 'alt="Image you sent, 640 × 480 pixels"' in asked
    assert '<p class="ask"' not in asked
    assert 'alt="Image in the answer, 640 × 480 pixels"' in answered
    assert html.count(f'src="data:image/gif;base64,{PIXEL}"') == 2


def test_an_image_that_lies_elsewhere_is_linked_and_never_loaded() -> None:
    far = Image(media_type="image/png", url="https://pictures.example/a.png")
    odd = Image(media_type="image/png", url="javascript:alert(1)")
    unknown = Image(media_type="image/svg+xml", data=PIXEL)
    html = html_of(message("user", far, odd, unknown), message("assistant", far))
    assert "<img" not in html
    assert html.count('href="https://pictures.example/a.png"') == 2
    assert 'href="javascript' not in html
    assert "cannot be shown here" in html


def remote(name: str, arguments: str, block: str) -> ServerTool:
    native = Native(family="anthropic", block=block)
    return ServerTool(name=name, arguments=arguments, native=native)


def test_a_search_of_the_provider_is_a_folded_tool_with_its_query() -> None:
    search = remote("web_search", '{"query": "weather in Ulm"}', '{"id": "s"}')
    html = html_of(message("assistant", search))
    assert '<span class="aside-name">Searched the web</span>' in html
    assert '<span class="aside-preview">weather in Ulm</span>' in html
    assert "It gave nothing back" not in html


def test_what_a_providers_tool_found_joins_its_call() -> None:
    first = remote("bash_code_execution", '{"command": "echo 1"}', '{"id": "a"}')
    second = remote("bash_code_execution", '{"command": "rm x"}', '{"id": "b"}')
    failed = '{"tool_use_id": "b", "content": {"stderr": "no x", "return_code": 1}}'
    printed = '{"tool_use_id": "a", "content": {"stdout": "1", "return_code": 0}}'
    results = [
        Opaque(kind="result", native=Native(family="anthropic", block=block))
        for block in (failed, printed)
    ]
    pieces = pieces_of([message("assistant", first, second, *results)], activity=ENDED)
    tools = [piece for piece in pieces if isinstance(piece, ToolPiece)]
    assert [(tool.result, tool.is_error) for tool in tools] == [("1", False), ("no x", True)]
    html = html_of(message("assistant", first, second, *results))
    assert '<pre class="plain">echo 1</pre>' in html
    assert '<span class="aside-preview">echo 1</span>' in html
    assert '<pre class="plain">no x</pre>' in html


def test_a_finding_whose_call_is_not_there_is_not_drawn() -> None:
    alone = Native(family="anthropic", block='{"tool_use_id": "z", "content": {"stdout": "1"}}')
    assert (
        pieces_of([message("assistant", Opaque(kind="result", native=alone))], activity=ENDED) == []
    )


def test_blocks_without_a_plain_form_are_not_drawn_but_an_answer_of_them_is_no_empty_one() -> None:
    opaque = Opaque(kind="redacted", native=NATIVE)
    asked = message("user", Text(text="hi"))
    assert shown_pieces([message("assistant", opaque)]) == []
    assert "Nothing to read" in html_of(asked, message("assistant", opaque))
    assert "Nothing to read" not in html_of(asked, message("assistant", opaque, Text(text="x")))
    assert "Nothing to read" not in html_of(asked)


def test_a_thought_inside_the_text_is_drawn_as_a_thought() -> None:
    raw = message("assistant", Text(text="<think>\nFirst.\n</think>\n\nAnswer."))
    assert shown_pieces([raw]) == [ReasoningPiece("First.\n"), TextPiece("Answer.")]
    idle = message("assistant", Text(text="<think>\n\n</think>\n\nAnswer."))
    assert shown_pieces([idle]) == [TextPiece("Answer.")]
    broken_off = message("assistant", Text(text="<think>First, I"))
    assert shown_pieces([broken_off]) == [ReasoningPiece("First, I")]
    spoken_of = message("assistant", Text(text="The tag <think> opens."))
    assert shown_pieces([spoken_of]) == [TextPiece("The tag <think> opens.")]


def test_a_thought_without_words_says_so() -> None:
    html = html_of(message("assistant", Reasoning(text="", native=NATIVE)))
    assert "the provider does not show it" in html
    assert "<details" not in html


@pytest.mark.parametrize(
    ("citation", "title", "host"),
    [
        (Citation(url="https://a.example/b", title="Rain"), "Rain", "a.example"),
        (Citation(url="https://a.example/b/"), "a.example/b", ""),
        (Citation(url="https://redirect.example/x", title="sa.gov"), "sa.gov", ""),
        (Citation(url="https://a.example/b", title="https://a.example/b"), "a.example/b", ""),
    ],
)
def test_a_source_names_its_host_once(citation: Citation, title: str, host: str) -> None:
    [piece] = pieces_of([message("assistant", cited("", citation))], activity=ENDED)
    assert isinstance(piece, SourcesPiece)
    assert (piece.sources[0].title, piece.sources[0].host) == (title, host)


def test_a_refused_key_leads_to_the_providers() -> None:
    failure = Failure(kind="auth", message="No.")
    html = html_of(turn=structs.replace(TURN, state="error", failure=failure))
    assert 'href="../providers"' in html
