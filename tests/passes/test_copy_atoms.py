"""The copy-atom and MMA-atom registries, storage order and descriptor recipes."""

from dataclasses import replace

import pytest

from tilec.dialects.cute.registry import (
    COPY_ATOMS,
    CopyRequest,
    Interface,
    interfaces_of,
    select_copy_atoms,
)
from tilec.dialects.nv_tileaa.memory_ops import MakeMemrefOp
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.passes.analysis.tma.descriptor_recipe import descriptor_recipe
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.memory import storage_order

ALIGNED = CopyRequest(
    is_load=True,
    compute_capability=90,
    address_space=1,
    tile=(128, 64),
    element="bf16",
    sizes=(None, None),
    strides=(None, 1),
    base_div_by=16,
    size_div_by=(1, 8),
    stride_div_by=(16, 2),
    coord_div_by=(128, 64),
    in_bounds=(False, False),
)


def names(request: CopyRequest) -> list[str]:
    return [atom.name_for(request) for atom in select_copy_atoms(request).legal]


def test_an_aligned_tile_has_every_atom_and_tma_first():
    assert names(ALIGNED) == [
        "sm90_tma_load_2d_bf16",
        "sm90_ldg_128_bf16",
        "sm90_ldg_64_bf16",
        "sm90_ldg_32_bf16",
        "sm90_ldg_16_bf16",
        "sm80_cp_async_16_bf16",
        "sm80_cp_async_8_bf16",
        "sm80_cp_async_4_bf16",
    ]
    assert select_copy_atoms(ALIGNED).tma_obstacle is None


SUM = replace(ALIGNED, is_load=False, mem_semantic="relaxed", combine="addf")
EXTREME = replace(SUM, element="i32", combine="max")


def test_tma_and_vectors_of_threads_add_floats():
    assert names(SUM)[:2] == ["sm90_tma_reduce_2d_bf16", "sm90_red_128_bf16"]


def test_threads_combine_integers_one_by_one():
    assert names(EXTREME) == ["sm90_tma_reduce_2d_i32", "sm90_red_32_i32"]


def test_tma_does_not_add_f64():
    request = replace(SUM, element="f64")
    assert select_copy_atoms(request).tma_obstacle == "TMA has no 'addf' of f64"


@pytest.mark.parametrize(("combine", "is_unsigned"), [("max", True), ("umin", False)])
def test_the_tensor_map_says_whether_numbers_have_a_sign(combine, is_unsigned):
    request = replace(EXTREME, combine=combine, is_unsigned=is_unsigned)
    assert "whether numbers have a sign" in (select_copy_atoms(request).tma_obstacle or "")
    bits = replace(request, combine="xor")
    assert select_copy_atoms(bits).tma_obstacle is None


def test_stores_have_no_cp_async():
    assert names(replace(ALIGNED, is_load=False)) == [
        "sm90_tma_store_2d_bf16",
        "sm90_stg_128_bf16",
        "sm90_stg_64_bf16",
        "sm90_stg_32_bf16",
        "sm90_stg_16_bf16",
    ]


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_tma_takes_ranks_one_to_five(rank):
    request = replace(
        ALIGNED,
        tile=(2,) * (rank - 1) + (64,),
        sizes=(None,) * rank,
        strides=(None,) * (rank - 1) + (1,),
        size_div_by=(1,) * rank,
        stride_div_by=(16,) * (rank - 1) + (2,),
        coord_div_by=(1,) * (rank - 1) + (64,),
        in_bounds=(False,) * rank,
    )
    assert names(request)[0] == f"sm90_tma_load_{rank}d_bf16"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"compute_capability": 80}, "compute capability 80 has no TMA"),
        ({"coord_div_by": (64, 4)}, "its rows are not known to start at multiples of 16 bytes"),
        ({"address_space": 3}, "the array is not in global memory"),
        ({"allow_tma": False}, "the source says allow_tma = false"),
        ({"mem_semantic": "acquire"}, "its memory ordering is acquire, and TMA copies are weak"),
        ({"after_store": True}, "it comes after a store or an acquire of this kernel"),
        ({"element": "i1"}, "tensor maps have no element type i1"),
        (
            {"tile": (128, 4)},
            "the inner tile extent is 8 bytes, not a multiple of 16",
        ),
        ({"tile": (128, 12)}, "the inner tile extent is 24 bytes, not a multiple of 16"),
        ({"strides": (None, None)}, "the innermost stride is not known to be 1"),
        ({"strides": (None, 2)}, "the innermost stride is 2, not 1"),
        ({"base_div_by": 8}, "base address is not known to be a multiple of 16 bytes"),
        ({"stride_div_by": (8, 2)}, "row pitch is not known to be a multiple of 16 bytes"),
        (
            {"strides": (12, 1), "stride_div_by": (24, 2)},
            "row pitch is 24 bytes, not a multiple of 16",
        ),
        ({"strides": (0, 1), "stride_div_by": (0, 2)}, "row pitch is 0, not positive"),
        ({"strides": (-64, 1), "stride_div_by": (128, 2)}, "row pitch is -64, not positive"),
        ({"not_describable": "it moves"}, "it moves"),
    ],
)
def test_every_rule_of_tma_has_its_reason(change, reason):
    selection = select_copy_atoms(replace(ALIGNED, **change))
    assert selection.tma_obstacle == reason
    assert all(Interface.TMA not in atom.interfaces for atom in selection.legal)
    assert selection.legal


