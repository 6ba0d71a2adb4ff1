"""Every elementwise operation on every element type, from nv_tileas to PTX.

A miss in LLVM's back end ends the process, so this is worth more than a look at the IR. One kernel
holds all operations on one element type.
"""

import re

import pytest

from tilec.codegen.llvmir import translate
from tilec.codegen.ptx import emit_ptx
from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.passes.registry import PassContext
from tilec.passes.runner import run_pass
from tilec.request.stages import STAGES
from tilec.request.target import get_target

LAYOUT = '#nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">'
SLOT = "!nv_tileas.smem<tensor<128x{}, #nv_tileas.shared_layout<array<i64: 128>, 0 : i64>>>"
FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
RESTRICTED = {"f8E4M3FN": 8, "f8E5M2": 8, "tf32": 19}
INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOAT_BINARY = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf"
FLOAT_UNARY = (
    "arith.negf math.absf math.ceil math.floor math.sqrt math.rsqrt math.exp math.exp2 math.log"
    " math.log2 math.sin math.cos math.tan math.tanh"
)
INTEGER_BINARY = (
    "addi subi muli divsi divui remsi remui maxsi maxui minsi minui shli shrsi shrui andi ori xori"
    " ceildivsi ceildivui floordivsi"
)


@pytest.fixture(scope="module")
def context():
    return make_context()


def _tile(element, layout=LAYOUT):
    return f"tensor<128x{element}, {layout}>"


def _float_operations(element):
    tile = _tile(element)
    yield from (f"arith.{name} %x, %x : {tile}" for name in FLOAT_BINARY.split())
    yield from (f"{name} %x : {tile}" for name in FLOAT_UNARY.split())
    yield f"math.fma %x, %x, %x : {tile}"
    yield from (f"math.{name} %x fastmath<afn> : {tile}" for name in ("exp", "tanh"))
    yield f"arith.divf %x, %x fastmath<afn> : {tile}"
    yield f"math.powf %x, %x : {tile}"


def _integer_operations(element):
    tile = _tile(element)
    yield from (f"arith.{name} %x, %x : {tile}" for name in INTEGER_BINARY.split())
    yield f"math.absi %x : {tile}"


def _round_trips(element):
    """Yield pairs of operations: a conversion of `%x`, and one of `{}` back."""
    here = _tile(element)
    if element in INTEGERS:
        for other, width in INTEGERS.items():
            if width > INTEGERS[element]:
                for way in ("extsi", "extui"):
                    there = _tile(other)
                    yield (
                        f"arith.{way} %x : {here} to {there}",
                        f"arith.trunci {{}} : {there} to {here}",
                    )
        return
    for other in INTEGERS:
        for to, back in (("fptosi", "sitofp"), ("fptoui", "uitofp")):
            there = _tile(other)
            yield f"arith.{to} %x : {here} to {there}", f"arith.{back} {{}} : {there} to {here}"
    for other, width in {**FLOATS, **RESTRICTED}.items():
        if width != FLOATS[element]:
            to, back = ("extf", "truncf") if width > FLOATS[element] else ("truncf", "extf")
            there = _tile(other)
            yield f"arith.{to} %x : {here} to {there}", f"arith.{back} {{}} : {there} to {here}"


def _kernel(element):
    slot, tile = SLOT.format(element), _tile(element)
    operations = _float_operations if element in FLOATS else _integer_operations
    lines = [f"%r{n} = {text}" for n, text in enumerate(operations(element))]
    results = [line.split(" ")[0] for line in lines]
    for number, (there, back) in enumerate(_round_trips(element)):
        lines += [f"%q{number} = {there}", f"%p{number} = {back.format(f'%q{number}')}"]
        results.append(f"%p{number}")
    compare = "arith.cmpf ult," if element in FLOATS else "arith.cmpi ult,"
    lines.append(f"%c = {compare} %x, %r0 : {tile}")
    lines.append(f"%s = arith.select %c, %x, %r0 : {_tile('i1')}, {tile}")
    results.append("%s")
    if element in INTEGERS:
        for kind in ("s", "u"):
            lines.append(f"%{kind}0, %{kind}1 = arith.mul{kind}i_extended %x, %x : {tile}")
            results += [f"%{kind}0", f"%{kind}1"]
    lines += [
        f'"nv_tileas.store_shared"({value}, %out{index}) : ({tile}, {slot}) -> ()'
        for index, value in enumerate(results)
    ]
    buffers = [
        f'%out{index} = "nv_tileas.alloc_shared"() {{slots = 1 : i64, offset = {1024 * index}'
        f" : i64}} : () -> {slot}"
        for index in range(len(results))
    ]
    return "\n".join(
        [
            '"nv_tileaa.func"() ({\n^bb0(%i: i32):',
            *buffers,
            '"nv_tileas.roles"() ({\n"nv_tileas.yield"() : () -> ()\n}, {',
            f'%x = "nv_tileas.load_shared"(%out0) : ({slot}) -> {tile}',
            *lines,
            '"nv_tileas.yield"() : () -> ()',
            "}) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()",
            '"nv_tileaa.return"() : () -> ()',
            '}) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {',
            "block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()",
        ]
    )


