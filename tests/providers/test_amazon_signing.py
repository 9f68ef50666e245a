"""Requests to Bedrock prove who sends them, and show it to nobody."""

# botocore has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

import hmac
import os
from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import cast
from urllib.parse import quote, urlsplit

import msgspec
import pytest
from msgspec import structs

from tests.providers.asking import answered, asked
from tests.providers.loopback import Line, loopback
from windowpane.definitions import ProviderDefinition
from windowpane.errors import Failure, ProviderFailed
from windowpane.options import RequestOptions
from windowpane.providers import amazon_signing
from windowpane.providers.amazon_signing import has_credentials, signed_headers
from windowpane.providers.base import WireRequest
from windowpane.providers.choose import Shared, dialect_of, is_ready, provider_from
from windowpane.settings import Settings

# The example credentials of Amazon's own documentation.
ACCESS_KEY = "AKIDEXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOKEN = "IQoJb3JpZ2luX2VjEXAMPLETOKEN/+=="
MOMENT = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """No credentials anywhere; the folder where files would be looked for."""
    for name in tuple(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".aws"
    folder.mkdir()
    yield folder


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: MOMENT)


def definition(**fields: str) -> ProviderDefinition:
    return ProviderDefinition(
        id="prv_1",
        name="bedrock",
        family="bedrock",
        base_url=fields.get("base_url", "bedrock:us-east-1"),
        api_key=fields.get("api_key", ""),
    )


def signature(headers: dict[str, str]) -> str:
    return headers["authorization"].rpartition("Signature=")[2]


def signed(wire: WireRequest, *, region: str = "us-east-1") -> dict[str, str]:
    return dict(signed_headers(wire, extra={}, region=region))


