"""Which of the product's failure kinds a provider's error is: one table, read from the top.

The codes and wordings of the services overlap so much that one table holds for all. The first rule
that fits by status, by code or by a phrase in the message decides.
"""

from __future__ import annotations

from msgspec import Struct

from windowpane.errors import FailureKind


class _Rule(Struct, frozen=True, kw_only=True):
    kind: FailureKind
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()

    def fits(self, *, status: int | None, code: str, words: str) -> bool:
        return (
            status in self.statuses
            or code in self.codes
            or any(phrase in words for phrase in self.phrases)
        )


# The order matters: a rate limit that is counted in tokens is no overflow, and a model that one may
# not use is no wrong key.
RULES = (
    _Rule(
        kind="overflow",
        codes=frozenset(
            {
                "context_length_exceeded",
                "context_window_exceeded",
                "exceed_context_size_error",
                "model_max_prompt_tokens_exceeded",
                "string_above_max_length",
                "tokens_limit_reached",
            }
        ),
    ),
    _Rule(
        kind="quota",
        statuses=frozenset({402, 429}),
        codes=frozenset(
            {
                "billing_error",
                "billing_hard_limit_reached",
                "billing_not_active",
                "insufficient_balance",
                "insufficient_credits",
                "insufficient_quota",
                "quota_exceeded",
                "rate_limit_error",
                "rate_limit_exceeded",
                "rate_limited",
                "resource_exhausted",
                "servicequotaexceededexception",
                "throttlingexception",
                "too_many_requests",
                "toomanyrequestsexception",
            }
        ),
        phrases=(
            "credit balance",
            "exceeded your current quota",
            "insufficient balance",
            "insufficient credits",
            "rate limit",
            "rate-limited",
            "tokens per min",
            "too many requests",
        ),
    ),
    _Rule(
        kind="overflow",
        statuses=frozenset({413}),
        codes=frozenset({"request_too_large"}),
        phrases=(
            "context length",
            "context limit",
            "context size",
            "context is too long",
            "context too long",
            "context window",
            "context_length",
            "exceeded model token limit",
            "exceeds max length",
            "exceeds the maximum number of tokens",
            "input is too long",
            "input token count",
            "input too long",
            "max_new_tokens",
            "maximum prompt length",
            "prompt is too long",
            "prompt token count",
            "prompt too long",
            "range of input length",
            "reduce the length of the messages",
            "request too large",
            "too large for",
            "too many input tokens",
            "too many tokens",
        ),
    ),
    _Rule(
        kind="refused",
        codes=frozenset(
            {
                "content_filter",
                "content_policy_violation",
                "data_inspection_failed",
                "moderation_blocked",
            }
        ),
        phrases=(
            "content management policy",
            "content policy",
            "input was flagged",
            "prompt was flagged",
        ),
    ),
    _Rule(
        kind="overloaded",
        # 498: Groq, 529: Anthropic.
        statuses=frozenset({498, 503, 529}),
        codes=frozenset(
            {
                "capacity_exceeded",
                "modelnotreadyexception",
                "service_unavailable",
                "serviceunavailableexception",
                "unavailable",
            }
        ),
        phrases=("at capacity", "high demand", "over capacity", "overloaded"),
    ),
    _Rule(
        kind="model",
        codes=frozenset(
            {
                "deploymentnotfound",
                "invalid_model",
                "model_decommissioned",
                "model_not_active",
                "model_not_available",
                "model_not_found",
                "model_permission_blocked_org",
                "model_permission_blocked_project",
                "model_terms_required",
                "modelnotfound",
                "resourcenotfoundexception",
            }
        ),
    ),
    _Rule(
        kind="auth",
        statuses=frozenset({401, 403}),
        codes=frozenset(
            {
                "access_denied",
                "accessdeniedexception",
                "account_deactivated",
                "api_key_invalid",
                "authentication_error",
                "expiredtokenexception",
                "forbidden",
                "incompletesignatureexception",
                "invalid_api_key",
                "invalid_authentication",
                "invalidsignatureexception",
                "missingauthenticationtokenexception",
                "permission_denied",
                "permission_error",
                "unauthenticated",
                "unauthorized",
                "unrecognizedclientexception",
            }
        ),
        phrases=(
            "api key is invalid",
            "api key not valid",
            "incorrect api key",
            "invalid api key",
            "missing api key",
            "no auth credentials",
        ),
    ),
    _Rule(
        kind="model",
        phrases=(
            "invalid model",
            "no endpoints found",
            "not a valid model",
            "unknown model",
            "unsupported model",
        ),
    ),
)
MODEL_PHRASES = (
    "decommissioned",
    "does not exist",
    "has been deprecated",
    "is invalid",
    "no longer available",
    "no longer supported",
    "not exist",
    "not found",
)
SERVER_CODES = frozenset(
    {
        "api_error",
        "internal",
        "internal_server_error",
        "internalserverexception",
        "modelerrorexception",
        "modelstreamerrorexception",
        "modeltimeoutexception",
        "server_error",
    }
)


def kind_of(*, status: int | None, code: str, message: str) -> FailureKind:
    code = code.lower()
    words = f"{code} {message.lower()}"
    for rule in RULES:
        if rule.fits(status=status, code=code, words=words):
            return rule.kind
    if _is_about_the_model(words) or (status == 404 and code and "model" in words):
        return "model"
    if code in SERVER_CODES or _is_the_servers(status):
        return "server"
    return "invalid"


def _is_the_servers(status: int | None) -> bool:
    """408 is told of a client, but it is the server that lost patience."""
    return status is not None and (status >= 500 or status == 408)


def _is_about_the_model(words: str) -> bool:
    _, model, after = words.partition("model")
    return bool(model) and any(phrase in after for phrase in MODEL_PHRASES)
