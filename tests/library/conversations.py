"""Conversations as programs have them: lists of messages in a provider's own JSON."""

from __future__ import annotations

from windowpane.library.reading import Json

WINDOWS: list[Json] = [
    {"role": "system", "content": "You answer in one sentence."},
    {"role": "user", "content": "What is a sash window?"},
    {"role": "assistant", "content": "A window whose panes slide in a frame."},
    {"role": "user", "content": "And a casement?"},
    {"role": "assistant", "content": "One that swings on hinges."},
    {"role": "user", "content": "Which is easier to clean?"},
]

CALL: Json = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "look", "arguments": '{"at": "pane"}'},
}
OPENAI_TOOLS: list[Json] = [
    {"role": "user", "content": "Is it clean?", "name": "ada"},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL], "annotations": []},
    {"role": "tool", "tool_call_id": "call_1", "content": "A spot."},
    {"role": "assistant", "reasoning_content": "A spot is dirt.", "content": "No."},
    {"role": "user", "content": "Thanks."},
    {"role": "assistant", "content": None, "refusal": "I cannot."},
    {"role": "user", "content": "And now?"},
]

THINKING: Json = {"type": "thinking", "thinking": "I should look.", "signature": "c2lnbg=="}
ANTHROPIC_TOOLS: list[Json] = [
    {"role": "user", "content": [{"type": "text", "text": "Is it clean?", "cache_control": {}}]},
    {
        "role": "assistant",
        "content": [
            THINKING,
            {"type": "redacted_thinking", "data": "b3BhcXVl"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "pane"}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "A spot."}],
    },
    {"role": "assistant", "content": "No."},
    {"role": "user", "content": "And now?"},
]