def test_outer_strides_are_named_by_their_dim():
    request = replace(
        ALIGNED,
        tile=(2, 128, 64),
        sizes=(None,) * 3,
        strides=(None, None, 1),
        size_div_by=(1, 1, 8),
        stride_div_by=(8, 16, 2),
        coord_div_by=(1, 1, 64),
        in_bounds=(False,) * 3,
    )
    reason = "stride of dim 0 is not known to be a multiple of 16 bytes"
    assert select_copy_atoms(request).tma_obstacle == reason


def test_padding_does_not_matter_to_tma():
    """A select makes other padding of its zeros; cp.async has to fill with zeros itself."""
    padded = replace(ALIGNED, padding="nan")
    assert select_copy_atoms(padded).tma_obstacle is None
    assert names(padded) == [name for name in names(ALIGNED) if "cp_async" not in name]
    assert names(replace(padded, in_bounds=(True, True))) == names(ALIGNED)


def test_the_stride_of_a_dim_of_extent_one_does_not_matter():
    row = replace(ALIGNED, sizes=(1, None), strides=(7, 1), stride_div_by=(14, 2))
    column = replace(ALIGNED, sizes=(None, 1), strides=(None, 5), stride_div_by=(16, 10))
    assert names(row)[0] == names(column)[0] == "sm90_tma_load_2d_bf16"


@pytest.mark.parametrize(
    ("change", "widest"),
    [
        ({"base_div_by": 8}, "sm90_ldg_64_bf16"),
        ({"stride_div_by": (4, 2)}, "sm90_ldg_32_bf16"),
        ({"stride_div_by": (0, 2), "strides": (0, 1)}, "sm90_ldg_128_bf16"),
        ({"tile": (128, 4), "coord_div_by": (128, 4)}, "sm90_ldg_64_bf16"),
        ({"allow_tma": False, "size_div_by": (1, 1)}, "sm90_ldg_16_bf16"),
        (
            {"allow_tma": False, "size_div_by": (1, 1), "in_bounds": (False, True)},
            "sm90_ldg_128_bf16",
        ),
        ({"strides": (1, None), "stride_div_by": (2, 16)}, "sm90_ldg_16_bf16"),
        ({"allow_tma": False, "coord_div_by": (1, 2)}, "sm90_ldg_32_bf16"),
    ],
)
def test_the_provable_vector_width_limits_plain_loads(change, widest):
    assert names(replace(ALIGNED, **change))[0] == widest


def test_one_element_is_always_legal():
    hopeless = replace(
        ALIGNED,
        base_div_by=1,
        strides=(None, None),
        stride_div_by=(1, 1),
        coord_div_by=(1, 1),
        size_div_by=(1, 1),
    )
    assert names(hopeless) == ["sm90_ldg_16_bf16"]
    assert names(replace(hopeless, element="f64")) == ["sm90_ldg_64_f64", "sm80_cp_async_8_f64"]
    assert names(replace(hopeless, element="i1")) == ["sm90_ldg_8_i1"]


def test_older_architectures_prefer_their_own_atoms():
    assert names(replace(ALIGNED, compute_capability=89))[0] == "sm80_cp_async_16_bf16"
    assert names(replace(ALIGNED, compute_capability=75)) == [
        "sm75_ldg_128_bf16",
        "sm75_ldg_64_bf16",
        "sm75_ldg_32_bf16",
        "sm75_ldg_16_bf16",
    ]


