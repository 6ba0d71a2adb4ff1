"""What users of Python, Triton, cuTile and NumPy write, and tilec lacks: the only list of it.

Error messages and docs/not-yet.md (`tools/gen_docs.py`) come from this table. Delete an entry when
its feature arrives; `tests/frontend/test_not_yet.py` compiles every entry and every replacement.
"""

import enum

from tilec.support.fast_dataclasses import dataclass

PAGE = "docs/not-yet.md"


class Usage(enum.Enum):
    """Where something lacking is written; the value is the heading in the docs."""

    FUNCTION = "Functions and methods"
    ARGUMENT = "Arguments of functions"
    HINT = "Arguments of `@kernel`"
    MODULE = "Prefixes"
    SYNTAX = "Statements and expressions"


_WORDS = {Usage.ARGUMENT: "argument", Usage.HINT: "hint", Usage.MODULE: "module"}


@dataclass(frozen=True, slots=True)
class Lacking:
    """One thing that tilec lacks.

    Attributes:
        usage: Where it is written.
        names: How it is spelled. Of syntax: the words or signs that the compiler looks for.
        what: What it is. Of syntax: its name in "tilec has no ...", where `{}` is what was written.
        write: Code that does the same; empty when there is none.
        advice: What else to do, or to know about that code.
        example: Of syntax: statements that use it.
    """

    usage: Usage
    names: tuple[str, ...]
    what: str
    write: str = ""
    advice: str = ""
    example: str = ""

    def message(self, name: str) -> str:
        """Return the error for writing `name`."""
        if self.usage is Usage.SYNTAX:
            return f"tilec has no {self.what.format(name)}"
        if self.usage in _WORDS:
            return f"tilec has no {_WORDS[self.usage]} '{name}': {self.what}"
        return f"tilec has no '{name}', {self.what}"

    @property
    def instead(self) -> str:
        """What to do instead, for messages and for the docs."""
        code = f"write '{self.write}'" if self.write else ""
        return "; ".join(part for part in (code, self.advice) if part)

    @property
    def hint(self) -> str:
        """What to do instead, and where to read more."""
        return f"{self.instead} (see {PAGE})"


def lacking(usage: Usage, name: str) -> Lacking | None:
    """Return the entry of something that tilec lacks, or None."""
    return _INDEX.get((usage, name))


def no_syntax(name: str) -> Lacking:
    """Return the entry of syntax that the compiler recognises and refuses.

    Raises:
        KeyError: The table has no such entry.
    """
    return _INDEX[Usage.SYNTAX, name]


def _functions(names: str, what: str, write: str = "", advice: str = "") -> Lacking:
    return Lacking(Usage.FUNCTION, tuple(names.split()), what, write, advice)


_LOOP = "for k in range(4): acc = mma(a, b, acc)"
_OUTSIDE = "compute it in Python, before or after the kernel"
_NO_ARGUMENT = "leave it out"

