"""The standard library: functions in the tile language, for `.tile` files and Python kernels.

`from tilec.lib import softmax` works in both. The functions are in the `.tile` files of this
folder and are inlined like any helper. For Python, a name here stands for such a function.
"""

from pathlib import Path
from typing import Any

from tilec.support.diagnostics import LaunchError, error

FOLDER = Path(__file__).resolve().parent
"""Where the `.tile` files are."""
FILES = {
    "argsort": "order",
    "dequantize_int4": "quantization",
    "gelu": "activations",
    "gelu_tanh": "activations",
    "layer_norm": "normalization",
    "log_sum_exp": "attention",
    "pack_int4": "quantization",
    "philox": "random",
    "rand": "random",
    "randn": "random",
    "rms_norm": "normalization",
    "rope": "rotary",
    "row_tile": "tiles",
    "sigmoid": "activations",
    "silu": "activations",
    "softcap": "attention",
    "softmax": "softmax",
    "softmax_end": "attention",
    "softmax_start": "attention",
    "softmax_step": "attention",
    "sort": "order",
    "tile_rows": "tiles",
    "topk": "order",
    "uniform": "random",
    "unpack_int4": "quantization",
}
"""The functions, and the file that defines each."""


class LibraryFunction:
    """A function of the library; it works inside a kernel only."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Name a function, one of `FILES`."""
        self.name = name

    def __repr__(self) -> str:
        return f"tilec.lib.{self.name}"

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Refuse to compute in Python.

        Raises:
            LaunchError: Always (T0717).
        """
        raise LaunchError(error("T0717", f"'{self.name}' works inside a kernel only"))


argsort = LibraryFunction("argsort")
dequantize_int4 = LibraryFunction("dequantize_int4")
gelu = LibraryFunction("gelu")
gelu_tanh = LibraryFunction("gelu_tanh")
layer_norm = LibraryFunction("layer_norm")
log_sum_exp = LibraryFunction("log_sum_exp")
pack_int4 = LibraryFunction("pack_int4")
philox = LibraryFunction("philox")
rand = LibraryFunction("rand")
randn = LibraryFunction("randn")
rms_norm = LibraryFunction("rms_norm")
rope = LibraryFunction("rope")
row_tile = LibraryFunction("row_tile")
sigmoid = LibraryFunction("sigmoid")
silu = LibraryFunction("silu")
softcap = LibraryFunction("softcap")
softmax = LibraryFunction("softmax")
softmax_end = LibraryFunction("softmax_end")
softmax_start = LibraryFunction("softmax_start")
softmax_step = LibraryFunction("softmax_step")
sort = LibraryFunction("sort")
tile_rows = LibraryFunction("tile_rows")
topk = LibraryFunction("topk")
uniform = LibraryFunction("uniform")
unpack_int4 = LibraryFunction("unpack_int4")

__all__ = [
    "argsort",
    "dequantize_int4",
    "gelu",
    "gelu_tanh",
    "layer_norm",
    "log_sum_exp",
    "pack_int4",
    "philox",
    "rand",
    "randn",
    "rms_norm",
    "rope",
    "row_tile",
    "sigmoid",
    "silu",
    "softcap",
    "softmax",
    "softmax_end",
    "softmax_start",
    "softmax_step",
    "sort",
    "tile_rows",
    "topk",
    "uniform",
    "unpack_int4",
]
