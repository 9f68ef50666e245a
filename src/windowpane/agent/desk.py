"""Where a message is looked at before it is sent, sent, decided upon and named afterwards."""

from __future__ import annotations

from windowpane.agent.answering import Answering
from windowpane.agent.asides import Asides
from windowpane.agent.attempts import Means
from windowpane.agent.deciding import Deciding
from windowpane.agent.forecasts import Forecasts
from windowpane.agent.outlooks import Outlooks
from windowpane.agent.receipts import Receipts
from windowpane.agent.sending import Sending
from windowpane.agent.titles import Titles
from windowpane.agent.turns import Turns


class Desk:
    """``limit_bytes`` is how long a message may be."""

    def __init__(
        self,
        means: Means,
        *,
        outlooks: Outlooks,
        answering: Answering,
        receipts: Receipts,
        turns: Turns,
        limit_bytes: int,
    ) -> None:
        self.forecasts = Forecasts(
            means, outlooks=outlooks, receipts=receipts, limit_bytes=limit_bytes
        )
        self.deciding = Deciding(means, outlooks=outlooks, answering=answering)
        self.sending = Sending(
            means,
            turns=turns,
            outlooks=outlooks,
            answering=answering,
            deciding=self.deciding,
            limit_bytes=limit_bytes,
        )
        self.titles = Titles(
            means.vault,
            asides=Asides(means, outlooks=outlooks),
            outlooks=outlooks,
            clock=means.clock,
            tell=answering.following.tell_changed,
        )