_FUNCTIONS = (
    _functions("dot", "a product of tiles", "mma(a, b, acc)", "or 'acc + a @ b'"),
    _functions("program_id bid", "the place of a block in the grid", "block_id(0)"),
    _functions("num_programs", "the extent of the grid", "num_blocks(0)"),
    _functions("to", "a conversion", "x.astype(f16)"),
    _functions("int", "a conversion to an integer", "i32(n)"),
    _functions("float", "a conversion to a float", "f32(n)", "'inf' and 'nan' are names"),
    _functions("float16 half", "an element type", "f16"),
    _functions("bfloat16", "an element type", "bf16"),
    _functions("float32", "an element type", "f32"),
    _functions("float64 double", "an element type", "f64"),
    _functions("int8", "an element type", "i8"),
    _functions("int16", "an element type", "i16"),
    _functions("int32", "an element type", "i32"),
    _functions("int64", "an element type", "i64"),
    _functions("uint8", "an element type", "u8"),
    _functions("uint16", "an element type", "u16"),
    _functions("uint32", "an element type", "u32"),
    _functions("uint64", "an element type", "u64"),
    _functions("int1 bool_", "an element type", "bool"),
    _functions("tfloat32", "an element type", "tf32"),
    _functions("float8e4nv float8_e4m3fn", "an element type", "f8e4m3"),
    _functions("float8e5 float8_e5m2", "an element type", "f8e5m2"),
    _functions("constexpr Constant", "a compile-time parameter", advice="declare it 'BM: const'"),
    _functions("zeros_like", "a new tile", "zeros(x.shape, x.dtype)"),
    _functions("ones_like", "a new tile", "ones(x.shape, x.dtype)"),
    _functions("full_like", "a new tile", "full(x.shape, 2, x.dtype)"),
    _functions("empty empty_like", "a new tile", "zeros((16, 16))"),
    _functions("trans", "a transposed tile", "transpose(a)"),
    _functions("view ravel flatten", "another shape", "reshape(a, (-1,))"),
    _functions("squeeze", "a shape without axes of extent 1", "reshape(a, (16, 16))"),
    _functions("unsqueeze", "a shape with another axis", "expand_dims(x, 0)"),
    _functions("broadcast", "a tile that is repeated", "broadcast_to(x, (16, 16))"),
    _functions("concat concatenate hstack vstack stack", "tiles that are joined", "cat((a, b), 0)"),
    _functions("copy clone contiguous", "a copy of a tile", "x", "tiles never change"),
    _functions("num_tiles", "the number of tiles along an axis", "cdiv(A.shape[0], 16)"),
    _functions("astile array asarray", "a tile of given numbers", "arange(16)", "or load an array"),
    _functions("outer", "a product of each pair of elements", "x[:, None] * x[None, :]"),
    _functions("eye identity", "a unit matrix", "arange(16)[:, None] == arange(16)[None, :]"),
    _functions("tril triu", "a triangle", "where(arange(16)[:, None] >= arange(16), a, 0.0)"),
    _functions("join interleave", "a tile that alternates", "cat((x[:, None], x[:, None]), 1)"),
    _functions("split", "the parts of a tile", "extract(x, 0, (8,))"),
    _functions("repeat tile", "a tile that is repeated", "broadcast_to(x[:, None], (16, 4))"),
    _functions("swapaxes moveaxis", "another order of axes", "permute(a, (1, 0))"),
    _functions("einsum", "sums of products", "mma(a, b, acc)"),
    _functions("negative", "a negated tile", "-a"),
    _functions("square", "a square", "x * x"),
    _functions("reciprocal", "a quotient", "1.0 / x"),
    _functions("sign", "a sign", "where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))"),
    _functions("log10", "a logarithm", "log(x) * 0.4342944819032518"),
    _functions("cbrt hypot", "a root", "sqrt(x * x)"),
    _functions("floordiv floor_divide", "a quotient that is rounded down", "n // 3"),
    _functions("divmod", "quotient and remainder", "(n // 3, n % 3)"),
    _functions("bitwise_and logical_and", "'and' of two tiles", "(x > 0.0) & (x < 1.0)"),
    _functions("bitwise_or logical_or", "'or' of two tiles", "(x < 0.0) | (x > 1.0)"),
    _functions("bitwise_xor logical_xor", "'xor' of two tiles", "(x < 0.0) ^ (x > 1.0)"),
    _functions("bitwise_not logical_not invert", "'not' of a tile", "~(x < 0.0)"),
    _functions("left_shift bitwise_lshift", "a shift", "n << 3"),
    _functions("right_shift bitwise_rshift", "a shift", "n >> 3"),
    _functions("greater", "a comparison", "x > 0.0"),
    _functions("greater_equal", "a comparison", "x >= 0.0"),
    _functions("less", "a comparison", "x < 0.0"),
    _functions("less_equal", "a comparison", "x <= 0.0"),
    _functions("equal", "a comparison", "x == 0.0"),
    _functions("not_equal", "a comparison", "x != 0.0"),
    _functions("umulhi mulhi", "the upper half of a product", "i32(i64(n) * i64(n) >> 32)"),
    _functions("ffs brev", "a function of bits", "(n >> 3) & 1", "bit by bit"),
    _functions("count_nonzero", "a count", "sum(cast(x != 0.0, i32))"),
    _functions("reduce_or", "a reduction", "any(x)"),
    _functions("xor_sum", "a reduction", "reduce(arange(16), 0, lambda p, q: p ^ q, 0)"),
    _functions("subtract", "a difference of two tiles", "a - b"),
    _functions("multiply", "a product element by element", "a * b"),
    _functions("div fdiv div_rn", "a quotient", "a / b"),
    _functions("power", "a power", "x ** 2"),
    _functions("fmod mod remainder", "a remainder", "n % 3"),
    _functions("rint", "rounding to an integer", "round(x)"),
    _functions("clamp clip", "a limit to a range", "minimum(maximum(x, 0.0), 1.0)"),
    _functions("relu", "an activation", "maximum(x, 0.0)"),
    _functions("softplus", "a logarithm", "log1p(exp(x))"),
    _functions("isfinite", "a test for finite numbers", "abs(x) < inf"),
    _functions("mean", "a mean along an axis of a tile", "sum(a, 1) / 16.0"),
    _functions("amax", "the largest element along an axis", "max(a, axis=1)"),
    _functions("amin", "the smallest element along an axis", "min(a, axis=1)"),
    _functions("logsumexp", "the logarithm of a sum", "log(sum(exp(x - max(x)))) + max(x)"),
    _functions("var", "a variance", "sum((x - sum(x) / 16.0) ** 2) / 16.0"),
    _functions("std", "a standard deviation", "sqrt(sum((x - sum(x) / 16.0) ** 2) / 16.0)"),
    _functions("norm", "the length of a vector", "sqrt(sum(x * x))"),
    _functions("associative_scan", "a scan", "scan(x, 0, maximum, -inf)"),
    _functions("unique", "an order", advice=_OUTSIDE),
    _functions("bincount", "a histogram", "histogram(arange(16), 16)"),
    _functions(
        "roll",
        "another order of the elements",
        "cat((extract(x, 1, (8,)), extract(x, 0, (8,))), 0)",
        "this turns by a half; for other distances, 'store' x to an array and 'load' it "
        "with 'offset'",
    ),
    _functions("take index_select", "elements by their indices", "gather(A, arange(16))"),
    _functions("make_block_ptr make_tensor_descriptor advance", "a pointer", "load(A, i, 16)"),
    _functions("device_print static_print printf", "printing", "print(x)"),
    _functions("breakpoint", "a debugger", "print(x)"),
    _functions("device_assert", "an assertion", "assert n > 3, 'text'"),
    _functions("enumerate zip reversed", "a loop", _LOOP),
    _functions("isinstance type", "a test of a type", "x.dtype == f32"),
    _functions("randint", "random numbers", advice="import 'philox' or 'rand' from tilec.lib"),
    _functions("pack unpack", "bytes of a tile", "pack_to_bytes(x)"),
    _functions(
        "load_advanced_indexing store_advanced_indexing Slice",
        "an access of rows by their indices",
        "gather(A, arange(16))",
    ),
    _functions(
        "get_raw_memory", "an access without bounds", "gather(A, arange(16), check_bounds=False)"
    ),
    _functions(
        "load_tensor_descriptor store_tensor_descriptor",
        "a pointer",
        "load(A, i, 16)",
    ),
    _functions(
        "mma_scaled dot_scaled",
        "a product of scaled numbers",
        advice="scale the tiles before 'mma'; Hopper has no such instruction",
    ),
    _functions(
        "static_eval static_iter static_exception ensure_constant",
        "Python at compile time",
        advice="the compiler computes constants; 'static_range' and 'static_assert' exist",
    ),
    _functions(
        "assume assume_divisible_by multiple_of max_contiguous",
        "a promise about a value",
        advice="the compiler knows extents and strides; give others with '--assume'",
    ),
    _functions("swizzle2d", "an order of blocks", "@kernel(tile_group=8)"),
    _functions(
        "grid_dependency_control_wait grid_dependency_control_launch_dependents",
        "an overlap of launches",
        advice="the launcher arranges it",
    ),
    _functions("map_elementwise", "a function of each element", "where(x > 0.0, x, 0.0)"),
    _functions("debug_barrier syncthreads", "a barrier", advice="the compiler places barriers"),
    _functions("inline_asm_elementwise", "PTX in a kernel", advice="use tilec's own functions"),
)

