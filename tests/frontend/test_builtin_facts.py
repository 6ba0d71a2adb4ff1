"""What the table of builtins says is what the compiler does: element types and operations."""

import pytest

from tilec.dialects import cuda_tile
from tilec.frontend.emit.module import emit_module
from tilec.frontend.semantics.analysis import analyze_kernel
from tilec.frontend.semantics.builtins.table import BUILTINS, FACTS
from tilec.frontend.syntax.parser import parse_source
from tilec.ir.walks import walk_operations
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile
from tilec.support.dtypes import DTYPES

NO_VALUES = {"block_id", "num_blocks", "grid", "range", "len", "static_range", "static_assert",
             "next_power_of_2"}  # fmt: skip
"""Builtins for which no element type matters."""
CALLS = {
    "load": "y = load(A, (m, n), (16, 16))",
    "store": "store(A, (m, n), x)",
    "gather": "y = gather(A, (arange(16), n))",
    "scatter": "scatter(A, (arange(16), n), reshape(load(A, (m, n), (1, 16)), (16,)))",
    **{
        f"atomic_{name}": f"y = atomic_{name}(A, (m, n), load(A, (m, n), ()))"
        for name in ("add", "max", "min", "and", "or", "xor", "xchg")
    },
    "atomic_cas": "y = atomic_cas(A, (m, n), A[m, n], A[m, n])",
    "make_partition_view": "y = load(make_partition_view(A, (16, 16)), (m, n))",
    "prefetch": "prefetch(A, (m, n), (16, 16))",
    "make_strided_view": "y = load(make_strided_view(A, (16, 16), (8, 8)), (m, n))",
    "slice": "y = load(slice(A, 0, m, n), (m, n), (16, 16))",
    "mma": "y = mma(x, x, zeros((16, 16), {acc}))",
    "matmul": "y = matmul(x, x)",
    "histogram": "y = histogram(x, 16)",
    "item": "y = item(extract(x, (0, 0), (1, 1)))",
    "zeros": "y = zeros((16, 16), {type})",
    "ones": "y = ones((16, 16), {type})",
    "full": "y = full((16, 16), 1, {type})",
    "arange": "y = arange(16, {type})",
    "reshape": "y = reshape(x, (256,))",
    "permute": "y = permute(x, (1, 0))",
    "transpose": "y = transpose(x)",
    "expand_dims": "y = expand_dims(x, 0)",
    "broadcast_to": "y = broadcast_to(load(A, (m, n), (1, 16)), (16, 16))",
    "cat": "y = cat((x, x), 0)",
    "extract": "y = extract(x, (m, n), (8, 8))",
    "cast": "y = cast(x, f32)\n    z = cast(x, i32)",
    "assert_": "assert_(x)",
    "print": "print(x)",
    "bitcast": "y = bitcast(x, {bits})",
    "flip": "y = flip(x)",
    "pack_to_bytes": "y = pack_to_bytes(x)",
    "unpack_from_bytes": "y = unpack_from_bytes(reshape(x, (256,)), f32)",
    "insert": "y = insert(x, (m, n), extract(x, (0, 0), (8, 8)))",
    "pow": "y = pow(x, 2)\n    z = pow(x, 1.5)",
    "atan2": "y = atan2(x, x)",
    "where": "y = where(m < n, x, x)",
    "fma": "y = fma(x, x, x)",
    **{name: f"y = {name}(x, x)" for name in ("add", "sub", "mul", "truediv")},
    "minimum": "y = minimum(x, x)",
    "maximum": "y = maximum(x, x)",
    "min": "y = min(x, x)\n    z = min(x, axis=0)",
    **{
        f"atomic_store_{name}": f"atomic_store_{name}(A, (m, n), x)"
        for name in ("add", "max", "min", "and", "or", "xor")
    },
    "max": "y = max(x, x)\n    z = max(x, axis=0)",
    "reduce": "y = reduce(x, 0, where_first, 0)",
    "scan": "y = scan(x, 0, where_first, 0)",
    "cumsum": "y = cumsum(x, 0)",
    "cumprod": "y = cumprod(x, 0)",
    "block_id": "y = block_id(0)",
    "num_blocks": "y = num_blocks(0)",
}
"""Builtin -> a statement that calls it; the others are functions of a tile `x`."""
SCALARS = {"load": "z = load(A, (m, n), ())", "store": "store(A, (m, n), load(A, (m, n), ()))"}
"""Builtin -> a statement that calls it for a scalar."""
ACCUMULATORS = {"f16": "f16", "f64": "f64", "i8": "i32", "u8": "i32"}
SAMPLES = ("f32", "i32", "f64", "i8", "i64", "bf16", "bool")
"""Element types whose operations are looked at; `trunci` takes an i64."""


def kernel(name, dtype):
    call = CALLS.get(name, f"y = {name}(x)")
    bits = f"u{max(8, DTYPES[dtype].bits)}"
    call = call.format(type=dtype, acc=ACCUMULATORS.get(dtype, "f32"), bits=bits)
    if name in SCALARS and dtype in SAMPLES:
        call += f"\n    {SCALARS[name]}"
    return SourceFile(
        "t.tile",
        "@function\ndef where_first(a, b):\n    return a\n\n\n"
        f"@kernel\ndef f[M, N](A: {dtype}[M, N]):\n"
        "    m, n = grid(cdiv(M, 16), cdiv(N, 16))\n"
        f"    x = load(A, (m, n), (16, 16))\n    {call}\n",
    )


def is_accepted(name, dtype):
    try:
        analyze_kernel(parse_source(kernel(name, dtype)), None, Specialization())
    except CompileError:
        return False
    return True


@pytest.mark.parametrize("name", sorted(set(BUILTINS) - NO_VALUES - {"cdiv"}))
def test_element_types(name):
    accepted = {dtype for dtype in DTYPES if is_accepted(name, dtype)}
    assert accepted == set(FACTS[name].dtypes)


def test_cdiv_takes_scalars_of_whole_numbers():
    text = "@kernel\ndef f[M](A: f32[M], s: {}):\n    m = grid(cdiv(M, 16))\n    y = cdiv(s, s)\n"
    accepted = set()
    for dtype in DTYPES:
        try:
            tree = parse_source(SourceFile("t.tile", text.format(dtype)))
            analyze_kernel(tree, None, Specialization())
        except CompileError:
            continue
        accepted.add(dtype)
    assert accepted == set(FACTS["cdiv"].dtypes)


def operations(name, dtype, context):
    tree = parse_source(kernel(name, dtype))
    module = emit_module(tree, None, Specialization(), context)
    names = (op.name for op in walk_operations(module.body))
    return {item.removeprefix("cuda_tile.") for item in names if item.startswith("cuda_tile.")}


@pytest.mark.parametrize("name", sorted(item for item in FACTS if FACTS[item].operations))
def test_operations(name, context):
    facts = FACTS[name]
    samples = [item for item in SAMPLES if item in (facts.dtypes or SAMPLES)]
    found = set().union(*(operations(name, dtype, context) for dtype in samples))
    assert set(facts.operations) <= found


def test_the_operations_exist():
    known = {
        item.OPERATION_NAME
        for item in vars(cuda_tile).values()
        if isinstance(getattr(item, "OPERATION_NAME", None), str)
    }
    for name, facts in FACTS.items():
        assert {f"cuda_tile.{item}" for item in facts.operations} <= known, name


def test_every_builtin_says_what_it_does():
    assert set(FACTS) == set(BUILTINS)
    for name, facts in FACTS.items():
        assert facts.summary.endswith("."), name
        assert bool(facts.dtypes) != (name in NO_VALUES), name
