"""Names for kernels that are written in Python files: `from tilec.language import *`.

A decorated function is compiled from its source and never executed, so nothing here computes.
Element types can be subscripted, because Python evaluates annotations; everything else says, when
it is called, that it works inside a kernel only. `abs`, `all`, `any`, `len`, `max`, `min`, `range`
and `sum` are the builtins of Python and need no import.
"""

from collections.abc import Callable
from typing import Any


class ElementType:
    """An element type in an annotation: `f32` is a scalar, `f32[M, N]` an array."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Name the type as the language does."""
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __getitem__(self, dims: Any) -> "ElementType":
        return self


class Marker:
    """A word of the language in an annotation or default: `const`, `auto`, `dtype`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Name the word."""
        self.name = name

    def __repr__(self) -> str:
        return self.name


def _builtin(name: str) -> Callable[..., Any]:
    def only_inside_a_kernel(*_: Any, **__: Any) -> Any:
        from tilec.runtime.errors import launch_error

        raise launch_error("T0717", f"'{name}' works inside a kernel only")

    only_inside_a_kernel.__name__ = only_inside_a_kernel.__qualname__ = name
    return only_inside_a_kernel


i8, i16, i32, i64 = (ElementType(name) for name in ("i8", "i16", "i32", "i64"))
u8, u16, u32, u64 = (ElementType(name) for name in ("u8", "u16", "u32", "u64"))
f16, bf16, f32, f64 = (ElementType(name) for name in ("f16", "bf16", "f32", "f64"))
tf32, f8e4m3, f8e5m2 = (ElementType(name) for name in ("tf32", "f8e4m3", "f8e5m2"))
const, auto, dtype = Marker("const"), Marker("auto"), Marker("dtype")

acos = _builtin("acos")
add = _builtin("add")
arange = _builtin("arange")
argmax = _builtin("argmax")
argmin = _builtin("argmin")
asin = _builtin("asin")
assert_ = _builtin("assert_")
atan = _builtin("atan")
atan2 = _builtin("atan2")
atomic_add = _builtin("atomic_add")
atomic_and = _builtin("atomic_and")
atomic_cas = _builtin("atomic_cas")
atomic_max = _builtin("atomic_max")
atomic_min = _builtin("atomic_min")
atomic_or = _builtin("atomic_or")
atomic_store_add = _builtin("atomic_store_add")
atomic_store_and = _builtin("atomic_store_and")
atomic_store_max = _builtin("atomic_store_max")
atomic_store_min = _builtin("atomic_store_min")
atomic_store_or = _builtin("atomic_store_or")
atomic_store_xor = _builtin("atomic_store_xor")
atomic_xchg = _builtin("atomic_xchg")
atomic_xor = _builtin("atomic_xor")
bitcast = _builtin("bitcast")
block_id = _builtin("block_id")
broadcast_to = _builtin("broadcast_to")
cast = _builtin("cast")
cat = _builtin("cat")
cdiv = _builtin("cdiv")
ceil = _builtin("ceil")
clz = _builtin("clz")
cos = _builtin("cos")
cosh = _builtin("cosh")
cumprod = _builtin("cumprod")
cumsum = _builtin("cumsum")
erf = _builtin("erf")
exp = _builtin("exp")
exp2 = _builtin("exp2")
expand_dims = _builtin("expand_dims")
expm1 = _builtin("expm1")
extract = _builtin("extract")
flip = _builtin("flip")
floor = _builtin("floor")
fma = _builtin("fma")
full = _builtin("full")
gather = _builtin("gather")
grid = _builtin("grid")
histogram = _builtin("histogram")
insert = _builtin("insert")
isinf = _builtin("isinf")
isnan = _builtin("isnan")
item = _builtin("item")
load = _builtin("load")
log = _builtin("log")
log1p = _builtin("log1p")
log2 = _builtin("log2")
make_partition_view = _builtin("make_partition_view")
make_strided_view = _builtin("make_strided_view")
matmul = _builtin("matmul")
maximum = _builtin("maximum")
minimum = _builtin("minimum")
mma = _builtin("mma")
mul = _builtin("mul")
next_power_of_2 = _builtin("next_power_of_2")
num_blocks = _builtin("num_blocks")
ones = _builtin("ones")
pack_to_bytes = _builtin("pack_to_bytes")
permute = _builtin("permute")
popcount = _builtin("popcount")
prefetch = _builtin("prefetch")
prod = _builtin("prod")
reduce = _builtin("reduce")
reshape = _builtin("reshape")
rsqrt = _builtin("rsqrt")
scan = _builtin("scan")
scatter = _builtin("scatter")
sin = _builtin("sin")
sinh = _builtin("sinh")
sqrt = _builtin("sqrt")
static_assert = _builtin("static_assert")
static_range = _builtin("static_range")
store = _builtin("store")
sub = _builtin("sub")
tan = _builtin("tan")
tanh = _builtin("tanh")
transpose = _builtin("transpose")
truediv = _builtin("truediv")
trunc = _builtin("trunc")
unpack_from_bytes = _builtin("unpack_from_bytes")
where = _builtin("where")
zeros = _builtin("zeros")

__all__ = [
    "acos",
    "add",
    "arange",
    "argmax",
    "argmin",
    "asin",
    "assert_",
    "atan",
    "atan2",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_store_add",
    "atomic_store_and",
    "atomic_store_max",
    "atomic_store_min",
    "atomic_store_or",
    "atomic_store_xor",
    "atomic_xchg",
    "atomic_xor",
    "auto",
    "bf16",
    "bitcast",
    "block_id",
    "broadcast_to",
    "cast",
    "cat",
    "cdiv",
    "ceil",
    "clz",
    "const",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "dtype",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "extract",
    "f8e4m3",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "flip",
    "floor",
    "fma",
    "full",
    "gather",
    "grid",
    "histogram",
    "i8",
    "i16",
    "i32",
    "i64",
    "insert",
    "isinf",
    "isnan",
    "item",
    "load",
    "log",
    "log1p",
    "log2",
    "make_partition_view",
    "make_strided_view",
    "matmul",
    "maximum",
    "minimum",
    "mma",
    "mul",
    "next_power_of_2",
    "num_blocks",
    "ones",
    "pack_to_bytes",
    "permute",
    "popcount",
    "prefetch",
    "prod",
    "reduce",
    "reshape",
    "rsqrt",
    "scan",
    "scatter",
    "sin",
    "sinh",
    "sqrt",
    "static_assert",
    "static_range",
    "store",
    "sub",
    "tan",
    "tanh",
    "tf32",
    "transpose",
    "truediv",
    "trunc",
    "u8",
    "u16",
    "u32",
    "u64",
    "unpack_from_bytes",
    "where",
    "zeros",
]
