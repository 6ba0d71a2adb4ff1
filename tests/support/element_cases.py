"""Kernels that access single elements: sizes to call them with."""

from pathlib import Path

from tilec.runtime.jit import load

FILE = Path(__file__).resolve().parents[1] / "kernels" / "elements.tile"
CASES = {
    "rows_by_table": ({"N": 64, "M": 64}, {"N": 60, "M": 45}),
    "scalars_of_all_types": ({"N": 64}, {"N": 5}),
    "counted_by_elements": ({"N": 32, "M": 128}, {"N": 7, "M": 72}),
    "gathered": ({"N": 512, "M": 64}, {"N": 300, "M": 33}),
    "embedding": (
        {"N": 256, "V": 100, "D": 256},
        {"N": 37, "V": 20, "D": 72},
        {"N": 20, "V": 9, "D": 45},
    ),
    "gathered_small_types": ({"N": 512}, {"N": 100}),
    "unchecked": ({"N": 64, "M": 64}, {"N": 5, "M": 7}),
    "scattered": ({"N": 256, "M": 256}, {"N": 200, "M": 150}),
    "scattered_rows": ({"N": 64, "D": 128}, {"N": 30, "D": 72}),
    "histogram": ({"N": 4096, "M": 32}, {"N": 1000, "M": 20}),
    "small_tile_counts": ({"N": 64, "M": 64}, {"N": 40, "M": 33}),
    "extremes": ({"N": 256}, {"N": 100}),
    "float_extremes": ({"N": 256}, {"N": 100}),
    "bits": ({"N": 256}, {"N": 100}),
    "tile_extremes": ({"M": 32, "N": 128}, {"M": 19, "N": 45}),
    "tile_bits": ({"M": 32, "N": 128}, {"M": 19, "N": 45}),
    "halves_added": ({"N": 640}, {"N": 200}),
    "exchanged": ({"N": 256}, {"N": 100}),
    "compared": ({"N": 256}, {"N": 100}),
    "locked_sum": ({"N": 300, "M": 2}, {"N": 9, "M": 1}),
    "masked_by_a_choice": ({"N": 64}, {"N": 50}),
    "tickets": ({"N": 300, "M": 2}, {"N": 9, "M": 2}),
    "flagged": ({"N": 64, "M": 64}, {"N": 5, "M": 5}),
    "in_order": ({"N": 64, "M": 64}, {"N": 20, "M": 64}),
    "windows": ({"N": 64, "M": 128}, {"N": 50, "M": 45}, {"N": 16, "M": 4}),
    "paged_product": ({"N": 4, "M": 256, "K": 256}, {"N": 3, "M": 150, "K": 72}),
    "product_added": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
    "queued_product": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
    "rounds_from_memory": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
    "split_and_added": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
    "cluster_of_pages": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
    "turns_of_pages": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
    "persistent_and_counted": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
    "last_adds": ({"M": 256, "N": 128, "K": 256}, {"M": 100, "N": 72, "K": 72}),
}
"""Sizes of each kernel; the last ones are the smallest."""
ZEROED = {
    "tickets": "C Y",
    "locked_sum": "L",
    "flagged": "F",
    "queued_product": "Q",
    "persistent_and_counted": "Q",
    "last_adds": "Q",
}
"""Arrays that have to start with zeros."""
LAYOUTS = {
    "rows_by_table": ({"X": "odd", "Y": "odd"},),
    "gathered": ({"X": "col"}, {"X": "odd", "I": "odd"}),
    "embedding": ({"W": "odd"}, {"W": "col", "Y": "col"}),
    "scattered": ({"Y": "col"},),
    "scattered_rows": ({"Y": "odd"}, {"X": "col", "Y": "col"}),
    "in_order": ({"A": "col"}, {"A": "odd", "B": "odd"}),
    "windows": ({"X": "odd", "Y": "col"}, {"Z": "odd"}),
    "paged_product": ({"A": "odd"},),
    "tile_extremes": ({"B": "odd", "C": "col"},),
}
"""Layouts of kernels for which more than row-major arrays matter."""


def runs():
    """Yield the kernel, the sizes, the layouts and the arrays of zeros of every call."""
    for kernel, sizes in CASES.items():
        for size in sizes:
            for layouts in ({}, *LAYOUTS.get(kernel, ())):
                yield kernel, size, layouts, tuple(ZEROED.get(kernel, "").split())


def load_kernels():
    """Return the kernels by name."""
    return {kernel.__name__: kernel for kernel in load(FILE)}
