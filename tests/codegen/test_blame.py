"""ptxas complains about PTX lines; users see source lines."""

import pytest

from tilec.codegen.llvmir import translate
from tilec.codegen.ptx import emit_ptx
from tilec.codegen.ptxas import assemble
from tilec.codegen.ptxas_locations import with_reasons, with_source_lines
from tilec.ir.bindings import ir
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError, error, remark

TARGET = get_target("sm_90a")
WITHOUT_WAIT = """
llvm.func @k(%out: !llvm.ptr<1>, %a: i64, %x: f32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32} {
  %0 = llvm.inline_asm has_side_effects asm_dialect = att
    "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $8, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;",
    "=f,=f,=f,=f,0,1,2,3,l,~{memory}" %x, %x, %x, %x, %a
    : (f32, f32, f32, f32, i64) -> !llvm.struct<(f32, f32, f32, f32)> loc("matmul.tile":5:5)
  %1 = llvm.extractvalue %0[0] : !llvm.struct<(f32, f32, f32, f32)> loc("matmul.tile":7:5)
  llvm.store %1, %out : f32, !llvm.ptr<1> loc("matmul.tile":7:5)
  llvm.return loc("matmul.tile":8:5)
} loc("matmul.tile":1:1)
"""  # noqa: E501 - one instruction


@pytest.fixture
def module():
    with ir.Context():
        yield ir.Module.parse(WITHOUT_WAIT)


def fail(module):
    with pytest.raises(CompileError) as caught:
        assemble(emit_ptx(translate(module), TARGET), TARGET)
    return caught.value


def test_the_source_line_is_found(module):
    failure = fail(module)
    assert failure.diagnostics[0].span is None
    located = with_source_lines(failure, module, TARGET)
    assert str(located.diagnostics[0].span) == "matmul.tile:7:5"
    assert located.diagnostics[0].code == "T0609"
    assert with_source_lines(located, module, TARGET) is located


def test_other_errors_stay(module):
    failure = CompileError(error("T0605", "libdevice is missing"))
    assert with_source_lines(failure, module, TARGET) is failure


def test_an_error_that_does_not_come_back_stays(module):
    failure = CompileError(error("T0607", "ptxas: a bad day"))
    module.body.operations[0].erase()
    assert with_source_lines(failure, module, TARGET) is failure


SPILL = CompileError(error("T0608", "a thread spills 8 bytes"))
LOST = remark("T0522", "load of 'X' does not use TMA: no room")


def test_an_error_about_registers_says_what_takes_them():
    explained = with_reasons(SPILL, [remark("T0431", "stages = 4"), LOST])
    (item,) = explained.diagnostics
    assert [note.message for note in item.notes] == ["load of 'X' does not use TMA: no room"]


def test_other_errors_need_no_such_reason():
    rejected = CompileError(error("T0607", "ptxas: a bad day"))
    assert with_reasons(rejected, [LOST]) is rejected
    assert with_reasons(SPILL, []) is SPILL
