"""IR from a file: what passes, MLIR or LLVM make of it ends with a diagnostic."""

import os
import re
import sys
import time

import pytest

from tilec.cli.main import EXIT_DIAGNOSTICS, main
from tilec.compiler.driver import compile_source, resume, resume_here
from tilec.compiler.user_ir import PROTOCOL_CHECKS, failures_as_diagnostics, run_apart
from tilec.passes.runner import run_pass
from tilec.request.options import CompileOptions, Origin
from tilec.support.diagnostics import (
    CompileError,
    InternalCompilerError,
    SourceFile,
    SourceSpan,
    error,
)
from tilec.support.isolation import Limits, step

SOURCE = SourceFile("k.mlir", "module {\n}\n")
SPAN = SourceSpan("k.mlir", 2, 1, 2, 2)


def blamed(failure, origin=Origin.USER):
    with pytest.raises(CompileError) as caught, failures_as_diagnostics(origin, SOURCE):
        raise failure
    return str(caught.value).splitlines()


def test_a_pass_that_cannot_work_on_the_file():
    failure = InternalCompilerError("no ring", pass_name="my-pass", op="d.op", span=SPAN)
    failure.add_note("reproducer: x.mlir")
    lines = blamed(failure)
    assert lines[0] == (
        "k.mlir:2:1: error[T0580]: the IR does not hold what my-pass relies on at 'd.op': no ring"
    )
    assert lines[1:3] == ["  }", "  ^"]
    assert lines[3] == "  tilec: note: reproducer: x.mlir"
    assert lines[4].startswith("  hint: ")


def test_what_the_protocol_check_refuses():
    message = "k.mlir:2:1: a slot is read that does not hold its tile"
    lines = blamed(InternalCompilerError(message, pass_name=PROTOCOL_CHECKS[1], span=SPAN))
    assert lines[0] == f"k.mlir:2:1: error[T0581]: {PROTOCOL_CHECKS[1]}: {message[12:]}"


def test_any_other_exception(monkeypatch, capsys):
    assert "relies on: KeyError: 'x'" in blamed(KeyError("x"))[0]
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("TILEC_TRACEBACK", "1")
    assert blamed(KeyError("x"))[0].startswith("k.mlir:1:1: error[T0580]")
    assert "Traceback" in capsys.readouterr().err


def test_errors_with_a_diagnostic_stay():
    assert blamed(CompileError(error("T0501", "no")))[0] == "tilec: error[T0501]: no"


def test_ir_of_the_compiler_itself_is_not_to_blame():
    with pytest.raises(KeyError), failures_as_diagnostics(Origin.COMPILER, SOURCE):
        raise KeyError("x")


def die():
    with step("cse", is_pass=True):
        pass
    with step("my-pass", is_pass=True):
        os.write(2, b"LLVM ERROR: cannot do that\n")
        os.abort()


def die_early():
    os._exit(9)


def hang():
    with step("parse dump"):
        time.sleep(60)


def speak():
    sys.stderr.write("said\n")
    return 3


def apart(task, **options):
    with pytest.raises(CompileError) as caught:
        run_apart(task, source=SOURCE, **options)
    return str(caught.value).splitlines()


def test_a_process_that_dies():
    lines = apart(die)
    assert lines[0] == (
        "k.mlir:1:1: error[T0582]: this IR ended the process that worked on it in my-pass"
        " (SIGABRT): cannot do that"
    )
    assert "  tilec: note: this repeats it: tilec opt k.mlir --passes cse,my-pass" in lines
    assert "ahead of the first pass (exit status 9)" in apart(die_early)[0]


def test_a_process_that_takes_too_long():
    (first, *_) = apart(hang, limits=Limits(seconds=8.0))
    assert first == (
        "k.mlir:1:1: error[T0583]: work on this IR takes more than 8 seconds in parse dump"
    )


def test_what_the_process_prints_is_printed(capsys):
    assert run_apart(speak, source=SOURCE) == 3
    assert capsys.readouterr().err == "said\n"


