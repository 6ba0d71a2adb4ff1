"""The registry of MMA atoms: which instruction multiplies which tiles."""

import pytest

from tilec.support.mma_atoms import (
    ProductTypes,
    Unit,
    fallback_mma_atom,
    find_family,
    products_of,
    select_mma_atom,
    warp_families,
    warp_family,
    wgmma_family,
)

DOUBLES = ProductTypes("f64", "f64", "f64")


@pytest.mark.parametrize(
    ("types", "extents", "expected"),
    [
        (("bf16", "bf16", "f32"), (128, 128, 64), "sm90_wgmma_m64n128k16_f32_bf16_bf16"),
        (("f16", "f16", "f16"), (64, 8, 16), "sm90_wgmma_m64n8k16_f16_f16_f16"),
        (("bf16", "bf16", "f32"), (64, 192, 16), "sm90_wgmma_m64n192k16_f32_bf16_bf16"),
        (("bf16", "bf16", "f32"), (64, 512, 16), "sm90_wgmma_m64n256k16_f32_bf16_bf16"),
        (("tf32", "tf32", "f32"), (64, 64, 8), "sm90_wgmma_m64n64k8_f32_tf32_tf32"),
        (
            ("f8E4M3FN", "f8E5M2", "f32"),
            (64, 64, 32),
            "sm90_wgmma_m64n64k32_f32_f8e4m3fn_f8e5m2",
        ),
        (("i8", "i8", "i32"), (64, 80, 32), "sm90_wgmma_m64n80k32_i32_i8_i8"),
    ],
)
def test_the_widest_wgmma_is_chosen(types, extents, expected):
    atom = select_mma_atom(ProductTypes(*types), extents)
    assert not isinstance(atom, str)
    assert atom.name == expected
    columns = atom.shape[1]
    registers = columns // 4 if types[2] == "f16" else columns // 2
    assert atom.accumulator_registers == registers


@pytest.mark.parametrize(
    ("types", "extents", "reason"),
    [
        (("f32", "f32", "f32"), (64, 64, 16), "wgmma does not multiply f32 and f32 into f32"),
        (("bf16", "f16", "f32"), (64, 64, 16), "wgmma does not multiply bf16 and f16 into f32"),
        (("bf16", "bf16", "f16"), (64, 64, 16), "wgmma does not multiply bf16 and bf16 into f16"),
        (("bf16", "bf16", "f32"), (40, 64, 16), "M = 40 is not a multiple of 64"),
        (("bf16", "bf16", "f32"), (64, 4, 16), "N = 4 is not a multiple of 8"),
        (("bf16", "bf16", "f32"), (64, 64, 8), "K = 8 is not a multiple of 16"),
    ],
)
def test_products_that_wgmma_cannot_do(types, extents, reason):
    assert select_mma_atom(ProductTypes(*types), extents) == reason
    assert fallback_mma_atom(ProductTypes(*types)).shape == (1, 1, 1)


@pytest.mark.parametrize(
    ("types", "ptx", "inner", "transposed", "rate"),
    [
        (("bf16", "bf16", "f32"), "f32.bf16.bf16", 16, True, 2048),
        (("f16", "f16", "f16"), "f16.f16.f16", 16, True, 2048),
        (("tf32", "tf32", "f32"), "f32.tf32.tf32", 8, False, 1024),
        (("f8E4M3FN", "f8E5M2", "f16"), "f16.e4m3.e5m2", 32, False, 4096),
        (("f8E5M2", "f8E4M3FN", "f32"), "f32.e5m2.e4m3", 32, False, 4096),
        (("u8", "i8", "i32"), "s32.u8.s8", 32, False, 4096),
    ],
)
def test_a_family_is_what_ptx_and_the_datasheet_say(types, ptx, inner, transposed, rate):
    family = wgmma_family(ProductTypes(*types))
    assert family is not None
    assert family.types.ptx == ptx
    assert (family.inner, family.reads_transposed, family.rate) == (inner, transposed, rate)


@pytest.mark.parametrize(
    ("types", "extents", "name"),
    [
        (("bf16", "bf16", "f32"), (32, 64, 16), "sm90_mma_m16n8k16_f32_bf16_bf16"),
        (("f8E5M2", "f8E4M3FN", "f32"), (16, 8, 32), "sm90_mma_m16n8k32_f32_f8e5m2_f8e4m3fn"),
        (("u8", "i8", "i32"), (48, 8, 64), "sm90_mma_m16n8k32_i32_u8_i8"),
        (("f64", "f64", "f64"), (64, 64, 16), "sm90_mma_m16n8k16_f64_f64_f64"),
        (("f64", "f64", "f64"), (64, 64, 24), "sm90_mma_m16n8k8_f64_f64_f64"),
        (("f64", "f64", "f64"), (16, 64, 4), "sm90_mma_m16n8k4_f64_f64_f64"),
        (("f64", "f64", "f64"), (24, 64, 16), "sm90_mma_m8n8k4_f64_f64_f64"),
    ],
)
def test_smaller_tiles_and_f64_are_products_of_warps(types, extents, name):
    atom = select_mma_atom(ProductTypes(*types), extents)
    assert not isinstance(atom, str)
    assert atom.name == name
    sums = atom.shape[0] * atom.shape[1] * ProductTypes(*types).accumulator_bytes
    assert atom.accumulator_registers == sums // 128


def test_the_last_warp_family_asks_least():
    families = warp_families(DOUBLES)
    assert all(f.rows % families[-1].rows == f.inner % families[-1].inner == 0 for f in families)
    assert warp_family(DOUBLES) is families[-1]
    assert warp_family(DOUBLES, (7, 8, 4)) is families[-1]


def test_mma_sync_sums_no_f8_in_f16():
    assert warp_family(ProductTypes("f8E4M3FN", "f8E4M3FN", "f16")) is None
    assert wgmma_family(ProductTypes("f8E4M3FN", "f8E4M3FN", "f16")) is not None


def test_what_wgmma_does_not_multiply_runs_on_the_cuda_cores():
    types = ProductTypes("f32", "f32", "f32")
    assert wgmma_family(types) is None
    assert find_family(types).unit is Unit.FMA


@pytest.mark.parametrize(
    ("precision", "read", "products"),
    [(None, "f32", 1), ("tf32", "tf32", 1), ("tf32x3", "tf32", 3), ("bf16x3", "bf16", 3)],
)
def test_the_precision_says_as_what_f32_is_read(precision, read, products):
    types = ProductTypes.of(("f32", "f32", "f32"), precision)
    assert (types.a, types.b, types.accumulator) == (read, read, "f32")
    assert products_of(precision) == products


def test_a_precision_changes_no_other_type():
    assert ProductTypes.of(("f16", "f16", "f32"), "tf32").a == "f16"


def test_signs_belong_to_integers():
    types = ProductTypes.of(("i8", "i8", "i32"), None, ("unsigned", "signed"))
    assert (types.a, types.b) == ("u8", "i8")


def test_integers_have_fewer_widths():
    floats, integers = (
        wgmma_family(ProductTypes(*names)) for names in (("f16", "f16", "f32"), ("i8", "i8", "i32"))
    )
    assert floats is not None
    assert integers is not None
    assert (floats.widest(40), integers.widest(40)) == (40, 8)
    assert integers.widest(416) == 208
    assert floats.widest(20) is None


def test_a_tile_is_cut_where_its_boxes_allow():
    family = wgmma_family(ProductTypes("bf16", "bf16", "f32"))
    assert family is not None
    assert family.widest(384, 64) == 192
    assert family.widest(208, 64) == 208
