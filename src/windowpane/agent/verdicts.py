"""What becomes of a call before it runs: pure, so that nothing runs by accident."""

from __future__ import annotations

from msgspec import Struct

from windowpane.agent.equipment import Equipment, Equipped
from windowpane.agent.results import REJECTED
from windowpane.parts import ToolCall
from windowpane.tools.arguments import BadArguments, arguments_from
from windowpane.tools.base import Arguments, Surroundings
from windowpane.turns import Decision


class Allowed(Struct, frozen=True, kw_only=True):
    call: ToolCall
    equipped: Equipped
    arguments: Arguments
    surroundings: Surroundings


class Refused(Struct, frozen=True, kw_only=True):
    """``sentence`` is what the model gets instead of a result."""

    call: ToolCall
    sentence: str


class Asking(Struct, frozen=True, kw_only=True):
    """A person must say whether it may run."""

    call: ToolCall


Verdict = Allowed | Refused | Asking


def verdict_on(call: ToolCall, equipment: Equipment, *, decision: Decision | None) -> Verdict:
    """Nobody is asked about a call that cannot run."""
    equipped = equipment.tool(call.name)
    if equipped is None:
        return Refused(call=call, sentence=_unknown(call.name, equipment))
    try:
        arguments = arguments_from(call.arguments, name=call.name, schema=equipped.schema)
    except BadArguments as error:
        return Refused(call=call, sentence=str(error))
    if equipped.approval == "never":
        return Refused(call=call, sentence=f"The tool {call.name} may not be used here.")
    if decision == "reject":
        return Refused(call=call, sentence=REJECTED)
    if equipped.approval == "ask" and decision is None:
        return Asking(call=call)
    return Allowed(
        call=call,
        equipped=equipped,
        arguments=arguments,
        surroundings=equipment.surroundings,
    )


def _unknown(name: str, equipment: Equipment) -> str:
    known = ", ".join(equipped.name for equipped in equipment.tools)
    offer = f"There is: {known}." if known else "There are no tools in this chat."
    return f"There is no tool called {name}. {offer}"
