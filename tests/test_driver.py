"""The driver: stages on demand, resuming, dumps, and what becomes of failures."""

import json

import pytest

from tilec.compiler.compilation import Stopwatch, format_timings
from tilec.compiler.driver import compile_source, resume
from tilec.compiler.dumps import metadata_comment, split_metadata_comment
from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.passes import load_pass, registry
from tilec.passes.registry import PassContext
from tilec.passes.runner import check_pass_name, run_pass
from tilec.request.options import CompileOptions
from tilec.request.specialization import ArraySpec, Specialization
from tilec.request.stages import STAGE_NAMES, STAGES
from tilec.support.diagnostics import CompileError, InternalCompilerError, SourceFile

SOURCE = SourceFile(
    "copy.tile",
    """\
@kernel
def copy[N](A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 128))
    store(B, (i,), load(A, (i,), (128,)))
""",
)
FACTS = Specialization(arrays={name: ArraySpec("f32", (1,)) for name in "AB"})


def _compile(emit: str, **options):
    return compile_source(SOURCE, "copy", FACTS, CompileOptions(emit=emit, **options))


@pytest.fixture(scope="module")
def compiled():
    return _compile("ptx")


def test_every_stage_has_its_text(compiled):
    for stage in STAGE_NAMES:
        last = next(item for item in STAGES if item.name == stage).passes[-1]
        assert f'tilec.after = "{last}"' in compiled.module_text(stage)
    assert "define ptx_kernel void @copy" in compiled.module_text("llvmir")
    assert ".entry copy" in compiled.module_text("ptx")
    with pytest.raises(KeyError):
        compiled.module_text("sass")


def test_artifact_carries_what_a_launch_needs(compiled):
    (image,) = compiled.artifact.kernels
    assert image.name == "copy"
    assert image.registers == compiled.assembly.registers > 0
    assert image.cubin == compiled.assembly.cubin
    assert image.metadata["grid"] == ["cdiv(N, 128)"]
    assert not image.ptx.startswith("// ---")


def test_every_step_is_timed(compiled):
    steps = [(item.stage, item.step) for item in compiled.timings]
    passes = [(stage.name, name) for stage in STAGES for name in stage.passes]
    assert [step for step in steps if step in passes] == passes
    assert all(item.seconds >= 0 for item in compiled.timings)
    table = format_timings(compiled.timings).splitlines()
    assert table[0].split() == ["stage", "step", "ops", "ms"]
    assert table[-1].startswith("total")


def test_nothing_runs_beyond_what_was_asked_for():
    result = _compile("nv_tileaa")
    assert list(result.snapshots) == ["cuda_tile", "nv_tileaa"]
    assert result.artifact is None
    assert result.resource_usage() == ""


def test_ptxas_can_be_left_out():
    result = _compile("ptx", run_ptxas=False)
    assert result.assembly is None
    assert result.artifact.kernels[0].cubin == b""


def test_dump_resumes_after_the_pass_that_wrote_it(tmp_path, compiled):
    _compile("llvm", dump_directory=tmp_path)
    dump = next(tmp_path.glob("*-nv-tileaa-infer-facts.mlir"))
    source = SourceFile(dump.name, dump.read_text())
    result = resume(source, CompileOptions(emit="ptx", start_from="nv_tileaa"))
    assert result.module_text("ptx") == compiled.module_text("ptx")
    steps = [item.step for item in result.timings if item.stage == "nv_tileaa"]
    assert steps[:2] == ["parse dump", "nv-tileaa-fold-transpose"]


def test_plan_is_dumped(tmp_path):
    _compile("ptx", dump_directory=tmp_path)
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["name"] == "copy"
    assert plan["block_threads"] > 0


def test_the_plan_of_a_product_lists_the_runners_up(tmp_path, examples):
    source = SourceFile("matmul.tile", (examples / "matmul.tile").read_text())
    wanted = Specialization(sizes=dict.fromkeys("MNK", 4096), dtypes={"T": "bf16"})
    options = CompileOptions(emit="plan", dump_directory=tmp_path, run_ptxas=False)
    result = compile_source(source, "matmul", wanted, options)
    dumped = (tmp_path / "plan.json").read_text()
    assert result.module_text("plan") == dumped
    plan = json.loads(dumped)
    assert plan["constants"] == {"BM": 128, "BN": 256, "BK": 64}
    assert len(plan["tile_candidates"]) == 5
    rows, columns, _ = plan["cluster"]
    assert plan["tile_candidates"][0].startswith(f"128x256x64 in {rows}x{columns}: ")
    assert "runners-up: " in plan["tile_reasons"][0]
    assert any(reason.startswith(f"stages = {plan['stages']} ") for reason in plan["reasons"])


def test_dump_of_another_stage_is_refused(compiled):
    source = SourceFile("dump.mlir", compiled.module_text("nv_tileas"))
    with pytest.raises(CompileError, match="T0009") as caught:
        resume(source, CompileOptions(emit="ptx", start_from="nv_tileaa"))
    assert caught.value.diagnostics[0].hint == "use --start-from with one of: nv_tileas"


