"""What `tilec compile` takes: dumps whose stage it finds, Python files, several kernels."""

from pathlib import Path

import numpy as np
import pytest

import tilec
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, EXIT_USAGE, main
from tilec.compiler.driver import compile_source
from tilec.compiler.dump_stage import find_stage
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import SourceFile

TILE = """\
@kernel
def copy[N](A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 64))
    store(B, (i,), load(A, (i,), (64,)))


@kernel
def scale[M](X: f32[M], Y: f32[M], alpha: f32, BLOCK: const = 32):
    i = grid(cdiv(M, BLOCK))
    store(Y, (i,), alpha * load(X, (i,), (BLOCK,)))
"""
EMPTY = "@kernel\ndef nothing[N](A: f32[N]):\n    i = grid(cdiv(N, 64))\n"
PYTHON = """\
from __future__ import annotations

import settings
import tilec
from tilec.language import cdiv, const, f32, grid, load, store

FACTOR = settings.FACTOR
print("this file runs")


@tilec.kernel
def triple(A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 64))
    store(B, (i,), FACTOR * load(A, (i,), (64,)))


@tilec.kernel(worker_warps=8, debug_waits=True)
def copy(A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 64))
    store(B, (i,), load(A, (i,), (64,)))


if __name__ == "__main__":
    raise SystemExit("a script")
"""


@pytest.fixture
def tile(tmp_path) -> Path:
    path = tmp_path / "kernels.tile"
    path.write_text(TILE)
    return path


@pytest.fixture
def python(tmp_path) -> Path:
    (tmp_path / "settings.py").write_text("FACTOR = 3.0\n")
    path = tmp_path / "kernels.py"
    path.write_text(PYTHON)
    return path


@pytest.fixture(scope="module", params=["matmul", "vector_add", "nothing"])
def dumps(request, examples, tmp_path_factory):
    """The dump of every pass, and what came out in the end."""
    folder = tmp_path_factory.mktemp(request.param)
    path = examples / f"{request.param}.tile"
    text = EMPTY if request.param == "nothing" else path.read_text()
    options = CompileOptions(emit="ptx", dump_directory=folder / "dump", run_ptxas=False)
    made = compile_source(SourceFile("kernel.tile", text), options=options)
    return folder, made.texts["ptx"]


def test_the_stage_of_every_dump_is_found(dumps):
    folder, _ = dumps
    found = {
        path.name: find_stage(SourceFile(path.name, path.read_text()))
        for path in (folder / "dump").iterdir()
        if path.suffix in (".mlir", ".ll", ".ptx")
    }
    assert len(found) > 40
    for name, stage in found.items():
        texts = {".mlir": name.partition("-")[2], ".ll": "llvmir", ".ptx": "ptx"}
        assert texts[Path(name).suffix].partition("-")[0] == stage, name


@pytest.mark.parametrize("pattern", ["*-cse.mlir", "*-nv-tileas-plan-kernel.mlir", "*.ll", "*.ptx"])
def test_a_dump_is_continued_without_being_told_the_stage(dumps, pattern, capsys):
    folder, ptx = dumps
    for path in sorted((folder / "dump").glob(pattern))[:1]:
        assert main(["compile", str(path), "--no-ptxas"]) == EXIT_OK
        assert capsys.readouterr().out == ptx


def test_a_dump_on_standard_input(run_tilec, tile, tmp_path):
    words = ("--kernel", "copy", "--emit")
    made = run_tilec("compile", tile, *words, "nv_tileaa")
    assert run_tilec("compile", tile, *words, "ptx", "-o", "out.ptx").returncode == 0
    result = run_tilec("compile", "-", stdin=made.stdout)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (tmp_path / "out.ptx").read_bytes()


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ('module { "cuda_tile.entry"() ({}) : () -> () }', "cuda_tile"),
        ("module { llvm.func @f() { llvm.return } }", "llvm"),
        ('module { "llvm.func"() ({}) : () -> () }', "llvm"),
        ("define void @f() {\n ret void\n}\n", "llvmir"),
        ("//\n.version 8.0\n.target sm_90a\n", "ptx"),
        ('// "cuda_tile.entry"()\nmodule {}\n', None),
        ('module attributes {tilec.after = "cse"} {}', None),
        ('module attributes {tilec.after = "nv-tileas-insert-rings"} {}', "nv_tileas"),
        ('module { func.call @f() {note = "cuda_tile.load"} : () -> () }', None),
        (TILE, None),
    ],
)
def test_what_decides_the_stage(text, stage):
    assert find_stage(SourceFile("x", text)) == stage


def test_a_dump_without_a_stage(tmp_path, capsys):
    path = tmp_path / "strange.mlir"
    path.write_text("module {}\n")
    assert main(["compile", str(path)]) == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert "strange.mlir:1:1: error[T0022]: the stage of" in message
    assert "hint: say it with --start-from: cuda_tile, nv_tileaa" in message
    assert main(["compile", str(path), "--start-from", "cuda_tile"]) == EXIT_DIAGNOSTICS
    assert "error[T0009]" in capsys.readouterr().err  # the option is believed


