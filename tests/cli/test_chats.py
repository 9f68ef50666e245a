"""Chats from the command line: listed, renamed, forked, moved, deleted and brought back."""

import json
from pathlib import Path

import pytest

from tests.commands import give_script, run, turns_in
from tests.server import in_workspace
from tests.workspaces import says


@pytest.fixture
def chat_id(data_dir: Path) -> str:
    give_script(data_dir, replies=[says("Yes."), says("No.")])
    sent = run("send", "--json", "--model", "script/scripted", "Is it?", data=data_dir)
    return str(json.loads(sent.out)["chat_id"])


def listed(data: Path) -> list[dict[str, object]]:
    return json.loads(run("chats", "list", "--json", data=data).out)


def project(data: Path, name: str) -> None:
    in_workspace(data, lambda workspace: workspace.create_project(name=name))


def test_chats_are_listed_with_what_they_hold(data_dir: Path, chat_id: str) -> None:
    [line] = listed(data_dir)
    assert (line["id"], line["title"], line["turns"]) == (chat_id, "Is it?", 1)
    shown = run("chats", "list", data=data_dir).out.splitlines()
    assert shown[0].split() == ["chat", "turns", "project", "title"]
    assert shown[1].split() == [chat_id, "1", "Home", "Is", "it?"]
    assert run("chats", "list", "--project", "Home", data=data_dir).out.count("\n") == 2
    refused = run("chats", "list", "--project", "Nowhere", data=data_dir)
    assert (refused.code, "no project Nowhere" in refused.complaint) == (2, True)


def test_a_chat_is_renamed(data_dir: Path, chat_id: str) -> None:
    done = run("chats", "rename", chat_id, "Whether it is", data=data_dir)
    assert (done.code, done.out) == (0, f"{chat_id} is called Whether it is.\n")
    assert listed(data_dir)[0]["title"] == "Whether it is"


def test_a_fork_is_a_chat_of_its_own(data_dir: Path, chat_id: str) -> None:
    forked = json.loads(run("chats", "fork", chat_id, "--json", data=data_dir).out)
    assert forked["forked_from"]["chat_id"] == chat_id
    assert {line["id"] for line in listed(data_dir)} == {chat_id, forked["id"]}
    assert len(turns_in(data_dir)) == 2


def test_a_chat_moves_to_a_project_by_name_or_id(data_dir: Path, chat_id: str) -> None:
    project(data_dir, "Garden")
    done = run("chats", "move", chat_id, "Garden", data=data_dir)
    assert (done.code, done.out) == (0, "The chat was moved.\n")
    assert listed(data_dir)[0]["project"] == "Garden"
    project(data_dir, "Garden")
    refused = run("chats", "move", chat_id, "Garden", data=data_dir)
    assert (refused.code, "More than one project" in refused.complaint) == (2, True)


def test_a_deleted_chat_comes_back_with_the_command_that_was_printed(
    data_dir: Path, chat_id: str
) -> None:
    done = run("chats", "delete", chat_id, data=data_dir)
    assert done.out.startswith("Chat “Is it?” deleted. To bring it back: windowpane chats restore ")
    assert listed(data_dir) == []
    restore = done.out.split()[-1]
    back = run("chats", "restore", restore, data=data_dir)
    assert (back.code, back.out) == (0, "It is back as it was.\n")
    assert [line["id"] for line in listed(data_dir)] == [chat_id]
    late = run("chats", "restore", restore, data=data_dir)
    assert (late.code, "is final" in late.complaint) == (2, True)


def test_a_deletion_is_carried_out_by_whichever_command_comes_after_its_time(
    data_dir: Path, chat_id: str
) -> None:
    soon = {"WINDOWPANE_UNDO_SECONDS": "0.001"}
    deleted = json.loads(run("chats", "delete", chat_id, "--json", data=data_dir, more=soon).out)
    late = run("chats", "restore", deleted["id"], data=data_dir)
    assert late.code == 2
    assert listed(data_dir) == []
