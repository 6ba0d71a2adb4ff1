"""Instructions of the emulator, one by one, in small kernels of PTX."""

import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from tools.emulator import rounding
from tools.emulator.errors import UnsupportedError
from tools.emulator.instructions import build
from tools.emulator.launched import Launched
from tools.emulator.machine import DeadlockError, EmulatedFaultError, Run, make_actions
from tools.emulator.memory import GlobalMemory
from tools.emulator.program import parse

HEAD = """.visible .entry kernel(.param .u64 .ptr .align 1 out)
.reqntid {threads}, 1, 1
.minnctapersm 1
{{
{body}
}}
"""


def run(body, threads=32):
    """Run one CTA and return the registers of its first warp."""
    program = parse(HEAD.format(threads=threads, body=body))
    memory = GlobalMemory()
    for table in program.constants.values():
        memory.add(table.ctypes.data, table)
    launched = Launched(program, bytes(64), {}, 1, threads, (1, 1, 1), 1024)
    with np.errstate(all="ignore"):
        machine = Run(launched, make_actions(program, build), memory, 0)
        machine.run()
    return machine.ctas[0].warps[0].registers


def f32(*values):
    return [f"0f{struct.unpack('<I', struct.pack('<f', value))[0]:08X}" for value in values]


def f64(*values):
    return [f"0d{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}" for value in values]


def result(opcode, operands, kind, register="%r1"):
    value = run(f"{opcode} {register}, {', '.join(operands)};\nret;")[register]
    return value.view(kind)[0]


INC, DEC = "setmaxnreg.inc.sync.aligned.u32", "setmaxnreg.dec.sync.aligned.u32"


def roles(dec, inc, threads=384):
    """Return a kernel whose first warpgroup gives registers back, and whose others take some."""
    return run(
        f"mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 128;\n@%p1 bra $OTHER;\n{DEC} {dec};\nret;\n"
        f"$OTHER:\n{INC} {inc};\nret;",
        threads,
    )


@pytest.mark.parametrize(
    ("dec", "inc", "threads"), [(24, 240, 384), (40, 232, 384), (32, 160, 512)]
)
def test_registers_that_were_given_back_are_taken(dec, inc, threads):
    roles(dec, inc, threads)


@pytest.mark.parametrize(
    ("dec", "inc", "threads"), [(32, 240, 384), (24, 248, 384), (56, 160, 512)]
)
def test_a_warp_that_asks_for_more_than_there_is_waits(dec, inc, threads):
    with pytest.raises(DeadlockError, match="setmaxnreg"):
        roles(dec, inc, threads)


def test_counts_of_setmaxnreg_have_limits():
    with pytest.raises(EmulatedFaultError, match="24 to 256 in steps of 8"):
        roles(20, 240)
    with pytest.raises(EmulatedFaultError, match=r"setmaxnreg\.dec from 168 to 176"):
        roles(176, 240)


THIRD = np.float32(1 / 3)


@pytest.mark.parametrize(
    ("opcode", "operands", "expected"),
    [
        ("add.rm.f32", (1.0, 2.0**-30), 1.0),
        ("add.rp.f32", (1.0, 2.0**-30), 1.0 + 2.0**-23),
        ("add.rz.f32", (-1.0, 2.0**-30), -1.0 + 2.0**-24),
        ("mul.rm.f32", (float(THIRD), float(THIRD)), 0.11111111),
        ("div.rm.f32", (1.0, 3.0), np.nextafter(THIRD, np.float32(0))),
        ("div.rp.f32", (1.0, 3.0), THIRD),
        ("sqrt.rp.f32", (2.0,), np.nextafter(np.float32(2**0.5), np.float32(2))),
        ("rcp.rz.f32", (3.0,), np.nextafter(THIRD, np.float32(0))),
        ("fma.rp.f32", (1.0, 1.0, 2.0**-60), 1.0 + 2.0**-23),
        ("add.rn.ftz.f32", (2.0**-127, 2.0**-127), 0.0),
        ("add.rn.f32", (2.0**-127, 2.0**-127), 2.0**-126),
        ("fma.rn.relu.f32", (1.0, -1.0, 0.5), 0.0),
        ("add.rz.f32", (3.0e38, 3.0e38), np.finfo(np.float32).max),
    ],
)
def test_rounding_modes(opcode, operands, expected):
    assert result(opcode, f32(*operands), np.float32) == np.float32(expected)


