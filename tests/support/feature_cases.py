"""Kernels that exercise the language: what to call them with, and what their results must be."""

import zlib
from pathlib import Path

from tilec.runtime.jit import load
from tilec.testing.check import compare, make_arguments

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
FILES = (
    *("features.tile", "gemm.tile", "units.tile", "fallbacks.tile", "products.tile"),
    *("order.tile", "product_types.tile", "control.tile", "functions.tile", "views.tile"),
    *("builtins.tile", "library.tile"),
    "register_operands.tile",
)
GEMM = ({"M": 64, "N": 128, "K": 64}, {"M": 200, "N": 104, "K": 70}, {"M": 50, "N": 45, "K": 33})
PLANE = ({"M": 64, "N": 128}, {"M": 50, "N": 45}, {"M": 1, "N": 7})
ORDERED = ({"M": 256, "N": 512}, {"M": 64, "N": 72}, {"M": 1, "N": 7})
LINE = ({"N": 4096}, {"N": 1000}, {"N": 1})
HEADS = (
    {"B": 2, "S": 256, "H": 4, "D": 64},
    {"B": 2, "S": 200, "H": 3, "D": 40},
    {"B": 1, "S": 70, "H": 2, "D": 24},
)
PRODUCT_TYPES = {
    "f16_sums": GEMM,
    "f16_sums_two_groups": GEMM,
    "f8_short_sums": GEMM,
    "f8_43_43": GEMM,
    "f8_52_43": GEMM,
    "f8_43_52_promoted": GEMM,
    "f8_52_52_promoted": GEMM,
    "i8_i8": GEMM,
    "u8_i8": GEMM,
    "i8_u8": GEMM,
    "u8_u8": GEMM,
    "f32_as_tf32": GEMM,
    "f32_as_tf32_transposed": GEMM,
    "f32_in_three_tf32": GEMM,
    "f32_in_three_bf16": GEMM,
    "f32_in_three_promoted": GEMM,
    "tf32_tiles": GEMM,
    "rounded_to_tf32": GEMM,
    "one_f8_product": PLANE,
    "i8_i8_in_splits": GEMM,
    "f16_sums_in_flight": GEMM,
    "warp_bf16": GEMM,
    "warp_f16_sums": GEMM,
    "warp_96_rows": GEMM,
    "warp_f8": GEMM,
    "warp_bytes": GEMM,
    "warp_tf32": GEMM,
    "warp_tf32x3": GEMM,
    "f64_products": GEMM,
    "f64_transposed": GEMM,
    "warp_copies": GEMM,
}
"""Products of every element type that the tensor cores multiply."""
REGISTER_OPERANDS = {
    "scaled_rows": GEMM,
    "widened_bytes": GEMM,
    "narrowed_to_f8": GEMM,
    "flipped_signs": GEMM,
    "shared_columns": GEMM,
    "chained": GEMM,
    "two_products": GEMM,
    "scaled_in_turns": GEMM,
}
"""Products whose A operand comes from registers."""
CASES = {
    **PRODUCT_TYPES,
    **REGISTER_OPERANDS,
    "mma_f32": GEMM,
    "mma_computed": GEMM,
    "mma_bias": GEMM,
    "mma_f8": GEMM,
    "mma_tf32": GEMM,
    "mma_symmetric": ({"M": 4000, "N": 2000, "K": 200}, {"M": 320, "N": 200, "K": 96}),
    "mma_halves": GEMM,
    "residual_in_a_branch": GEMM,
    "mma_batched": ({"B": 2, "M": 64, "N": 64, "K": 64}, {"B": 3, "M": 70, "N": 90, "K": 50}),
    "gemm": GEMM,
    **dict.fromkeys(
        ("products_of_a_batch", "batch_of_computed_tiles"),
        ({"B": 8, "M": 64, "N": 64, "K": 64}, {"B": 5, "M": 70, "N": 90, "K": 50}),
    ),
    "batch_of_bytes": ({"B": 2, "M": 64, "N": 64, "K": 64},),
    "batched_gemm": ({"B": 3, "M": 136, "N": 72, "K": 200}, {"B": 2, "M": 70, "N": 90, "K": 50}),
    "column_sum": PLANE,
    "math_chain": LINE,
    "approximations": LINE,
    "halves": LINE,
    "pairs_of_halves": LINE,
    "long_functions": LINE,
    "integers": PLANE,
    "pieces": ({"M": 64}, {"M": 33}),
    "padded": LINE,
    "in_place_twice": PLANE,
    "branches": PLANE,
    "transpose": PLANE,
    "f8": PLANE,
    "carried_shapes": PLANE,
    "before_the_array": ({"M": 64}, {"M": 50}, {"M": 3}),
    "before_the_plane": PLANE,
    "stored_twice": GEMM,
    "read_back": GEMM,
    "small_integers": PLANE,
    "spread_nan": PLANE,
    "far_remainders": ({"N": 1000}, {"N": 300}),
    "uneven_reshape": ({"M": 50, "N": 45}, {"M": 3, "N": 24}),
    "uneven_halves": ({"M": 12, "N": 8}, {"M": 5, "N": 3}),
    "copy_between_types": PLANE,
    "near_ties": PLANE,
    "restricted_casts": PLANE,
    "signed_bools": PLANE,
    "far_tiles": LINE,
    "wide_grid": LINE,
    "parts_by_index": LINE,
    "small_powers": LINE,
    "divisions_by_anything": PLANE,
    "swiglu": GEMM,
    "complex_product": GEMM,
    "padded_rows": ({"M": 64, "N": 128}, {"M": 33, "N": 76}),
    "padded_small_floats": ({"N": 512}, {"N": 300}, {"N": 5}),
    "padded_operand": ({"M": 256, "N": 128}, {"M": 150, "N": 72}),
    "large_tiles": PLANE,
    "large_start": GEMM[1:],
    "heads_scores": HEADS,
    "heads_values": HEADS,
    "heads_attention": HEADS,
    "permuted_units": GEMM,
    "units_by_element": PLANE,
    "batch_of_one": ({"B": 2, "M": 64, "N": 64, "K": 128}, {"B": 3, "M": 70, "N": 90, "K": 72}),
    "depth_of_one": PLANE,
    "units_in_a_loop": ({"M": 64, "H": 3, "N": 128}, {"M": 50, "H": 2, "N": 72}),
    "product_until": GEMM,
    "product_of_some": GEMM,
    "sum_of_some": PLANE,
    "sum_until": PLANE[1:2],
    "sum_where": PLANE[1:2],
    "returns_before_a_load": PLANE,
    "ends_early": PLANE,
    "endless": PLANE,
    "closures": PLANE,
    "product_operator": GEMM,
    "single_elements": PLANE,
    "hyperbolic": LINE,
    "inverse_functions": LINE,
    "whole_halves": LINE,
    "bits": LINE,
    "rounded_casts": LINE,
    "rounded_arithmetic": LINE,
    "parts": PLANE,
    "low_bits": ({"M": 64, "N": 16}, {"M": 33, "N": 13}),
    "as_bytes": ({"M": 64, "N": 16}, {"M": 33, "N": 13}),
    "batch_and_matrix": ({"B": 8, "M": 64, "N": 64, "K": 64}, {"B": 5, "M": 70, "N": 90, "K": 50}),
    "numbers_and_shapes": ({"N": 256}, {"N": 100}),
    "combined_rows": ({"M": 16, "N": 16}, {"M": 5, "N": 9}),
    "windows_in_a_row": LINE,
    "windows_in_a_plane": PLANE[:2],
    "every_third_row": PLANE[:2],
    "slice_of_rows": PLANE[:2],
    "slices_in_a_loop": PLANE[:2],
    "slice_of_columns": PLANE[:2],
    "slice_of_a_slice": PLANE[:2],
    "elements_of_a_slice": LINE[:2],
    "empty_slices": PLANE[:2],
    "product_of_slices": GEMM,
    "grouped_product": GEMM,
    "prefetched": PLANE[:2],
    "library_activations": LINE,
    "library_random": LINE,
    "library_rows": PLANE,
    "library_orders": ({"M": 64, "N": 64}, {"M": 17, "N": 50}, {"M": 1, "N": 3}),
    "library_int4": ({"M": 64, "N": 64, "L": 128}, {"M": 17, "N": 9, "L": 18}),
    "cleared_by_threads": ORDERED,
    "cleared_by_tma": ORDERED,
    "swapped": ORDERED,
    "cleared_in_a_branch": ORDERED,
    "counted_in_a_loop": ORDERED,
    "moved_in_a_loop": ORDERED,
    "doubled_by_threads": ORDERED,
    "doubled_by_tma": ORDERED,
    "stored_and_loaded": ORDERED,
    "stored_over": ORDERED,
    "neighbours_in_place": ORDERED,
    "neighbours_then_one_again": ORDERED,
    "residual_across": ({"M": 256, "N": 256, "K": 128}, {"M": 128, "N": 128, "K": 64}),
    "product_in_place": GEMM,
    "deferred_in_place": GEMM,
    "deferred_slices_in_place": GEMM,
}
ORDER = tuple(CASES)[-16:]
"""Kernels that store to what they have loaded."""
LAYOUTS = {
    **{name: [{}, {"A": "col"}] for name in (*PRODUCT_TYPES, *REGISTER_OPERANDS)},
    "padded_rows": [{}, {"X": "odd"}, {"Z": "col"}],
    "sum_until": [{}],
    "sum_where": [{}],
    "padded_operand": [{}, {"A": "col"}, {"B": "col"}],
    "products_of_a_batch": [{}, {"X": "swapped", "Y": "swapped"}, {"X": "odd", "Z": "odd"}],
    "batch_of_computed_tiles": [{}, {"X": "swapped", "Y": "swapped"}],
    "batch_of_bytes": [{}],
    "large_start": [{}, {"A": "col"}, {"S": "odd"}],
    "mma_symmetric": [{}, {"A": "col"}],
    "residual_in_a_branch": [{}, {"A": "col"}, {"R": "odd"}],
    "deferred_in_place": [{}, {"A": "col"}],
    "deferred_slices_in_place": [{}, {"A": "col"}],
    "gemm": [
        {"A": first, "B": second, "C": third}
        for first in ("row", "col")
        for second in ("row", "col")
        for third in ("row", "col", "odd_col")
    ],
    "batched_gemm": [
        {},
        {"X": "swapped", "Y": "swapped"},
        {"X": "swapped", "Z": "swapped"},
        {"Y": "swapped", "Z": "odd"},
        {"Y": "broadcast"},
        {"X": "broadcast", "Y": "odd"},
    ],
}
"""Layouts of kernels for which the usual ones do not do."""
MATH_TERMS = 64
"""Tolerance of libdevice functions, in roundings: a chain of ten, each within 2 to 4 ulp."""
TERMS = {
    **{name: 2**12 for name in (*PRODUCT_TYPES, *REGISTER_OPERANDS) if "f8" in name},
    "narrowed_to_f8": 2**13,
    "f16_sums": 2**13,
    "f16_sums_two_groups": 2**15,
    "f8_short_sums": 2**15,
    "warp_f16_sums": 2**15,
    "f16_sums_in_flight": 2**14,
    "approximations": 2**13,
    "heads_attention": 2**14,
    "library_rows": 2**16,
}
"""Tolerances of kernels for which the usual one does not do: the error of `tanh.approx`, 2^-11;
scores that are rounded to 16 bits on two sides of a tie, where sums are added in another order; the
tensor cores, which keep about 14 bits of a sum of 8-bit floats, and round sums in f16 after every
instruction."""


