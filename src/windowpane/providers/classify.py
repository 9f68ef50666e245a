"""What a provider's error means: its own words → one of the product's failure kinds.

The sentence of the provider is kept; the key that was sent with the request never is. The rules
hold for every HTTP family, whose codes and wordings overlap.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from windowpane.errors import Failure, FailureKind

MASK = "[key]"
QUOTED_CHARACTERS = 500

OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
OVERFLOW_WORDS = (
    "maximum context length",
    "context window",
    "context size",
    "context limit",
    "prompt is too long",
    "input is too long",
    "input token count",
    "too many input tokens",
    "exceeds the maximum number of tokens",
    "reduce the length of the messages",
)
OVERLOADED_CODES = frozenset({"unavailable", "serviceunavailableexception"})
AUTH_CODES = frozenset(
    {
        "authentication_error",
        "invalid_api_key",
        "permission_error",
        "unauthenticated",
        "unrecognizedclientexception",
        "accessdeniedexception",
        "expiredtokenexception",
    }
)
QUOTA_CODES = frozenset(
    {
        "rate_limit_error",
        "rate_limit_exceeded",
        "insufficient_quota",
        "billing_error",
        "throttlingexception",
        "resource_exhausted",
    }
)
MODEL_CODES = frozenset({"model_not_found", "resourcenotfoundexception"})
MODEL_WORDS = ("does not exist", "not found", "not exist", "not a valid model", "is invalid")
SERVER_CODES = frozenset(
    {
        "server_error",
        "api_error",
        "internal",
        "internalserverexception",
        "modelstreamerrorexception",
    }
)
REFUSED_CODES = frozenset({"content_filter", "content_policy_violation"})


class Complaint(Struct, frozen=True, kw_only=True):
    """A provider's error as it put it; ``http_status`` also when only the body names one."""

    code: str
    message: str
    http_status: int | None


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
    )


def kind_of(complaint: Complaint) -> FailureKind:
    """The order matters: a rate limit that is counted in tokens is no overflow."""
    code, words = complaint.code.lower(), complaint.message.lower()
    status = complaint.http_status
    if code in OVERFLOW_CODES:
        return "overflow"
    if status in (402, 429) or code in QUOTA_CODES or "credit balance" in words:
        return "quota"
    if status == 413 or any(phrase in words for phrase in OVERFLOW_WORDS):
        return "overflow"
    if status in (503, 529) or code in OVERLOADED_CODES or "overloaded" in code + words:
        return "overloaded"
    if status == 401 or (status == 403 and "model" not in code) or code in AUTH_CODES:
        return "auth"
    if code in REFUSED_CODES:
        return "refused"
    if code in MODEL_CODES or _is_about_the_model(words):
        return "model"
    if (status is not None and status >= 500) or code in SERVER_CODES:
        return "server"
    return "invalid"


def failure_from(
    complaint: Complaint, *, secrets: Sequence[str], retry_after_seconds: float | None
) -> Failure:
    return Failure(
        kind=kind_of(complaint),
        message=masked(complaint.message, secrets=secrets),
        http_status=complaint.http_status,
        retry_after_seconds=retry_after_seconds,
    )


def masked(text: str, *, secrets: Sequence[str]) -> str:
    for secret in filter(None, secrets):
        text = text.replace(secret, MASK)
    return text


def _is_about_the_model(words: str) -> bool:
    _, model, after = words.partition("model")
    return bool(model) and any(phrase in after for phrase in MODEL_WORDS)


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
        if isinstance(status, int) and 400 <= status < 600:
            return status
    return None


def _quoted(body: bytes, http_status: int | None) -> str:
    text = " ".join(body.decode(errors="replace").split())
    if not text:
        return f"The provider gave no reason (status {http_status})."
    if text.startswith("<"):
        return f"The provider answered with a web page (status {http_status})."
    return text if len(text) <= QUOTED_CHARACTERS else text[:QUOTED_CHARACTERS] + "…"
