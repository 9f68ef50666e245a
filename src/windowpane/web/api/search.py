"""Search over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import Parameter

from windowpane.agent.search import SearchScope
from windowpane.search import Found
from windowpane.workspace import Workspace

MOST_HITS = 200


@get("/api/search")
async def search(
    workspace: Workspace,
    q: str = "",
    project_id: str | None = None,
    chat_id: str | None = None,
    limit: Annotated[int, Parameter(ge=1, le=MOST_HITS)] = 20,
) -> Found:
    """Turns by their words, best first, in a project, a chat or everywhere.

    Work is bounded: while ``waiting_turns`` is above 0, asking again finds more.
    """
    scope = SearchScope(project_id=project_id, chat_id=chat_id)
    return await workspace.search(q, scope=scope, limit=limit)


SEARCH_HANDLERS = [search]