def test_interfaces_answer_what_an_atom_can_do():
    assert interfaces_of("tma_prefetch") == Interface.TMA | Interface.PREFETCH
    assert Interface.TMA in interfaces_of("tma_store")
    assert Interface.ASYNC_COPY in interfaces_of("cp_async")
    assert interfaces_of("ldg") == Interface.COPY
    assert len({(atom.kind, atom.vector_bits) for atom in COPY_ATOMS}) == len(COPY_ATOMS)


@pytest.mark.parametrize(
    ("shape", "strides", "order"),
    [
        ((None, None), (None, 1), (0, 1)),
        ((None, None), (1, None), (1, 0)),
        ((None, None, None), (None, 1, None), (0, 2, 1)),
        ((None, None), (None, None), (0, 1)),
        ((None, 1), (1, 1), (1, 0)),
        ((1, None), (1, 1), (0, 1)),
        ((None, 1), (None, 1), (0, 1)),
        ((4, 8, 2), (2, 8, 1), (1, 0, 2)),
        ((4, 8), (1, 0), (1, 0)),
        ((4, 8), (-8, 1), (0, 1)),
        ((), (), ()),
    ],
)
def test_storage_order_puts_the_contiguous_axis_last(shape, strides, order):
    assert storage_order(shape, strides) == order


RECIPE_IR = """
!memref = !nv_tileaa.memref<memref<{shape}xf32, strided<{strides}>, 1>, 0 : i64>
"nv_tileaa.func"() ({{
^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %b: !nv_tileaa.ptr<f32>, %m: i32, %k: i32):
  %v = "nv_tileaa.make_memref"({operands})
    : ({types}) -> !memref
  "nv_tileaa.return"() : () -> ()
}}) {{sym_name = "k",
  function_type = (!nv_tileaa.ptr<f32>, i64, !nv_tileaa.ptr<f32>, i32, i32) -> (),
  tilec.kernel = {{
  arrays = [{{name = "A", dtype = "f32", rank = 2 : i64, strides = [1, -1]}},
            {{name = "B", dtype = "f32", rank = 2 : i64, strides = [32, 1]}}],
  dims = {{M = [["A", 0], ["B", 0]], K = [["A", 1]]}}, static_shape = {{B = [-1, 32]}},
  params = [{{kind = "pointer", array = "A"}}, {{kind = "stride", array = "A", axis = 1 : i64}},
            {{kind = "pointer", array = "B"}},
            {{kind = "dim", name = "M", array = "A", axis = 0 : i64}},
            {{kind = "dim", name = "K", array = "A", axis = 1 : i64}}]}}}} : () -> ()
"""


def recipe(shape: str, strides: str, operands: str, types: str):
    text = RECIPE_IR.format(shape=shape, strides=strides, operands=operands, types=types)
    context = make_context()
    with context:
        module = parse_module(text, context, "k.mlir")
        function = module.body.operations[0].operation
        memref = next(
            op for op in function.regions[0].blocks[0].operations if isinstance(op, MakeMemrefOp)
        )
        return descriptor_recipe(memref.memref, function, read_kernel_metadata(function))


def test_a_column_major_array_is_described_by_its_axes_in_storage_order():
    found = recipe("?x?", "[?, 1]", "%p, %k, %m, %s", "!nv_tileaa.ptr<f32>, i32, i32, i64")
    assert found == {
        "array": "A",
        "dtype": "f32",
        "axes": [1, 0],
        "dims": [["dim", "K"], ["dim", "M"]],
        "strides": [["stride", "A", 1], ["static", 1]],
    }


def test_static_extents_and_shared_dims_are_found():
    found = recipe("?x32", "[32, 1]", "%b, %m", "!nv_tileaa.ptr<f32>, i32")
    assert isinstance(found, dict)
    assert found["array"] == "B"
    assert found["axes"] == [0, 1]
    assert found["dims"] == [["dim", "M"], ["static", 32]]


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (
            ("?x?", "[?, 1]", "%p, %m, %k, %s", "!nv_tileaa.ptr<f32>, i32, i32, i64"),
            "its dims are not the axes of A",
        ),
        (
            ("?x32", "[32, 1]", "%b, %k", "!nv_tileaa.ptr<f32>, i32"),
            "its dims are not the axes of B",
        ),
        (
            ("?x16", "[32, 1]", "%b, %m", "!nv_tileaa.ptr<f32>, i32"),
            "its dims are not the axes of B",
        ),
        (
            ("?", "[1]", "%b, %m", "!nv_tileaa.ptr<f32>, i32"),
            "its dims are not the axes of B",
        ),
    ],
)
def test_views_that_are_no_axis_permutation_of_the_array_have_a_reason(view, reason):
    assert recipe(*view) == reason
