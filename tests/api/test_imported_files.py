"""Kernels whose `.tile` file imports others: results, caches, messages, packages."""

import numpy as np
import pytest

import tilec
from tests.support.runtime_fakes import FakeArray
from tilec.cli.main import EXIT_OK, main

MAIN = """
from activations import leaky
import sizes

@kernel
def act[M](A: f32[M], B: f32[M]):
    i = grid(cdiv(M, sizes.UNIT))
    store(B, i, leaky(load(A, i, sizes.UNIT)))
"""
ACTIVATIONS = """
from sizes import SLOPE

def leaky(x):
    return where(x > 0.0, x, x * SLOPE)
"""
SIZES = "UNIT = 16\nSLOPE = 0.25\n"
SOURCE = np.arange(-8, 8, dtype=np.float32)


@pytest.fixture
def folder(tmp_path):
    for name, text in (("main", MAIN), ("activations", ACTIVATIONS), ("sizes", SIZES)):
        (tmp_path / f"{name}.tile").write_text(text)
    return tmp_path


def run(kernel):
    result = np.empty(16, np.float32)
    kernel(SOURCE, result)
    return result


def leaky(slope):
    return np.where(SOURCE > 0, SOURCE, SOURCE * slope).astype(np.float32)


@pytest.fixture
def compiles(monkeypatch):
    """Count runs of the compiler."""
    import tilec.compiler.driver

    made = []
    real = tilec.compiler.driver.compile_kernel

    def counting(*arguments, **options):
        made.append(arguments[1])
        return real(*arguments, **options)

    monkeypatch.setattr(tilec.compiler.driver, "compile_kernel", counting)
    return made


def test_an_edited_import_is_another_kernel(folder):
    kernel = tilec.load(folder / "main.tile").act
    np.testing.assert_array_equal(run(kernel), leaky(0.25))
    (folder / "sizes.tile").write_text(SIZES.replace("0.25", "0.5"))
    np.testing.assert_array_equal(run(tilec.load(folder / "main.tile").act), leaky(0.5))


def test_a_loaded_kernel_keeps_the_files_that_it_was_loaded_with(folder):
    kernel = tilec.load(folder / "main.tile").act
    (folder / "activations.tile").unlink()
    (folder / "sizes.tile").write_text("UNIT = 8\nSLOPE = 7.0\n")
    np.testing.assert_array_equal(run(kernel), leaky(0.25))


@pytest.mark.usefixtures("gpu")
def test_the_disk_cache_knows_the_imported_files(folder, compiles):
    vectors = FakeArray((64,), pointer=1 << 20), FakeArray((64,), pointer=2 << 20)
    texts = []
    for slope in ("0.25", "0.25", "0.5"):
        (folder / "sizes.tile").write_text(SIZES.replace("0.25", slope))
        texts.append(tilec.load(folder / "main.tile").act.compile(*vectors).ptx)
    assert texts[0] == texts[1] != texts[2]
    assert len(compiles) == 2


def test_messages_of_passes_quote_the_imported_file(folder):
    (folder / "activations.tile").write_text(
        "def leaky(x):\n    return cat((x, extract(x, cast(9, i32), 16)), 0)\n"
    )
    with pytest.raises(tilec.CompileError) as caught:
        tilec.compile(folder / "main.tile")
    text = str(caught.value)
    assert "activations.tile:2:20: error[T0576]" in text
    assert "return cat((x, extract(x, cast(9, i32), 16)), 0)" in text


def test_text_can_import_relative_to_its_name(folder):
    module = tilec.loads(MAIN, name=str(folder / "text"))
    np.testing.assert_array_equal(run(module.act), leaky(0.25))


def test_the_command_and_packages(folder, capsys, tmp_path):
    path = str(folder / "main.tile")
    assert main(["run", path, "--size", "M=64", "--device", "cpu"]) == EXIT_OK
    assert main(["compile", path, "-o", str(tmp_path / "act.ptx")]) == EXIT_OK
    assert tilec.compile(path).act.ptx
    assert capsys.readouterr().err == ""
