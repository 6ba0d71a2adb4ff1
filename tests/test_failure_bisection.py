"""A pass that fails is named, with what it began with, though stages run without a break."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.ir.walks import walk_operations
from tilec.passes import load_pass, registry
from tilec.passes.analysis.kernels import function_body, kernel_functions
from tilec.passes.analysis.protocol import check
from tilec.passes.analysis.protocol.events import Violation
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import CompileError, InternalCompilerError, SourceFile, error

SPOILED = "nv-tileas-fence-reads"
CHECK = "nv-tileas-verify-async-protocol"


@pytest.fixture
def compile_matmul(examples, tmp_path, monkeypatch):
    """Return a function that compiles a product; reproducers go to `tmp_path`."""
    monkeypatch.setenv("TILEC_REPRODUCER_DIR", str(tmp_path))
    source = SourceFile("matmul.tile", (examples / "matmul.tile").read_text())
    return lambda: compile_source(source, options=CompileOptions(emit="ptx", run_ptxas=False))


def _blamed(compile_, tmp_path, name):
    """Compile and return the text of the reproducer, which names `name`."""
    with pytest.raises(InternalCompilerError) as caught:
        compile_()
    assert caught.value.pass_name == name
    (reproducer,) = tmp_path.glob("*.mlir")
    assert caught.value.__notes__ == [f"reproducer: {reproducer}"]
    text = reproducer.read_text()
    assert f"--passes {name} " in text.splitlines()[0]
    return text


def test_a_pass_that_leaves_something_invalid_is_named(compile_matmul, tmp_path, monkeypatch):
    def spoil(module, context):
        (function,) = kernel_functions(module)
        ops = walk_operations(function_body(function))
        ring = next(op for op in ops if op.name == "nv_tileas.create_ring")
        del ring.attributes["stages"]

    load_pass(SPOILED)
    entry = registry.RegisteredPass(SPOILED, "", spoil)
    monkeypatch.setitem(registry._PASSES, SPOILED, entry)
    text = _blamed(compile_matmul, tmp_path, SPOILED)
    assert "left invalid IR" in text
    assert text.count("stages = ") >= 1  # from before the pass


@pytest.mark.parametrize("llvm_fails", [False, True])
def test_what_a_check_that_overlaps_llvm_finds_comes_first(
    compile_matmul, tmp_path, monkeypatch, llvm_fails
):
    def fail(*_, **__):
        raise CompileError(error("T0603", "LLVM rejects the LLVM IR"))

    check._cached_check.cache_clear()
    found = Violation("matmul.tile:1:1", "a slot is filled twice")
    monkeypatch.setattr(check, "check_protocol", lambda _: found)
    if llvm_fails:
        monkeypatch.setattr("tilec.codegen.ptx.emit_ptx", fail)
    try:
        text = _blamed(compile_matmul, tmp_path, CHECK)
    finally:
        check._cached_check.cache_clear()
    assert "matmul.tile:1:1: a slot is filled twice" in text
    assert "nv_tileas.create_ring" in text


def test_a_failure_that_does_not_come_back_is_reported(compile_matmul, tmp_path, monkeypatch):
    runs = []

    def explode_once(module, context):
        runs.append(None)
        if len(runs) == 1:
            raise RuntimeError("boom")

    load_pass(SPOILED)
    entry = registry.RegisteredPass(SPOILED, "", explode_once)
    monkeypatch.setitem(registry._PASSES, SPOILED, entry)
    with pytest.raises(InternalCompilerError, match="boom") as caught:
        compile_matmul()
    assert caught.value.pass_name == SPOILED
    assert len(runs) == 2
    assert not list(tmp_path.iterdir())
