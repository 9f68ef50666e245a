"""Errors → answers: one shape, ``{"code", "message"}``, and the status that fits the code."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException
from litestar.response import Template
from msgspec import Struct

from windowpane.choices import CHOICE_NAMES, wanted
from windowpane.errors import (
    BadChoice,
    InvalidInput,
    MessageTooLarge,
    NotFound,
    SendRefused,
    StorageError,
    VaultError,
    VersionConflict,
    WindowpaneError,
)

logger = logging.getLogger(__name__)

# First match wins, so the narrow ones come first.
STATUSES: tuple[tuple[type[WindowpaneError], int], ...] = (
    (NotFound, 404),
    (MessageTooLarge, 413),
    (InvalidInput, 400),
    (SendRefused, 409),
    (VersionConflict, 409),
    (StorageError, 503),
    (VaultError, 503),
)


class BadField(Struct, frozen=True, kw_only=True):
    message: str
    key: str = ""


class Refusal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``key`` names the field that a choice does not fit."""

    code: str
    message: str
    key: str = ""


def status_of(error: WindowpaneError) -> int:
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def refuse_known(request: Request[Any, Any, Any], error: WindowpaneError) -> Response[Any]:
    key = error.key if isinstance(error, BadChoice) else ""
    refusal = Refusal(code=error.code, message=str(error), key=key)
    return _answer(request, status_of(error), refusal)


def refuse_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    refusal = _bad_choice(error) or Refusal(code="http", message=_sentence(error))
    return _answer(request, error.status_code, refusal)


def refuse_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """The boundary of a request: a bug is logged whole and told in one sentence."""
    logger.error("%s %s broke", request.method, request.url.path, exc_info=error)
    sentence = "Something went wrong inside Windowpane; nothing you stored was touched."
    return _answer(request, 500, Refusal(code="internal", message=sentence))


def _sentence(error: HTTPException) -> str:
    reasons = [f"{bad.key} {bad.message}".strip() for bad in _bad_fields(error)]
    return "; ".join([error.detail, *reasons])


def _bad_choice(error: HTTPException) -> Refusal | None:
    """A setting of the wrong type is told like one of a wrong value."""
    keys = [bad.key.rpartition(".")[2] for bad in _bad_fields(error)]
    key = next((key for key in keys if key in CHOICE_NAMES), None)
    if key is None:
        return None
    sentence = f"What was given does not fit {key}. It takes {wanted(key)}."
    return Refusal(code=BadChoice.code, message=sentence, key=key)


def _bad_fields(error: HTTPException) -> list[BadField]:
    """Litestar keeps the field and the reason of a bad request apart from its sentence."""
    try:
        return msgspec.convert(error.extra or [], list[BadField])
    except msgspec.ValidationError:
        return []


def _answer(request: Request[Any, Any, Any], status: int, refusal: Refusal) -> Response[Any]:
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return Response(refusal, status_code=status, media_type=MediaType.JSON)
    return Template(
        template_name="pages/error.html", context={"refusal": refusal}, status_code=status
    )