def test_f64_fma_is_rounded_once():
    a = 1.0 + 2.0**-30
    value = result("fma.rn.f64", f64(a, a, -1.0), np.float64, "%rd1")
    assert Fraction(float(value)) == Fraction(float(Fraction(a) ** 2 - 1))
    assert value != a * a - 1.0


def test_f32_fma_is_rounded_once():
    """A sum of f64 that is half-way between two numbers of f32 must not be rounded to even."""
    random = np.random.default_rng(1)
    a, b, c = (
        random.standard_normal((3, 4096)) * 2.0 ** random.integers(-40, 20, (3, 4096))
    ).astype(np.float32)
    c[0], a[0], b[0] = 1.0 + 2.0**-23, 2.0**-12, 2.0**-12
    a[1], b[1], c[1] = 1.0 + 2.0**-12, 1.0 + 2.0**-12, 2.0**-60
    found = rounding.fma(a, b, c)
    for x, y, z, have in zip(a, b, c, found, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        near = Fraction(float(have))
        for other in (np.nextafter(have, np.float32(-1e9)), np.nextafter(have, np.float32(1e9))):
            assert abs(near - exact) <= abs(Fraction(float(other)) - exact)


def test_bf16_fma_is_rounded_once():
    kind = ml_dtypes.bfloat16
    a, b, c = (np.array([value], kind) for value in (1.0 + 2.0**-7, 1.0 + 2.0**-7, -(2.0**-60)))
    assert float(rounding.fma(a, b, c)[0]) == 1.0 + 2.0**-6
    assert float(rounding.fma(*(np.array([v], kind) for v in (3.0, 2.0**-9, 1.0)))[0]) == 1.0078125


def test_comparisons_of_halves_set_two_predicates():
    one, two = 0x3F80, 0x4000
    found = run(
        f"mov.b32 %r1, {two << 16 | one};\nmov.b32 %r2, {one << 16 | two};\n"
        "setp.lt.bf16x2 %p1|%p2, %r1, %r2;\nret;"
    )
    assert found["%p1"].all()
    assert not found["%p2"].any()


def test_a_comparison_may_ask_for_a_predicate_too():
    found = run(
        "mov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1, %r1, 20;\nsetp.lt.and.s32 %p2, %r1, 30, %p1;\n"
        "setp.lt.and.s32 %p3, %r1, 10, %p1;\nret;"
    )
    lanes = np.arange(32)
    for name, least in (("%p2", 20), ("%p3", 10)):
        np.testing.assert_array_equal(found[name], lanes < least)


@pytest.mark.parametrize(("first", "smallest"), [("-5", 0), ("2", 2), ("7", 3)])
def test_relu_of_integers(first, smallest):
    assert result("min.relu.s32", (first, "3"), np.int32) == smallest


def test_relu_keeps_a_nan_and_drops_what_is_negative():
    halves = np.array([-1.0, 2.0], np.float16).view(np.uint32)[0]
    found = run(
        f"mov.b32 %r1, {halves};\nmov.b32 %r2, {0x3C003C00};\n"
        "fma.rn.relu.f16x2 %r3, %r1, %r2, %r1;\nret;"
    )
    assert found["%r3"].view(np.float16)[:2].tolist() == [0.0, 4.0]
    assert np.isnan(result("cvt.rn.relu.f32.f64", f64(np.nan), np.float32))


def test_carries_go_from_one_instruction_to_the_next():
    found = run(
        "mov.b32 %r1, -1;\nmov.b32 %r2, 1;\n"
        "add.cc.u32 %r3, %r1, %r2;\naddc.cc.u32 %r4, %r1, 0;\naddc.u32 %r5, 0, 0;\n"
        "sub.cc.u32 %r6, 0, %r2;\nsubc.u32 %r7, %r2, 0;\n"
        "mad.lo.cc.u32 %r8, %r1, %r1, %r1;\nmadc.hi.u32 %r9, %r1, %r1, 0;\nret;"
    )
    assert [int(found[f"%r{index}"][0]) for index in (3, 4, 5, 6, 7)] == [0, 0, 1, 2**32 - 1, 0]
    assert int(found["%r8"][0]) + (int(found["%r9"][0]) << 32) == (2**32 - 1) ** 2 + 2**32 - 1


def test_fields_of_bits_are_inserted():
    found = run("mov.b32 %r1, 0xAB;\nmov.b32 %r2, 0x11223344;\nbfi.b32 %r3, %r1, %r2, 8, 8;\nret;")
    assert int(found["%r3"][0]) == 0x1122AB44


def test_tables_in_global_memory_are_read():
    table = ".global .align 8 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
    program = parse(table + HEAD.format(threads=32, body="mov.b64 %rd1, table;\nret;"))
    assert program.constants["table"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_function_may_return_several_values():
    text = (
        ".func (.param .align 16 .b8 out[16]) two (.param .b32 two_0)\n;\n"
        ".func (.param .align 16 .b8 out[16]) two (.param .b32 two_0)\n{\n"
        "ld.param.b32 %r1, [two_0];\nadd.s32 %r2, %r1, 1;\n"
        "st.param.b32 [out+8], %r2;\nst.param.b32 [out], %r1;\nret;\n}\n"
    )
    body = (
        "{ .param .b32 param0;\nst.param.b32 [param0], %r9;\n"
        ".param .align 16 .b8 retval0[16];\ncall.uni (retval0), two, (param0);\n"
        "ld.param.b32 %r10, [retval0];\nld.param.b32 %r11, [retval0+8];\n}\nret;"
    )
    program = parse(text + HEAD.format(threads=32, body="mov.b32 %r9, 5;\n" + body))
    launched = Launched(program, bytes(64), {}, 1, 32, (1, 1, 1), 1024)
    machine = Run(launched, make_actions(program, build), GlobalMemory(), 0)
    machine.run()
    found = machine.ctas[0].warps[0].registers
    assert (int(found["%r10"][0]), int(found["%r11"][0])) == (5, 6)


def warp_product(name, a, b, c, targets):
    """Multiply registers that all lanes fill alike; return those of the sums."""
    groups = ", ".join("{" + ", ".join(group) + "}" for group in (targets, a, b, c))
    return run(f"mma.sync.aligned.{name} {groups};\nret;")


def test_a_warp_multiplies_fragments():
    ones = "0x3f803f80"
    sums = [f"%r{number}" for number in range(4)]
    c = f32(1.0, 2.0, 3.0, 4.0)
    found = warp_product(
        "m16n8k16.row.col.f32.bf16.bf16.f32", [ones] * 4, ["0x40004000", "0"], c, sums
    )
    for register, start in zip(sums, (1.0, 2.0, 3.0, 4.0), strict=True):
        assert (found[register].view(np.float32) == start + 16.0).all()


def test_a_warp_multiplies_bytes_of_both_signs():
    sums = [f"%r{number}" for number in range(4)]
    found = warp_product(
        "m16n8k32.row.col.s32.u8.s8.s32", ["0xffffffff"] * 4, ["0xffffffff"] * 2, ["7"] * 4, sums
    )
    assert (found["%r3"].view(np.int32) == 7 - 255 * 32).all()


def test_a_warp_multiplies_doubles():
    found = warp_product(
        "m8n8k4.row.col.f64.f64.f64.f64", f64(1.5), f64(2.0), f64(1.0, -1.0), ["%rd1", "%rd2"]
    )
    assert (found["%rd1"].view(np.float64) == 13.0).all()
    assert (found["%rd2"].view(np.float64) == 11.0).all()


@pytest.mark.parametrize("inner", [4, 8, 16])
def test_a_warp_multiplies_doubles_in_16_rows(inner):
    """Each register of A holds its number plus 1, and B holds powers of 32 along K."""
    a = f64(*(float(number + 1) for number in range(inner // 2)))
    b = f64(*(32.0**number for number in range(inner // 4)))
    sums = [f"%rd{number}" for number in range(1, 5)]
    found = warp_product(f"m16n8k{inner}.row.col.f64.f64.f64.f64", a, b, f64(0, 0, 0, 1), sums)
    upper, lower = (
        4.0 * sum((2 * step + half + 1) * 32.0**step for step in range(inner // 4))
        for half in (0, 1)
    )
    for name, want in zip(sums, (upper, upper, lower, lower + 1), strict=True):
        assert (found[name].view(np.float64) == want).all()


def test_rows_and_columns_of_a_fragment():
    body = """mov.u32 %r1, %laneid;
shr.u32 %r2, %r1, 2;
cvt.rn.f32.u32 %r3, %r2;
cvt.rn.tf32.f32 %r4, %r3;
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r5, %r6, %r7, %r8}, {%r4, 0, 0, 0}, {%r4, 0}, \
{0f00000000, 0f00000000, 0f00000000, 0f00000000};
ret;"""
    found = run(body.replace("\\\n", ""))
    lanes = np.arange(32)
    rows, columns = lanes // 4, lanes % 4 * 2
    for register, column in (("%r5", columns), ("%r6", columns + 1)):
        assert (found[register].view(np.float32) == 4.0 * rows * column).all()
    assert (found["%r7"].view(np.float32) == 0).all()


@pytest.mark.parametrize("transposed", [False, True], ids=["rows", "columns"])
def test_a_warp_stores_and_loads_matrices(transposed):
    """Lane i stores i and 100 + i into two matrices, which it loads back in either order."""
    trans = ".trans" if transposed else ""
    body = f"""mov.u32 %r1, %laneid;
and.b32 %r2, %r1, 15;
shl.b32 %r2, %r2, 4;
add.s32 %r3, %r2, 1024;
add.s32 %r4, %r1, 6553600;
stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r3], {{%r1, %r4}};
bar.sync 0;
ldmatrix.sync.aligned.m8n8.x2{trans}.shared.b16 {{%r5, %r6}}, [%r3];
ret;"""
    found = run(body)
    lanes = np.arange(32)
    halves = [found["%r5"] & 0xFFFF, found["%r5"] >> 16, found["%r6"] & 0xFFFF, found["%r6"] >> 16]
    if not transposed:
        expected = [lanes, 0 * lanes, lanes, 0 * lanes + 100]
    else:  # lane i holds rows 2*(i%4) and 2*(i%4) + 1 of column i/4; odd ones are upper halves
        owner = lanes % 4 * 8 + lanes // 8
        upper = lanes // 4 % 2 == 1
        low, high = np.where(upper, 0, owner), np.where(upper, 0, owner + 4)
        expected = [low, high, np.where(upper, 100, owner), np.where(upper, 100, owner + 4)]
    for half, wanted in zip(halves, expected, strict=True):
        assert (half.astype(np.int64) == wanted).all()


def test_other_products_of_warps_are_unknown():
    with pytest.raises(UnsupportedError):
        warp_product("m16n8k4.row.col.f32.tf32.tf32.f32", ["0"] * 2, ["0"], ["0"] * 4, ["%r1"] * 4)
