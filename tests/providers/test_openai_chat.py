import msgspec
import pytest

from tests.providers.asking import asked
from windowpane.context.request import ModelRequest
from windowpane.definitions import ProviderDefinition
from windowpane.options import RequestOptions
from windowpane.providers.openai_chat import OpenAIChatDialect

QUESTION = asked("Hello?", model="m1")


def dialect(base_url: str, *, key: str = "sk-1") -> OpenAIChatDialect:
    return OpenAIChatDialect(
        ProviderDefinition(
            id="prv_1", name="test", family="openai_chat", base_url=base_url, api_key=key
        )
    )


def whole(asking: ModelRequest) -> ModelRequest:
    return msgspec.structs.replace(asking, options=RequestOptions(is_streamed=False))


def test_without_an_address_it_is_openai_that_is_asked() -> None:
    wire = dialect("").to_wire(QUESTION)
    assert wire.url == "https://api.openai.com/v1/chat/completions"


@pytest.mark.parametrize(
    ("asking", "accepted"),
    [(QUESTION, "text/event-stream"), (whole(QUESTION), "application/json")],
)
def test_a_request_says_in_which_form_it_wants_the_answer(
    asking: ModelRequest, accepted: str
) -> None:
    wire = dialect("https://models.example/v1").to_wire(asking)
    assert wire.headers == {"content-type": "application/json", "accept": accepted}


@pytest.mark.parametrize(
    ("base_url", "headers"),
    [
        ("https://models.example/v1", {"authorization": "Bearer sk-1"}),
        ("https://mine.openai.azure.com/openai/v1", {"api-key": "sk-1"}),
    ],
)
def test_the_key_goes_in_the_header_that_the_service_reads(
    base_url: str, headers: dict[str, str]
) -> None:
    one = dialect(base_url)
    assert one.authorise(one.to_wire(QUESTION)) == headers


def test_without_a_key_there_is_no_header_for_it() -> None:
    one = dialect("http://127.0.0.1:11434/v1", key="")
    assert one.authorise(one.to_wire(QUESTION)) == {}
