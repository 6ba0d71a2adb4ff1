"""Segment sizes: omitted from printed IR, and inferred when it is read."""

import re

import pytest

from tilec.ir.context import make_context
from tilec.ir.segments import infer_sizes
from tilec.ir.text import parse_module, print_module
from tilec.support.diagnostics import CompileError

TOKEN = "!nv_tileaa.mem_token"
MEMREF = "!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>"
HEAD = f"""\
  %v = builtin.unrealized_conversion_cast to {MEMREF}
  %i = builtin.unrealized_conversion_cast to i32
  %t = builtin.unrealized_conversion_cast to {TOKEN}
"""
RESULTS = f"(tensor<64x64xbf16>, {TOKEN})"


def load(operands, attributes, types):
    """Return a module with one tiled load."""
    return (
        f'{HEAD}  %x:2 = "nv_tileaa.tiled_load"({operands}){attributes} : ({types}) -> {RESULTS}\n'
    )


WITH_TOKEN = load("%v, %i, %i, %t", "", f"{MEMREF}, i32, i32, {TOKEN}")
WITHOUT_TOKEN = load("%v, %i, %i", "", f"{MEMREF}, i32, i32")


@pytest.fixture(scope="module")
def context():
    return make_context()


def sizes(module, name="nv_tileaa.tiled_load", attribute="operandSegmentSizes"):
    """Return the segment sizes of the operation called `name` in `module`."""
    (found,) = [op for op in module.body.operations if op.operation.name == name]
    return list(found.attributes[attribute])


@pytest.mark.parametrize(
    ("fields", "types", "last", "expected"),
    [
        ((1, -1), "v i i", None, [1, 2]),
        ((1, -1), "v", None, [1, 0]),
        ((1, -1), "", None, None),
        ((1, 1, -1, 1), "d s i i b", None, [1, 1, 2, 1]),
        ((1, 0), "b b", None, [1, 1]),
        ((1, 0), "b", None, [1, 0]),
        ((1, 0), "b b b", None, None),
        ((1, 0, 0), "b", None, [1, 0, 0]),
        ((1, 0, 0), "b c", None, [1, 1, 0]),
        ((1, 0, 0), "b c d e", None, None),
        ((-1,), "", None, [0]),
        ((1, -1, 0), "v i i", "t", [1, 2, 0]),
        ((1, -1, 0), "v i i t", "t", [1, 2, 1]),
        ((1, -1, 0), "v t t", "t", [1, 1, 1]),
        ((1, -1, 0), "t", "t", [1, 0, 0]),
        ((1, -1, -1), "p i i l", "l", [1, 2, 1]),
        ((1, -1, -1), "p l l", "l", [1, 0, 2]),
        ((1, -1, -1), "", "l", None),
    ],
)
def test_sizes_follow_from_the_number_and_the_types_of_the_values(fields, types, last, expected):
    assert infer_sizes(fields, types.split(), last) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [(WITH_TOKEN, [1, 2, 1]), (WITHOUT_TOKEN, [1, 2, 0])]
)
def test_omitted_sizes_are_inferred(context, text, expected):
    assert sizes(parse_module(text, context, "a.mlir")) == expected


def test_the_number_of_results_is_inferred(context):
    view = "!cuda_tile.tensor_view<memref<4x?xf32, strided<[?, 1]>>>"
    text = f"""\
  %v = builtin.unrealized_conversion_cast to {view}
  %x:2 = "cuda_tile.get_tensor_shape"(%v) : ({view}) -> (i32, i32)
"""
    module = parse_module(text, context, "a.mlir")
    assert sizes(module, "cuda_tile.get_tensor_shape", "resultSegmentSizes") == [2]
    assert "Segment" not in print_module(module)


def test_the_number_of_one_result_is_inferred(context):
    view = "!cuda_tile.tensor_view<memref<4xf32, strided<[1]>>>"
    text = f"""\
  %v = builtin.unrealized_conversion_cast to {view}
  %x = "cuda_tile.get_tensor_shape"(%v) : ({view}) -> i32
"""
    module = parse_module(text, context, "a.mlir")
    assert sizes(module, "cuda_tile.get_tensor_shape", "resultSegmentSizes") == [1]


