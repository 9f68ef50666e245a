"""Bedrock's lists of models, gathered from a control plane that a test plays."""

from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from tests.providers.loopback import Answering, Line, Loopback, loopback
from windowpane.definitions import Family, ModelInfo, ProviderDefinition
from windowpane.errors import Failure, InvalidInput, ProviderFailed
from windowpane.providers.base import WireRequest
from windowpane.providers.choose import Shared, dialect_of, provider_from
from windowpane.settings import Settings

Json = dict[str, object]
ARN = "arn:aws:bedrock:{region}::foundation-model/{id}"


def foundation(id: str, *kinds: str, maker: str = "Anthropic", outputs: str = "TEXT") -> Json:
    return {
        "modelArn": ARN.format(region="us-east-1", id=id),
        "modelId": id,
        "providerName": maker,
        "inputModalities": ["TEXT", "IMAGE"] if maker == "Anthropic" else ["TEXT"],
        "outputModalities": [outputs],
        "inferenceTypesSupported": list(kinds),
        "modelLifecycle": {"status": "ACTIVE"},
    }


def profile(id: str, *models: tuple[str, str]) -> Json:
    """A profile that leads to these models, each in its region."""
    arns = [{"modelArn": ARN.format(region=region, id=model)} for region, model in models]
    return {"inferenceProfileId": id, "type": "SYSTEM_DEFINED", "models": arns}


SONNET = foundation("anthropic.claude-sonnet-4-5-v1:0", "INFERENCE_PROFILE")
HAIKU = foundation("anthropic.claude-3-haiku-v1:0", "ON_DEMAND", "PROVISIONED")
LLAMA = foundation("meta.llama4-v1:0", "ON_DEMAND", maker="Meta")
CANVAS = foundation("amazon.nova-canvas-v1:0", "ON_DEMAND", maker="Amazon", outputs="IMAGE")
OPUS = foundation("anthropic.claude-opus-4-6-v1", "INFERENCE_PROFILE")
PAINTER = foundation("amazon.painter-v1:0", "INFERENCE_PROFILE", maker="Amazon", outputs="IMAGE")
US_SONNET = profile(
    "us.anthropic.claude-sonnet-4-5-v1:0",
    ("us-east-1", "anthropic.claude-sonnet-4-5-v1:0"),
    ("us-west-2", "anthropic.claude-sonnet-4-5-v1:0"),
)
US_OPUS = profile("us.anthropic.claude-opus-4-6-v1", ("us-west-2", "anthropic.claude-opus-4-6-v1"))
US_PAINTER = profile("us.amazon.painter-v1:0", ("us-west-2", "amazon.painter-v1:0"))
GLOBAL = profile(
    "global.anthropic.claude-sonnet-4-5-v1:0", ("", "anthropic.claude-sonnet-4-5-v1:0")
)
IMPORTED = {"modelArn": "arn:aws:bedrock:us-east-1:1:imported-model/abc", "modelName": "mine"}
CUSTOM = {"modelArn": "arn:aws:bedrock:us-east-1:1:custom-model/xyz", "modelName": "tuned"}

HOME: dict[str, Json] = {
    "/foundation-models": {"modelSummaries": [SONNET, HAIKU, LLAMA, CANVAS]},
    "/inference-profiles": {"inferenceProfileSummaries": [US_SONNET, US_OPUS, US_PAINTER, GLOBAL]},
    "/imported-models": {"modelSummaries": [IMPORTED]},
    "/custom-models": {"modelSummaries": [CUSTOM]},
}
AWAY: dict[str, Json] = {"/foundation-models": {"modelSummaries": [SONNET, OPUS, PAINTER]}}

EAST = "https://bedrock.us-east-1.amazonaws.com"
WEST = "https://bedrock.us-west-2.amazonaws.com"
DENIED = ProviderFailed(Failure(kind="auth", message="not authorized to perform this"))


class Control:
    """Amazon's control planes by their addresses; what is not there is denied."""

    def __init__(self, planes: Mapping[str, Mapping[str, Json]]) -> None:
        self.planes = planes
        self.asked: list[str] = []

    async def fetch(self, wire: WireRequest) -> bytes:
        assert (wire.method, wire.body) == ("GET", b"")
        url = urlsplit(wire.url)
        self.asked.append(wire.url)
        page = self.planes.get(f"{url.scheme}://{url.netloc}", {}).get(url.path)
        if page is None:
            raise DENIED
        return msgspec.json.encode(page)


