"""Commands in this process compile anew, unless a test turns the kernel cache on."""

import pytest


@pytest.fixture(autouse=True)
def no_kernel_cache(monkeypatch):
    """Turn the kernel cache off."""
    monkeypatch.setenv("TILEC_CACHE", "0")