_ARGUMENTS = (
    Lacking(
        Usage.ARGUMENT,
        ("mask",),
        "what lies outside an array is never accessed",
        "where(x > 0.0, x, 0.0)",
        "this sets other elements",
    ),
    Lacking(
        Usage.ARGUMENT,
        ("other", "padding_option", "padding_mode", "padding_value"),
        "the value outside an array",
        "load(A, i, 16, pad=0)",
    ),
    Lacking(
        Usage.ARGUMENT,
        ("boundary_check",),
        "boundaries are always checked",
        advice=_NO_ARGUMENT,
    ),
    Lacking(
        Usage.ARGUMENT,
        ("cache_modifier", "eviction_policy", "volatile"),
        "the compiler decides how memory is accessed",
        advice=_NO_ARGUMENT,
    ),
    Lacking(
        Usage.ARGUMENT,
        ("order",),
        "a view says which axis of the array is which axis of a tile",
        "load(make_partition_view(C, (16, 32), dim_map=[1, 0]), (i, i))",
        "or load the tile and 'permute' it",
    ),
    Lacking(
        Usage.ARGUMENT,
        ("input_precision", "allow_tf32"),
        "it has another name",
        "mma(a, b, acc, precision='tf32')",
    ),
    Lacking(
        Usage.ARGUMENT,
        ("max_num_imprecise_acc",),
        "it has another name",
        "mma(a, b, acc, promote=128)",
    ),
    Lacking(
        Usage.ARGUMENT,
        ("use_fast_acc",),
        "sums of 8-bit floats are fast by default",
        "mma(a, b, acc, promote=128)",
        "this makes them precise",
    ),
    Lacking(
        Usage.ARGUMENT,
        ("sem", "scope"),
        "it has another name",
        "atomic_add(C, (n, 0), 1.0, memory_order='relaxed')",
        "and 'memory_scope'",
    ),
    Lacking(Usage.ARGUMENT, ("dim", "dims"), "it has another name", "sum(a, axis=1)"),
    Lacking(
        Usage.ARGUMENT,
        ("out_dtype",),
        "the accumulator decides",
        "mma(a, b, zeros((16, 16), f32))",
    ),
    Lacking(
        Usage.HINT,
        ("num_warps",),
        "the compiler decides, and a plan field overrides",
        "@kernel(consumers=2)",
        "or 'worker_warps' for a kernel without products",
    ),
    Lacking(Usage.HINT, ("num_stages",), "it has another name", "@kernel(stages=4)"),
    Lacking(Usage.HINT, ("num_ctas",), "it has another name", "@kernel(cluster=(2, 1))"),
    Lacking(Usage.HINT, ("maxnreg",), "it has another name", "@kernel(consumer_registers=240)"),
    Lacking(Usage.HINT, ("occupancy",), "the compiler decides", advice=_NO_ARGUMENT),
)