def of(base_url: str, *, family: Family = "bedrock") -> ProviderDefinition:
    return ProviderDefinition(
        id="prv_1", name="amazon", family=family, base_url=base_url, api_key="k"
    )


async def found(
    control: Control, *, base_url: str = "bedrock:us-east-1", family: Family = "bedrock"
) -> list[tuple[str, str]]:
    models = await dialect_of(of(base_url, family=family)).models(control.fetch)
    return [(model.name, model.label) for model in models]


ALL = [
    ("anthropic.claude-3-haiku-v1:0", ""),
    ("meta.llama4-v1:0", ""),
    ("us.anthropic.claude-sonnet-4-5-v1:0", ""),
    ("us.anthropic.claude-opus-4-6-v1", ""),
    ("global.anthropic.claude-sonnet-4-5-v1:0", ""),
    ("arn:aws:bedrock:us-east-1:1:imported-model/abc", "imported"),
    ("arn:aws:bedrock:us-east-1:1:custom-model/xyz", "custom"),
]


async def test_models_profiles_and_ones_own_are_listed_once_each() -> None:
    control = Control({EAST: HOME, WEST: AWAY})
    assert await found(control) == ALL
    assert sorted(control.asked) == [
        f"{EAST}/custom-models",
        f"{EAST}/foundation-models",
        f"{EAST}/imported-models",
        f"{EAST}/inference-profiles?maxResults=1000",
        f"{WEST}/foundation-models",
    ]


async def test_a_model_that_sees_images_says_so() -> None:
    control = Control({EAST: HOME, WEST: AWAY})
    models = await dialect_of(of("bedrock:us-east-1")).models(control.fetch)
    seeing = {model.name for model in models if model.abilities == ("images",)}
    assert seeing == {name for name, _ in ALL if "claude" in name}


async def test_claudes_road_lists_claudes_and_asks_for_nothing_else() -> None:
    control = Control({EAST: HOME, WEST: AWAY})
    listed = await found(control, family="anthropic")
    assert listed == [one for one in ALL if "claude" in one[0]]
    assert not [url for url in control.asked if "imported" in url or "custom" in url]


@pytest.mark.parametrize(
    ("denied", "missing"),
    [
        ("/inference-profiles", [ALL[2], ALL[3], ALL[4]]),
        ("/imported-models", [ALL[5]]),
        ("/custom-models", [ALL[6]]),
    ],
)
async def test_a_phase_that_is_denied_leaves_out_what_it_would_have_told(
    denied: str, missing: list[tuple[str, str]]
) -> None:
    home = {path: page for path, page in HOME.items() if path != denied}
    listed = await found(Control({EAST: home, WEST: AWAY}))
    assert listed == [one for one in ALL if one not in missing]


async def test_a_region_that_is_denied_leaves_out_what_only_it_knows() -> None:
    assert await found(Control({EAST: HOME})) == [one for one in ALL if "opus" not in one[0]]


async def test_without_the_list_of_models_the_reason_is_told() -> None:
    home = {path: page for path, page in HOME.items() if path != "/foundation-models"}
    with pytest.raises(ProviderFailed, match="not authorized"):
        await found(Control({EAST: home, WEST: AWAY}))


@pytest.mark.parametrize(
    ("base_url", "variables", "asked"),
    [
        ("bedrock:eu-central-1", {}, "https://bedrock.eu-central-1.amazonaws.com"),
        ("eu-central-1", {}, "https://bedrock.eu-central-1.amazonaws.com"),
        (
            "https://bedrock-runtime.ap-south-1.amazonaws.com/",
            {"AWS_REGION": "us-west-2"},
            "https://bedrock.ap-south-1.amazonaws.com",
        ),
        (
            "https://bedrock-runtime-fips.us-east-2.amazonaws.com",
            {},
            "https://bedrock-fips.us-east-2.amazonaws.com",
        ),
        ("bedrock:cn-north-1", {}, "https://bedrock.cn-north-1.amazonaws.com.cn"),
        ("", {"AWS_REGION": "us-west-2"}, WEST),
        ("", {"AWS_DEFAULT_REGION": "us-west-2"}, WEST),
        ("", {}, EAST),
        ("https://gateway.example/aws", {}, "https://gateway.example/aws"),
    ],
)
async def test_the_region_is_that_of_the_address_or_else_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, base_url: str, variables: dict[str, str], asked: str
) -> None:
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    control = Control({})
    with pytest.raises(ProviderFailed):
        await found(control, base_url=base_url)
    assert f"{asked}/foundation-models" in control.asked


