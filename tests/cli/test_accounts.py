"""What ``windowpane why``, ``receipts`` and ``cost`` tell of what was sent."""

from hashlib import sha256
from pathlib import Path

import msgspec

from tests.commands import give_script, run
from tests.workspaces import MODEL, does, says
from windowpane.providers.scripted import End, Report, Say
from windowpane.usage import TokenUsage

USED = Report(usage=TokenUsage(input_tokens=1200, output_tokens=34))
ANSWER = does(Say(chunks=("Five keys.",)), USED, End(finish="stop"), when="keys")


def talked(data: Path) -> str:
    give_script(data, replies=[says("One journal.", when="journals"), ANSWER])
    sent = run("send", "--json", "--model", MODEL, "How many journals?", data=data)
    chat_id = str(msgspec.json.decode(sent.out, type=dict[str, object])["chat_id"])
    run("send", "--chat", chat_id, "--model", MODEL, "And keys?", data=data)
    return chat_id


def test_why_tells_what_came_since_the_request_before(data_dir: Path) -> None:
    talked(data_dir)
    told = run("why", data=data_dir)
    assert told.out == "Turn 1 came: answered.\nThe cached prefix holds.\n"


def test_the_first_request_says_that_there_is_nothing_before_it(data_dir: Path) -> None:
    give_script(data_dir, replies=[says("One journal.")])
    run("send", "--model", MODEL, "How many journals?", data=data_dir)
    assert "first request of its chat" in run("why", data=data_dir).out


def test_receipts_are_listed_and_shown_again_to_the_byte(data_dir: Path) -> None:
    chat_id = talked(data_dir)
    listed = run("receipts", "--chat", chat_id, data=data_dir)
    assert listed.out.count("answered") == 2
    assert "1,200 in, 34 out" in listed.out
    found = msgspec.json.decode(run("receipts", "--json", data=data_dir).out)
    newest = found[-1]
    body = run("receipts", newest["id"], "--request", data=data_dir)
    assert body.code == 0
    assert sha256(body.out.rstrip("\n").encode()).hexdigest() == newest["sent"]["body_sha256"]
    assert "turn 1" in run("receipts", newest["id"], data=data_dir).out


def test_a_receipt_that_does_not_exist_is_named(data_dir: Path) -> None:
    talked(data_dir)
    refused = run("receipts", "rct_none", data=data_dir)
    assert refused.code == 2
    assert refused.complaint == "There is no receipt rct_none. It may have been deleted."


def test_cost_adds_up_by_day_and_model(data_dir: Path) -> None:
    chat_id = talked(data_dir)
    told = run("cost", data=data_dir)
    day, total = told.out.splitlines()
    assert MODEL in day
    assert "2 calls" in total
    assert run("cost", "--chat", "cht_none", data=data_dir).out == "Nothing was used.\n"
    [row] = msgspec.json.decode(run("cost", "--chat", chat_id, "--json", data=data_dir).out)
    assert row["totals"]["usage"]["input_tokens"] >= 1200


def test_a_chat_without_a_message_has_no_why(data_dir: Path) -> None:
    refused = run("why", data=data_dir)
    assert refused.code == 2
    assert "There is no chat yet" in refused.complaint
