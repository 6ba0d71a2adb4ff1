"""The comment block that tells how to launch a kernel."""

import pytest

from tests.support.kernel_metadata import MATRIX, RECIPE, kernel_metadata
from tilec.codegen.artifact import Artifact, HiddenParameter, KernelImage, Workspace
from tilec.codegen.header import header_comment, strip_header
from tilec.codegen.ptxas import assemble
from tilec.request.target import get_target

OUTPUT_RECIPE = {
    "array": "C",
    "dtype": "f32",
    "axes": [0, 1],
    "box": [64, 32],
    "swizzle": 0,
    "load": False,
}
METADATA = kernel_metadata(
    name="matmul",
    source="matmul.tile",
    arrays=[
        {"name": "A", **MATRIX, "access": "read"},
        {"name": "C", **MATRIX, "dtype": "f32", "access": "write"},
    ],
    params=[
        {"kind": "pointer", "array": "A", "div_by": 16},
        {"kind": "stride", "array": "A", "axis": 0, "div_by": 8},
        {"kind": "pointer", "array": "C"},
        {"kind": "scalar", "name": "alpha", "dtype": "f32"},
        {"kind": "dim", "name": "M", "array": "A", "axis": 0},
        {"kind": "dim", "name": "K", "array": "A", "axis": 1, "div_by": 64},
        {"kind": "dim", "name": "A.shape[1]", "array": "A", "axis": 1},
        {"kind": "grid", "axis": 0},
    ],
    dims={"M": [["A", 0], ["C", 0]], "K": [["A", 1]]},
    grid=["cdiv(M, 128)", "cdiv(N, 256)"],
    constants={"BM": 128, "BN": 256},
    preconditions=["K % 64 == 0", "A.strides[1] == 1"],
    cluster=[2, 1, 1],
    shared_bytes=196704,
    tensor_maps=[RECIPE, OUTPUT_RECIPE],
)
PTX = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry matmul()\n{\nret;\n}\n"


def block(metadata=METADATA, **options):
    image = KernelImage("matmul", PTX, metadata=metadata)
    return header_comment(Artifact((image,), "sm_90a", compiler="0.1.0", **options))


def test_everything_a_launcher_needs():
    rule = "// " + "-" * 77
    assert block().splitlines() == [
        rule,
        "// kernel matmul, compiled from matmul.tile for sm_90a by tilec 0.1.0",
        "// constants: BM = 128, BN = 256",
        "// parameters, in order:",
        "//    0  A             address of bf16          a multiple of 16, read",
        "//    1  A.strides[0]  i64                      in elements, a multiple of 8",
        "//    2  C             address of f32           written",
        "//    3  alpha         f32",
        "//    4  M             i32                      A.shape[0] = C.shape[0]",
        "//    5  K             i32                      A.shape[1], a multiple of 64",
        "//    6  A.shape[1]    i32",
        "//    7  grid[0]       i32                      blocks along this axis",
        "//    8  tensor map 0  128 bytes aligned to 64  of A, see below",
        "//    9  tensor map 1  128 bytes aligned to 64  of C, see below",
        "// tensor maps, by cuTensorMapEncodeTiled: the strides are those of the array, interleave",
        "// none, out-of-bounds elements zero; axes outermost first here, last for the call:",
        "//   0: load of A, bf16, extents (A.shape[0], A.shape[1]),",
        "//      box (128, 64), element strides (1, 1), swizzle 128 bytes, L2 promotion 128 bytes",
        "//   1: store of C, f32, extents (C.shape[0], C.shape[1]),",
        "//      box (64, 32), element strides (1, 1), swizzle none, L2 promotion none",
        "// grid: gridDim.x = (cdiv(M, 128)) * (cdiv(N, 256))",
        "// block: 384 threads",
        "// cluster: 2 x 1 x 1 blocks",
        "// dynamic shared memory: 196704 bytes",
        "// preconditions:",
        "//   K % 64 == 0",
        "//   A.strides[1] == 1",
        rule,
    ]


def test_a_kernel_without_grid_maps_and_preconditions():
    metadata = {key: METADATA[key] for key in ("name", "arrays", "params", "block_threads")}
    text = block(metadata)
    assert "// grid: given by the caller, flattened into gridDim.x" in text
    assert "tensor map" not in text
    assert "// cluster: 1 x 1 x 1 blocks" in text
    assert "// preconditions: none" in text