@pytest.fixture(scope="module")
def dumps(examples, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dumps")
    source = SourceFile("matmul.tile", (examples / "matmul.tile").read_text())
    options = CompileOptions(emit="ptx", dump_directory=folder, run_ptxas=False)
    compile_source(source, options=options)
    return folder


def dump(folder, name):
    return next(folder.glob(f"*-{name}.mlir")).read_text()


def twice(operation):
    return lambda text: re.sub(rf'(\n *"nv_tileas.{operation}"[^\n]*)', r"\1\1", text, count=1)


EDITS = {
    "result number": (
        "cuda_tile",
        "order-tokens",
        lambda text: re.sub(r"%(\d+)#1", r"%\1#2147483647", text, count=1),
        "T0584",
    ),
    "fill repeated": ("nv_tileas", "insert-rings", twice("ring_fill"), "T0580"),
    "release repeated": ("nv_tileas", "attach-tma-descriptors", twice("ring_release"), "T0581"),
    "mangled attribute": (
        "nv_tileaa",
        "select-copy-atoms",
        lambda text: text.replace("div_by = ", "div_by = [", 1),
        "T0502",
    ),
    "no attribute": (
        "nv_tileaa",
        "infer-facts",
        lambda text: re.sub(r"axis = \d : i32", "", text, count=1),
        "T0500",
    ),
    "another stamp": (
        "llvm",
        "canonicalize",
        lambda text: text.replace('"canonicalize"', "3", 1),
        "T0009",
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_edited_dumps(case, dumps, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TILEC_REPRODUCER_DIR", str(tmp_path))
    stage, name, change, code = EDITS[case]
    text = next(dumps.glob(f"*-{stage}-*{name}.mlir")).read_text()
    path = tmp_path / "edited.mlir"
    path.write_text(change(text))
    assert path.read_text() != text
    words = ["compile", str(path), "--start-from", stage, "-o", str(tmp_path / "out.ptx")]
    assert main(words) == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert re.search(rf"edited\.mlir:\d+:\d+: error\[{code}", message), message
    assert not (tmp_path / "out.ptx").exists()


def test_passes_get_no_invalid_ir(dumps, tmp_path, monkeypatch):
    """A plan that reverses the order of k-tiles needs a loop of the same length in every block.

    Here its length depends on the block. `nv-tileas-schedule-tiles` reads it before the loop over
    blocks, and on a use that no definition dominates later passes ended the process, now and then.
    """
    monkeypatch.setenv("TILEC_REPRODUCER_DIR", str(tmp_path))
    text = dump(dumps, "nv-tileas-plan-kernel")
    block = re.findall(r'(%\d+) = "nv_tileas.get_program_id"', text)[-1]
    source = SourceFile("d.mlir", re.sub(r"(scf.for .* to )%\d+", rf"\1{block}", text))
    ran = []

    def recording(module, name, *others, **options):
        ran.append(name)
        return run_pass(module, name, *others, **options)

    monkeypatch.setattr("tilec.passes.runner.run_pass", recording)
    expected = r"T0580.* nv-tileas-schedule-tiles relies on.* dominate"
    with pytest.raises(CompileError, match=expected):
        resume_here(source, CompileOptions(emit="nv_tileas", start_from="nv_tileas"), {}, {})
    assert ran[-1] == "nv-tileas-schedule-tiles"


def test_an_unchanged_dump_resumes_with_its_texts(dumps):
    source = SourceFile("d.mlir", dump(dumps, "nv-tileas-insert-rings"))
    made = resume(source, CompileOptions(emit="ptx", start_from="nv_tileas", run_ptxas=False))
    dumped = (dumps / "matmul.ptx").read_text()
    assert made.module_text("ptx").splitlines() == [
        line for line in dumped.splitlines() if not line.startswith("// tilec.kernel: ")
    ]
    assert 'tilec.after = "nv-tileas-number-reports"' in made.module_text("nv_tileas")
    assert made.snapshots == {}