def load_kernels():
    """Return the kernels by name."""
    return {kernel.__name__: kernel for name in FILES for kernel in load(KERNELS / name)}


def layouts_of(kernel):
    """Return the layouts in which a kernel is called, the usual one first."""
    usual = [{}, {"A": "col"}, {"A": "odd"}, {"C": "odd"}] if "M" in CASES[kernel][0] else [{}]
    return LAYOUTS.get(kernel, usual)


def runs():
    """Yield the kernel, the sizes and the layouts of every call.

    The usual layout has all sizes, and each other layout has one of them.
    """
    for kernel, sizes in CASES.items():
        usual, *others = layouts_of(kernel)
        for size in sizes:
            yield kernel, size, usual
        for number, layout in enumerate(others, 1):
            yield kernel, sizes[number % len(sizes)], layout


def check_feature(launch, kernel, sizes, layouts, zeroed=(), *, terms=None):
    """Call a kernel and compare its results, and the memory around them, with the CPU reference.

    Args:
        launch: Runs a kernel on copies of `tilec.testing.check.Arguments`, and copies the results
        back. kernel: The kernel. sizes: Extents by dim name. layouts: Layouts by array name; those
        of arrays that the kernel does not have are ignored. zeroed: Names of arrays that start with
        zeros. terms: Tolerance in roundings; None for that of the kernel.
    """
    names = {item.name for item in kernel.signature.params}
    layouts = {array: order for array, order in layouts.items() if array in names}
    seed = zlib.crc32(repr((kernel.__name__, sizes, layouts)).encode())
    inputs = make_arguments(kernel.signature, sizes, layouts=layouts, seed=seed)
    metadata = kernel.compile(**inputs.data(), **inputs.scalars).metadata
    inputs.poison(item["name"] for item in metadata["arrays"] if item["access"] == "write")
    for array_name in zeroed:
        inputs.data()[array_name][...] = 0
    on_cpu, on_device = inputs.copy(), inputs.copy()
    kernel(**on_cpu.data(), **on_cpu.scalars)
    launch(kernel, on_device)
    written = [item["name"] for item in metadata["arrays"] if item["access"] != "read"]
    expected = {array_name: on_cpu.data()[array_name] for array_name in written}
    allowed = terms or TERMS.get(kernel.__name__) or sizes.get("K", MATH_TERMS)
    result = compare(on_device.data(), expected, dict.fromkeys(written, allowed))
    assert result.ok, str(result)
    for array_name, array in on_device.arrays.items():
        assert array.stray_writes(inputs.arrays[array_name].memory) == 0, array_name
