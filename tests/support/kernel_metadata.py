"""Metadata of a matrix kernel, as the compiler writes it; tests change what they are about."""

import copy
from typing import Any

RECIPE: dict[str, Any] = {
    "array": "A",
    "dtype": "bf16",
    "axes": [0, 1],
    "box": [128, 64],
    "swizzle": 128,
    "l2_promotion": 128,
    "element_strides": [1, 1],
    "load": True,
}
"""How the tensor map of a bf16 operand is made."""
MATRIX: dict[str, Any] = {
    "dtype": "bf16",
    "rank": 2,
    "strides": [-1, 1],
    "alignment": 16,
    "alias_group": -1,
}
"""A row-major matrix of bf16; its name and access are missing."""


def kernel_metadata(**changes: Any) -> dict[str, Any]:
    """Return metadata of a kernel with a loaded and a stored matrix, with `changes`."""
    metadata = {
        "name": "mm",
        "arrays": [
            {"name": "A", **MATRIX, "access": "read"},
            {"name": "C", **MATRIX, "access": "write"},
        ],
        "params": [
            {"kind": "pointer", "array": "A", "div_by": 16},
            {"kind": "stride", "array": "A", "axis": 0, "div_by": 8},
            {"kind": "pointer", "array": "C"},
            {"kind": "stride", "array": "C", "axis": 0},
            {"kind": "scalar", "name": "alpha", "dtype": "f32"},
            {"kind": "scalar", "name": "count", "dtype": "i32"},
            {"kind": "dim", "name": "M", "array": "A", "axis": 0},
            {"kind": "dim", "name": "K", "array": "A", "axis": 1},
        ],
        "dims": {"M": [["A", 0], ["C", 0]], "K": [["A", 1], ["C", 1]]},
        "grid": ["cdiv(M, 128)", "cdiv(K, 64)"],
        "preconditions": ["A.strides[1] == 1", "A is 16-byte aligned (base and pitch)"],
        "constants": {"BM": 128},
        "block_threads": 384,
        "cluster": [1, 1, 1],
        "shared_bytes": 65536,
        "tensor_maps": [RECIPE],
    }
    return copy.deepcopy({**metadata, **changes})