def test_emitted_llvm_ir_can_be_resumed(compiled):
    source = SourceFile("copy.ll", compiled.module_text("llvmir"))
    result = resume(source, CompileOptions(emit="ptx", start_from="llvmir"))
    assert (
        result.module_text("ptx").partition(".version")[2]
        == (compiled.module_text("ptx").partition(".version")[2])
    )


@pytest.mark.parametrize(("stage", "text"), [("llvmir", "; nothing\n"), ("ptx", ".version 8.0\n")])
def test_text_without_metadata_is_refused(stage, text):
    with pytest.raises(CompileError, match="T0009"):
        resume(SourceFile("dump", text), CompileOptions(emit="ptx", start_from=stage))


def test_ir_without_a_kernel_is_refused():
    source = SourceFile("empty.mlir", "module {\n}\n")
    with pytest.raises(CompileError, match=r"T0009.*tilec\.kernel"):
        resume(source, CompileOptions(emit="ptx", start_from="nv_tileaa"))


def test_metadata_survives_as_a_comment():
    metadata = {"name": "k", "text": "a; b // c", "list": [1, True, 2.5]}
    for marker in (";", "//"):
        text = "first\n" + metadata_comment(metadata, marker) + "last\n"
        assert split_metadata_comment(text) == (metadata, "first\nlast\n")
    assert split_metadata_comment("x\n") == (None, "x\n")


def _module(text: str):
    return parse_module(text, make_context(), "t.mlir")


FUNCTION = "func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  return %0 : i32\n}\n"


@pytest.fixture
def use_as_pass(monkeypatch):
    """Return a function that registers a pass for the length of the test."""

    def register(function):
        entry = registry.RegisteredPass("test-pass", "", function)
        monkeypatch.setitem(registry._PASSES, "test-pass", entry)

    return register


def test_exception_in_a_pass_names_the_operation(use_as_pass):
    def explode(module, context):
        op = module.body.operations[0].regions[0].blocks[0].operations[0]
        raise ZeroDivisionError(str(op.name))

    use_as_pass(explode)
    with pytest.raises(InternalCompilerError) as caught:
        run_pass(_module(FUNCTION), "test-pass", PassContext())
    assert (caught.value.pass_name, caught.value.op) == ("test-pass", "arith.addi")


def test_pass_that_leaves_invalid_ir_is_an_internal_error(use_as_pass):
    def spoil(module, context):
        function = module.body.operations[0]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([], []))

    use_as_pass(spoil)
    with pytest.raises(InternalCompilerError, match="left invalid IR") as caught:
        run_pass(_module(FUNCTION), "test-pass", PassContext())
    assert caught.value.op == "func.func"


def test_emitted_error_fails_the_pass(use_as_pass):
    def complain(module, context):
        module.body.operations[0].location.emit_error("not like this")

    use_as_pass(complain)
    source = SourceFile("t.mlir", FUNCTION)
    with pytest.raises(CompileError) as caught:
        run_pass(_module(FUNCTION), "test-pass", PassContext(), [source])
    assert str(caught.value).splitlines()[0] == "t.mlir:1:1: error[T0501]: not like this"


def test_errors_of_a_pass_quote_the_source(use_as_pass):
    from tilec.support.diagnostics import SourceSpan, error

    def reject(module, context):
        raise CompileError(error("T0501", "no", SourceSpan("t.mlir", 2, 3, 2, 5)))

    use_as_pass(reject)
    with pytest.raises(CompileError) as caught:
        run_pass(_module(FUNCTION), "test-pass", PassContext(), [SourceFile("t.mlir", FUNCTION)])
    assert "  %0 = arith.addi" in str(caught.value)


def test_failure_outside_a_pass_names_the_step():
    watch = Stopwatch()
    with pytest.raises(InternalCompilerError) as caught, watch.step("stage", "step"):
        raise KeyError("x")
    assert caught.value.pass_name == "stage: step"
    assert [item.step for item in watch.timings] == ["step"]


def test_unknown_pass_is_refused():
    context = make_context()
    check_pass_name("cse", context)
    check_pass_name("func.func(canonicalize{max-iterations=2})", context)
    with pytest.raises(CompileError, match="T0005"):
        check_pass_name("no-such-pass", context)
    assert load_pass("no-such-pass") is None


def test_unknown_target_is_refused():
    with pytest.raises(CompileError, match="T0001"):
        _compile("ptx", target="sm_12")


def test_spans_of_locations():
    from tilec.ir.errors import source_span

    with make_context():
        inner = ir.Location.file("a.tile", 2, 3, 2, 9)
        outer = ir.Location.file("b.tile", 7, 1)
        span = source_span(inner)
        assert span is not None
        assert (str(span), span.end_column) == ("a.tile:2:3", 9)
        assert str(source_span(ir.Location.name("acc", inner))) == "a.tile:2:3"
        assert str(source_span(ir.Location.callsite(inner, [outer]))) == "a.tile:2:3"
        assert str(source_span(ir.Location.fused([ir.Location.unknown(), outer]))) == "b.tile:7:1"
        assert source_span(ir.Location.unknown()) is None
        span = source_span(outer)
        assert span is not None
        assert span.end_column == 2
