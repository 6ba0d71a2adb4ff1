"""Fixtures of the tests that need a GPU: torch allocates, tilec launches."""

import importlib
import warnings
from pathlib import Path

import pytest

from tilec.runtime.cuda.current import has_gpu


def pytest_collection_modifyitems(items):
    """Say why nothing runs on a machine without a GPU."""
    here = Path(__file__).parent
    mine = [item for item in items if here in item.path.parents]
    if mine and not has_gpu():
        for item in mine:
            item.add_marker(pytest.mark.skip(reason="no NVIDIA driver with a GPU"))


@pytest.fixture(scope="session")
def torch():
    """Return torch, imported without its own deprecation warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = importlib.import_module("torch")
        found.zeros(1, device="cuda")
    return found
