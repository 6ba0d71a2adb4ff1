"""examples/README.md: the examples in groups, what each computes, and which builtins it uses."""

import re

from tilec import lib
from tilec.frontend.semantics.builtins.table import BUILTINS
from tools.docs.generated import ROOT

GROUPS: dict[str, tuple[str, ...]] = {
    "First steps": ("vector_add", "saxpy", "tile_add", "transpose", "stencil"),
    "Products": (
        "matmul",
        "matmul_f32out",
        "linear",
        "matmul_bias_gelu",
        "swiglu",
        "batched_matmul",
        "moe_matmul",
        "matmul_fp8",
        "matmul_fp8_blocks",
        "matmul_int8",
        "w8a16_matmul",
        "matmul_int4",
        "matmul_tf32",
        "matmul_f64",
        "matvec",
        "conv2d",
        "fft",
        "state_space",
    ),
    "Attention": (
        "flash_attention",
        "attention",
        "attention_fp8",
        "attention_backward",
        "attention_backward_delta",
        "attention_backward_scale",
        "attention_backward_queries",
        "attention_backward_keys",
        "window_attention",
        "flex_attention",
        "varlen_tiles",
        "varlen_attention",
        "decode_attention",
        "paged_attention",
        "rotary_embedding",
    ),
    "Rows of a matrix": (
        "softmax",
        "layer_norm",
        "layer_norm_backward",
        "rms_norm",
        "rms_norm_backward",
        "cross_entropy",
        "dropout",
        "top_k",
        "moe_router",
    ),
    "Reductions and scans": ("row_sum", "row_argmax", "column_sum", "row_cumsum", "array_cumsum"),
    "Indices and atomic operations": ("byte_histogram", "embedding", "scatter_add"),
    "Copies by TMA": (
        "copy_1d",
        "copy_2d",
        "copy_3d",
        "copy_4d",
        "copy_5d",
        "tma_load_walkthrough",
    ),
}
"""The examples in the order of the page, by title. A new example needs a place here."""
_EVERYWHERE = {"load", "store", "grid", "cdiv", "range", "zeros", "cast", "full", "arange"}
"""Builtins that say nothing about an example."""
_HEAD = """\
# Examples

<!-- Written by tools/gen_docs.py from the examples and tools/docs/examples.py; do not edit. -->

Each example is a kernel (`NAME.tile`) and a Python file of the same name with its result in NumPy.
[python_kernel.py](python_kernel.py) is a kernel in a Python file. To run one and check its result:

```sh
tilec run examples/softmax.tile --device cpu --check    # on the CPU reference, without a GPU
tilec run examples/softmax.tile --check                 # on a GPU
```

The first comment of a file describes its algorithm. The builtins are explained in
[docs/language.md](../docs/language.md#builtins).
"""


def render() -> str:
    """Return the text of examples/README.md.

    Raises:
        OSError: A file of `GROUPS` cannot be read.
    """
    parts = [_HEAD]
    for title, names in GROUPS.items():
        head = [f"## {title}\n", "| Example | What it computes | Builtins |", "|---|---|---|"]
        parts.append("\n".join([*head, *map(_row, names), ""]))
    return "\n".join(parts)


def _row(name: str) -> str:
    text = (ROOT / "examples" / f"{name}.tile").read_text()
    return f"| [{name}]({name}.tile) | {_purpose(name, text)} | {_builtins(text)} |"


def _purpose(name: str, text: str) -> str:
    """Return the first sentence of the comment at the top of an example, without its name."""
    lines = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    sentence = re.split(r"(?<=[^.]\.)\s", " ".join(lines).removeprefix(f"{name}:").strip())[0]
    return (sentence[:1].upper() + sentence[1:]).replace("|", "\\|")


def _builtins(text: str) -> str:
    called = re.findall(r"(\w+)\(", re.sub(r"#.*", "", text))
    known = (set(BUILTINS) | set(lib.__all__)) - _EVERYWHERE
    return ", ".join(f"`{item}`" for item in dict.fromkeys(called) if item in known)
