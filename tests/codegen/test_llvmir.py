"""Translation of the llvm stage to text, and its re-spelling."""

import llvmlite.binding as llvm
import pytest

from tilec.codegen.llvmir import downlevel, translate
from tilec.ir.bindings import ir
from tilec.support.diagnostics import CompileError

EVERYWHERE = """
llvm.func @k(%x: f32, %c: i1, %p: !llvm.ptr) -> f32 {
  %a = llvm.mlir.constant(0.1 : f32) : f32
  %b = llvm.mlir.constant(dense<[0.1, 0x7FC00000, -3.0, 1.0]> : vector<4xf32>) : vector<4xf32>
  %s = llvm.mlir.constant(dense<0.1> : vector<4xf32>) : vector<4xf32>
  %h = llvm.mlir.constant(dense<[0.1, 0.2]> : tensor<2xf16>) : !llvm.array<2 x f16>
  llvm.store %b, %p : vector<4xf32>, !llvm.ptr
  llvm.store %s, %p : vector<4xf32>, !llvm.ptr
  llvm.store %h, %p : !llvm.array<2 x f16>, !llvm.ptr
  %y = llvm.fadd %x, %a {fastmathFlags = #llvm.fastmath<nnan, ninf>} : f32
  %q = llvm.select %c, %a, %y : i1, f32
  %r = llvm.fcmp "olt" %a, %x : f32
  llvm.cond_br %r, ^b(%a : f32), ^b(%q : f32)
^b(%w: f32):
  llvm.return %w : f32
}
"""


def translated(text, **options):
    with ir.Context():
        return translate(ir.Module.parse(text), **options)


def test_literals_in_every_place_are_read_by_the_older_llvm():
    text = translated(EVERYWHERE)
    llvm.parse_assembly(text, llvm.create_context()).verify()
    assert "<float 0x3FB99999A0000000, float 0x7FF8000000000000, float -3.0" in text
    assert "splat (float 0x3FB99999A0000000)" in text
    assert "[half 0xH2E66, half 0xH3266]" in text
    assert "fadd nnan ninf float %0, 0x3FB99999A0000000" in text
    assert "phi float" in text


def test_integers_of_64_bits_are_accessed_whole():
    text = translated("""
llvm.func @k(%x: i64, %p: !llvm.ptr<1>, %q: !llvm.ptr<3>) {
  llvm.store %x, %p : i64, !llvm.ptr<1>
  %y = llvm.load %q : !llvm.ptr<3> -> i64
  llvm.store %y, %p {alignment = 4 : i64} : i64, !llvm.ptr<1>
  llvm.return
}
""")
    assert "store i64 %0, ptr addrspace(1) %1, align 8" in text
    assert "load i64, ptr addrspace(3) %2, align 8" in text
    assert "store i64 %4, ptr addrspace(1) %1, align 4" in text


def test_the_module_is_not_changed():
    with ir.Context():
        module = ir.Module.parse(EVERYWHERE)
        before = str(module)
        translate(module, lineinfo=True)
        assert str(module) == before


@pytest.mark.parametrize(
    "line",
    [
        '  %1 = call float asm sideeffect "mul 0.1 -inf", "=f"() convergent',
        "  %f = fadd float %1, %2 ; about 0.1",
        '@s = constant [9 x i8] c"float 0.1"',
        "  %1 = call float @f.0.1(float nofpclass(nan inf) %0)",
        "  br label %0.1",
        '!1 = !{!"float 0.1"}',
        "  %1 = add i32 %0, -1",
    ],
)
def test_what_is_no_literal_stays(line):
    assert downlevel(line) == line


def test_a_literal_after_a_string_keeps_its_type():
    line = '  %1 = call half asm sideeffect "x 0.1", "=h,h"(half 9.997550e-02) #1'
    assert downlevel(line) == (
        '  %1 = call half asm sideeffect "x 0.1", "=h,h"(half 0xH2E66) convergent #1'
    )


def test_assembly_with_side_effects_is_convergent():
    text = translated(
        """
        llvm.func @k(%x: f32) {
          llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 0;", "~{memory}" : () -> ()
          %y = llvm.inline_asm asm_dialect = att "neg.f32 $0, $1;", "=f,f" %x : (f32) -> f32
          llvm.return
        }
        """
    )
    assert 'asm sideeffect "bar.sync 0;", "~{memory}"() convergent' in text
    assert text.count("convergent") == 1
    module = llvm.parse_assembly(text, llvm.create_context())
    assert "convergent" in str(module)


def test_mentioning_assembly_in_a_string_is_no_assembly():
    line = '@s = constant [20 x i8] c" asm sideeffect (x) "'
    assert downlevel(line) == line


def test_line_information_on_request():
    source = """
    llvm.func @k(%x: f32, %p: !llvm.ptr) {
      llvm.store %x, %p : f32, !llvm.ptr loc("examples/k.tile":4:5 to :9)
      llvm.return loc("examples/k.tile":5:5)
    } loc("examples/k.tile":1:1)
    """
    assert "DILocation(line: 4, column: 5" in translated(source, lineinfo=True)
    assert "DILocation" not in translated(source)


def test_an_illegal_module_is_an_error():
    with pytest.raises(CompileError, match=r"func\.func"):
        translated("func.func @f() { return }")
