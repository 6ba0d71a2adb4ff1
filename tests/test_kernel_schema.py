"""The metadata of a kernel is checked where it comes from a file."""

import copy
import json

import pytest

from tilec.diagnostics import CompileError, SourceFile
from tilec.driver import resume
from tilec.kernel_schema import metadata_error
from tilec.options import CompileOptions

METADATA = {
    "name": "k",
    "arrays": [{"name": "A", "dtype": "f32", "rank": 2, "strides": [-1, 1]}],
    "params": [
        {"kind": "pointer", "array": "A", "div_by": 16},
        {"kind": "stride", "array": "A", "axis": 0},
        {"kind": "scalar", "name": "x", "dtype": "f32"},
    ],
    "dims": {"M": [["A", 0]]},
    "static_shape": {"A": [-1, -1]},
    "cluster": [1, 1, 1],
    "persistent": False,
    "grid": ["cdiv(M, 128)"],
}


@pytest.mark.parametrize("metadata", [METADATA, {"name": "k"}, {"name": "k", "new": {"x": 1}}])
def test_what_is_fine(metadata):
    assert metadata_error(metadata) is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["name"], 4, "'name' is not a text"),
        (["arrays"], {}, "'arrays' is not a list"),
        (["arrays", 0], 1, "'arrays[0]' is not a dictionary"),
        (["arrays", 0, "rank"], True, "'arrays[0].rank' is not an integer of 64 bits"),
        (["arrays", 0, "rank"], 2**70, "'arrays[0].rank' is not an integer of 64 bits"),
        (["arrays", 0, "strides"], [1], "array 'A' has 1 strides"),
        (["params", 0, "array"], "B", "'params[0]' names axis 0 of 'B', which is no array with it"),
        (["params", 1, "axis"], 2, "'params[1]' names axis 2 of 'A', which is no array with it"),
        (["dims", "M"], [["A"]], "'dims.M[0]' is not a pair"),
        (["dims"], [], "'dims' is not a dictionary"),
        (["static_shape", "A"], [1], "'static_shape.A' has 1 extents"),
        (["cluster"], [1, 1], "'cluster' has 2 entries, not 3"),
        (["persistent"], 1, "'persistent' is not true or false"),
        (["grid", 0], None, "'grid[0]' is not a text"),
    ],
)
def test_what_is_wrong(path, value, message):
    metadata = copy.deepcopy(METADATA)
    place = metadata
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert metadata_error(metadata) == message


def test_what_is_missing():
    assert metadata_error({}) == "'name' is missing"
    metadata = {"name": "k", "arrays": [{"name": "A"}]}
    assert metadata_error(metadata) == "'arrays[0].dtype' is missing"
    assert metadata_error([]) == "'' is not a dictionary"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name": ', "Expecting value"),
        ('{"name": 3}', "'name' is not a text"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps({**METADATA, "arrays": 3}), "'arrays' is not a list"),
    ],
)
@pytest.mark.parametrize(("stage", "marker"), [("llvmir", ";"), ("ptx", "//")])
def test_a_damaged_comment_is_a_diagnostic(text, message, stage, marker):
    source = SourceFile("k", f"\n{marker} tilec.kernel: {text}\n")
    with pytest.raises(CompileError, match="T0017") as caught:
        resume(source, CompileOptions(emit="ptx", start_from=stage))
    (problem,) = caught.value.diagnostics
    assert message in problem.message
    assert str(problem.span) == "k:2:1"


@pytest.mark.parametrize("value", ["i32", '{name = "k", arrays = 3}', "{name = unit}"])
def test_a_damaged_attribute_is_a_diagnostic(value):
    text = f"module {{\n  func.func @k() attributes {{tilec.kernel = {value}}} {{ return }}\n}}\n"
    with pytest.raises(CompileError, match="T0017") as caught:
        resume(SourceFile("k.mlir", text), CompileOptions(emit="ptx", start_from="llvm"))
    assert str(caught.value.diagnostics[0].span) == "k.mlir:2:3"