def test_a_result_before_the_stage_of_the_dump(dumps, capsys):
    (path,) = (dumps[0] / "dump").glob("*.ptx")
    assert main(["compile", str(path), "--emit", "cuda_tile"]) == EXIT_USAGE
    assert "comes before the stage of the dump, ptx" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--kernel", "f"], ["-D", "B=1"], ["--layout", "A=col"], ["--no-assume", "aligned"]],
)
def test_options_about_parameters_come_too_late_for_a_dump(dumps, capsys, words):
    (path,) = (dumps[0] / "dump").glob("*.ll")
    assert main(["compile", str(path), *words]) == EXIT_USAGE
    assert f"{words[0]} does not apply to a dump, {path}" in capsys.readouterr().err


def test_a_package_holds_every_kernel(tile, tmp_path):
    target = tmp_path / "all.tilepkg"
    words = ["compile", str(tile), "--emit", "package", "-o", str(target)]
    assert main([*words, "-D", "BLOCK=64"]) == EXIT_OK
    package = tilec.load_package(target)
    assert [item.__name__ for item in package] == ["copy", "scale"]
    assert package.scale.constants == {"BLOCK": 64}
    assert main([*words, "--kernel", "scale"]) == EXIT_OK
    assert [item.__name__ for item in tilec.load_package(target)] == ["scale"]


def test_an_option_must_fit_one_of_the_kernels(tile, tmp_path, capsys):
    words = ["compile", str(tile), "--emit", "package", "-o", str(tmp_path / "all.tilepkg")]
    good = ["--size", "N=256,M=64", "--assume", "N % 64 == 0", "--layout", "X=any"]
    assert main([*words, *good, "--no-assume", "Y.aligned"]) == EXIT_OK
    assert main([*words, "-D", "WIDTH=64", "--size", "Q=4"]) == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert "-D WIDTH: no kernel of the file has a constant called 'WIDTH'" in message
    assert "hint: known: alpha, BLOCK" in message
    assert "hint: known: N, M" in message
    assert message.count("error[T0007]") == 2


@pytest.mark.parametrize(
    ("words", "alignments"),
    [
        ([], [16, 16]),
        (["--assume", "X.aligned == 8"], [8, 16]),
        (["--assume", "aligned==4"], [1, 1]),
        (["--assume", "aligned == 8", "--assume", "Y.aligned == 16"], [8, 16]),
        (["--no-assume", "Y.aligned"], [16, 1]),
        (["--no-assume", "aligned", "--assume", "X.aligned == 8"], [8, 1]),
    ],
)
def test_promises_about_alignment(tmp_path, words, alignments):
    """That of f32 elements goes without saying."""
    path, target = tmp_path / "row.tile", tmp_path / "row.tilepkg"
    path.write_text(
        "@kernel\ndef row[N](X: f32[N], Y: f32[N]):\n"
        "    n = grid(cdiv(N, 64))\n    store(Y, n, load(X, n, 64))\n"
    )
    words = [*words, "--emit", "package", "--no-ptxas", "--no-cache", "-o", str(target)]
    assert main(["compile", str(path), *words]) == EXIT_OK
    metadata = tilec.load_package(target).row.metadata
    assert [item["alignment"] for item in metadata["arrays"]] == alignments
    said = [text for text in metadata["preconditions"] if "-byte aligned" in text]
    assert len(said) == sum(item > 1 for item in alignments)


def test_several_kernels_have_a_dump_folder_and_timings_each(tile, tmp_path, capsys):
    words = ["compile", str(tile), "--emit", "package", "-o", str(tmp_path / "all.tilepkg")]
    assert main([*words, "--dump-ir", str(tmp_path / "dump"), "--timing", "--no-ptxas"]) == EXIT_OK
    folders = sorted((tmp_path / "dump").iterdir())
    assert [item.name for item in folders] == ["copy", "scale"]
    assert all((item / f"{item.name}.ptx").exists() for item in folders)
    printed = capsys.readouterr().err
    assert printed.startswith("copy:\nstage")
    assert "\nscale:\nstage" in printed


def test_a_python_file_is_imported(run_tilec, python, tmp_path):
    result = run_tilec("compile", python, "--kernel", "triple", "--no-ptxas")
    assert result.returncode == 0, result.stderr
    assert result.stderr == "this file runs\n"
    assert b".entry triple(" in result.stdout
    assert b"0f40400000" in result.stdout  # FACTOR, from the other file
    left = [item for item in tmp_path.iterdir() if item.name != "__pycache__"]
    assert sorted(item.suffix for item in left) == [".py", ".py"]


