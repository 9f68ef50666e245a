"""Images as the page shows them. One that lies elsewhere is never loaded, only linked to."""

from __future__ import annotations

from msgspec import Struct

from windowpane.parts import Image
from windowpane.web.sources import host_of, web_address

# What every browser draws, and nothing that could hold more than a picture.
SHOWN_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class Picture(Struct, frozen=True, kw_only=True):
    """``source`` is the image itself, as an address; without it ``href`` may lead to it."""

    source: str
    href: str
    label: str
    width_px: int
    height_px: int


def picture_of(image: Image, *, owner: str) -> Picture:
    """``owner`` says whose image it is, for those who do not see it."""
    is_shown = bool(image.data) and image.media_type in SHOWN_TYPES
    return Picture(
        source=f"data:{image.media_type};base64,{image.data}" if is_shown else "",
        href="" if image.data else web_address(image.url),
        label=_shown_label(image, owner) if is_shown else _absent_label(image, owner),
        width_px=image.width_px,
        height_px=image.height_px,
    )


def _shown_label(image: Image, owner: str) -> str:
    size = f", {image.width_px} × {image.height_px} pixels" if image.width_px else ""
    return f"Image {owner}{size}"


def _absent_label(image: Image, owner: str) -> str:
    if image.data:
        return f"Image {owner} ({image.media_type}), which cannot be shown here"
    return f"Image {owner} at {host_of(image.url) or image.url or 'an unknown place'}, not loaded"