@pytest.mark.parametrize("element", [*FLOATS, *INTEGERS])
def test_every_operation_reaches_ptx(context, element):
    module = ir.Module.parse(_kernel(element), context)

    for name in STAGES[-1].passes:
        run_pass(module, name, PassContext())

    assert ".visible .entry k(" in emit_ptx(translate(module), get_target("sm_90a"))


PAIRS = '#nv_tileas.layout<"128|reg:2*(1)|lane:32*(2)|warp:2*(64)">'
FOURS = '#nv_tileas.layout<"128|reg:4*(1)|lane:32*(4)">'
SINGLE = '#nv_tileas.layout<"128|reg:2*(64)|lane:32*(1)|warp:2*(32)">'
WARPS = {PAIRS: 2, FOURS: 1, SINGLE: 2}
PAIRED = {
    "arith.addf %x, %y": "add.rn",
    "arith.subf %x, %y": "sub.rn",
    "arith.mulf %x, %y": "mul.rn",
    "arith.negf %x": "neg",
    "arith.maximumf %x, %y": "max.NaN",
    "arith.minimumf %x, %y": "min.NaN",
    "arith.maxnumf %x, %y": "max",
    "arith.minnumf %x, %y": "min",
    "math.fma %x, %y, %x": "fma.rn",
    "math.absf %x": "abs",
}


def _ptx(context, element, operations, result, layout):
    """Return the PTX of a kernel that loads `%x` and `%y` and stores `%r`."""
    tiles, slots = (
        _tile(element, layout),
        [SLOT.format(item) for item in (element, element, result)],
    )
    buffers = (
        f'%s{n} = "nv_tileas.alloc_shared"() {{slots = 1 : i64, offset = {512 * n} : i64}}'
        f" : () -> {slot}"
        for n, slot in enumerate(slots)
    )
    text = [
        '"nv_tileaa.func"() ({\n^bb0(%i: i32):',
        *buffers,
        '"nv_tileas.roles"() ({\n"nv_tileas.yield"() : () -> ()\n}, {',
        f'%x = "nv_tileas.load_shared"(%s0) : ({slots[0]}) -> {tiles}',
        f'%y = "nv_tileas.load_shared"(%s1) : ({slots[1]}) -> {tiles}',
        *operations,
        f'"nv_tileas.store_shared"(%r, %s2) : ({_tile(result, layout)}, {slots[2]}) -> ()',
        '"nv_tileas.yield"() : () -> ()',
        f"}}) {{producer_warps = 0 : i64, consumer_warps = {WARPS[layout]} : i64}} : () -> ()",
        '"nv_tileaa.return"() : () -> ()',
        '}) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {',
        f"block_threads = {32 * WARPS[layout]} : i64, cluster = [1, 1, 1]}}}} : () -> ()",
    ]
    module = ir.Module.parse("\n".join(text), context)
    for name in STAGES[-1].passes:
        run_pass(module, name, PassContext())
    return emit_ptx(translate(module), get_target("sm_90a"))


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("operation", PAIRED)
def test_two_registers_of_16_bits_take_one_instruction(context, element, operation):
    ptx = _ptx(context, element, [f"%r = {operation} : {_tile(element, PAIRS)}"], element, PAIRS)

    assert ptx.count(f"{PAIRED[operation]}.{element}x2 ") == 1
    assert f".{element} " not in ptx


def test_a_quotient_that_may_err_takes_no_branch(context):
    """`div.rn.f32` calls a function for operands far from 1."""
    tile = _tile("f32", PAIRS)

    exact, relaxed = (
        _ptx(context, "f32", [f"%r = arith.divf %x, %y {flags}: {tile}"], "f32", PAIRS)
        for flags in ("", "fastmath<afn> ")
    )

    assert (exact.count("div.rn.f32"), exact.count("div.full.f32")) == (2, 0)
    assert (relaxed.count("div.rn.f32"), relaxed.count("div.full.f32")) == (0, 2)


def test_floats_of_8_bits_are_rounded_in_pairs_and_carried_in_words(context):
    """Two halves make a word: no byte is masked or shifted."""
    wide, tile = _tile("f32", FOURS), _tile("f8E4M3FN", FOURS)
    operations = [
        f"%h = arith.truncf %x : {wide} to {tile}",
        f"%k = arith.truncf %y : {wide} to {tile}",
        "%c0 = arith.constant 0 : i32",
        "%c1 = arith.constant 1 : i32",
        f"%r, %q = scf.for %n = %c0 to %i step %c1 iter_args(%a = %h, %b = %k) -> ({tile}, {tile})"
        " : i32 {",
        f"scf.yield %b, %a : {tile}, {tile}",
        "}",
    ]

    ptx = _ptx(context, "f32", operations, "f8E4M3FN", FOURS)

    assert ptx.count("cvt.rn.satfinite.e4m3x2.f32") == 4
    assert not re.search(r"prmt|\b(and|or|shl|shr)\.b(16|32) .*%rs", ptx), ptx


