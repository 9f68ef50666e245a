"""The system prelude: project prompt, topic's message, tools' prompts, in this order."""

from __future__ import annotations

from collections.abc import Sequence


def system_prelude(*, project_prompt: str, topic_message: str, tool_prompts: Sequence[str]) -> str:
    """Blank texts are left out, others stay as they are; the summary follows in the request."""
    texts = [project_prompt, topic_message, *tool_prompts]
    return "\n\n".join(text for text in texts if text.strip())
