"""What a person says about tools: which are on, with which options, which may run unasked.

Plain data, so that it can be chosen, stored and compared without knowing any tool.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

# ``cached`` offers what is on, always in one order; ``auto`` leaves out tools of servers that were
# not used lately; ``all-on`` offers whatever there is; ``all-off`` nothing, and past calls become
# text; ``manual`` offers exactly what was picked.
ToolMode = Literal["auto", "cached", "all-on", "all-off", "manual"]
# Whether a call runs at once, waits for a person, or is refused.
Approval = Literal["always", "ask", "never"]
ToolOptions = dict[str, bool | str]


class Toolbox(Struct, frozen=True, kw_only=True):
    """``tools`` holds those that are on, each with its options.

    ``approvals`` holds what was decided for a tool instead of the tool's own default.
    """

    mode: ToolMode
    tools: dict[str, ToolOptions]
    approvals: dict[str, Approval]
