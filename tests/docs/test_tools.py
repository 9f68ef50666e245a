"""The page about tools: every tool and mode is on it, and its script plays."""

import re
from pathlib import Path
from typing import get_args

from tests.docs.pages import page
from tests.workspaces import MODEL, new_chat, until_ended, until_paused, workspace_over
from windowpane.asking import SendRequest
from windowpane.definitions import ProviderDefinition
from windowpane.ids import new_id
from windowpane.storage.choose import store_from
from windowpane.toolbox import Approval, ToolMode
from windowpane.tools.installed import INSTALLED
from windowpane.tools.recall import READ_CHARACTERS

PAGE = page("tools.md")


def first_cells(title: str) -> list[str]:
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)


def test_every_tool_is_on_the_page_with_whether_it_asks() -> None:
    told = dict(re.findall(r"^\| `(\w+)` \|.*\| (yes|no) \|$", PAGE, re.MULTILINE))
    asks = {tool.face.name: "yes" if tool.face.approval == "ask" else "no" for tool in INSTALLED}
    assert told == asks


def test_every_mode_and_every_approval_is_on_the_page() -> None:
    assert set(first_cells("What there is")) == {
        *get_args(ToolMode),
        *(tool.face.name for tool in INSTALLED),
    }
    assert first_cells("Whether a tool may run") == list(get_args(Approval))


def test_what_recall_reads_at_a_time_is_what_the_page_says() -> None:
    assert f"at most {READ_CHARACTERS:,} characters at a time" in PAGE


async def test_the_script_on_the_page_plays(data_dir: Path) -> None:
    [example] = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    path = data_dir / "script.json"
    path.write_text(example)
    async with workspace_over(store_from("memory:"), folder=data_dir, replies=()) as workspace:
        await workspace.models.remove("script")
        await workspace.models.add(
            ProviderDefinition(
                id=new_id("provider"), name="script", family="scripted", base_url=str(path)
            )
        )
        chat_id = await new_chat(workspace)
        position = workspace.position(chat_id)
        turn = await workspace.send(chat_id, SendRequest(text="Write it.", model=MODEL))
        await until_paused(workspace, chat_id, after=position)
        position = workspace.position(chat_id)
        await workspace.decide(turn.id, {"c1": "accept"})
        await until_ended(workspace, chat_id, after=position)
        content = (await workspace.page(chat_id, before_depth=None, limit=1)).turns[-1]
        assert content.messages[-1].text == "It is written."
