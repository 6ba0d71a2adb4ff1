"""Products with tiles that are not powers of two assemble cleanly and are right on the CPU."""

from pathlib import Path

import pytest

from tilec.codegen.sass import count_opcodes, disassemble
from tilec.compiler.driver import compile_source, emit_source
from tilec.frontend.semantics.signature import signature
from tilec.frontend.syntax.parser import find_kernel, parse_source
from tilec.interpreter import run_kernel
from tilec.request.options import CompileOptions
from tilec.request.specialization import ArraySpec, Specialization, column_major, row_major
from tilec.runtime.args.arguments import check_arguments
from tilec.runtime.args.signature_binding import interface_from_signature
from tilec.runtime.args.specialize import specialize
from tilec.support.diagnostics import CompileError, SourceFile
from tilec.testing.check import compare, load_example, make_arguments

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ARRAYS = {"linear": "XWY", "matmul": "ABC"}
ANY_EXTENT = {"any_tile_extents": True}

TILES = [
    # Every number of rows with narrow and wide columns; B with K contiguous.
    ("linear", (64, 240), ""),
    ("linear", (128, 208), ""),
    ("linear", (192, 192), ""),
    ("linear", (192, 240), ""),
    ("linear", (256, 208), ""),
    # B with N contiguous: the swizzle follows from the columns. All layouts.
    ("matmul", (128, 176), ""),
    ("matmul", (192, 224), "A"),
    ("matmul", (256, 176), "AB"),
    ("matmul", (256, 208), "A"),
    ("matmul", (256, 208), "C"),
]


def source_of(name):
    path = EXAMPLES / f"{name}.tile"
    return SourceFile(path.name, path.read_text())


def named(tile):
    return {"BM": tile[0], "BN": tile[1], "BK": tile[2]}


def compile_tile(name, tile, column_major_arrays=""):
    arrays = {
        array: ArraySpec("bf16", column_major(2) if array in column_major_arrays else row_major(2))
        for array in ARRAYS[name]
    }
    wanted = Specialization(arrays, named((*tile, 64)), {"T": "bf16"}, plan=ANY_EXTENT)
    return compile_source(source_of(name), name, wanted, CompileOptions(emit="cubin"))


@pytest.mark.parametrize(("name", "tile", "layouts"), TILES)
def test_tile_assembles_cleanly(name, tile, layouts):
    result = compile_tile(name, tile, layouts)
    assembly = result.assembly
    assert assembly.warnings == ()
    assert (assembly.spill_stores, assembly.spill_loads) == (0, 0)
    assert not {item.code for item in result.remarks} & {"T0520", "T0522", "T0541"}
    (kernel,) = result.artifact.kernels
    rows, columns = tile
    consumers = kernel.metadata["plan"]["consumer_warps"] // 4
    shared_columns = rows % (64 * consumers) != 0
    slices = rows // 64 if shared_columns else rows // 64 // consumers
    assert count_opcodes(disassemble(kernel.cubin))["HGMMA"] == slices * 4
    assert f"m64n{columns // consumers if shared_columns else columns}k16" in kernel.ptx


@pytest.mark.parametrize("tile", [(192, 288), (256, 224), (256, 256)])
def test_tiles_beyond_the_registers_are_refused(tile):
    with pytest.raises(CompileError, match="T0423"):
        compile_tile("linear", tile)


@pytest.mark.parametrize("tile", [(192, 80, 48), (64, 208, 80), (256, 144, 64)])
@pytest.mark.parametrize("name", ["linear", "matmul"])
def test_tile_computes_the_product(name, tile):
    source = source_of(name)
    tree = parse_source(source)
    kernel = signature(find_kernel(tree, name), tree)
    example = load_example(EXAMPLES / f"{name}.tile")
    assert example is not None
    sizes = {"M": 300, "N": 230, "K": 130}
    before = make_arguments(kernel, sizes, dtypes={"T": "bf16"}, example=example)
    constants = named(tile)
    values = {**before.data(), **constants, "T": "bf16"}
    bound = check_arguments(interface_from_signature(kernel, source), values)
    module = emit_source(source, name, specialize(bound, plan=ANY_EXTENT))
    after = before.copy()
    output = ARRAYS[name][-1]
    after.poison([output])
    run_kernel(module, after.data(), {})
    expected = example.expected(before, constants)
    result = compare({output: after.data()[output]}, expected, example.terms(sizes))
    assert result.ok, str(result)