@pytest.mark.parametrize("base_url", ["bedrock:nowhere", "us_east_1", "bedrock.example"])
def test_what_is_no_region_and_no_address_is_refused_with_examples(base_url: str) -> None:
    with pytest.raises(InvalidInput, match="bedrock:us-west-2"):
        dialect_of(of(base_url))


# Over HTTP: one address stands for every region.


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncGenerator[Shared, None]:
    opened = Shared(Settings(data=str(tmp_path)))
    yield opened
    await opened.close()


Turn = Callable[[str, dict[str, list[str]]], tuple[int, Json]]


def playing(turn: Turn, server: list[Loopback]) -> Answering:
    async def answer(line: Line) -> bool:
        target = urlsplit(server[0].received[-1].line.split(" ")[1])
        status, page = turn(target.path.removeprefix("/v1"), parse_qs(target.query))
        await line.send_whole(status, msgspec.json.encode(page), "content-type: application/json")
        return True

    return answer


async def listed_over_http(shared: Shared, turn: Turn) -> tuple[list[ModelInfo], Loopback]:
    servers: list[Loopback] = []
    async with loopback(playing(turn, servers)) as server:
        servers.append(server)
        return await provider_from(of(server.url), shared=shared).models(), server


async def test_lists_are_read_page_by_page_with_the_key(shared: Shared) -> None:
    token = "a+b/c= &"
    pages: dict[str, list[Json]] = {
        "/inference-profiles": [
            {"inferenceProfileSummaries": [US_SONNET], "nextToken": token},
            {"inferenceProfileSummaries": [GLOBAL]},
        ],
        "/imported-models": [
            {"modelSummaries": [IMPORTED], "nextToken": token},
            {"modelSummaries": [CUSTOM], "nextToken": ""},
        ],
    }

    def turn(path: str, query: dict[str, list[str]]) -> tuple[int, Json]:
        if path not in pages:
            return 200, {"modelSummaries": [SONNET]} if "foundation" in path else {}
        assert query.get("nextToken", [token]) == [token]
        return 200, pages[path]["nextToken" in query]

    models, server = await listed_over_http(shared, turn)
    assert [model.name for model in models] == [
        "us.anthropic.claude-sonnet-4-5-v1:0",
        "global.anthropic.claude-sonnet-4-5-v1:0",
        IMPORTED["modelArn"],
        CUSTOM["modelArn"],
    ]
    assert {one.headers["authorization"] for one in server.received} == {"Bearer k"}


async def test_a_list_that_never_ends_is_given_up(shared: Shared) -> None:
    def turn(path: str, query: dict[str, list[str]]) -> tuple[int, Json]:
        listed = {"modelSummaries": [HAIKU]} if "foundation" in path else {}
        return 200, {**listed, "nextToken": "again"}

    models, server = await listed_over_http(shared, turn)
    assert {model.name for model in models} == {"anthropic.claude-3-haiku-v1:0"}
    assert len(server.received) == 80


async def test_access_denied_for_a_phase_over_http_costs_only_that_phase(shared: Shared) -> None:
    def turn(path: str, query: dict[str, list[str]]) -> tuple[int, Json]:
        if "foundation" in path:
            return 200, {"modelSummaries": [HAIKU]}
        return 403, {"message": "User is not authorized to perform: bedrock:ListX"}

    models, _ = await listed_over_http(shared, turn)
    assert [model.name for model in models] == ["anthropic.claude-3-haiku-v1:0"]


async def test_access_denied_to_everything_says_why(shared: Shared) -> None:
    def turn(path: str, query: dict[str, list[str]]) -> tuple[int, Json]:
        return 403, {"message": "The security token included in the request is invalid."}

    with pytest.raises(ProviderFailed, match="security token") as failed:
        await listed_over_http(shared, turn)
    assert failed.value.failure.kind == "auth"
