"""A provider's error as it came → a ``Failure``.

The sentence of the provider is kept; the key that was sent with the request never is. Which kind
of failure it is, ``kinds`` says.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct, structs

from windowpane.errors import Failure, FailureKind, ProviderFailed
from windowpane.providers.kinds import kind_of
from windowpane.providers.retry_after import wait_in_sentence, wait_in_text

MASK = "[key]"
QUOTED_CHARACTERS = 500
# What the decoder says of JSON that ends too early.
TRUNCATED = "truncated"

# Shorter than any key; to mask them would hide half of a sentence.
SECRET_CHARACTERS = 4
# Who is refused for these may come again.
PASSING: frozenset[FailureKind] = frozenset({"quota", "overloaded"})


class Complaint(Struct, frozen=True, kw_only=True):
    """A provider's error as it put it; ``http_status`` also when only the body names one."""

    code: str
    message: str
    http_status: int | None
    retry_after_seconds: float | None = None


class _Upstream(Struct):
    """OpenRouter: what the service behind it said."""

    raw: str | None = None


class _Detail(Struct):
    message: str | None = None
    code: str | int | None = None
    type: str | None = None
    status: str | int | None = None
    status_code: int | None = None
    metadata: _Upstream | None = None
    # Google: among others, how long to wait, as ``{"retryDelay": "3.5s"}``.
    details: object = None


class _Body(_Detail):
    error: _Detail | str | None = None
    detail: str | None = None


_body = msgspec.json.Decoder(_Body | list[_Body])


CUT = Failure(
    kind="net",
    message="The connection broke off before the answer was complete. Try again.",
)


def malformed(payload: bytes | str) -> Failure:
    """Something came that is no answer; its beginning is quoted."""
    start = payload[:QUOTED_CHARACTERS]
    if isinstance(start, bytes):
        start = start.decode(errors="replace")
    return Failure(kind="server", message=f"The provider sent something that is no answer: {start}")


def unreadable(body: bytes) -> Failure:
    """A body in one piece that is no answer: one that broke off, or something else."""
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        # What is wrong at the very end is that it ends, as after "0.".
        if body.strip() and (TRUNCATED in str(error) or f"(byte {len(body)})" in str(error)):
            return CUT
    return malformed(body)


def no_list(url: str) -> ProviderFailed:
    message = f"{url} does not answer with a list of models. Check the base URL."
    return ProviderFailed(Failure(kind="invalid", message=message))


def complaint_from(body: bytes, *, http_status: int | None) -> Complaint:
    """Read an error body: JSON in any of the usual shapes, or else its text."""
    try:
        decoded = _body.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Complaint(code="", message=_quoted(body, http_status), http_status=http_status)
    first = decoded if isinstance(decoded, _Body) else next(iter(decoded), _Body())
    if isinstance(first.error, str):
        return Complaint(code="", message=first.error, http_status=http_status)
    detail = first.error or first
    return Complaint(
        code=_code(detail),
        message=_message(detail) or first.detail or _quoted(body, http_status),
        http_status=http_status or _named_status(detail),
        retry_after_seconds=_named_wait(detail),
    )


def failure_from(
    complaint: Complaint, *, secrets: Sequence[str], retry_after_seconds: float | None
) -> Failure:
    """The wait that the answer's header names counts for more than the one in its body.

    An error inside an answer has no header, and perhaps only a sentence.
    """
    kind = kind_of(status=complaint.http_status, code=complaint.code, message=complaint.message)
    wait = retry_after_seconds
    if wait is None:
        wait = complaint.retry_after_seconds
    if wait is None:
        wait = wait_in_sentence(complaint.message)
    return Failure(
        kind=kind,
        message=masked(complaint.message, secrets=secrets),
        http_status=complaint.http_status,
        retry_after_seconds=wait if kind in PASSING else None,
    )


def masked(text: str, *, secrets: Sequence[str]) -> str:
    # A longer secret may hold a shorter one.
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SECRET_CHARACTERS:
            text = text.replace(secret, MASK)
    return text


def masked_failure(failure: Failure, *, secrets: Sequence[str]) -> Failure:
    """A server may quote whatever it was sent."""
    return structs.replace(failure, message=masked(failure.message, secrets=secrets))


def _code(detail: _Detail) -> str:
    for code in (detail.code, detail.type, detail.status):
        if isinstance(code, str) and code:
            return code
    return ""


def _message(detail: _Detail) -> str:
    message = detail.message or ""
    raw = detail.metadata.raw if detail.metadata else None
    return f"{message}: {raw}" if raw else message


def _named_status(detail: _Detail) -> int | None:
    for status in (detail.status_code, detail.code, detail.status):
        if str(status).isdecimal() and 400 <= int(status or 0) < 600:
            return int(status or 0)
    return None


def _named_wait(detail: _Detail) -> float | None:
    try:
        details = msgspec.convert(detail.details, list[dict[str, object]])
    except msgspec.ValidationError:
        return None
    delays = (one.get("retryDelay") for one in details)
    return next((wait_in_text(delay) for delay in delays if isinstance(delay, str)), None)


def _quoted(body: bytes, http_status: int | None) -> str:
    text = " ".join(body.decode(errors="replace").split())
    if not text:
        return f"The provider gave no reason (status {http_status})."
    if text.startswith("<"):
        return f"The provider answered with a web page (status {http_status})."
    return text if len(text) <= QUOTED_CHARACTERS else text[:QUOTED_CHARACTERS] + "…"
