"""What providers' own tools found, read from blocks as they come."""

import pytest

from windowpane.parts import Native
from windowpane.providers.findings import Finding, call_id_in, finding_in

SEARCH = """{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[
{"type":"web_search_result","title":"Weather","url":"https://w.example/","encrypted_content":"x"},
{"type":"web_search_result","title":"Rain","url":"https://r.example/","page_age":null}]}"""

PAGES = "Weather\nhttps://w.example/\nRain\nhttps://r.example/"
FAMILIES = ["anthropic", "google", "openai_responses", "openai_chat", "new"]


def found(family: str, block: str) -> Finding | None:
    return finding_in(Native(family=family, block=block))


@pytest.mark.parametrize(
    ("family", "block", "finding"),
    [
        ("anthropic", SEARCH, ("srv_1", PAGES, False)),
        (
            "anthropic",
            '{"tool_use_id":"b","content":{"type":"bash_code_execution_result",'
            '"stdout":"42\\n","stderr":"","return_code":0}}',
            ("b", "42", False),
        ),
        (
            "anthropic",
            '{"tool_use_id":"b","content":{"stdout":"","stderr":"no such file","return_code":1}}',
            ("b", "no such file", True),
        ),
        (
            "anthropic",
            '{"tool_use_id":"s","content":{"type":"web_search_tool_result_error",'
            '"error_code":"max_uses_exceeded"}}',
            ("s", "max_uses_exceeded", True),
        ),
        (
            "anthropic",
            '{"tool_use_id":"v","content":{"file_type":"text","content":"Hello","num_lines":1}}',
            ("v", "Hello", False),
        ),
        (
            "google",
            '[{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"4\\n","id":"g"}}]',
            ("g", "4", False),
        ),
        (
            "google",
            '[{"codeExecutionResult":{"outcome":"OUTCOME_FAILED","output":"NameError"}}]',
            ("", "NameError", True),
        ),
        (
            "openai_responses",
            '{"type":"code_interpreter_call","outputs":[{"type":"logs","logs":"2"}]}',
            ("", "2", False),
        ),
        (
            "openai_responses",
            '{"type":"file_search_call","results":[{"filename":"a.txt","text":"Paris"}]}',
            ("", "a.txt\nParis", False),
        ),
        (
            "openai_responses",
            '{"type":"web_search_call","action":{"sources":[{"type":"url","url":"https://a.example"}]}}',
            ("", "https://a.example", False),
        ),
        ("openai_responses", '{"type":"mcp_call","output":"4","error":null}', ("", "4", False)),
        ("openai_responses", '{"type":"mcp_call","output":null,"error":"No."}', ("", "No.", True)),
        ("openai_chat", '{"type":"search","output":"Sunny."}', ("", "Sunny.", False)),
    ],
)
def test_what_was_found_is_told_plainly(
    family: str, block: str, finding: tuple[str, str, bool]
) -> None:
    call_id, text, is_error = finding
    assert found(family, block) == Finding(call_id=call_id, text=text, is_error=is_error)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("block", ["{}", "[]", "null", "5", "{not json", '{"content":7}', ""])
def test_a_block_that_nobody_knows_tells_nothing(family: str, block: str) -> None:
    assert found(family, block) is None
    assert call_id_in(Native(family=family, block=block)) == ""


def test_a_call_is_known_by_its_id() -> None:
    used = Native(family="anthropic", block='{"type":"server_tool_use","id":"srv_1"}')
    assert call_id_in(used) == "srv_1"
    run = Native(family="google", block='[{"executableCode":{"code":"1","id":"g"}}]')
    assert call_id_in(run) == "g"