@pytest.mark.parametrize(
    "attributes", ["", " {mem_scope_note = 1 : i64}", ' {a = "b = {", padding = "zero"}', " {}"]
)
def test_a_round_trip_keeps_the_text_and_the_operation(context, attributes):
    text = load("%v, %i, %i, %t", attributes, f"{MEMREF}, i32, i32, {TOKEN}")
    module = parse_module(text, context, "a.mlir")
    printed = print_module(module)
    assert "Segment" not in printed
    again = parse_module(printed, context, "b.mlir")
    assert print_module(again) == printed
    assert str(again) == str(module)


def test_operations_inside_a_region_and_around_it_are_read(context):
    text = (
        "%x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>\n"
        '%y = "cuda_tile.reduce"(%x) ({\n^bb0(%a: f32, %b: f32):\n'
        '  "cuda_tile.yield"(%a) : (f32) -> ()\n'
        "}) {dim = 0 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4xf32>) -> f32\n"
    )
    module = parse_module(text, context, "a.mlir")
    assert sizes(module, "cuda_tile.reduce") == [1, 0, 0, 0]
    assert sizes(module, "cuda_tile.reduce", "resultSegmentSizes") == [1, 0, 0, 0]
    printed = print_module(module)
    assert "SegmentSizes" not in printed
    assert print_module(parse_module(printed, context, "b.mlir")) == printed


def test_a_type_alias_is_looked_up(context):
    text = "!token = !nv_tileaa.mem_token\n!other = !token  // the same\n" + WITH_TOKEN.replace(
        f", {TOKEN}) ->", ", !other) ->"
    )
    assert sizes(parse_module(text, context, "a.mlir")) == [1, 2, 1]


def test_an_operation_may_span_lines_and_hold_comments(context):
    text = f"""\
{HEAD}  %x:2 = "nv_tileaa.tiled_load" // a view, ( and coordinates
      (%v, %i,
       %i, %t) {{  // {{ padding
    padding = "zero"
  }} : ({MEMREF}, i32, // row
        i32, {TOKEN}  // after
       ) -> {RESULTS}
"""
    assert sizes(parse_module(text, context, "a.mlir")) == [1, 2, 1]


def test_names_in_strings_and_comments_are_no_operations(context):
    text = f'// "nv_tileaa.tiled_load"(%v) : (i32) -> ()\n{HEAD}'
    text += '  "test.op"() {a = "\\"nv_tileaa.tiled_load\\"() : () -> ()"} : () -> ()\n'
    context.allow_unregistered_dialects = True
    try:
        printed = print_module(parse_module(text, context, "a.mlir"))
    finally:
        context.allow_unregistered_dialects = False
    assert r"\22nv_tileaa.tiled_load\22() : () -> ()" in printed


def test_sizes_may_be_spelled_out(context):
    text = WITHOUT_TOKEN.replace(
        "%i, %i)", '%i, %i) {operandSegmentSizes = array<i32: 1, 2, 0>, padding = "zero"}'
    )
    assert "Segment" not in print_module(parse_module(text, context, "a.mlir"))


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("array<i32: 0, 3, 0>", "element 0 in 'operandSegmentSizes' attribute must be equal to 1"),
        ("array<i32: 1, 1, 1>", "expects 2 coordinates, but got 1"),
    ],
)
def test_wrong_sizes_are_refused(context, written, message):
    text = WITHOUT_TOKEN.replace("%i, %i)", f"%i, %i) {{operandSegmentSizes = {written}}}")
    with pytest.raises(CompileError, match=re.escape(message)):
        parse_module(text, context, "a.mlir")


def test_sizes_that_do_not_follow_are_printed(context):
    module = parse_module(WITHOUT_TOKEN, context, "a.mlir")
    (op,) = [op for op in module.body.operations if op.operation.name == "nv_tileaa.tiled_load"]
    with context:
        op.attributes["operandSegmentSizes"] = type(op.attributes["operandSegmentSizes"]).get(
            [1, 1, 1]
        )
    assert "{operandSegmentSizes = array<i32: 1, 1, 1>}" in print_module(module)


@pytest.mark.parametrize("attributes", ["", ' {padding = "zero"}'])
def test_an_error_after_inferred_sizes_has_the_column_of_the_text_as_written(context, attributes):
    text = load("%v, %i, %i", attributes, f"{MEMREF}, i32, i32") + "  $\n"
    text = text.replace(RESULTS, RESULTS + " $", 1)
    with pytest.raises(CompileError) as caught:
        parse_module(text, context, "a.mlir")
    span = caught.value.diagnostics[0].span
    lines = text.splitlines()
    assert span is not None
    assert (span.line, span.column) == (4, lines[3].index("$") + 1)
