"""The kernel cache of `tilec compile`: what is taken from it, and what never is."""

from pathlib import Path

import pytest

import tilec
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, main
from tilec.compiler import driver
from tilec.runtime.cache import DiskCache

KERNEL = """\
@kernel
def copy[N](A: f32[N], B: f32[N], BLOCK: const = 64):
    i = grid(cdiv(N, BLOCK))
    store(B, (i,), load(A, (i,), (BLOCK,)))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """Use a private cache."""
    monkeypatch.setenv("TILEC_CACHE", "1")
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compiles(monkeypatch):
    """Count the passes over MLIR: a list with the name of each kernel that was compiled."""
    made = []
    real = driver._Steps.compile

    def counting(steps, kernel, specialization):
        made.append(kernel)
        return real(steps, kernel, specialization)

    monkeypatch.setattr(driver._Steps, "compile", counting)
    return made


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "copy.tile"
    path.write_text(KERNEL)
    return path


class Command:
    """Runs `tilec compile` on one file and returns what it wrote."""

    def __init__(self, source: Path, output: Path, capsys) -> None:
        self.source, self.output, self.capsys = source, output, capsys

    def __call__(self, *words: str) -> tuple[bytes, str]:
        assert main(["compile", str(self.source), "-o", str(self.output), *words]) == EXIT_OK
        return self.output.read_bytes(), self.capsys.readouterr().err


@pytest.fixture
def command(source, tmp_path, capsys) -> Command:
    return Command(source, tmp_path / "out", capsys)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.tilecache"))


@pytest.mark.parametrize("emit", ["ptx", "cubin", "sass", "plan", "package"])
def test_the_second_compile_is_a_hit_with_the_same_result(command, compiles, emit):
    first = command("--emit", emit, "--remarks")
    assert compiles == ["copy"]
    assert command("--emit", emit, "--remarks") == first
    assert compiles == ["copy"]
    assert "remark[T0431]" in first[1]


def test_one_entry_serves_all_that_is_made_of_the_ptx(command, compiles, folder):
    for emit in ("package", "plan", "ptx", "cubin"):
        command("--emit", emit)
    assert compiles == ["copy"]
    assert len(entries(folder)) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("-D", "BLOCK=128"),
        ("--size", "N=4096"),
        ("--lineinfo",),
        ("--no-ptxas",),
        ("--allow-spills",),
        ("--debug-waits",),
        ("--no-assume", "aligned"),
        ("--layout", "A=any"),
        ("--assume", "N % 64 == 0"),
        ("--plan", "worker_warps=8"),
    ],
)
def test_every_option_that_matters_is_in_the_key(command, compiles, words):
    usual, other = command(), command(*words)
    assert len(compiles) == 2
    assert command(*words) == other
    assert command() == usual
    assert len(compiles) == 2


def test_an_edit_is_a_miss(command, compiles, source):
    before, _ = command()
    source.write_text(KERNEL.replace("const = 64", "const = 128"))
    after, _ = command()
    assert len(compiles) == 2
    assert before != after


def test_an_edit_of_an_imported_file_is_a_miss(command, compiles, source):
    helper = source.with_name("sizes.tile")
    helper.write_text("UNIT = 64\n")
    source.write_text("from sizes import UNIT\n" + KERNEL.replace("const = 64", "const = UNIT"))
    before, _ = command()
    assert (command()[0], len(compiles)) == (before, 1)
    helper.write_text("UNIT = 128\n")
    after, _ = command()
    assert len(compiles) == 2
    assert before != after


def test_code_that_ptxas_has_not_seen_makes_no_cubin(command, compiles):
    command("--no-ptxas")
    cubin, _ = command("--no-ptxas", "--emit", "cubin")
    assert cubin.startswith(b"\x7fELF")
    assert len(compiles) == 2


def test_a_damaged_entry_is_compiled_again(command, compiles, folder):
    first = command()
    (entry,) = entries(folder)
    whole = entry.read_bytes()
    for damaged in (b"", whole[:40], whole[:-1], whole.replace(b"copy", b"Copy")):
        entry.write_bytes(damaged)
        assert command() == first
        assert entry.read_bytes() == whole
    assert len(compiles) == 5


def test_an_intact_file_that_holds_no_entry_is_compiled_again(command, compiles, folder):
    first = command()
    (entry,) = entries(folder)
    DiskCache().write(entry.stem, b"no entry")
    assert command() == first
    assert len(compiles) == 2


@pytest.mark.parametrize("how", ["option", "variable"])
def test_the_cache_can_be_turned_off(command, compiles, folder, how, monkeypatch):
    words = ("--no-cache",) if how == "option" else ()
    if how == "variable":
        monkeypatch.setenv("TILEC_CACHE", "0")
    first = command(*words)
    assert command(*words) == first
    assert len(compiles) == 2
    assert entries(folder) == []


@pytest.mark.parametrize(
    "words",
    [
        ("--timing",),
        ("--print-ir-after", "cse"),
        ("--dump-ir", "dump"),
        ("--emit", "nv_tileas"),
        ("--emit", "llvmir"),
    ],
)
def test_what_shows_the_compilation_compiles(command, compiles, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command()
    command(*words)
    command(*words)
    assert len(compiles) == 3


def test_a_failed_compilation_is_not_stored(source, compiles, folder, capsys):
    words = ["compile", str(source), "-D", "BLOCK=48"]
    for _ in range(2):
        assert main(words) == EXIT_DIAGNOSTICS
    assert "T0303" in capsys.readouterr().err
    assert len(compiles) == 2
    assert entries(folder) == []


def test_code_that_could_not_be_checked_is_not_stored(command, compiles, folder, monkeypatch):
    from tilec.codegen import tools

    with monkeypatch.context() as patch:
        patch.setattr(tools, "find_tool", lambda name: None)
        command()
    assert entries(folder) == []
    command()
    assert len(compiles) == 2
    assert len(entries(folder)) == 1


def test_the_python_api_uses_the_same_folder_and_switch(source, compiles, folder, monkeypatch):
    import numpy as np

    arrays = [np.zeros(256, np.float32) for _ in range(2)]
    for count in (1, 1):
        tilec.load(source).copy.compile(*arrays)
        assert len(compiles) == count
    assert len(entries(folder)) == 1
    monkeypatch.setenv("TILEC_CACHE", "0")
    tilec.load(source).copy.compile(*arrays)
    assert len(compiles) == 2


def test_a_hit_loads_no_mlir(run_tilec, source, folder):
    environment = {"TILEC_CACHE": "1", "TILEC_CACHE_DIR": str(folder)}
    first = run_tilec("compile", source, env=environment)
    watched = {**environment, "PYTHONVERBOSE": "1"}
    second = run_tilec("compile", source, env=watched)
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    assert "import 'tilec.runtime.cache'" in second.stderr
    assert "_mlir_libs" not in second.stderr
    assert "import 'llvmlite" not in second.stderr
