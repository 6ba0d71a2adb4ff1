"""`tilec run --input` and `--output`: arrays in .npy files."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, main

KERNEL = """\
@kernel
def scale[M, N](A: T[M, N], B: T[M, N], alpha: f32, *, T: dtype):
    i, j = grid(cdiv(M, 16), cdiv(N, 16))
    a = load(A, (i, j), (16, 16))
    store(B, (i, j), cast(alpha * cast(a, f32), T))
"""
FIXED = """\
@kernel
def copy(A: f32[4, _], B: f32[4, _]):
    i = grid(1)
    store(B, (i, 0), load(A, (i, 0), (4, 8)))
"""
PARTIAL = """\
@kernel
def first[N](A: f32[N], B: f32[N]):
    i = grid(1)
    store(B, (i,), load(A, (i,), (16,)))
"""


class Runner:
    """Runs `tilec run` on the CPU reference in a folder of its own."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        self.source = folder / "kernel.tile"
        self.source.write_text(text)

    def save(self, name: str, array: np.ndarray) -> Path:
        np.save(self.folder / name, array)
        return self.folder / name

    def __call__(self, *words: object) -> int:
        return main(["run", str(self.source), "--device", "cpu", *map(str, words)])


@pytest.fixture
def run(tmp_path):
    return Runner(tmp_path, KERNEL)


def values(dtype) -> np.ndarray:
    return (np.arange(20 * 24) % 7 - 3).reshape(20, 24).astype(dtype)


@pytest.mark.parametrize("dtype", ["f32", "f16", "f64"])
def test_a_file_gives_values_sizes_and_the_element_type(run, tmp_path, capsys, dtype):
    stored = {"f32": np.float32, "f16": np.float16, "f64": np.float64}[dtype]
    source, target = run.save("a.npy", values(stored)), tmp_path / "b.npy"
    assert run("--input", f"A={source}", "-D", "alpha=2", "--output", f"B={target}") == EXIT_OK
    assert capsys.readouterr().out.startswith(f"scale: M=20, N=24, T={dtype}\n")
    result = np.load(target)
    assert result.dtype == stored
    assert np.array_equal(result, 2 * values(stored))


@pytest.mark.parametrize("layout", ["col", "odd"])
def test_the_layout_of_the_argument_is_not_that_of_the_file(run, tmp_path, layout):
    source = run.save("a.npy", np.asfortranarray(values(">f4")))
    files = ("--input", f"A={source}", "--output", f"B={tmp_path / 'b.npy'}")
    assert run(*files, "--layout", f"A={layout}", "-D", "alpha=1") == EXIT_OK
    assert np.array_equal(np.load(tmp_path / "b.npy"), values(np.float32))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("bf16", ml_dtypes.bfloat16),
        ("f8e4m3", ml_dtypes.float8_e4m3fn),
        ("f8e5m2", ml_dtypes.float8_e5m2),
    ],
)
def test_types_that_numpy_lacks_are_stored_as_float32(run, tmp_path, name, dtype):
    exact = np.linspace(-4, 4, 20 * 24, dtype=np.float32).reshape(20, 24)
    rounded = exact.astype(dtype)
    target = tmp_path / "b.npy"
    words = ("-D", f"T={name}", "-D", "alpha=1", "--output", f"B={target}")
    raw = rounded.view(f"V{rounded.itemsize}")
    for source in (run.save("f.npy", exact), run.save("raw.npy", raw)):
        assert run("--input", f"A={source}", *words) == EXIT_OK
        result = np.load(target)
        assert result.dtype == np.float32
        assert np.array_equal(result, rounded.astype(np.float32))
    assert not np.array_equal(rounded.astype(np.float32), exact)
    assert run("--input", f"A={target}", *words) == EXIT_OK  # an output is an input, unchanged
    assert np.array_equal(np.load(target), result)


def test_what_numpy_cannot_read_back_has_a_way_out(run, capsys):
    source = run.save("a.npy", values(ml_dtypes.float8_e5m2))
    assert run("--input", f"A={source}", "-D", "T=f8e5m2", "-D", "alpha=1") == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert "error[T0020]" in message
    assert "store bf16 and 8-bit floats as float32" in message


def test_raw_bf16_elements_give_the_element_type(run, capsys):
    source = run.save("a.npy", values(ml_dtypes.bfloat16))
    assert run("--input", f"A={source}", "-D", "alpha=1") == EXIT_OK
    assert "T=bf16" in capsys.readouterr().out


