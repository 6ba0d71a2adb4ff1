"""Bad input ends with a diagnostic, exit code 1 and nothing written."""

import re
from pathlib import Path

import pytest

from tilec.cli.main import EXIT_DIAGNOSTICS, main

KERNEL = """\
@kernel
def copy[M, N](A: f32[M, N], B: f32[M, N], BM: const = 64, BN: const = 64):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    tile = load(A, (m, n), (BM, BN))
    store(B, (m, n), tile)
"""
MATMUL = """\
@kernel
def multiply[M, N, K](A: bf16[M, K], B: bf16[K, N], C: f32[M, N]):
    m, n = grid(cdiv(M, 128), cdiv(N, 128))
    a = load(A, (m, 0), (128, 64))
    b = load(B, (0, n), (32, 128))
    store(C, (m, n), mma(a, b, zeros((128, 128), f32)))
"""

CASES = {
    "unknown name": (KERNEL.replace("tile)", "tiles)"), 5, "tiles"),
    "wrong tile rank": (KERNEL.replace("(BM, BN))\n    s", "(BM,))\n    s"), 4, "rank|dim|axes"),
    "shapes that do not fit mma": (MATMUL, 6, "64.*32|32.*64"),
    "tile of 48 columns": (KERNEL.replace("BN: const = 64", "BN: const = 48"), 4, "power"),
    "tile over 16M elements": (KERNEL.replace("const = 64", "const = 8192"), 4, "16|elements"),
    "unterminated block": (KERNEL + "    if m == 0:\n", 6, "block|indent|statement|expected"),
    "tabs mixed with spaces": (KERNEL.replace("    store", "\tstore"), 5, "tab"),
    "unclosed parenthesis": (KERNEL.replace("(BM, BN))\n    s", "(BM, BN)\n    s"), 4, r"\(|clos"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_source(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text, line, pattern = CASES[case]
    source, output = tmp_path / "bad.tile", tmp_path / "out.ptx"
    source.write_text(text)
    words = ["compile", str(source), "-o", str(output), "--dump-ir", str(tmp_path / "dump")]
    assert main(words) == EXIT_DIAGNOSTICS
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tile"]
    message = captured.err
    assert re.search(rf"bad\.tile:{line}:\d+: error\[T\d{{4}}\]: .*({pattern})", message), message
    assert "\n  " + text.splitlines()[line - 1] + "\n" in message
    assert re.search(r"^ +\t*\^+$", message, re.MULTILINE), message


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_of_all_systems(end: str, mark: str, tmp_path: Path, capsys):
    source = tmp_path / "kernel.tile"
    source.write_bytes((mark + KERNEL.replace("\n", end)).encode())
    assert main(["compile", str(source), "--emit", "cuda_tile"]) == 0
    source.write_bytes((mark + KERNEL.replace("tile)", "tiles)").replace("\n", end)).encode())
    assert main(["compile", str(source)]) == EXIT_DIAGNOSTICS
    assert "kernel.tile:5:22: error[T0201]" in capsys.readouterr().err


def test_a_device_that_never_ends(monkeypatch, capsys):
    monkeypatch.setattr("tilec.support.sources.MAX_BYTES", 1 << 16)
    for words in (["compile", "/dev/zero"], ["run", "/dev/zero"], ["opt", "/dev/zero"]):
        assert main(words) == EXIT_DIAGNOSTICS
        message = "error[T0002]: cannot read '/dev/zero': it has more than 65536 bytes"
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe\x00\x80", "T0003"),
        (b"\x00\x01\x02\x03", "T01"),
        (b"", "T0108"),
        (b"# only a comment\n", "T0108"),
    ],
)
def test_what_is_no_program(data: bytes, code: str, tmp_path: Path, capsys):
    source = tmp_path / "bad.tile"
    source.write_bytes(data)
    assert main(["compile", str(source)]) == EXIT_DIAGNOSTICS
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(rf"bad\.tile:\d+:\d+: error\[{code}", captured.err), captured.err


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--kernel", "paste"], "T0006", "no kernel called 'paste'"),
        (["-D", "BK=64"], "T0007", "no constant called 'BK'"),
        (["-D", "BM=wide"], "T0008", "'wide' is not a number"),
        (["-D", "BM"], "T0008", "NAME=VALUE"),
        (["--layout", "C=col"], "T0007", "no array called 'C'"),
        (["--layout", "A=diagonal"], "T0008", "not a layout"),
        (["--layout", "A=99999999999999999999,1"], "T0008", "strides[0] of A is 9999"),
        (["--layout", "A=1,9223372036854775808"], "T0008", "strides[1] of A is 92233"),
        (["--assume", "A.strides[0] == 99999999999999999999"], "T0008", "strides[0] of A is 9999"),
        (["--assume", "A.strides[0] == -5"], "T0008", "strides[0] of A is -5, but a stride that"),
        (["--layout", "A=-64,1"], "T0008", "--layout A=any --no-assume A.aligned"),
        (["--start-from", "llvm"], "T0502", "this is a source, not IR"),
        (["--assume", "K % 64 == 0"], "T0007", "called 'K'"),
        (["--assume", "M is big"], "T0008", "does not understand"),
        (["--assume", "A.aligned == 2"], "T0008", "(16, 8 or 4)"),
        (["--assume", "Q.aligned == 8"], "T0007", "--assume Q: the kernel has no array called 'Q'"),
        (["--no-assume", "Q.aligned"], "T0007", "--no-assume Q: the kernel has no array called"),
        (["--assume", f"A.aligned == {'9' * 5000}"], "T0008", "does not understand"),
        (["--assume", f"A.strides[0] == {'9' * 5000}"], "T0008", "does not understand"),
        (["--assume", f"A.strides[{'9' * 5000}] == 1"], "T0008", "does not understand"),
        (["--assume", "A.strides[2] == 1"], "T0008", "2 axes"),
        (["--no-assume", "sanity"], "T0008", "sanity"),
        (["--size", "Q=4"], "T0007", "no dim called 'Q'"),
        (["--size", "M=-4"], "T0008", "not a positive integer"),
        (["--plan", "stages=many"], "T0008", "not an integer"),
    ],
)
def test_options_that_do_not_fit_the_kernel(
    words: list[str], code: str, text: str, tmp_path: Path, capsys
):
    source = tmp_path / "copy.tile"
    source.write_text(KERNEL)
    assert main(["compile", str(source), *words]) == EXIT_DIAGNOSTICS
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"error[{code}]" in captured.err
    assert text in captured.err


