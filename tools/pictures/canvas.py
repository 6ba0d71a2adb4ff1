"""A small SVG writer: boxes, lines, arrows and text on a light card.

The card is opaque, so that a picture is legible on a dark page, too. The text of a picture is a
function of the calls alone: no dates, no random names.
"""

from html import escape

SVG_NAMESPACE = "http://www.w3.org/2000/svg"
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
MONO = "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
INK = "#1f2933"
"""Text and important lines."""
FAINT = "#616e7c"
"""Text of less importance; 5.2 to 1 on white."""
GRID = "#9aa5b1"
"""Thin lines."""
PAPER = "#ffffff"
COLORS: tuple[str, ...] = (
    "#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99", "#cab2d6", "#ffff99", "#d9c3a5", "#cfd8dc",
)  # fmt: skip
"""Fills that black text is legible on, and that also differ in brightness."""


class Canvas:
    """A picture in the making; all lengths are in pixels, y goes down."""

    def __init__(self, width: int, height: int, title: str) -> None:
        """Start with an empty card.

        Args:
            width: Width of the picture.
            height: Height of the picture.
            title: What the picture shows; readers that cannot see it get this.
        """
        self.width, self.height, self.title = width, height, title
        self._parts: list[str] = []
        self.box(0.5, 0.5, width - 1, height - 1, PAPER, GRID, radius=8)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        stroke: str = GRID,
        *,
        radius: float = 0,
        thickness: float = 1,
    ) -> None:
        """Draw a rectangle."""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
            f' rx="{_n(radius)}" fill="{fill}" stroke="{stroke}" stroke-width="{_n(thickness)}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 13,
        anchor: str = "start",
        color: str = INK,
        bold: bool = False,
        mono: bool = False,
    ) -> None:
        """Write one line; `y` is its middle, `anchor` says what `x` is: start, middle or end."""
        weight = ' font-weight="bold"' if bold else ""
        family = f' font-family="{MONO}"' if mono else ""
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y + 0.36 * size)}" font-size="{_n(size)}"'
            f' text-anchor="{anchor}" fill="{color}"{weight}{family}>{escape(words)}</text>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, color: str = GRID, thickness: float = 1
    ) -> None:
        """Draw a line."""
        self._parts.append(
            f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{color}"'
            f' stroke-width="{_n(thickness)}"/>'
        )

    def arrow_down(self, x: float, y1: float, y2: float) -> None:
        """Draw an arrow from (x, y1) down to (x, y2)."""
        self.line(x, y1, x, y2 - 7, color=INK, thickness=1.5)
        points = f"{_n(x - 4.5)},{_n(y2 - 8)} {_n(x + 4.5)},{_n(y2 - 8)} {_n(x)},{_n(y2)}"
        self._parts.append(f'<polygon points="{points}" fill="{INK}"/>')

    def svg(self) -> str:
        """Return the text of the picture."""
        head = (
            f'<svg xmlns="{SVG_NAMESPACE}" width="{self.width}" height="{self.height}"'
            f' viewBox="0 0 {self.width} {self.height}" role="img" font-family="{FONT}">'
        )
        title = f"<title>{escape(self.title)}</title>"
        return "\n".join([head, title, *self._parts, "</svg>", ""])


def _n(value: float) -> str:
    """Return a number with at most two digits after the point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
