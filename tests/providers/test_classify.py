import msgspec
import pytest

from windowpane.errors import FailureKind
from windowpane.providers.classify import Complaint, complaint_from, failure_from

TOO_LONG = (
    '{"error": {"message": "The maximum context length is 8192 tokens; you sent 9000.",'
    ' "code": "context_length_exceeded"}}'
)
RATE = (
    '{"error": {"message": "Limit 30000 tokens per min: reduce the length of the messages.",'
    ' "type": "tokens", "code": "rate_limit_exceeded"}}'
)


TOO_LARGE = (
    '{"error": {"message": "Request too large for model `x` on tokens per minute (TPM): '
    'Limit 6000, Requested 7000.", "type": "tokens", "code": "rate_limit_exceeded"}}'
)


def error(message: str, *, code: str | int | None = None, type: str | None = None) -> str:
    told = {"message": message, "code": code, "type": type}
    return msgspec.json.encode({"error": told}).decode()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, TOO_LONG, "overflow"),
        (400, '{"error": "the request exceeds the available context size"}', "overflow"),
        (400, error("9000 tokens", type="exceed_context_size_error"), "overflow"),
        (400, error("Invalid 'content'", code="string_above_max_length"), "overflow"),
        (400, error("This model's maximum prompt length is 8192"), "overflow"),
        (400, error("Prompt contains 9000 tokens, too large for model m1"), "overflow"),
        (400, error("inputs tokens + max_new_tokens must be <= 4096"), "overflow"),
        (400, error("Your input exceeds context window"), "overflow"),
        (400, error("The context too long"), "overflow"),
        (400, error("There are too many tokens in it"), "overflow"),
        (400, error("Request too large for m1"), "overflow"),
        (400, error("context_length is 8192"), "overflow"),
        (413, "Request Entity Too Large", "overflow"),
        (400, error("prompt is too long: 208310 tokens > 200000 maximum"), "overflow"),
        (
            400,
            error("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
            "overflow",
        ),
        (400, '{"message": "Input is too long for requested model."}', "overflow"),
        (400, '{"message": "Too many input tokens. Max input tokens: 300000"}', "overflow"),
        (
            400,
            error("The input token count (132478) exceeds the maximum number of tokens allowed."),
            "overflow",
        ),
        (500, error("Your input context is too long.", code="INTERNAL"), "overflow"),
        (400, error("Please reduce the length of the messages or completion."), "overflow"),
        (400, error("Invalid request: Your request exceeded model token limit: 8192"), "overflow"),
        (400, error("Prompt exceeds max length", code="1261"), "overflow"),
        (400, error("Range of input length should be [1, 6000]"), "overflow"),
        (429, '{"message": "Too many tokens, please wait before trying again."}', "quota"),
        (None, error("Too many tokens, please wait", type="throttlingException"), "quota"),
        (413, error("Too big", type="request_too_large"), "overflow"),
        (None, error("Prompt is too long"), "overflow"),
        (429, RATE, "quota"),
        (413, RATE, "quota"),
        (429, TOO_LARGE, "quota"),
        (413, TOO_LARGE, "quota"),
        (402, error("Insufficient credits", code=402), "quota"),
        (429, error("No more", code="insufficient_quota"), "quota"),
        (400, error("Your credit balance is too low"), "quota"),
        (429, error("Provider returned error", code=429), "quota"),
        (None, error("Rate limit exceeded", code="429"), "quota"),
        (401, error("No", code="invalid_api_key"), "auth"),
        (400, error("Incorrect API key provided: xa***yz."), "auth"),
        (400, error("API key not valid. Please pass a valid API key."), "auth"),
        (401, error("No auth credentials found", code=401), "auth"),
        (403, '{"detail": "Forbidden"}', "auth"),
        (403, error("Country not supported", code="unsupported_country"), "auth"),
        (None, error("No", type="authentication_error"), "auth"),
        (503, error("Busy"), "overloaded"),
        (503, error("Loading model", type="unavailable_error"), "overloaded"),
        (498, error("Full", code="capacity_exceeded"), "overloaded"),
        (529, error("Overloaded", type="overloaded_error"), "overloaded"),
        (500, error("Overloaded", type="overloaded_error"), "overloaded"),
        (None, error("Sorry", code="server_is_overloaded"), "overloaded"),
        (500, error("Oops", type="server_error"), "server"),
        (502, "<html><body>Bad gateway</body></html>", "server"),
        (408, "", "server"),
        (None, error("Oops", type="api_error"), "server"),
        (404, error("The model `x` does not exist"), "model"),
        (404, error("model: claude-sonet", type="not_found_error"), "model"),
        (404, error("No endpoints found for x/y."), "model"),
        (400, error("Nope", code="model_not_found"), "model"),
        (403, error("Nope", code="model_not_found"), "model"),
        (403, error("Blocked", code="model_permission_blocked_org"), "model"),
        (400, error("Model Not Exist"), "model"),
        (400, error("x/y is not a valid model ID"), "model"),
        (400, error("Invalid model: x", type="invalid_model"), "model"),
        (404, error("No deployment", code="DeploymentNotFound"), "model"),
        (400, error("The model `x` has been decommissioned"), "model"),
        (404, '{"error": "model \\"x\\" not found, try pulling it first"}', "model"),
        (404, '{"detail": "Not Found"}', "invalid"),
        (404, "404 page not found", "invalid"),
        (400, error("Blocked", code="content_filter"), "refused"),
        (403, error("It requires moderation, and your input was flagged"), "refused"),
        (400, error("It triggered the content management policy"), "refused"),
        (400, error("role is missing"), "invalid"),
        (400, error("'max_tokens' is not supported with this model."), "invalid"),
        (400, error("max_tokens is too large: 99. This model takes 9."), "invalid"),
        (400, error("Tool call validation failed", code="tool_use_failed"), "invalid"),
        (422, '{"detail": [{"loc": ["body"], "msg": "field required"}]}', "invalid"),
    ],
)
def test_an_error_gets_its_kind(status: int | None, body: str, kind: FailureKind) -> None:
    complaint = complaint_from(body.encode(), http_status=status)
    failure = failure_from(complaint, secrets=(), retry_after_seconds=None)
    assert failure.kind == kind
    assert status in (None, failure.http_status)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": {"message": "Its own words."}}', "Its own words."),
        ('{"error": "Its own words."}', "Its own words."),
        ('{"message": "Its own words."}', "Its own words."),
        ('{"detail": "Its own words."}', "Its own words."),
        ('[{"error": {"message": "Its own words."}}]', "Its own words."),
        (
            '{"error": {"message": "Failed", "metadata": {"raw": "its own words."}}}',
            "Failed: its own words.",
        ),
        ("Its own\n  words.", "Its own words."),
        ('{"odd": [1]}', '{"odd": [1]}'),
        ("", "The provider gave no reason (status 500)."),
        ("<!doctype html><p>No", "The provider answered with a web page (status 500)."),
        ("x" * 600, "x" * 500 + "…"),
    ],
)
def test_the_providers_own_sentence_is_kept(body: str, message: str) -> None:
    assert complaint_from(body.encode(), http_status=500).message == message


