"""A private kernel cache and a stand-in for the GPU driver."""

import pytest

from tests.support.runtime_fakes import FakeDriver


@pytest.fixture(autouse=True)
def kernel_cache(tmp_path, monkeypatch):
    """Keep compiled kernels of one test away from the others and from the user's cache."""
    monkeypatch.setattr(
        "tilec.runtime.cache.cache_directory", lambda: tmp_path / "cache", raising=True
    )
    return tmp_path / "cache"


@pytest.fixture
def gpu():
    """Put a recorder in place of the driver."""
    from tilec.runtime.cuda.current import set_driver

    fake = FakeDriver()
    previous = set_driver(fake)
    yield fake
    set_driver(previous)
