"""What must hold whatever was done to the servers: nothing lost, nothing doubled, a way on."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from tests.faults.provider import streams
from tests.faults.scene import Scene, Sent
from tests.server import in_vault
from windowpane.storage.vault import Vault
from windowpane.turns import TurnContent

SETTLED = {"complete", "error", "aborted", "interrupted"}
# A killed process loses at most the last second.
LOSS_SECONDS = 1.0


def check_all(scene: Scene, name: str = "a") -> None:
    """Every chat against the ledger, as the server with this name shows it."""
    for chat_id in scene.chat_ids:
        turns = scene.until_settled(chat_id, name)
        sent = [one for one in scene.sent if one.chat_id == chat_id]
        check_path(turns)
        check_ledger(turns, sent)
        check_answers(turns, sent, scene)


def check_path(turns: list[TurnContent]) -> None:
    """One unbroken path of different turns with different messages, all ended."""
    assert [content.turn.depth for content in turns] == list(range(len(turns)))
    for before, after in pairwise(turns):
        assert after.turn.parent_id == before.turn.id
    assert len({content.turn.id for content in turns}) == len(turns)
    records = Counter(message.id for content in turns for message in content.messages)
    assert not [id for id, times in records.items() if times > 1]
    for content in turns:
        assert content.turn.state in SETTLED, content.turn
        roles = [message.role for message in content.messages]
        assert roles[0] == "user" and "user" not in roles[1:], roles
        # A call and its results alternate, and nothing comes twice.
        assert roles[1::2] == ["assistant"] * len(roles[1::2]), roles
        assert roles[2::2] == ["tool"] * len(roles[2::2]), roles


def check_ledger(turns: list[TurnContent], sent: list[Sent]) -> None:
    """What was confirmed is there once and in order; what is not known is there once at most."""
    asked = Counter(content.messages[0].text for content in turns)
    ids = {content.turn.id: content for content in turns}
    for one in sent:
        if one.turn_id is not None:
            assert ids[one.turn_id].messages[0].text == one.text
            assert asked[one.text] == 1
        assert asked[one.text] <= (0 if one.is_refused else 1)
    assert set(asked) <= {one.text for one in sent}
    order = {one.text: place for place, one in enumerate(sent)}
    places = [order[content.messages[0].text] for content in turns]
    assert places == sorted(places)


def check_answers(turns: list[TurnContent], sent: list[Sent], scene: Scene) -> None:
    """An answer is the beginning of what the provider said; a complete one is all of it."""
    by_text = {one.text: one for one in sent}
    for content in turns:
        one = by_text[content.messages[0].text]
        # An attempt that was refused said nothing that could be an answer.
        told = [telling for telling in scene.provider.tellings(one.word) if telling.chunks]
        answers = [message for message in content.messages if message.role == "assistant"]
        assert len(answers) <= len(told)
        for answer, telling in zip(answers, told, strict=False):
            assert telling.text.startswith(answer.text)
        if content.turn.state == "complete":
            assert answers[-1].text == told[-1].text


def check_loss(scene: Scene, sent: Sent, *, killed_at: float, name: str = "a") -> float:
    """How many seconds of what the provider had said when the server died are missing."""
    told = scene.provider.tellings(sent.word)
    content = scene.turn_of(sent, name)
    if not told or content is None:
        return 0.0
    stored = "".join(one.text for one in content.messages if one.role == "assistant")
    # A machine that lets the provider wait lets the server wait as well.
    allowed_seconds = LOSS_SECONDS + max(telling.longest_gap_seconds for telling in told)
    said = "".join(telling.text_before(killed_at - allowed_seconds) for telling in told)
    assert len(stored) >= len(said), (
        f"lost {said[len(stored) :]!r}, said {allowed_seconds} s before"
    )
    return _loss_seconds(scene, sent, stored, killed_at=killed_at)


def _loss_seconds(scene: Scene, sent: Sent, stored: str, *, killed_at: float) -> float:
    characters = 0
    for telling in scene.provider.tellings(sent.word):
        for at, text in telling.chunks:
            characters += len(text)
            if characters > len(stored) and at < killed_at:
                return killed_at - at
    return 0.0


def check_usable(scene: Scene, chat_id: str, name: str = "a") -> None:
    """The chat takes a message at once and answers it."""
    sent = scene.ask(chat_id, streams("Yes, ", "here."), name)
    turns = scene.until_settled(chat_id, name)
    assert turns[-1].turn.id == sent.turn_id
    assert (turns[-1].turn.state, turns[-1].messages[-1].text) == ("complete", "Yes, here.")


def check_no_leftovers(scene: Scene) -> None:
    """No run and no event stays behind when nothing is answered."""

    async def counted(vault: Vault) -> list[int]:
        runs = await vault.store.count("runs", "")
        below = [await vault.store.count("runs", chat_id) for chat_id in scene.chat_ids]
        turn_ids = [one.turn_id for one in scene.sent if one.turn_id is not None]
        events = [await vault.store.count("events", turn_id) for turn_id in turn_ids]
        return [runs, sum(below), sum(events)]

    assert in_vault(scene.data, counted, database=scene.database) == [0, 0, 0]
