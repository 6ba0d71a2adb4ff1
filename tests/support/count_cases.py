"""Kernels that count numbers: sizes to call them with."""

from pathlib import Path

from tilec.runtime.jit import load

FILE = Path(__file__).resolve().parents[1] / "kernels" / "counts.tile"
CASES = {
    "counted_bytes": ({"N": 100000}, {"N": 5000}, {"N": 1}),
    "counted_integers": ({"N": 10000}, {"N": 300}),
    "counted_in_rounds": ({"N": 5000}, {"N": 1500}),
    "counted_in_six": ({"N": 1000}, {"N": 70}),
    "counted_choices": ({"N": 100, "M": 50}, {"N": 33, "M": 7}),
}
"""Sizes of each kernel; the last ones are the smallest."""
ZEROED = {
    "counted_bytes": "H",
    "counted_integers": "HG",
    "counted_in_six": "H",
    "counted_choices": "H",
}
"""Arrays that have to start with zeros."""


def load_kernels():
    """Return the kernels by name."""
    return {kernel.__name__: kernel for kernel in load(FILE)}