def test_an_array_that_is_only_written_keeps_what_its_file_gave(tmp_path):
    run = Runner(tmp_path, PARTIAL)
    sources = [
        run.save(f"{name}.npy", np.full(40, number, np.float32))
        for name, number in (("a", 1), ("b", 5))
    ]
    files = ("--input", f"A={sources[0]}", "--input", f"B={sources[1]}")
    assert run(*files, "--output", f"B={tmp_path / 'out.npy'}") == EXIT_OK
    assert np.load(tmp_path / "out.npy").tolist() == [1] * 16 + [5] * 24


def test_the_check_uses_the_values_of_the_files(run, tmp_path, capsys):
    run.source.with_suffix(".py").write_text(
        "SIZES = {'M': 3, 'N': 5}\ndef reference(A, alpha):\n    return {'B': alpha * A}\n"
    )
    source = run.save("a.npy", values(np.float32))
    assert run("--input", f"A={source}", "-D", "alpha=3", "--check") == EXIT_OK
    assert "scale: M=20, N=24" in capsys.readouterr().out


BAD = {
    "wrong rank": ("a", np.zeros(20, np.float32), (), "T0704", "rank 1, but A has 2"),
    "another size": ("a", values(np.float32), ("--size", "M=32"), "T0705", "--size M=32"),
    "wrong type": ("a", values(np.float32), ("-D", "T=f16"), "T0703", "holds float32, but A has"),
    "integers": ("a", values(np.int64), ("-D", "T=bf16"), "T0703", "astype(np.float32)"),
}


@pytest.mark.parametrize("case", BAD)
def test_files_that_do_not_fit(run, capsys, case):
    name, array, words, code, text = BAD[case]
    source = run.save(f"{name}.npy", array)
    assert run("--input", f"A={source}", "-D", "alpha=1", *words) == EXIT_DIAGNOSTICS
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"kernel.tile:2:17: error[{code}]: --input: " in captured.err
    assert text in captured.err
    assert "    def scale" not in captured.err
    assert "  def scale[M, N](A: T[M, N]" in captured.err


def test_two_files_must_agree(run, capsys):
    first, second = run.save("a.npy", values("f4")), run.save("b.npy", values("f4")[:8])
    assert run("--input", f"A={first}", "--input", f"B={second}") == EXIT_DIAGNOSTICS
    message = f"B.shape[0] in {second} is 8, but M is 20 by A.shape[0] in {first}"
    assert message in capsys.readouterr().err


def test_fixed_and_anonymous_extents(tmp_path, capsys):
    run = Runner(tmp_path, FIXED)
    good = run.save("a.npy", np.ones((4, 8), np.float32))
    target = tmp_path / "b.npy"
    words = ("--size", "B.shape[1]=8", "--output", f"B={target}")
    assert run("--input", f"A={good}", *words) == EXIT_OK
    assert np.load(target).shape == (4, 8)
    bad = run.save("a.npy", np.ones((5, 8), np.float32))
    assert run("--input", f"A={bad}", *words) == EXIT_DIAGNOSTICS
    assert "is 5, but the kernel declares 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("--input", "Q=a.npy"), "T0007", "its arrays: A, B"),
        (("--input", "alpha=a.npy"), "T0007", "give its value with -D alpha="),
        (("--output", "Q=a.npy"), "T0007", "scale has no array called 'Q'"),
        (("--input", "A"), "T0008", "NAME=VALUE"),
        (("--input", "A=no.npy"), "T0002", "cannot read 'no.npy'"),
        (("--output", "A=x.npy", "--output", "A=y.npy"), "T0008", "given twice: x.npy and y.npy"),
        (("--size", "M=4,N=4", "--output", "B=no/b.npy"), "T0004", "cannot write 'no/b.npy'"),
    ],
)
def test_wrong_options(run, capsys, words, code, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*words) == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert f"error[{code}]" in message
    assert text in message


@pytest.mark.parametrize("data", [b"", b"text", b"\x93NUMPY\x01\x00\xff\xffgarbage"])
def test_what_is_no_npy_file(run, tmp_path, capsys, data):
    (tmp_path / "a.npy").write_bytes(data)
    assert run("--input", f"A={tmp_path / 'a.npy'}") == EXIT_DIAGNOSTICS
    assert "error[T0020]" in capsys.readouterr().err


def test_pickled_objects_are_refused(run, tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.array([{}], object), allow_pickle=True)
    assert run("--input", f"A={tmp_path / 'a.npy'}") == EXIT_DIAGNOSTICS
    assert "error[T0020]" in capsys.readouterr().err
