"""Textual IR: the short spelling of tile types, and where errors are reported."""

import pytest

from tilec.ir.context import make_context
from tilec.ir.text import parse_module, print_module
from tilec.support.diagnostics import CompileError

MODULE = """\
module {
  "cuda_tile.entry"() ({
  ^bb0(%a: f32):
    %0 = "cuda_tile.splat"(%a) : (f32) -> !cuda_tile.tile<4x8xf32>
    %1 = "cuda_tile.negf"(%0) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
    "cuda_tile.return"() : () -> ()
  }) {function_type = (f32) -> (), sym_name = "k"} : () -> ()
}
"""


@pytest.fixture(scope="module")
def context():
    return make_context()


def _failure(text, context):
    with pytest.raises(CompileError) as caught:
        parse_module(text, context, "a.mlir")
    return caught.value.diagnostics


def _place(diagnostic):
    span = diagnostic.span
    assert span is not None
    return span.file, span.line, span.column


def test_printing_gives_back_what_was_parsed(context):
    expected = MODULE.replace("%a", "%arg0")
    assert print_module(parse_module(MODULE, context, "a.mlir")) == expected


def test_locations_survive_a_round_trip(context):
    text = print_module(parse_module(MODULE, context, "a.mlir"), locations=True)
    assert "loc(" in text
    assert print_module(parse_module(text, context, "b.mlir"), locations=True) == text


def test_both_spellings_of_a_tile_type_parse(context):
    long = MODULE.replace("tile<4x8xf32>", "tile<tensor<4x8xf32>>")
    assert print_module(parse_module(long, context, "a.mlir")) == MODULE.replace("%a", "%arg0")


def test_verifier_error_points_at_the_operation(context):
    (found,) = _failure(MODULE.replace("4x8x", "4x6x"), context)
    assert found.code == "T0500"
    assert found.message == "'cuda_tile.splat' op all dimensions must be powers of two, got 4, 6"
    assert _place(found) == ("a.mlir", 4, 10)


@pytest.mark.parametrize("spelling", ["tile<4x8xf32>", "tile<tensor<4x8xf32>>"])
def test_parse_error_has_the_column_of_the_text_as_written(context, spelling):
    text = MODULE.replace("tile<4x8xf32>", spelling)
    lines = text.splitlines()
    lines[4] += " $"
    found = _failure("\n".join(lines), context)
    assert [item.code for item in found] == ["T0502"]
    assert _place(found[0]) == ("a.mlir", 5, len(lines[4]))


def test_error_inside_a_type_has_the_column_of_the_text_as_written(context):
    text = MODULE.replace("(!cuda_tile.tile<4x8xf32>)", "(!cuda_tile.tile<4x8xf99>)")
    found = _failure(text, context)
    column = text.splitlines()[4].index("f99") + 1
    assert _place(found[0]) in {("a.mlir", 5, column), ("a.mlir", 5, column - 1)}


def test_messages_spell_tile_types_as_they_are_written(context):
    text = MODULE.replace(
        '"cuda_tile.negf"(%0) : (!cuda_tile.tile<4x8xf32>)',
        '"cuda_tile.negf"(%0) : (!cuda_tile.tile<4xf32>)',
    )
    message = _failure(text, context)[0].message
    assert "!cuda_tile.tile<4xf32>" in message
    assert "tensor<" not in message


@pytest.mark.parametrize(
    "text",
    [
        "garbage",
        "module {",
        "\x00\x01\x02",
        'module { "cuda_tile.nothing"() : () -> () }',
        'module { "other.op"() : () -> () }',
        "module { cuda_tile.make_token }",
        "é è",
        '"',
    ],
)
def test_text_that_is_no_module_is_a_compile_error(context, text):
    found = _failure(text, context)
    assert found
    assert all(item.code == "T0502" and item.message for item in found)
