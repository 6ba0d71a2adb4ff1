"""Importing tilec is cheap, and every public name is there."""

import subprocess
import sys
from pathlib import Path

import pytest

import tilec
import tilec.language
from tilec.support.dtypes import DTYPES

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch_mlir", "mlir", "numpy", "cuda", "lark", "llvmlite", "ml_dtypes")


def run(*arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


def test_nothing_heavy_is_imported():
    loaded = run("-c", "import sys, tilec; print(*sys.modules)").split()
    assert [name for name in loaded if name.partition(".")[0] in HEAVY] == []


def test_errors_and_the_decorator_need_nothing_heavy():
    script = "import sys, tilec; tilec.TileError; tilec.kernel; tilec.load; print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in run("-c", script).split()}
    assert loaded & set(HEAVY) == set()


@pytest.mark.parametrize("name", tilec.__all__)
def test_public_names(name):
    assert getattr(tilec, name) is not None
    assert name in dir(tilec)


def test_unknown_names():
    with pytest.raises(AttributeError, match="no attribute 'kernle'"):
        _ = tilec.kernle


def test_errors_are_one_family():
    for name in ("CompileError", "LaunchError", "DeviceError"):
        assert issubclass(getattr(tilec, name), tilec.TileError)


def test_the_language_module_names_every_builtin_and_type():
    from tilec.frontend.semantics import analysis  # noqa: F401 - registers the builtins
    from tilec.frontend.semantics.builtins.table import BUILTINS

    python_has = {
        "abs", "all", "any", "len", "max", "min", "pow", "print", "range", "round", "slice",
        "sum",
    }  # fmt: skip
    names = set(tilec.language.__all__)
    assert set(BUILTINS) - python_has - names == set()
    assert set(DTYPES) - names == {"bool"}
    assert names - set(BUILTINS) - set(DTYPES) == {"auto", "const", "dtype"}


def test_builtins_refuse_to_run_outside_a_kernel():
    with pytest.raises(tilec.LaunchError, match="'cdiv' works inside a kernel only"):
        tilec.language.cdiv(3, 2)
    assert str(tilec.f32[4, 8]) == "f32"
    assert repr(tilec.auto) == "auto"