@pytest.mark.parametrize("code", ["429", 429])
def test_a_body_may_name_the_status_that_the_answer_does_not_have(code: str | int) -> None:
    complaint = complaint_from(error("Slow down", code=code).encode(), http_status=None)
    assert complaint.http_status == 429


def test_a_body_may_name_the_wait_that_no_header_names() -> None:
    details = [{"@type": "Help"}, {"@type": "RetryInfo", "retryDelay": "3.5s"}]
    body = msgspec.json.encode({"error": {"message": "Slow down", "details": details}})
    complaint = complaint_from(body, http_status=429)
    assert waits(complaint, header=None) == 3.5
    assert waits(complaint, header=4.0) == 4.0


@pytest.mark.parametrize("details", ["none", [1], [{"retryDelay": "soon"}], {"a": 1}])
def test_details_that_name_no_wait_are_read_over(details: object) -> None:
    body = msgspec.json.encode({"error": {"message": "Slow down", "details": details}})
    complaint = complaint_from(body, http_status=429)
    assert complaint.message == "Slow down"
    assert waits(complaint, header=None) is None


def test_a_wait_is_kept_only_where_waiting_helps() -> None:
    assert waits(complaint_from(b"Busy", http_status=503), header=4.0) == 4.0
    assert waits(complaint_from(b"Wrong", http_status=400), header=4.0) is None


def waits(complaint: Complaint, *, header: float | None) -> float | None:
    failure = failure_from(complaint, secrets=(), retry_after_seconds=header)
    return failure.retry_after_seconds


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("Wrong key: sk-secret.", "Wrong key: [key]."),
        ("Wrong key: sk-secret-2.", "Wrong key: [key]."),
        ("Wrong key: sk-s***et.", "Wrong key: sk-s***et."),
        ("It is true.", "It is true."),
    ],
)
def test_a_key_is_never_in_a_failure(told: str, shown: str) -> None:
    complaint = complaint_from(error(told).encode(), http_status=401)
    secrets = ("", "is", "sk-secret", "sk-secret-2")
    failure = failure_from(complaint, secrets=secrets, retry_after_seconds=None)
    assert failure.message == shown
