"""What can be generated: a whole file, or a region between two markers of a page."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the repository; all generated paths are relative to it."""
END = "<!-- end -->"


class RegionError(Exception):
    """A page does not have the markers of a region exactly once."""


@dataclass(frozen=True)
class Generated:
    """One generated file, or one generated region of a page.

    Attributes:
        path: The file, relative to the root of the repository.
        render: Returns the text of the file, or of the region without its markers.
        region: Name of the region in `<!-- generated: NAME -->`; empty for a whole file.
    """

    path: str
    render: Callable[[], str]
    region: str = ""

    @property
    def name(self) -> str:
        """The file, and the region if there is one."""
        return f"{self.path} ({self.region})" if self.region else self.path

    def expected(self) -> str:
        """Return the text that the file should have.

        Raises:
            RegionError: The page does not have the markers of the region exactly once.
            OSError: The page of a region cannot be read.
        """
        text = self.render()
        if not self.region:
            return text
        return replace_region((ROOT / self.path).read_text(), self.region, text)

    def is_current(self) -> bool:
        """Tell whether the file on disk has the text that it should have."""
        path = ROOT / self.path
        return path.exists() and path.read_text() == self.expected()

    def write(self) -> None:
        """Write the file."""
        path = ROOT / self.path
        text = self.expected()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def replace_region(page: str, name: str, text: str) -> str:
    """Return `page` with `text` between the markers of region `name`.

    Raises:
        RegionError: The page does not have the markers exactly once.
    """
    start = f"<!-- generated: {name} -->"
    pattern = re.compile(rf"{re.escape(start)}\n(.*?){re.escape(END)}", re.DOTALL)
    found = pattern.findall(page)
    if len(found) != 1 or page.count(start) != 1:
        raise RegionError(f"expected '{start}' and '{END}' once, found them {len(found)} times")
    new = f"{start}\n{text.strip()}\n{END}"
    return pattern.sub(lambda _: new, page)