def test_a_source_is_no_ir(tmp_path: Path, capsys):
    source = tmp_path / "copy.tile"
    source.write_text(KERNEL)
    assert main(["opt", str(source)]) == EXIT_DIAGNOSTICS
    hint = "hint: this is a source, not IR: use 'tilec compile' without --start-from"
    assert hint in capsys.readouterr().err


def test_several_kernels_need_a_choice(tmp_path: Path, capsys):
    source = tmp_path / "two.tile"
    source.write_text(KERNEL + "\n\n" + MATMUL)
    assert main(["compile", str(source)]) == EXIT_DIAGNOSTICS
    assert "--kernel: copy, multiply" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["missing.tile", "."])
def test_file_that_cannot_be_read(name: str, tmp_path: Path, capsys):
    assert main(["compile", str(tmp_path / name)]) == EXIT_DIAGNOSTICS
    assert "error[T0002]: cannot read" in capsys.readouterr().err


def test_output_that_cannot_be_written(tmp_path: Path, capsys):
    source = tmp_path / "copy.tile"
    source.write_text(KERNEL)
    target = tmp_path / "no" / "such" / "folder.mlir"
    words = ["compile", str(source), "--emit", "cuda_tile", "-o", str(target)]
    assert main(words) == EXIT_DIAGNOSTICS
    assert "error[T0004]: cannot write" in capsys.readouterr().err
    words = ["compile", str(source), "--emit", "cuda_tile", "--dump-ir", str(source / "dump")]
    assert main(words) == EXIT_DIAGNOSTICS
    assert "error[T0004]: cannot write" in capsys.readouterr().err
