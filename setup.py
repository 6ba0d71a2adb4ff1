"""Adds two steps to the build that pyproject.toml describes.

The parser tables make the first compile on a machine as fast as the next ones. The extension
`tilec.runtime.launch.repeated_calls` launches repeated calls faster; where it cannot be built,
tilec works without it.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tilec.frontend.syntax.grammar_cache import install_tables  # noqa: E402 - found through the line above


class BuildWithParserTables(build_py):
    """Copies the modules and writes the parser tables next to them."""

    def run(self) -> None:
        """Build into the wheel, or into the checkout for an editable installation."""
        super().run()
        top = ROOT if self.editable_mode else Path(self.build_lib)
        install_tables(top / "tilec" / "frontend" / "syntax")


def extensions() -> list[Extension]:
    """Return the extension modules; none without Cython."""
    name = "tilec.runtime.launch.repeated_calls"
    source = Path(*name.split(".")).with_suffix(".pyx")
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    found = cythonize([Extension(name, [str(source)])], quiet=True)
    for extension in found:
        extension.optional = True  # of what it is given, cythonize does not keep this
    return found


setup(cmdclass={"build_py": BuildWithParserTables}, ext_modules=extensions())
