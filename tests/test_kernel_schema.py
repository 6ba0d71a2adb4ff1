"""The metadata of a kernel is checked where it comes from a file."""

import copy
import json

import pytest

from tilec.codegen.kernel_schema import DUMPED, LAUNCHED
from tilec.codegen.schema import SchemaError
from tilec.compiler.driver import resume
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import CompileError, SourceFile

METADATA = {
    "name": "k",
    "arrays": [{"name": "A", "dtype": "f32", "rank": 2, "strides": [-1, 1], "access": "read"}],
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


MAP = {"array": "A", "dtype": "f32", "axes": [0, 1], "box": [8, 16], "swizzle": 64}
REFUSED = "it.tensor_maps[0] has a box with rows that TMA refuses"
NOT_LAUNCHED = {"name": "k", "new": {"x": 1}}


@pytest.mark.parametrize("metadata", [METADATA, {"name": "k"}, NOT_LAUNCHED])
def test_what_is_fine_in_a_dump(metadata):
    DUMPED(metadata, "it")


def test_a_launch_needs_more():
    LAUNCHED({**METADATA, "block_threads": 128, "tensor_maps": [MAP]}, "it")
    with pytest.raises(SchemaError, match="it has no 'block_threads'"):
        LAUNCHED(METADATA, "it")


@pytest.mark.parametrize("check", [DUMPED, LAUNCHED])
@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["name"], 4, "it.name is 4, not a text of at most 1024 characters"),
        (["arrays"], {}, "it.arrays is an object, not a list of 0 to 1024 items"),
        (["arrays", 0], 1, "it.arrays[0] is 1, not an object"),
        (["arrays", 0, "rank"], True, "it.arrays[0].rank is True, not an integer from 0 to 32"),
        (["arrays", 0, "strides"], [1], "it.arrays[0] has rank 2 and 1 strides"),
        (["params", 0, "array"], "B", "it.params[0] names an array 'B' that does not exist"),
        (["params", 1, "axis"], 2, "it.params[1] names an axis that 'A' does not have"),
        (["dims", "M"], [["A"]], "it.dims.M[0] is a list of 1 items, not a list of 2 items"),
        (["dims"], [], "it.dims is a list of 0 items, not an object"),
        (["static_shape", "A"], [1], "it.static_shape.A has 1 extents"),
        (["cluster"], [1, 1], "it.cluster is a list of 2 items, not a list of 3 items"),
        (["tensor_maps"], [MAP | {"box": [8, 2]}], REFUSED),
        (["tensor_maps"], [MAP | {"swizzle": 32}], REFUSED),
        (["persistent"], 1, "it.persistent is 1, not true or false"),
        (["grid", 0], None, "it.grid[0] is null, not a text of at most 4096 characters"),
    ],
)
def test_what_is_wrong(check, path, value, message):
    metadata = copy.deepcopy({**METADATA, "block_threads": 128})
    place = metadata
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(SchemaError) as found:
        check(metadata, "it")
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({}, "it has no 'name'"),
        ({"name": "k", "arrays": [{"name": "A"}]}, "it.arrays[0] has no 'dtype'"),
        ([], "it is a list of 0 items, not an object"),
    ],
)
def test_what_is_missing(metadata, message):
    with pytest.raises(SchemaError) as found:
        DUMPED(metadata, "it")
    assert str(found.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name": ', "Expecting value"),
        ('{"name": 3}', "tilec.kernel.name is 3, not a text"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps({**METADATA, "arrays": 3}), "tilec.kernel.arrays is 3, not a list"),
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
