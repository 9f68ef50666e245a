"""The trimming story from end to end, with a provider of a small window, over HTTP."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from tests.http import Client
from tests.server import Server, in_workspace, scripted_chat
from tests.workspaces import does, says, script
from windowpane.definitions import ModelInfo, ModelPrices
from windowpane.errors import Failure
from windowpane.projects import Chat
from windowpane.providers.scripted import End, Fail, Report, Say
from windowpane.usage import TokenUsage
from windowpane.workspace import Workspace

MODEL = ModelInfo(
    name="scripted",
    context_window_tokens=1_200,
    output_tokens=100,
    prices=ModelPrices(input_usd=Decimal(3), output_usd=Decimal(15)),
)
TOO_LARGE = Failure(
    kind="overflow", message="This model's maximum context length is 900 tokens", http_status=400
)
USED = Report(usage=TokenUsage(input_tokens=700, output_tokens=20))
REPLIES = [
    *(says("ok", when=f"turn {number}") for number in range(5)),
    does(Fail(failure=TOO_LARGE), when="and now?"),
    does(Say(chunks=("Now this.",)), USED, End(finish="stop"), when="and now?"),
]


@pytest.fixture
def chat(data_dir: Path) -> Chat:
    async def prepare(workspace: Workspace) -> Chat:
        chat = await scripted_chat(workspace, folder=data_dir, replies=[])
        await script(workspace, folder=data_dir, replies=REPLIES, models=(MODEL,))
        return chat

    return in_workspace(data_dir, prepare)


@pytest.fixture
def client(data_dir: Path, chat: Chat) -> Iterator[Client]:
    server = Server(data_dir)
    server.start()
    yield Client.let_in(server.entrance)
    server.kill()


def sent(client: Client, chat: Chat, text: str) -> str:
    turn_id = client.made(f"/api/chats/{chat.id}/send", {"text": text})
    while client.get(f"/api/chats/{chat.id}/turns").json()["is_answering"]:
        pass
    return turn_id


def listed(client: Client, path: str) -> list[dict[str, object]]:
    return msgspec.json.decode(client.get(path).body, type=list[dict[str, object]])


def test_a_send_that_is_too_large_is_trimmed_answered_and_explained(
    client: Client, chat: Chat
) -> None:
    for number in range(5):
        sent(client, chat, f"turn {number} " + "word " * 150)
    lens = client.post(f"/api/chats/{chat.id}/lens", {"draft": "and now?"}).json()
    assert '"and now?"' in str(lens["body"])
    estimate = client.post(f"/api/chats/{chat.id}/estimate", {"draft": "and now?"}).json()
    assert str(estimate["sentence"]).startswith("≈ $0.00")

    turn_id = sent(client, chat, "and now?")

    receipts = listed(client, f"/api/turns/{turn_id}/receipts")
    assert [one["stage"] for one in receipts] == ["overflow_initial", "success"]
    first, last = listed(client, f"/api/turns/{turn_id}/telemetry")
    assert first["trimmed_turns"] == 0
    assert isinstance(last["trimmed_turns"], int) and last["trimmed_turns"] > 0
    assert first["last_error_message"] == TOO_LARGE.message
    why = client.get(f"/api/turns/{turn_id}/why").json()
    assert "made room for this message" in str(why["sentences"])
    again = client.get(f"/api/receipts/{receipts[-1]['id']}/request").json()
    assert again["is_same"] is True
    limits = client.get("/api/models/facts?name=script/scripted").body
    assert b"learned" in limits
    cost = client.get(f"/api/chats/{chat.id}/cost").json()
    # Five answers without a report were estimated, the refusal cost nothing.
    assert "'calls': 6" in str(cost["totals"])
    assert "'is_unreliable': True" in str(cost["totals"])
    assert len(listed(client, "/api/usage")) == 1
