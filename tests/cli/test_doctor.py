"""`tilec doctor`: what it says about the launch extension."""

from types import SimpleNamespace

import pytest

from tilec.cli.doctor_command import examine
from tilec.runtime.launch import repeats


@pytest.fixture
def report():
    """Return a function that gives the line of the report about the extension."""

    def line() -> str:
        return next(str(item) for item in examine() if item.subject == "launch extension")

    return line


def test_a_missing_extension_is_reported(monkeypatch, report):
    monkeypatch.setattr(repeats, "repeated_calls", None)
    assert report().startswith(
        "absent  launch extension: not built; repeated calls take longer to launch\n        fix: "
    )


def test_an_extension_that_is_switched_off_is_reported(monkeypatch, report):
    monkeypatch.setattr(repeats, "repeated_calls", SimpleNamespace(__file__="calls.so"))
    monkeypatch.setenv("TILEC_EXTENSION", "0")
    assert "switched off" in report()
    assert "fix: unset TILEC_EXTENSION" in report()


def test_the_file_of_the_extension_is_shown(monkeypatch, report):
    monkeypatch.setattr(repeats, "repeated_calls", SimpleNamespace(__file__="calls.so"))
    monkeypatch.delenv("TILEC_EXTENSION", raising=False)
    assert report() == "ok      launch extension: calls.so"
