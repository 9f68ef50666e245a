"""The way in: to the chat that was used last, or to a first one that can be typed into at once."""

from __future__ import annotations

import asyncio

from litestar import get
from litestar.response import Redirect

from windowpane.projects import FIRST_PROJECT, Chat
from windowpane.workspace import Workspace


class FirstSteps:
    """Makes the first project and chat, once, also for two tabs that open at the same time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._making = asyncio.Lock()

    async def latest_chat(self) -> Chat:
        async with self._making:
            projects = (await self._workspace.projects()).values
            chats = [await self._workspace.chats(project.id) for project in projects]
            newest = [listing.values[0] for listing in chats if listing.values]
            if newest:
                return max(newest, key=lambda chat: chat.active_at)
            if not projects:
                projects = [await self._workspace.create_project(name=FIRST_PROJECT)]
            return await self._workspace.create_chat(projects[0].id)


@get("/", include_in_schema=False)
async def home(first_steps: FirstSteps) -> Redirect:
    chat = await first_steps.latest_chat()
    # Relative, so that it also leads there below a base path.
    return Redirect(f"chats/{chat.id}")


HOME_HANDLERS = [home]