_MODULES = (
    Lacking(
        Usage.MODULE,
        ("ct", "triton", "cuda", "np", "numpy", "jnp", "jax", "torch"),
        "a kernel uses tilec's own functions",
        "load(A, i, 16)",
        "they need no prefix, and 'tl.load' is the same",
    ),
    Lacking(
        Usage.MODULE, ("math",), "it is not imported", "pi", "'inf', 'nan' and 'pi' need no prefix"
    ),
)


def _syntax(names: str, what: str, example: str, *, write: str = "", advice: str = "") -> Lacking:
    return Lacking(Usage.SYNTAX, tuple(names.split()), what, write, advice, example)


_SELECT = "decide with 'if', or element by element with 'where(condition, a, b)'"

_SYNTAX = (
    _syntax("class", "classes", "class P:\n    pass", advice="pass values one by one"),
    _syntax(
        "try except finally raise",
        "exceptions",
        "try:\n    pass\nexcept E:\n    pass",
        advice="check with 'assert'",
    ),
    _syntax("with", "'with'", "with p as q:\n    pass", advice="remove it"),
    _syntax("async await", "'{}'", "await x", advice="loads are asynchronous by themselves"),
    _syntax("del", "'del'", "del x", advice="remove it: it would free nothing"),
    _syntax("global nonlocal", "'{}'", "global x", advice="return the value instead"),
    _syntax("yield", "generators", "yield x", advice="write a loop over 'range'"),
    _syntax("match", "'match'", "match n:\n    case 1:\n        pass", advice=_SELECT),
    _syntax("bytes", "bytes", 'assert True, b"x"', advice="write a plain string"),
    _syntax(
        "comprehension",
        "comprehensions",
        "y = [k for k in (1, 2)]",
        advice="write the values one by one, or a loop over 'range'",
    ),
    _syntax(
        "relative-import",
        "relative imports",
        "from .other import relu",
        advice="leave out the dots: an import is relative to its file",
    ),
    _syntax(
        "star-import",
        "'import *'",
        "from tilec.lib import *",
        advice="import what you use, by name; tilec's own functions and types need no import",
    ),
    _syntax("{", "dictionaries and sets", "y = {1: 2}", advice="use separate variables"),
    _syntax(":=", "':='", "if (y := n) > 3:\n    pass", advice="assign in a line of its own"),
    _syntax("*", "'*' in front of a value or parameter", "y = max(*x)", advice="write each one"),
    _syntax("**", "'**' in front of a value or parameter", "y = max(**x)", advice="write each one"),
    _syntax(
        "is",
        "operator 'is' between values",
        "y = x is x",
        write="n == 1",
        advice="'is' and 'is not' compare with None only",
    ),
    _syntax(
        "subscript",
        "assignment to elements",
        "A[i] = x",
        write="store(A, i, x)",
        advice="tiles never change",
    ),
    _syntax(
        "element",
        "access to elements or slices of a tile",
        "y = x[0:4]",
        write="extract(x, 0, (4,))",
        advice="an index holds only ':', 'None' and '...'; one element is "
        "'extract(x, 3, (1,)).item()'",
    ),
)

TABLE = (*_FUNCTIONS, *_ARGUMENTS, *_MODULES, *_SYNTAX)
"""Every entry."""
_INDEX = {(entry.usage, name): entry for entry in TABLE for name in entry.names}
