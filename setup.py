"""Adds one step to the build that pyproject.toml describes: the parser tables.

With them in the package the first compile on a machine is as fast as the next ones.
"""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tilec.frontend.syntax.grammar_cache import install_tables  # noqa: E402 - found through the line above


class BuildWithParserTables(build_py):
    """Copies the modules and writes the parser tables beside them."""

    def run(self) -> None:
        """Build into the wheel, or into the checkout for an editable installation."""
        super().run()
        top = ROOT if self.editable_mode else Path(self.build_lib)
        install_tables(top / "tilec" / "frontend" / "syntax")


setup(cmdclass={"build_py": BuildWithParserTables})
