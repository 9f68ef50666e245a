"""The context engine for programs: a list of messages in, what to send and why out.

No server, no store, no network. ``Conversation`` is where to begin.
"""

from windowpane.library.conversation import Conversation
from windowpane.library.counting import count
from windowpane.library.planned import Plan
from windowpane.library.reading import BadMessages

__all__ = ["BadMessages", "Conversation", "Plan", "count"]