def test_what_the_decorator_says_counts(python, tmp_path, capsys):
    words = ["compile", str(python), "--kernel", "copy", "--no-ptxas"]
    assert main([*words, "--emit", "plan"]) == EXIT_OK
    assert '"block_threads": 256' in capsys.readouterr().out
    assert main([*words, "--emit", "plan", "--plan", "worker_warps=4"]) == EXIT_OK
    assert '"block_threads": 128' in capsys.readouterr().out
    target = tmp_path / "all.tilepkg"
    assert main(["compile", str(python), "--emit", "package", "-o", str(target)]) == EXIT_OK
    package = tilec.load_package(target)
    assert [item.__name__ for item in package] == ["triple", "copy"]
    hidden = [len(item.artifact.hidden_parameters) for item in package]
    assert hidden == [0, 1]  # the debug build has a buffer for its reports


def test_a_kernel_without_source_does_not_disturb_the_others(python, capsys):
    made = "hidden = tilec.kernel(lambda A: None)\n"
    python.write_text(PYTHON.replace("if __name__", made + "if __name__"))
    words = ["compile", str(python), "--no-ptxas", "--emit", "cuda_tile", "--kernel"]
    assert main([*words, "triple"]) == EXIT_OK
    assert main([*words, "hidden"]) == EXIT_DIAGNOSTICS
    assert "error[T0113]: a lambda cannot be a kernel" in capsys.readouterr().err


def test_a_file_that_makes_a_kernel_by_exec_is_one_error(python, capsys):
    python.write_text("import tilec\nexec('@tilec.kernel\\ndef f():\\n    grid(1)\\n')\n")
    assert main(["compile", str(python)]) == EXIT_DIAGNOSTICS
    shown = capsys.readouterr().err
    assert shown.startswith("tilec: error[T0113]: the source of 'f' cannot be read")
    assert "Traceback" not in shown


def test_a_package_takes_a_kernel_with_two_names_once(python, tmp_path):
    python.write_text(PYTHON.replace("\nif __name__", "\nthreefold = triple\n\nif __name__"))
    target = tmp_path / "all.tilepkg"
    assert main(["compile", str(python), "--emit", "package", "-o", str(target)]) == EXIT_OK
    package = tilec.load_package(target)
    assert [(item.__name__, len(item.variants)) for item in package] == [("triple", 1), ("copy", 1)]
    words = ["compile", str(python), "--kernel", "threefold", "--no-ptxas", "-o", str(target)]
    assert main(words) == EXIT_OK
    assert ".entry triple(" in target.read_text()


def test_kernels_of_a_python_file_are_chosen_by_their_variable(python, capsys):
    assert main(["compile", str(python)]) == EXIT_DIAGNOSTICS
    assert "choose one with --kernel: triple, copy" in capsys.readouterr().err
    assert main(["compile", str(python), "--kernel", "tripel"]) == EXIT_DIAGNOSTICS
    assert "defines no kernel called 'tripel'" in capsys.readouterr().err


def test_a_python_file_runs_on_the_cpu_reference(python, tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.arange(10, dtype=np.float32))
    words = ["run", str(python), "--device", "cpu", "--input", f"A={tmp_path / 'a.npy'}"]
    target = tmp_path / "b.npy"
    assert main([*words, "--kernel", "triple", "--output", f"B={target}"]) == EXIT_OK
    assert np.load(target).tolist() == [3.0 * item for item in range(10)]
    assert main([*words, "--kernel", "copy", "--check"]) == EXIT_DIAGNOSTICS
    assert "error[T0019]" in capsys.readouterr().err
    python.write_text(PYTHON + "\n\ndef reference(A):\n    return {'B': A}\n")
    assert main([*words, "--kernel", "copy", "--check"]) == EXIT_OK
    assert "check against the NumPy function: B: max abs error 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "code", "line", "reason"),
    [
        ("import numpy\n\n  x = 1\n", "T0021", 3, "SyntaxError|IndentationError"),
        ("def f():\n    return 1 / 0\nvalue = f()\n", "T0021", 2, "ZeroDivisionError: division"),
        ("import no_such_module\n", "T0021", 1, "ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", "T0021", 2, "SystemExit: 3"),
        ("import tilec\nx = 1\n", "T0109", 1, "no kernel among its global variables"),
        ("import tilec\ntilec.kernel(3)\n", "T0717", None, "decorates a function"),
    ],
)
def test_a_python_file_that_does_not_work(tmp_path, capsys, text, code, line, reason):
    path = tmp_path / "bad.py"
    path.write_text(text)
    assert main(["compile", str(path)]) == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert f"error[{code}]" in message
    assert any(item in message for item in reason.split("|")), message
    assert "Traceback" not in message
    if line is not None:
        quoted = text.splitlines()[line - 1]
        assert f"bad.py:{line}:" in message
        assert f"\n  {quoted}\n" in message
