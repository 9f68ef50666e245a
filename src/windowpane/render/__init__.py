"""Drawing: values to HTML. Knows no request and no store.

`markdown_html` draws a whole text, `StreamRenderer` one that still arrives; both end alike.
`TOKEN_CLASSES` and `math_stylesheet` tell the page's styles what classes to expect.
"""

from windowpane.render.code import TOKEN_CLASSES
from windowpane.render.markdown import markdown_html
from windowpane.render.mathml import math_stylesheet
from windowpane.render.patches import Patch
from windowpane.render.stream import StreamRenderer

__all__ = ["TOKEN_CLASSES", "Patch", "StreamRenderer", "markdown_html", "math_stylesheet"]
