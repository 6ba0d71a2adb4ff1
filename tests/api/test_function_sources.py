"""Kernels that stand in no file: they work where Python knows the text, else one error says why."""

import linecache
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilec

ROOT = Path(__file__).resolve().parents[2]
TEXT = """\
import tilec
from tilec.language import *

@tilec.kernel
def double(A: f32[4], B: f32[4]):
    i = grid(1)
    store(B, i, load(A, i, 4) * 2)
"""


def namespace(text: str, name: str) -> dict[str, Any]:
    """Return the globals that a text makes, compiled under a file name."""
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), found)
    return found


def register(monkeypatch, text: str, name: str) -> None:
    """Make a text known as notebooks, and prompts of Python 3.13, do."""
    entry = (len(text), None, text.splitlines(keepends=True), name)
    monkeypatch.setitem(linecache.cache, name, entry)


@pytest.mark.parametrize("name", ["<python-input-7>", "<ipython-input-1-0123>"])
def test_a_function_whose_text_is_registered(monkeypatch, name):
    register(monkeypatch, TEXT, name)
    source, result = np.arange(4, dtype=np.float32), np.empty(4, np.float32)
    kernel = namespace(TEXT, name)["double"]
    kernel(source, result)
    np.testing.assert_array_equal(result, source * 2)


def test_messages_quote_a_registered_text(monkeypatch):
    text = TEXT.replace("load(A", "laod(A")
    register(monkeypatch, text, "<python-input-3>")
    kernel = namespace(text, "<python-input-3>")["double"]
    with pytest.raises(tilec.CompileError) as caught:
        kernel(np.zeros(4, np.float32), np.zeros(4, np.float32))
    assert str(caught.value).splitlines()[:2] == [
        "<python-input-3>:7:17: error[T0201]: unknown name 'laod'",
        "      store(B, i, laod(A, i, 4) * 2)",
    ]


def test_a_function_from_exec_is_refused_where_it_is_decorated():
    with pytest.raises(tilec.CompileError) as caught:
        namespace(TEXT, "<string>")
    (item,) = caught.value.diagnostics
    assert item.code == "T0113"
    assert item.message == (
        "the source of 'double' cannot be read: it does not stand in a file, but was made by 'exec'"
        " or 'python -c', or typed at a prompt (<string>)"
    )
    assert "put it into a file" in (item.hint or "")
    assert "tilec.loads(text)" in (item.hint or "")
    assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, False)


def test_a_helper_from_exec_is_refused_where_it_is_used(monkeypatch):
    found = namespace("def helper(x):\n    return x\n", "<string>")
    text = TEXT.replace("load(A, i, 4)", "helper(load(A, i, 4))")
    register(monkeypatch, text, "<python-input-4>")
    scope = namespace(text, "<python-input-4>")
    scope["helper"] = found["helper"]
    with pytest.raises(tilec.CompileError, match="the source of 'helper' cannot be read"):
        scope["double"](np.zeros(4, np.float32), np.zeros(4, np.float32))


def test_python_c_shows_one_error_and_no_frames_of_other_libraries():
    """Python 3.13 keeps the text of `-c`, but not that of code which it executes."""
    text = f"exec(compile({TEXT!r}, '<string>', 'exec'))"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    frames = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert len(frames) <= 4, done.stderr
    assert "inspect.py" not in done.stderr
    assert "the source of 'double' cannot be read" in done.stderr


def test_a_file_that_is_gone(tmp_path):
    path = tmp_path / "gone.py"
    path.write_text(TEXT)
    kernel = namespace(TEXT, str(path))["double"]
    path.unlink()
    with pytest.raises(tilec.CompileError) as caught:
        kernel(np.zeros(4, np.float32), np.zeros(4, np.float32))
    (item,) = caught.value.diagnostics
    assert (
        item.message == f"the source of 'double' cannot be read: {path} is missing, or has changed"
    )
    assert str(item.span) == f"{path}:4:1"


def test_a_lambda_is_no_kernel():
    kernel = tilec.kernel(lambda A: None)
    with pytest.raises(tilec.CompileError, match="a lambda cannot be a kernel or a helper"):
        kernel(np.zeros(4, np.float32))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("def double", "async def double"),
        TEXT.replace("    store", "    yield i\n    store"),
    ],
)
def test_coroutines_and_generators_are_no_kernels(tmp_path, text):
    path = tmp_path / "suspended.py"
    path.write_text(text)
    kernel = namespace(text, str(path))["double"]
    with pytest.raises(tilec.CompileError, match=r"a coroutine or a generator|no generators"):
        kernel(np.zeros(4, np.float32), np.zeros(4, np.float32))
