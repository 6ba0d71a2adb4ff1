"""Structured control flow and scalar operations of the upstream dialects."""

import numpy as np
import pytest

from tilec.interpreter import run_module
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.support.diagnostics import InternalCompilerError

VIEW = "!cuda_tile.tensor_view<memref<1xKIND, strided<[1]>>>"
STORE = """
    %zero = arith.constant 0 : i32
    %tile = "cuda_tile.splat"(%value) : (KIND) -> !cuda_tile.tile<tensor<1xKIND>>
    %view = "cuda_tile.make_tensor_view"(%out)
      : (!cuda_tile.ptr<KIND>) -> VIEW
    %part = "cuda_tile.make_partition_view"(%view)
      : (VIEW)
      -> !cuda_tile.partition_view<array<i64: 1>, VIEW,
                                   array<i64: 0>, "zero">
    %token = "cuda_tile.store_view_tko"(%tile, %part, %zero)
      {ordering = "weak"}
      : (!cuda_tile.tile<tensor<1xKIND>>,
         !cuda_tile.partition_view<array<i64: 1>, VIEW,
                                   array<i64: 0>, "zero">, i32) -> !cuda_tile.token
    "cuda_tile.return"() : () -> ()
"""


def evaluate(body: str, kind: str = "i32", **arguments):
    """Run scalar code that defines %value of type `kind`; %a and %b are arguments of that type."""
    names = list(arguments)
    types = ["i1" if isinstance(value, bool) else kind for value in arguments.values()]
    signature = ", ".join([f"!cuda_tile.ptr<{kind}>", *types])
    block = ", ".join(
        [f"%out: !cuda_tile.ptr<{kind}>"]
        + [f"%{name}: {type_}" for name, type_ in zip(names, types, strict=True)]
    )
    text = (
        '"cuda_tile.entry"() ({\n^bb0('
        + block
        + "):\n"
        + body
        + STORE.replace("VIEW", VIEW).replace("KIND", kind)
        + '}) {sym_name = "k", function_type = ('
        + signature
        + ") -> ()} : () -> ()"
    )
    dtype = np.dtype({"i": "i", "f": "f"}[kind[0]] + str(int(kind[1:]) // 8))
    out = np.zeros(1, dtype)
    with make_context() as context:
        module = parse_module(text, context, "k.mlir")
        values = [
            np.bool_(value) if isinstance(value, bool) else dtype.type(value)
            for value in arguments.values()
        ]
        run_module(module, "k", [out, *values])
    return out[0]


def test_for_carries_values():
    body = """
    %lo = arith.constant 2 : i32
    %step = arith.constant 3 : i32
    %init = arith.constant 1 : i32
    %value = scf.for %i = %lo to %a step %step iter_args(%sum = %init) -> (i32) : i32 {
      %next = arith.addi %sum, %i : i32
      scf.yield %next : i32
    }
    """
    assert evaluate(body, a=12) == 1 + 2 + 5 + 8 + 11
    assert evaluate(body, a=2) == 1
    assert evaluate(body, a=-5) == 1


def test_nested_loops_and_branches():
    body = """
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %value = scf.for %i = %c0 to %a step %c1 iter_args(%s = %c0) -> (i32) : i32 {
      %inner = scf.for %j = %c0 to %i step %c1 iter_args(%t = %s) -> (i32) : i32 {
        %less = arith.cmpi slt, %j, %b : i32
        %add = scf.if %less -> (i32) {
          scf.yield %j : i32
        } else {
          scf.yield %c1 : i32
        }
        %u = arith.addi %t, %add : i32
        scf.yield %u : i32
      }
      scf.yield %inner : i32
    }
    """
    want = sum(j if j < 3 else 1 for i in range(6) for j in range(i))
    assert evaluate(body, a=6, b=3) == want


def test_a_step_that_is_not_positive_is_an_error():
    body = """
    %c0 = arith.constant 0 : i32
    %value = scf.for %i = %c0 to %a step %c0 iter_args(%s = %c0) -> (i32) : i32 {
      scf.yield %s : i32
    }
    """
    with pytest.raises(InternalCompilerError, match="step 0 is not positive"):
        evaluate(body, a=6)


def test_while_runs_until_its_condition_fails():
    body = """
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %value, %count = scf.while (%n = %a, %k = %c1) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sgt, %n, %b : i32
      scf.condition(%more) %k, %n : i32, i32
    } do {
    ^bb0(%k: i32, %n: i32):
      %half = arith.divsi %n, %c2 : i32
      %next = arith.addi %k, %c1 : i32
      scf.yield %half, %next : i32, i32
    }
    """
    assert evaluate(body, a=100, b=3) == 1 + len([100, 50, 25, 12, 6])
    assert evaluate(body, a=2, b=3) == 1


def test_if_without_result_runs_one_side():
    body = """
    %c1 = arith.constant 1 : i32
    scf.if %flag {
      %x = arith.addi %a, %c1 : i32
    }
    %value = arith.select %flag, %c1, %a : i32
    """
    assert evaluate(body, a=7, flag=True) == 1
    assert evaluate(body, a=7, flag=False) == 7


@pytest.mark.parametrize(
    ("op", "a", "b", "want"),
    [
        ("addi", 2**31 - 1, 1, -(2**31)),
        ("muli", 65536, 65537, 65536),
        ("divsi", -7, 2, -3),
        ("divui", -2, 2, 2**31 - 1),
        ("floordivsi", -7, 2, -4),
        ("ceildivsi", -7, 2, -3),
        ("ceildivui", 7, 2, 4),
        ("remsi", -7, 2, -1),
        ("remui", -1, 10, (2**32 - 1) % 10),
        ("maxsi", -1, 1, 1),
        ("maxui", -1, 1, -1),
        ("minsi", -1, 1, -1),
        ("minui", -1, 1, 1),
        ("shli", 1, 31, -(2**31)),
        ("shrsi", -8, 1, -4),
        ("shrui", -8, 1, (2**32 - 8) // 2),
        ("andi", 12, 10, 8),
        ("ori", 12, 10, 14),
        ("xori", 12, 10, 6),
    ],
)
def test_integer_scalars(op, a, b, want):
    assert evaluate(f"%value = arith.{op} %a, %b : i32", a=a, b=b) == want


@pytest.mark.parametrize(
    ("predicate", "want"),
    [("eq", 0), ("ne", 1), ("slt", 1), ("sge", 0), ("ult", 0), ("ugt", 1), ("sle", 1), ("uge", 1)],
)
def test_integer_comparison(predicate, want):
    body = f"%flag = arith.cmpi {predicate}, %a, %b : i32\n%value = arith.extui %flag : i1 to i32"
    assert evaluate(body, a=-1, b=1) == want


@pytest.mark.parametrize("predicate", ["oeq", "ogt", "oge", "olt", "ole", "one", "ord"])
@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 1), (1, 1), (np.nan, 1)])
def test_float_comparison(predicate, a, b):
    compare = {
        "eq": np.equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "lt": np.less,
        "le": np.less_equal,
        "ne": np.not_equal,
    }
    kind = predicate[1:]
    ordered = not np.isnan(a)
    plain = bool(compare[kind](a, b)) if kind in compare else True
    text = """
    %one = arith.constant 1.0 : f32
    %zero_f = arith.constant 0.0 : f32
    %flag = arith.cmpf {}, %a, %b : f32
    %value = arith.select %flag, %one, %zero_f : f32
    """
    assert evaluate(text.format(predicate), "f32", a=a, b=b) == (ordered and plain)
    opposite = "uno" if predicate == "ord" else "u" + kind
    want = not ordered if predicate == "ord" else (plain or not ordered)
    assert evaluate(text.format(opposite), "f32", a=a, b=b) == want