# Amazon's published examples of the algorithm: a request, and the signature that it must get.
PUBLISHED = [
    (
        "service",
        WireRequest(method="GET", url="https://example.amazonaws.com/", headers={}, body=b""),
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ),
    (
        "service",
        WireRequest(method="POST", url="https://example.amazonaws.com/", headers={}, body=b""),
        "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ),
    (
        "service",
        WireRequest(
            method="GET",
            url="https://example.amazonaws.com/?Param2=value2&Param1=value1",
            headers={},
            body=b"",
        ),
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    (
        "iam",
        WireRequest(
            method="GET",
            url="https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
            headers={"content-type": "application/x-www-form-urlencoded; charset=utf-8"},
            body=b"",
        ),
        "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    ),
]


@pytest.mark.usefixtures("keys", "stopped_clock")
@pytest.mark.parametrize(("service", "wire", "expected"), PUBLISHED)
def test_the_published_examples_get_the_published_signatures(
    monkeypatch: pytest.MonkeyPatch, service: str, wire: WireRequest, expected: str
) -> None:
    monkeypatch.setattr(amazon_signing, "SERVICE", service)
    assert signature(signed(wire)) == expected


def reference(wire: WireRequest, headers: dict[str, str], *, service: str, region: str) -> str:
    """The algorithm as Amazon describes it, for a path that is to be encoded twice."""
    url = urlsplit(wire.url)
    signed = {**wire.headers, "host": url.netloc, **headers}
    signed.pop("authorization")
    names = sorted(name.lower() for name in signed)
    query = "&".join(sorted(url.query.split("&")))
    canonical = "\n".join(
        [
            wire.method,
            quote(url.path, safe="/~-._"),
            query,
            *(f"{name}:{signed[name].strip()}" for name in names),
            "",
            ";".join(names),
            sha256(wire.body).hexdigest(),
        ]
    )
    date = headers["x-amz-date"]
    scope = f"{date[:8]}/{region}/{service}/aws4_request"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", date, scope, sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{SECRET_KEY}".encode()
    for piece in scope.split("/"):
        key = hmac.digest(key, piece.encode(), "sha256")
    return hmac.new(key, to_sign.encode(), "sha256").hexdigest()


@pytest.mark.usefixtures("keys", "stopped_clock")
def test_the_reference_of_these_tests_gives_the_published_signatures_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for service, wire, expected in PUBLISHED:
        monkeypatch.setattr(amazon_signing, "SERVICE", service)
        assert reference(wire, signed(wire), service=service, region="us-east-1") == expected


def shown(base_url: str = "bedrock:us-east-1", *, is_streamed: bool = True) -> WireRequest:
    asking = asked("Grüße 👋", model=MODEL)
    asking = structs.replace(asking, options=RequestOptions(is_streamed=is_streamed))
    return dialect_of(definition(base_url=base_url)).to_wire(asking)


def authorised(**fields: str) -> dict[str, str]:
    made = definition(**fields)
    return dict(dialect_of(made).authorise(shown(made.base_url)))


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("token", ["", TOKEN])
@pytest.mark.parametrize(
    ("base_url", "region"),
    [
        ("bedrock:us-west-2", "us-west-2"),
        ("eu-central-1", "eu-central-1"),
        ("https://bedrock-runtime.ap-south-1.amazonaws.com", "ap-south-1"),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
    ],
)
def test_a_request_is_signed_for_its_region_with_its_token(
    monkeypatch: pytest.MonkeyPatch, base_url: str, region: str, token: str
) -> None:
    if token:
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)
    headers = authorised(base_url=base_url)
    assert headers.get("x-amz-security-token", "") == token
    assert (
        f"Credential={ACCESS_KEY}/{headers['x-amz-date'][:8]}/{region}/bedrock/"
        in (headers["authorization"])
    )
    assert ("x-amz-security-token" in headers["authorization"]) is bool(token)
    wire = shown(base_url)
    assert signature(headers) == reference(wire, headers, service="bedrock", region=region)


@pytest.mark.usefixtures("keys", "stopped_clock")
@pytest.mark.parametrize("is_streamed", [True, False])
def test_amazons_own_client_signs_the_same_request_the_same_way(is_streamed: bool) -> None:
    """Address, encoding of the model's name and signature; the body is given to it as it is."""
    wire = shown(is_streamed=is_streamed)
    operation = "ConverseStream" if is_streamed else "Converse"
    theirs = sent_by_botocore(wire.body, operation=operation)
    assert theirs.url == wire.url
    assert signature(theirs.headers) == signature(signed(wire))


def sent_by_botocore(body: bytes, *, operation: str) -> WireRequest:
    from botocore.awsrequest import AWSPreparedRequest
    from botocore.session import Session

    class NotSent(Exception):
        pass

    client = Session().create_client("bedrock-runtime", region_name="us-east-1")
    caught: list[AWSPreparedRequest] = []

    def put_body(params: dict[str, object], **_: object) -> None:
        params["body"] = body

    def catch(request: AWSPreparedRequest, **_: object) -> None:
        caught.append(request)
        raise NotSent

    events = client.meta.events
    events.register(f"before-call.bedrock-runtime.{operation}", put_body)
    events.register(f"before-send.bedrock-runtime.{operation}", catch)
    with pytest.raises(NotSent):
        getattr(client, "converse_stream" if "Stream" in operation else "converse")(
            modelId=MODEL, messages=[{"role": "user", "content": [{"text": "x"}]}]
        )
    [sent] = caught
    headers = {
        str(name).lower(): value.decode() if isinstance(value, bytes) else str(value)
        for name, value in sent.headers.items()
    }
    return WireRequest(
        method=str(sent.method), url=str(sent.url), headers=headers, body=cast(bytes, sent.body)
    )


PROFILES = f"""
[default]
aws_access_key_id = AKIDEFAULT
aws_secret_access_key = {SECRET_KEY}

[work]
aws_access_key_id = AKIDWORK
aws_secret_access_key = {SECRET_KEY}
aws_session_token = {TOKEN}

[roles]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = work
"""


def signer(headers: dict[str, str]) -> str:
    return headers["authorization"].partition("Credential=")[2].partition("/")[0]


def test_credentials_are_those_of_the_usual_places_in_the_usual_order(
    monkeypatch: pytest.MonkeyPatch, bare_environment: Path, tmp_path: Path
) -> None:
    (bare_environment / "config").write_text(PROFILES.replace("[work]", "[profile work]"))
    assert signer(authorised()) == "AKIDEFAULT"
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert signer(authorised()) == "AKIDWORK"
    elsewhere = tmp_path / "mine"
    elsewhere.write_text(PROFILES.replace("AKIDWORK", "AKIDMINE"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(elsewhere))
    headers = authorised()
    assert (signer(headers), headers["x-amz-security-token"]) == ("AKIDMINE", TOKEN)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    assert signer(authorised()) == ACCESS_KEY
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "from-environment")
    assert authorised() == {"authorization": "Bearer from-environment"}
    assert authorised(api_key="given") == {"authorization": "Bearer given"}


@pytest.mark.usefixtures("keys")
def test_a_header_of_ones_own_that_authorises_stands() -> None:
    own = structs.replace(definition(), headers={"Authorization": "Custom 1"})
    assert dialect_of(own).authorise(shown()) == {"Authorization": "Custom 1"}
    extra = structs.replace(definition(), headers={"x-team": "blue"})
    headers = dict(dialect_of(extra).authorise(shown()))
    assert headers["x-team"] == "blue"
    assert "x-team" in headers["authorization"], "what goes along is signed along"


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({}, "Enter a Bedrock API key, or set"),
        ({"AWS_PROFILE": "roles"}, "that holds an access key"),
        ({"AWS_PROFILE": "nobody"}, "that holds an access key"),
        ({"AWS_ACCESS_KEY_ID": ACCESS_KEY}, "missing: AWS_SECRET_ACCESS_KEY"),
        (
            {
                "AWS_ACCESS_KEY_ID": ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
                "AWS_CREDENTIAL_EXPIRATION": "2020-01-01T00:00:00Z",
            },
            "expired",
        ),
    ],
)
async def test_without_usable_credentials_it_is_said_which_to_set(
    monkeypatch: pytest.MonkeyPatch,
    bare_environment: Path,
    shared: Shared,
    environment: dict[str, str],
    sentence: str,
) -> None:
    profiles = PROFILES.replace("[default]", "[other]")
    (bare_environment / "credentials").write_text(profiles)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    answer = await answered(
        provider_from(definition(base_url="http://127.0.0.1:9"), shared=shared),
        asked("Hi", model=MODEL),
    )
    assert answer.failure is not None
    assert answer.failure.kind == "auth"
    assert sentence in answer.failure.message
    assert SECRET_KEY not in answer.failure.message


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncGenerator[Shared, None]:
    opened = Shared(Settings(data=str(tmp_path)))
    yield opened
    await opened.close()


