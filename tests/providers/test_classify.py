import pytest

from windowpane.errors import FailureKind
from windowpane.providers.classify import complaint_from, failure_from

TOO_LONG = (
    '{"error": {"message": "The maximum context length is 8192 tokens; you sent 9000.",'
    ' "code": "context_length_exceeded"}}'
)
RATE = (
    '{"error": {"message": "Limit 30000 tokens per min: reduce the length of the messages.",'
    ' "type": "tokens", "code": "rate_limit_exceeded"}}'
)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, TOO_LONG, "overflow"),
        (400, '{"error": "the request exceeds the available context size"}', "overflow"),
        (413, "Request Entity Too Large", "overflow"),
        (429, RATE, "quota"),
        (413, RATE, "quota"),
        (402, '{"error": {"message": "Insufficient credits", "code": 402}}', "quota"),
        (401, '{"error": {"message": "No", "code": "invalid_api_key"}}', "auth"),
        (403, '{"detail": "Forbidden"}', "auth"),
        (503, '{"error": {"message": "Busy"}}', "overloaded"),
        (500, '{"error": {"message": "Overloaded", "type": "overloaded_error"}}', "overloaded"),
        (500, '{"error": {"message": "Oops", "type": "server_error"}}', "server"),
        (502, "<html><body>Bad gateway</body></html>", "server"),
        (404, '{"error": {"message": "The model `x` does not exist"}}', "model"),
        (400, '{"error": {"message": "Nope", "code": "model_not_found"}}', "model"),
        (404, '{"detail": "Not Found"}', "invalid"),
        (400, '{"error": {"message": "Blocked", "code": "content_filter"}}', "refused"),
        (400, '{"error": {"message": "role is missing"}}', "invalid"),
        (422, '{"detail": [{"loc": ["body"], "msg": "field required"}]}', "invalid"),
    ],
)
def test_an_error_gets_its_kind(status: int, body: str, kind: FailureKind) -> None:
    complaint = complaint_from(body.encode(), http_status=status)
    failure = failure_from(complaint, secret="", retry_after_seconds=None)
    assert failure.kind == kind
    assert failure.http_status == status


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


def test_a_body_may_name_the_status_that_the_answer_does_not_have() -> None:
    assert complaint_from(b'{"error": {"code": 429}}', http_status=None).http_status == 429


def test_the_key_is_never_in_a_failure() -> None:
    complaint = complaint_from(b'{"error": "Wrong key: sk-secret."}', http_status=401)
    failure = failure_from(complaint, secret="sk-secret", retry_after_seconds=None)
    assert failure.message == "Wrong key: [key]."