MANY = '#nv_tileas.layout<"2048|reg:{0}*(1)|lane:32*({0})|warp:{1}*({2})">'


@pytest.mark.parametrize(("registers", "warps", "calls"), [(16, 4, 0), (32, 2, 32)])
def test_long_functions_of_many_registers_are_called(context, registers, warps, calls):
    """Thousands of lines for each tile would keep ptxas busy for minutes, and spill."""
    layout = MANY.format(registers, warps, 32 * registers)
    tile = f"tensor<2048xf32, {layout}>"
    slot = "!nv_tileas.smem<tensor<2048xf32, #nv_tileas.shared_layout<array<i64: 2048>, 0 : i64>>>"
    text = [
        '"nv_tileaa.func"() ({\n^bb0(%i: i32):',
        f'%s = "nv_tileas.alloc_shared"() {{slots = 1 : i64, offset = 0 : i64}} : () -> {slot}',
        '"nv_tileas.roles"() ({\n"nv_tileas.yield"() : () -> ()\n}, {',
        f'%x = "nv_tileas.load_shared"(%s) : ({slot}) -> {tile}',
        f"%r = math.sin %x : {tile}",
        f'"nv_tileas.store_shared"(%r, %s) : ({tile}, {slot}) -> ()',
        '"nv_tileas.yield"() : () -> ()',
        f"}}) {{producer_warps = 0 : i64, consumer_warps = {warps} : i64}} : () -> ()",
        '"nv_tileaa.return"() : () -> ()',
        '}) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {',
        f"block_threads = {32 * warps} : i64, cluster = [1, 1, 1]}}}} : () -> ()",
    ]
    module = ir.Module.parse("\n".join(text), context)

    for name in STAGES[-1].passes:
        run_pass(module, name, PassContext())

    ptx = emit_ptx(translate(module), get_target("sm_90a"))
    assert ptx.count("call.uni") == calls
    assert ptx.count(".func") == (calls > 0)


def _spread(element, layout):
    """Return the operations that convert the bytes in `%x` to 16-bit elements."""
    words, source = _tile("i16", layout), _tile("i8", layout)
    return [
        f"%w = arith.extui %x : {source} to {words}",
        f"%m = arith.constant dense<17152> : {words}",
        f"%o = arith.ori %w, %m : {words}",
        f"%r = arith.bitcast %o : {words} to {_tile(element, layout)}",
    ]


def test_two_bytes_become_elements_of_16_bits_by_one_instruction_each(context):
    ptx = _ptx(context, "i8", _spread("bf16", PAIRS), "bf16", PAIRS)

    assert ptx.count("prmt.b32") == 1
    assert re.search(r"prmt\.b32 \S+ \S+ \S+ 0x4140;", ptx)
    assert len(re.findall(rf"or\.b32 .*, {0x4300 * 0x10001};", ptx)) == 1
    assert "or.b16" not in ptx


def test_bytes_of_a_loaded_word_get_their_upper_byte_as_they_are_spread(context):
    ptx = _ptx(context, "i8", _spread("bf16", FOURS), "bf16", FOURS)

    selectors = re.findall(r"prmt\.b32 \S+ (\S+) \S+ (0x\w+);", ptx)
    assert [selector for _, selector in selectors] == ["0x4140", "0x4342"]
    assert len({word for word, _ in selectors}) == 1
    assert "or.b32" not in ptx.split("prmt", 1)[1]
    assert "or.b16" not in ptx
    assert "65535" not in ptx


def test_bytes_that_are_loaded_one_by_one_are_joined_as_they_are_spread(context):
    ptx = _ptx(context, "i8", _spread("f16", SINGLE), "f16", SINGLE)

    assert re.search(r"prmt\.b32 \S+ \S+ \S+ 0x5410;", ptx)
    assert "or.b16" not in ptx


@pytest.mark.parametrize(
    ("element", "instructions"),
    [
        ("f16", {"cvt.rn.f16x2.{}x2": 1, "cvt.f32.f16": 0}),
        ("bf16", {"cvt.rn.f16x2.{}x2": 1, "cvt.f32.f16": 2, "cvt.rn.bf16x2.f32": 1}),
        ("f32", {"cvt.rn.f16x2.{}x2": 1, "cvt.f32.f16": 2}),
    ],
)
@pytest.mark.parametrize(("source", "name"), [("f8E4M3FN", "e4m3"), ("f8E5M2", "e5m2")])
def test_two_floats_of_8_bits_are_converted_at_once(context, element, instructions, source, name):
    tiles = _tile(source, PAIRS), _tile(element, PAIRS)
    widened = [f"%r = arith.extf %x : {tiles[0]} to {tiles[1]}"]
    ptx = _ptx(context, source, widened, element, PAIRS)

    found = {text: ptx.count(f"{text.format(name)} ") for text in instructions}
    assert found == instructions
