"""`--debug-waits` from the source, or a dump, to the artifact and its package."""

from dataclasses import replace
from pathlib import Path

import pytest

from tilec.codegen.header import header_comment
from tilec.codegen.package import package_bytes, parse_package
from tilec.compiler.driver import compile_source, resume
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile, error

ROOT = Path(__file__).resolve().parents[1]
WITH_RINGS = ("matmul", "linear", "saxpy", "tma_load_walkthrough", "copy_4d")
WITHOUT_RING = SourceFile(
    "fill.tile",
    """
@kernel
def fill[N](A: f32[N]):
    i = grid(cdiv(N, 128))
    store(A, (i,), full((128,), 1.0, f32))
""",
)


def source(name: str) -> SourceFile:
    return SourceFile(f"{name}.tile", (ROOT / "examples" / f"{name}.tile").read_text())


def options(**changes) -> CompileOptions:
    return CompileOptions(debug_waits=True, **changes)


@pytest.fixture(scope="module")
def dumps(tmp_path_factory) -> Path:
    """The dumps of a debug build of the matmul example."""
    folder = tmp_path_factory.mktemp("debug")
    settings = options(run_ptxas=False, dump_directory=folder)
    compile_source(source("matmul"), options=settings)
    return folder


@pytest.fixture(scope="module")
def normal_dumps(tmp_path_factory) -> Path:
    """The dumps of a normal build of the same."""
    folder = tmp_path_factory.mktemp("normal")
    settings = CompileOptions(run_ptxas=False, dump_directory=folder)
    compile_source(source("matmul"), options=settings)
    return folder


def dump(folder: Path, name: str) -> SourceFile:
    (path,) = [*folder.glob(f"*-{name}.mlir"), *folder.glob(f"*.{name}")]
    return SourceFile(path.name, path.read_text())


@pytest.mark.parametrize("name", WITH_RINGS)
def test_examples_are_assembled_as_debug_builds(name):
    made = compile_source(source(name), options=options())
    (image,) = made.artifact.kernels
    assert image.cubin
    waits = image.metadata["debug_waits"]["waits"]
    assert [item.name for item in made.artifact.hidden_parameters] == ["debug_buffer"]
    assert image.ptx.count("mbarrier.test_wait") >= len(waits) > 0
    assert "mbarrier.try_wait" not in image.ptx
    assert ".local" not in image.ptx


def test_waits_for_partial_sums_have_a_limit():
    tile = {"BM": 128, "BN": 128, "BK": 64}
    chosen = Specialization(constants=tile, plan={"split_k": 4})
    (image,) = compile_source(source("matmul"), None, chosen, options()).artifact.kernels
    waits = image.metadata["debug_waits"]["waits"]
    assert [item["ring"] for item in waits if item["barrier"] == "partials"] == [-1]
    assert image.cubin
    assert ".local" not in image.ptx


def test_a_kernel_without_rings_needs_no_buffer():
    made = compile_source(WITHOUT_RING, options=options())
    normal = compile_source(WITHOUT_RING)
    assert made.artifact.hidden_parameters == ()
    assert made.artifact.kernels[0].metadata["debug_waits"]["waits"] == []
    assert made.artifact.kernels[0].ptx == normal.artifact.kernels[0].ptx


def test_the_table_says_what_each_wait_is_about():
    made = compile_source(source("matmul"), options=options(emit="nv_tileas"))
    text = made.module_text("nv_tileas")
    assert text.count("nv_tileas.debug_wait = ") == 2
    made = compile_source(source("matmul"), options=options(run_ptxas=False))
    producer, consumer = made.artifact.kernels[0].metadata["debug_waits"]["waits"]
    assert (producer["role"], producer["barrier"], producer["ring"]) == ("producer", "empty", 0)
    assert (consumer["role"], consumer["barrier"], consumer["ring"]) == ("consumer", "full", 0)
    assert (producer["first_thread"], consumer["first_thread"]) == (0, 128)
    for wait in (producer, consumer):
        file, line, column, *_ = wait["span"]
        assert file == "matmul.tile"
        assert wait["line"] == source("matmul").line(line)
        assert wait["line"][column - 1 :].startswith("load(")


def test_a_package_keeps_the_table_and_the_hidden_parameter():
    made = compile_source(source("matmul"), options=options(run_ptxas=False))
    (loaded,) = parse_package(package_bytes(made.artifact))
    assert loaded == made.artifact
    assert "12  debug_buffer  u64" in header_comment(loaded)


@pytest.mark.parametrize(
    ("name", "stage", "wanted"),
    [
        ("frontend", "cuda_tile", False),
        ("nv-tileas-verify-async-protocol", "nv_tileas", False),
        ("nv-tileas-verify-async-protocol", "nv_tileas", True),
        ("nv-tileas-debug-waits", "nv_tileas", True),
        ("convert-nv-tileas-to-llvm", "llvm", False),
        ("ll", "llvmir", True),
        ("ptx", "ptx", False),
    ],
)
def test_resumed_dumps_are_exact(dumps, name, stage, wanted):
    """A dump of a debug build gives a debug build, whether one is asked for or not."""
    expected = dump(dumps, "ptx").text
    settings = CompileOptions(start_from=stage, run_ptxas=False, debug_waits=wanted)
    made = resume(dump(dumps, name), settings)
    body = made.module_text("ptx").partition(".version")[2]
    assert body == expected.partition(".version")[2].partition("// tilec.kernel")[0]
    assert [item.name for item in made.artifact.hidden_parameters] == ["debug_buffer"]


def test_a_normal_dump_becomes_a_debug_build(dumps, normal_dumps):
    settings = options(start_from="nv_tileas", run_ptxas=False)
    made = resume(dump(normal_dumps, "nv-tileas-verify-async-protocol"), settings)
    expected = dump(dumps, "ptx").text.partition(".version")[2].partition("// tilec.kernel")[0]
    assert made.module_text("ptx").partition(".version")[2] == expected


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("nv-tileas-debug-waits", "nv_tileas"),
        ("convert-nv-tileas-to-llvm", "llvm"),
        ("ll", "llvmir"),
        ("ptx", "ptx"),
    ],
)
def test_a_dump_from_after_the_pass_is_refused(normal_dumps, name, stage):
    with pytest.raises(CompileError) as caught:
        resume(dump(normal_dumps, name), options(start_from=stage, run_ptxas=False))
    assert caught.value.diagnostics[0].code == "T0009"
    assert "--debug-waits is too late for" in str(caught.value)
    assert "hint: resume from the dump of the pass before it" in str(caught.value)


@pytest.mark.spills
def test_nobody_is_warned_of_spills_of_a_debug_build(monkeypatch):
    import tilec.codegen.ptxas

    real = tilec.codegen.ptxas.assemble

    def spilling(*arguments, **settings):
        return replace(real(*arguments, **settings), losses=(error("T0608", "it spills"),))

    monkeypatch.setattr(tilec.codegen.ptxas, "assemble", spilling)
    for asked, expected in ((options(), 0), (CompileOptions(), 1)):
        made = compile_source(source("tma_load_walkthrough"), options=asked)
        assert len([item for item in made.remarks if item.code == "T0608"]) == expected