@pytest.mark.parametrize(
    ("op", "want"),
    [
        ("arith.addf %a, %b", 4.25),
        ("arith.subf %a, %b", 1.75),
        ("arith.mulf %a, %b", 3.75),
        ("arith.divf %a, %b", np.float32(3) / np.float32(1.25)),
        ("arith.remf %a, %b", 0.5),
        ("arith.maximumf %a, %b", 3),
        ("arith.minnumf %a, %b", 1.25),
        ("arith.negf %a", -3),
        ("math.sqrt %a", np.sqrt(np.float32(3))),
        ("math.exp2 %a", 8),
        ("math.absf %a", 3),
        ("math.floor %b", 1),
        ("math.ceil %b", 2),
        ("math.fma %a, %b, %b", 5),
        ("math.powf %a, %b", np.float32(3.0**1.25)),
    ],
)
def test_float_scalars(op, want):
    assert evaluate(f"%value = {op} : f32", "f32", a=3, b=1.25) == want


def test_scalar_conversions():
    body = """
    %wide = arith.extsi %a : i32 to i64
    %narrow = arith.trunci %wide : i64 to i8
    %float = arith.sitofp %narrow : i8 to f32
    %half = arith.truncf %float : f32 to bf16
    %again = arith.extf %half : bf16 to f32
    %index = arith.index_cast %a : i32 to index
    %back = arith.index_cast %index : index to i32
    %whole = arith.fptosi %again : f32 to i32
    %value = arith.addi %whole, %back : i32
    """
    assert evaluate(body, a=261) == 5 + 261