def test_the_grid_of_a_persistent_kernel():
    loop = "// grid: gridDim.x = at most one block per SM; the blocks loop over"
    text = block({**METADATA, "persistent": True})
    assert f"{loop} (cdiv(M, 128)) * (cdiv(N, 256)) tiles\n" in text
    text = block({**METADATA, "persistent": True, "plan": {"blocks_per_sm": 2}})
    assert f"{loop.replace('one block', '2 blocks')} (cdiv(M, 128)) * (cdiv(N, 256)) tiles" in text
    text = block({**METADATA, "persistent": True, "grid": ["cdiv(N, 64)"]})
    assert f"{loop} cdiv(N, 64) tiles\n" in text
    text = block({**METADATA, "persistent": True, "grid": []})
    assert f"{loop} the tiles of the grid that the caller gives\n" in text


def test_the_grid_of_a_kernel_in_clusters():
    """Clusters are launched whole, so extents are rounded up to their tiles."""
    text = block({**METADATA, "cluster": [8, 1, 1], "cluster_tiles": [2, 4]})
    whole = "(cdiv(cdiv(M, 128), 2) * 2) * (cdiv(cdiv(N, 256), 4) * 4)"
    assert f"// grid: gridDim.x = {whole}\n" in text
    assert "// cluster: 8 x 1 x 1 blocks\n" in text
    batched = {**METADATA, "grid": ["B", "cdiv(M, 128)", "N"], "cluster_tiles": [2, 1]}
    assert "// grid: gridDim.x = (B) * (cdiv(cdiv(M, 128), 2) * 2) * (N)\n" in block(batched)
    text = block({**METADATA, "persistent": True, "cluster_tiles": [2, 1]})
    loop = "// grid: gridDim.x = at most one block per SM in whole clusters; the blocks loop over"
    assert f"{loop} (cdiv(cdiv(M, 128), 2) * 2) * (cdiv(N, 256)) tiles\n" in text


def test_the_grid_of_a_kernel_whose_ctas_compute_a_tile_together():
    text = block({**METADATA, "cluster": [8, 1, 1], "cluster_tiles": [1, 1]})
    assert "// grid: gridDim.x = ((cdiv(M, 128)) * (cdiv(N, 256))) * 8\n" in text
    text = block({**METADATA, "cluster": [16, 1, 1], "cluster_tiles": [1, 1]})
    allowed = "which the kernel must be allowed (cuFuncSetAttribute)"
    assert f"// cluster: 16 x 1 x 1 blocks, {allowed}\n" in text


def test_a_launch_that_may_overlap_the_kernel_before():
    line = "// launch: may overlap the kernel before (programmatic dependent launch); optional\n"
    assert line in block({**METADATA, "dependent_launch": True})
    assert line not in block()


def test_workspace_and_hidden_parameters():
    text = block(
        workspaces=(
            Workspace("counters", "M * 4", zeroed=True),
            Workspace("workspace", "M * N * 4"),
        ),
        hidden_parameters=(HiddenParameter("counters"), HiddenParameter("workspace")),
    )
    assert "//   10  counters      u64                      address of device memory" in text
    assert "//   11  workspace     u64                      address of device memory" in text
    assert (
        "// counters: M * 4 bytes aligned to 256\n"
        "//   zeros before the first launch; every launch leaves zeros for the next one\n"
        "//   of one launch at a time\n"
        "// workspace: M * N * 4 bytes aligned to 256\n"
        "//   of any content\n"
    ) in text


def test_several_kernels():
    images = tuple(KernelImage(name, PTX, metadata=METADATA) for name in ("main", "reduce"))
    text = header_comment(Artifact(images, "sm_90a"))
    assert "kernel main (1 of 2)" in text
    assert "kernel reduce (2 of 2)" in text


def test_the_block_is_a_comment_for_ptxas():
    assert assemble(block() + PTX, get_target("sm_90a")).warnings == ()


@pytest.mark.parametrize("body", [PTX, "//\n// Generated by LLVM NVPTX Back-End\n//\n" + PTX])
def test_the_block_can_be_taken_off_again(body):
    assert strip_header(block() + body) == body
    assert strip_header(body) == body
    assert strip_header(strip_header(block() + block() + body)) == body


def test_the_header_says_for_which_launches_a_kernel_was_planned():
    image = KernelImage("matmul", PTX, metadata={**METADATA, "variant": "at most 8 blocks"})
    lines = header_comment(Artifact((image,), "sm_90a")).splitlines()
    assert lines[2] == "// planned for: at most 8 blocks (any launch is right)"
