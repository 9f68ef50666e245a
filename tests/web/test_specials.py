"""Special records in the page: one quiet line each, between the turns where they stand."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from windowpane.accounting import NOTHING, AccountingRecord, ChatTotals, Cost, Totals
from windowpane.records import (
    Accounting,
    Place,
    SpecialRecord,
    Summary,
    SummaryRequest,
    Title,
    TitleRequest,
)
from windowpane.usage import TokenUsage
from windowpane.web.specials import records_html

AT = datetime(2026, 5, 12, 9, 14, tzinfo=UTC)
PLACE = Place(depth=2, after_id="trn_b")
SPENT = Totals(
    usage=TokenUsage(
        input_tokens=12_500, output_tokens=8_300, cache_read_tokens=5_000, cache_write_tokens=1_200
    ),
    cost=Cost(Decimal("0.0412"), False),
    calls=9,
)

ALL_OWN = ChatTotals(own=SPENT)


def account(
    id: str,
    *,
    reason: str = "Message edited",
    totals: ChatTotals = ALL_OWN,
    minutes: int = 0,
    is_undone: bool = False,
) -> Accounting:
    record = AccountingRecord(
        totals=totals, reason=reason, left_turns=5, created_at=AT + timedelta(minutes=minutes)
    )
    return Accounting(id=id, place=PLACE, account=record, next_depth=2, is_undone=is_undone)


def html(*records: SpecialRecord, others: dict[str, list[str]] | None = None) -> str:
    return "".join(one.html for one in records_html(records, others or {}))


def words(*records: SpecialRecord, others: dict[str, list[str]] | None = None) -> str:
    """What a reader reads."""
    text = html(*records, others=others)
    while "<" in text:
        before, _, rest = text.partition("<")
        text = before + " " + rest.partition(">")[2]
    return " ".join(text.split())


def test_an_account_is_a_line_with_counts_and_reason() -> None:
    assert words(account("rec_a")) == (
        "\N{MONEY BAG} Message edited · 5 turns so far 12,500 in, 8,300 out, 5,000 from the cache, "
        "1,200 to the cache, $0.0412"
    )
    [drawn] = records_html([account("rec_a")], {})
    assert drawn.depth == 2
    assert "<details" not in drawn.html


def test_what_is_not_known_of_the_cost_is_said() -> None:
    unknown = Totals(usage=TokenUsage(), cost=Cost(Decimal(0), True), calls=1)
    partly = Totals(usage=TokenUsage(), cost=Cost(Decimal("0.5"), True), calls=2)
    assert words(account("rec_a", totals=ChatTotals(own=unknown))).endswith("cost unknown")
    assert words(account("rec_a", totals=ChatTotals(own=partly))).endswith("at least $0.50")
    assert words(account("rec_a", totals=ChatTotals(own=NOTHING))).endswith("$0.00")


def test_a_fork_shows_what_it_inherited() -> None:
    fork = account("rec_a", reason="Forked", totals=ChatTotals(inherited=SPENT))
    assert words(fork).startswith("\N{MONEY BAG} Forked; spent in the origin 12,500 in")


def test_accounts_of_one_place_are_one_line_with_the_earlier_ones_folded() -> None:
    shown = words(account("rec_a"), account("rec_b", reason="Asked again", minutes=1))
    assert shown.index("Asked again") < shown.index("and 1 earlier") < shown.index("Message edited")
    assert html(account("rec_a"), account("rec_b", minutes=1)).count('class="special ') == 1


def test_what_was_undone_is_not_shown() -> None:
    assert html(account("rec_a", is_undone=True)) == ""


def test_what_stood_where_something_was_deleted_can_be_gone_back_to() -> None:
    shown = html(account("rec_a", reason="Deleted"), others={"rec_a": ["trn_x", "trn_y"]})
    assert 'data-act="return" data-turn-id="trn_y"' in shown
    assert "Show the other answers of this place" in shown


def test_titles_and_summaries_are_one_liners_with_their_signs() -> None:
    request = TitleRequest(id="rec_a", place=PLACE, created_at=AT, text="Name this, please.")
    title = Title(id="rec_b", place=PLACE, created_at=AT, text="Retries", model="p/m")
    asked = SummaryRequest(id="rec_c", place=PLACE, created_at=AT, text="Sum it up.")
    summary = Summary(
        id="rec_d",
        place=PLACE,
        created_at=AT,
        text="One journal.",
        model="p/m",
        first_depth=0,
        last_depth=17,
    )
    assert words(request) == "\N{MEMO} Asked for a title Name this, please."
    assert words(title) == "Retries m"
    assert words(asked) == "\N{CLIPBOARD} Asked for a summary Sum it up."
    assert words(summary) == "\N{PUSHPIN} Conversation summary turns 1–18 One journal."
    assert html(request, title, asked, summary).count('class="special ') == 4


def test_what_a_model_wrote_is_text_and_nothing_else() -> None:
    title = Title(id="rec_a", place=PLACE, created_at=AT, text="<img src=x>", model="p/m")
    assert "<img" not in html(title)
