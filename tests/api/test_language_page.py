"""The files that docs/language.md shows: those with a name in their first line are run."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import tilec

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
FILES = dict(
    re.findall(r"^```python\n# (\w+\.(?:py|tile))\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write the files of the page to a folder from which Python imports."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(f"# {name}\n{text}")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in FILES:
        sys.modules.pop(Path(name).stem, None)


def check(kernel):
    source, result = np.linspace(-1, 1, 4096, dtype=np.float32), np.empty(4096, np.float32)
    kernel(source, result)
    np.testing.assert_array_equal(result, np.where(source > 0, source, source * 0.25) + 0.25)


def test_helpers_of_another_tile_file(folder):
    check(tilec.load(folder / "network.tile").apply)


@pytest.mark.usefixtures("folder")
def test_helpers_of_another_python_module():
    check(importlib.import_module("model").apply)
