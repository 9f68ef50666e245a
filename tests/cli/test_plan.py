"""What ``windowpane plan`` tells of a chat."""

from pathlib import Path

import msgspec

from tests.commands import give_script, run
from tests.workspaces import MODEL, says


def talked(data: Path) -> str:
    give_script(data, replies=[says("One journal."), says("Two keys.")])
    sent = run("send", "--json", "--model", MODEL, "How many journals?", data=data)
    return str(msgspec.json.decode(sent.out, type=dict[str, object])["chat_id"])


def test_a_plan_names_every_turn_and_why(data_dir: Path) -> None:
    talked(data_dir)
    told = run("plan", "--draft", "And keys?", "--model", "local/smollm2-135m", data=data_dir)
    assert told.code == 0
    assert "1 / 1 turns" in told.out
    assert "turn 1" in told.out
    assert "it fits" in told.out
    assert "8,192 tokens" in told.out


def test_a_filter_takes_turns_out(data_dir: Path) -> None:
    chat_id = talked(data_dir)
    told = run("plan", "--chat", chat_id, "--filter", "s3", data=data_dir)
    assert "0 / 0 turns" in told.out
    assert "1 turn hidden by the filter" in told.out


def test_a_plan_as_json_is_one_object(data_dir: Path) -> None:
    talked(data_dir)
    told = run("plan", "--json", data=data_dir)
    plan = msgspec.json.decode(told.out, type=dict[str, object])
    assert plan["predicted_turns"] == 1
    assert {"budget", "turns", "ranges", "fixed", "total_tokens"} <= plan.keys()


def test_a_draft_that_cannot_fit_says_so_and_exits_with_1(data_dir: Path) -> None:
    talked(data_dir)
    draft = "word " * 9000
    told = run("plan", "--draft", draft, "--model", "local/smollm2-135m", data=data_dir)
    assert told.code == 1
    assert "Shorten it" in told.out


def test_bad_input_gets_a_sentence(data_dir: Path) -> None:
    assert "no chat yet" in run("plan", data=data_dir).complaint
    chat_id = talked(data_dir)
    refused = run("plan", "--chat", chat_id, "--filter", "s2 & (b", data=data_dir)
    assert refused.code == 2
    assert "column" in refused.err or "^" in refused.err
    assert run("plan", "--chat", "cht_nowhere", data=data_dir).code == 2


def test_the_request_is_shown_to_the_byte_before_it_is_sent(data_dir: Path) -> None:
    definition = ("--family", "openai_chat", "--name", "there", "--base-url", "http://127.0.0.1:9")
    run("providers", "add", *definition, "--key", "sk-canary", "--no-check", data=data_dir)
    chat_id = talked(data_dir)
    words = (
        "plan",
        "--request",
        "--chat",
        chat_id,
        "--model",
        "there/gpt-x",
        "--draft",
        "And keys?",
    )
    told = run(*words, data=data_dir)
    head, _, body = told.out.rstrip("\n").rpartition("\n")
    assert head.startswith("POST http://127.0.0.1:9/chat/completions\n")
    assert "sk-canary" not in told.out
    asked = msgspec.json.decode(body)
    assert (asked["model"], asked["messages"][-1]["content"]) == ("gpt-x", "And keys?")
    lens = msgspec.json.decode(run(*words, "--json", data=data_dir).out)
    assert lens["body"] == body


def test_a_request_without_a_draft_is_told_to_need_one(data_dir: Path) -> None:
    talked(data_dir)
    told = run("plan", "--request", data=data_dir)
    assert (told.code, told.out) == (2, "")
    assert "message" in told.complaint
