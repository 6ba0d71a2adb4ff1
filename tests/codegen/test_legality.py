"""What must not reach LLVM is found before, named, and placed."""

import pytest

from tilec.codegen.legality import check_legality
from tilec.codegen.supported import (
    LIBDEVICE_FUNCTIONS,
    is_known_intrinsic,
    split_intrinsic,
)
from tilec.ir.bindings import ir
from tilec.support.diagnostics import CompileError, Diagnostic


def kernel(body, arguments="%x: f32"):
    return f"llvm.func @k({arguments}) attributes {{nvvm.kernel}} {{\n{body}\nllvm.return\n}}"


def problems(text) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of `text`, empty when it is legal."""
    with ir.Context():
        module = ir.Module.parse(text)
        try:
            check_legality(module)
        except CompileError as failure:
            return failure.diagnostics
    return ()


LEGAL = [
    "%c = llvm.mlir.constant(1 : index) : i64",
    "%c = llvm.mlir.constant([1 : i32, 2.0 : f32]) : !llvm.struct<(i32, f32)>",
    '%c = llvm.mlir.constant("abc") : !llvm.array<3 x i8>',
    "%c = llvm.mlir.constant(1.0 : f8E4M3FN) : i8",
    "%c = llvm.mlir.constant(dense<1.0> : tensor<2x2xf32>) : !llvm.array<2 x array<2 x f32>>",
    "%c = llvm.fadd %x, %x {tilec.note = 1 : i32} : f32",
    "%c = llvm.intr.exp2(%x) : (f32) -> f32",
    '%c = llvm.call_intrinsic "llvm.fma.f32"(%x, %x, %x) : (f32, f32, f32) -> f32',
    "nvvm.barrier",
    "%c = nvvm.read.ptx.sreg.tid.x : i32",
    '%c = llvm.inline_asm asm_dialect = att "add.f32 $0, $1, ${1}; // $$", "=f,f" %x'
    " : (f32) -> f32",
    "%c = llvm.mlir.constant(3 : i32) : i32\n"
    'llvm.inline_asm has_side_effects asm_dialect = att "bar.sync $0;", "n" %c : (i32) -> ()',
]


@pytest.mark.parametrize("body", LEGAL)
def test_legal(body):
    assert problems(kernel(body)) == ()


UNLOWERED = [
    ("func.func @f() { return }", "'func.func' op is not lowered"),
    ("gpu.module @m { llvm.func @k() }", "'gpu.module' op is not lowered"),
    ("module { module { llvm.func @k() } }", "a module inside the module"),
    (
        kernel("%c = arith.addf %x, %x : f32"),
        "'arith.addf' op is not lowered to the llvm or nvvm dialect",
    ),
    (
        kernel("%c = builtin.unrealized_conversion_cast %x : f32 to i32"),
        "a conversion from f32 to i32 is still needed",
    ),
    (kernel("llvm.return\n^b(%i: index):"), "type index, which PTX does not have"),
    (kernel("llvm.return\n^b(%i: memref<4xf32>):"), "type memref<4xf32>"),
    (kernel("llvm.return\n^b(%i: vector<2x2xf32>):"), "type vector<2x2xf32>"),
    (kernel("llvm.return\n^b(%i: vector<[4]xf32>):"), "type vector<[4]xf32>"),
    (kernel("llvm.return\n^b(%i: f80):"), "type f80"),
    (
        kernel("%c = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, index", "%p: !llvm.ptr"),
        "'llvm.getelementptr' op has a value of type index",
    ),
    (
        kernel(
            "nvvm.mbarrier.init %b, %n, predicate = %p : !llvm.ptr<3>, i32, i1",
            "%b: !llvm.ptr<3>, %n: i32, %p: i1",
        ),
        "'nvvm.mbarrier.init' op has to be lowered by convert-nvvm-to-llvm",
    ),
    (
        kernel(
            "nvvm.mbarrier.try_wait.parity %b, %n, %n : !llvm.ptr<3>, i32, i32",
            "%b: !llvm.ptr<3>, %n: i32",
        ),
        "'nvvm.mbarrier.try_wait.parity' op has to be lowered",
    ),
    (kernel('nvvm.inline_ptx "exit;"'), "'nvvm.inline_ptx' op has to be lowered"),
]


@pytest.mark.parametrize(("text", "message"), UNLOWERED)
def test_unlowered(text, message):
    found = problems(text)
    assert {item.code for item in found} == {"T0601"}
    assert any(message in item.message for item in found)


TMA = (
    "nvvm.cp.async.bulk.tensor.shared.cluster.global %d, %t, %d, box[%i] {isCTAOnly = true,"
    " mode = #nvvm.tma_load_mode<tile>} : !llvm.ptr<3>, !llvm.ptr"
)
UNSUPPORTED = [
    (kernel(TMA, "%d: !llvm.ptr<3>, %t: !llvm.ptr, %i: i32"), "isCTAOnly needs PTX 8.6"),
    (kernel('llvm.call_intrinsic "llvm.nvvm.foo"() : () -> ()'), "intrinsic 'llvm.nvvm.foo'"),
    (
        kernel('%c = llvm.call_intrinsic "llvm.sqrt.f64"(%x) : (f32) -> f32'),
        "intrinsic 'llvm.sqrt.f64' cannot be called on (f32)",
    ),
    (
        kernel('%c = llvm.call_intrinsic "llvm.fma.f32"(%x, %x) : (f32, f32) -> f32'),
        "intrinsic 'llvm.fma.f32' cannot be called on (f32, f32)",
    ),
    (
        kernel('%c = llvm.call_intrinsic "llvm.cos.f32"(%x) : (f32) -> f32'),
        "intrinsic 'llvm.cos.f32' on f32 has no PTX instruction",
    ),
    (kernel("%c = llvm.intr.exp2(%x) : (f64) -> f64", "%x: f64"), "on f64 has no PTX"),
    (
        kernel("%c = llvm.intr.sin(%x) : (vector<2xf16>) -> vector<2xf16>", "%x: vector<2xf16>"),
        "'llvm.intr.sin' op on f16 has no PTX instruction",
    ),
    (kernel("%c = llvm.sitofp %x : i128 to f32", "%x: i128"), "wider than 64 bits"),
    (
        kernel(
            "%c = llvm.load %p atomic acquire {alignment = 16 : i64} : !llvm.ptr -> i128",
            "%p: !llvm.ptr",
        ),
        "'llvm.load' op on integers wider than 64 bits",
    ),
    (
        kernel('llvm.inline_asm asm_dialect = att "foo $1;", "f" %x : (f32) -> ()'),
        "'$1' names no operand: there are 1",
    ),
    (
        kernel('llvm.inline_asm asm_dialect = att "foo $;", "f" %x : (f32) -> ()'),
        "the dollar sign at offset 4 names no operand",
    ),
    (
        kernel('llvm.inline_asm asm_dialect = att "foo $0;", "x" %x : (f32) -> ()'),
        "NVPTX has no operand constraint 'x'",
    ),
    (
        kernel('llvm.inline_asm asm_dialect = att "foo $0;", "n" %x : (f32) -> ()'),
        "constraint 'n' needs a constant",
    ),
    (
        "llvm.mlir.global @g() : i32 {\n%0 = nvvm.read.ptx.sreg.tid.x : i32\n"
        "llvm.return %0 : i32\n}",
        "outside of a function",
    ),
    (
        "llvm.mlir.global @g(1 : i32) : !llvm.struct<(i32)>",
        "a global of type !llvm.struct<(i32)> cannot start as 1 : i32",
    ),
    (
        "llvm.mlir.global @g(1 : i32) {addr_space = 3 : i32} : i32",
        "a global in shared memory cannot have an initial value",
    ),
    (
        kernel('%c = "llvm.intr.uadd.with.overflow"(%i, %i) : (i32, i32) -> i32', "%i: i32"),
        "has to return !llvm.struct<(i32, i1)>",
    ),
    (
        kernel("%c = llvm.alloca %i x f32 : (i32) -> !llvm.ptr<3>", "%i: i32"),
        "outside of the stack",
    ),
    (kernel("%c = llvm.fpext %x : bf16 to f16", "%x: bf16"), "cannot convert bf16 to f16"),
    (kernel("%c = llvm.trunc %x : i8 to i32", "%x: i8"), "cannot convert i8 to i32"),
    (
        kernel("%c = llvm.uitofp %x : i32 to vector<2xf32>", "%x: i32"),
        "cannot convert i32 to vector<2xf32>",
    ),
    (
        kernel(
            "%c = llvm.select %b, %x, %x : vector<2xi1>, !llvm.array<2 x i8>",
            "%b: vector<2xi1>, %x: !llvm.array<2 x i8>",
        ),
        "cannot choose !llvm.array<2 x i8> by elements",
    ),
    (
        kernel("%c = llvm.bitcast %x : vector<4xf32> to i32", "%x: vector<4xf32>"),
        "changes the size from 128 to 32 bits",
    ),
    (kernel("", "%p: !llvm.ptr {llvm.align = -1 : i64}"), "'llvm.align = -1' in arg_attrs[0]"),
    (kernel("", "%p: !llvm.ptr {llvm.align = 48 : i64}"), "'llvm.align = 48' in arg_attrs[0]"),
    (
        kernel(
            "llvm.call @k(%p) : (!llvm.ptr {llvm.align = 8589934592 : i64}) -> ()", "%p: !llvm.ptr"
        ),
        "'llvm.align = 8589934592' in arg_attrs[0]",
    ),
    (kernel('%c = "llvm.intr.no.such.thing"(%x) : (f32) -> f32'), "is not supported on GPUs"),
    (kernel('%c = "llvm.intr.vscale"() : () -> i32'), "'llvm.intr.vscale' op is not supported"),
    (
        kernel(
            "%c = nvvm.dot.accumulate.4way %a <signed>, %a <signed>, %i : vector<4xi8>,"
            " vector<4xi8>",
            "%a: vector<4xi8>, %i: i32",
        ),
        "'nvvm.dot.accumulate.4way' op is not known to compile for sm_90a",
    ),
]


@pytest.mark.parametrize(("text", "message"), UNSUPPORTED)
def test_unsupported(text, message):
    found = problems(text)
    assert {item.code for item in found} == {"T0602"}
    assert any(message in item.message for item in found)


@pytest.mark.parametrize("name", sorted(LIBDEVICE_FUNCTIONS))
def test_functions_without_an_instruction_name_the_libdevice_one(name):
    """All of them end the process in LLVM; the hint says what to call instead."""
    if name in ("sincos", "powi", "lrint", "llrint", "lround", "llround"):
        assert not is_known_intrinsic(f"llvm.{name}.i64.f32")
        return
    operands = "%x, %x" if name in ("pow", "atan2") else "%x"
    types = "f32, f32" if name in ("pow", "atan2") else "f32"
    found = problems(kernel(f'%c = "llvm.intr.{name}"({operands}) : ({types}) -> f32'))
    assert found[0].hint == f"call '__nv_{name}f' of libdevice"


def test_every_place_is_reported_once_and_in_order():
    body = "%a = llvm.intr.sin(%x) : (f32) -> f32\n" * 2
    last = '%c = arith.negf %x : f32 loc("k.tile":7:3)'
    text = kernel(body.replace("%a", "%b", 1) + last)
    found = problems(text)
    assert [str(item.span) for item in found] == ["-:2:6", "-:3:6", "k.tile:7:3"]


def test_an_operation_serves_as_well_as_a_module():
    with ir.Context():
        check_legality(ir.Module.parse(kernel("nvvm.barrier")).operation)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("llvm.fma.v2f32", ("fma", ("f32",))),
        ("llvm.sqrt.bf16", ("sqrt", ("bf16",))),
        ("llvm.memcpy.p0.p1.i64", ("memcpy", ("p0", "p1", "i64"))),
        ("llvm.trap", ("trap", ())),
        ("llvm.sadd.with.overflow.i32", ("sadd.with.overflow", ("i32",))),
    ],
)
def test_intrinsic_names(name, parts):
    assert split_intrinsic(name) == parts
    assert is_known_intrinsic(name)


def test_exp2_is_known_by_type():
    assert is_known_intrinsic("llvm.exp2.f32")
    assert not is_known_intrinsic("llvm.exp2.f64")
