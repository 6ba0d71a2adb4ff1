"""Float constants survive the way from MLIR's LLVM to llvmlite's, bit for bit."""

import re

import llvmlite.binding as llvm
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tilec.codegen.float_literals import FORMATS, literal_bits, respell
from tilec.codegen.llvmir import translate
from tilec.ir.bindings import ir

WIDTHS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
MLIR_NAMES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
CHUNK = 32


def read_back(literal: str, type_name: str) -> int:
    """Return the bits that llvmlite's LLVM reads for `literal`."""
    width = WIDTHS[type_name]
    text = f"@g = constant i{width} bitcast ({type_name} {literal} to i{width})"
    printed = str(llvm.parse_assembly(text, llvm.create_context()))
    found = re.search(r"constant i\d+ (-?\d+)", printed)
    assert found is not None, printed
    return int(found[1]) & ((1 << width) - 1)


def round_trip(bits: list[int], type_name: str) -> list[int]:
    """Return what becomes of constants with these bits on their way through both LLVMs."""
    digits = WIDTHS[type_name] // 4
    name = MLIR_NAMES[type_name]
    lines = [
        f"llvm.mlir.global constant @g{index}(0x{value:0{digits}X} : {name}) : {name}"
        for index, value in enumerate(bits)
    ]
    with ir.Context():
        text = translate(ir.Module.parse("\n".join(lines)))
    llvm.parse_assembly(text, llvm.create_context())
    literals = re.findall(rf"@g\d+ = constant {type_name} (\S+)", text)
    assert len(literals) == len(bits)
    return [read_back(literal, type_name) for literal in literals]


def corner_bits(type_name: str) -> list[int]:
    target = FORMATS[type_name]
    fraction = (1 << target.fraction_bits) - 1
    one = target.bias << target.fraction_bits
    positive = [
        0,
        1,
        fraction,  # the largest subnormal number
        fraction + 1,  # the smallest normal one
        one,
        one + 1,
        one - 1,
        target.infinity - 1,  # the largest number
        target.infinity,
        target.infinity | target.quiet,
        target.infinity | target.quiet | 1,
        target.infinity | 1,  # a signalling NaN
        target.infinity | fraction,
    ]
    return positive + [bits | target.sign for bits in positive]


@pytest.mark.parametrize("type_name", FORMATS)
def test_corner_cases_are_bit_exact(type_name):
    bits = corner_bits(type_name)
    assert round_trip(bits, type_name) == bits


@pytest.mark.parametrize("type_name", FORMATS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_bit_pattern_is_exact(type_name, data):
    top = (1 << WIDTHS[type_name]) - 1
    bits = data.draw(st.lists(st.integers(0, top), min_size=1, max_size=CHUNK))
    assert round_trip(bits, type_name) == bits


@settings(max_examples=25, deadline=None)
@given(values=st.lists(st.floats(width=32), min_size=1, max_size=CHUNK))
@example(values=[0.10000000149011612, 0.3333333432674408, 2.0**-149, 3.4028234663852886e38])
def test_decimals_of_floats_are_exact(values):
    """A decimal that prints a float names that float, although a double is meant by its text."""
    for value in values:
        if value != value or value in (float("inf"), float("-inf")):
            continue
        target = FORMATS["float"]
        text = f"{value:.9e}"
        bits = literal_bits(text, target)
        magnitude = target.decode(bits & (target.sign - 1))
        assert float(magnitude) == abs(value)
        assert read_back(respell(text, "float"), "float") == bits


def test_every_half_is_exact():
    bits = list(range(1 << 16))
    assert round_trip(bits[:: 1 << 6], "half") == bits[:: 1 << 6]


@pytest.mark.parametrize(
    ("literal", "type_name", "expected"),
    [
        ("1.000000e+00", "float", "1.000000e+00"),
        ("-0.000000e+00", "double", "-0.000000e+00"),
        ("1.000000e-01", "float", "0x3FB99999A0000000"),
        ("1.000000e-01", "double", "0x3FB999999999999A"),
        ("9.997550e-02", "half", "0xH2E66"),
        ("1.000980e-01", "bfloat", "0xR3DCD"),
        ("-inf", "float", "0xFFF0000000000000"),
        ("+inf", "half", "0xH7C00"),
        ("+qnan", "bfloat", "0xR7FC0"),
        ("+nan(0x1)", "float", "0x7FF8000020000000"),
        ("+snan(0x1)", "float", "0x7FF0000020000000"),
        ("f0x7F7FFFFF", "float", "0x47EFFFFFE0000000"),
        ("1.401300e-45", "float", "0x36A0000000000000"),
    ],
)
def test_spelling(literal, type_name, expected):
    assert respell(literal, type_name) == expected


def test_rounding_is_to_nearest_even():
    half = FORMATS["half"]
    # 2049 lies between 2048 and 2050, 2051 between 2050 and 2052: both halves go to even.
    assert literal_bits("2049.0", half) == literal_bits("2048.0", half)
    assert literal_bits("2051.0", half) == literal_bits("2052.0", half)
    assert literal_bits("65519.9", half) == literal_bits("65504.0", half)
    assert literal_bits("65520.0", half) == half.infinity