async def refused(shared: Shared, *, quoting: list[str]) -> tuple[dict[str, str], Failure]:
    """What was sent, and what became of a refusal that quotes some of its headers."""
    sent: dict[str, str] = {}

    async def quote_them(line: Line) -> bool:
        sent.update(server.received[0].headers)
        told = " ".join(sent[name] for name in quoting)
        body = msgspec.json.encode({"message": f"The canonical string is {told}"})
        await line.send_whole(403, body, "x-amzn-errortype: InvalidSignatureException:http://x")
        return True

    async with loopback(quote_them) as server:
        provider = provider_from(definition(base_url=server.url), shared=shared)
        answer = await answered(provider, asked("Hi", model=MODEL))
    assert answer.failure is not None
    return sent, answer.failure


async def test_what_a_request_was_proven_with_is_masked_wherever_it_came_from(
    monkeypatch: pytest.MonkeyPatch, bare_environment: Path, shared: Shared
) -> None:
    (bare_environment / "credentials").write_text(PROFILES)
    monkeypatch.setenv("AWS_PROFILE", "work")
    named = ["x-amz-date", "x-amz-security-token", "authorization"]
    sent, failure = await refused(shared, quoting=named)
    assert sent["x-amz-security-token"] == TOKEN
    # When it was signed is no secret: an error about a wrong clock names it.
    date = sent["x-amz-date"]
    assert failure.message == f"The canonical string is {date} [key] [key]"
    assert failure.kind == "auth"


@pytest.mark.usefixtures("keys")
def test_what_is_shown_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    wire = shown()
    assert wire.headers == {"content-type": "application/json"}
    for secret in (ACCESS_KEY, SECRET_KEY, TOKEN):
        assert secret not in repr(wire)


def test_bedrock_is_ready_with_a_key_or_with_credentials(
    monkeypatch: pytest.MonkeyPatch, bare_environment: Path
) -> None:
    assert not is_ready(definition())
    assert is_ready(definition(api_key="k"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    assert is_ready(definition())
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    # These would have to be exchanged at a service, and nothing here contacts one.
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "/token")
    assert not is_ready(definition())
    (bare_environment / "credentials").write_text(PROFILES)
    assert is_ready(definition())
    # A file that other programs use does not set up what nobody set up.
    assert not is_ready(definition(base_url=""))
    assert not has_credentials(counts_files=False)


@pytest.mark.usefixtures("keys")
def test_what_cannot_be_signed_is_a_failure_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch, bare_environment: Path
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    (bare_environment / "credentials").write_text("[default\nno ini")
    with pytest.raises(ProviderFailed, match="cannot be used"):
        authorised()
