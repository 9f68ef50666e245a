"""The Jinja environment: which templates there are, and what they may call.

One environment serves pages, fragments and the live stream, so a turn has one drawing only.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from windowpane.web.static import favicon_url, icon, module_urls, static_url

TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    # Jinja's own defaults are all that a type checker sees of this dictionary.
    names = cast("dict[str, object]", made.globals)
    names.update(static_url=static_url, module_urls=module_urls, favicon_url=favicon_url, icon=icon)
    return made


def drawn(template_name: str, **context: object) -> Markup:
    """A fragment as safe HTML: the template has escaped what was not."""
    return Markup(_template(template_name).render(context))


@cache
def _template(name: str) -> Template:
    """With its names in one dict: every drawing copies them, and Jinja's own chain is slow."""
    template = environment().get_template(name)
    template.globals = dict(template.globals)
    return template
