"""What `tools.bench.ab` compares: products, and the forward pass of attention."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench import attention_cases, attention_contenders, cases, contenders
from tools.bench.attention_cases import AttentionCase, parse_attention
from tools.bench.cases import DTYPES, parse_case

Case = cases.Case | AttentionCase
SETS = {**{name: attention_cases.SETS[name] for name in attention_cases.FULL}, **cases.SETS}
"""Cases by the name of their set."""


def parse_subject(text: str) -> Case:
    """Return the product or the attention that `text` spells.

    Raises:
        ValueError: The text is neither; the message has the syntax of what it looks like.
    """
    if "x" in text:
        return parse_case(text)
    case = parse_attention(text)
    if case.kind != "forward":
        raise ValueError(f"'{text}': of attention, only the forward pass in bf16 is compared")
    return case


def request(case: Case, package: Path, checkout: Path) -> dict[str, Any]:
    """Return what `ab_compile.py` shall do for one case."""
    made = _attention(case) if isinstance(case, AttentionCase) else _product(case)
    source = checkout / "examples" / made.pop("file")
    return {"source": str(source), "package": str(package), **made}


def _array(shape: list[int], dtype: str, *, transposed: bool = False) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "transposed": transposed}


def _product(case: cases.Case) -> dict[str, Any]:
    file, kernel = contenders.KERNELS[case.kind]
    lead = [case.batch] if case.kind == "batched" else []
    dtype = DTYPES[case.dtype]
    output = "float32" if case.kind == "f32_output" else dtype
    arrays = [
        _array([*lead, case.m, case.k], dtype, transposed=case.layout[0] == "T"),
        _array([*lead, case.k, case.n], dtype, transposed=case.layout[1] == "T"),
    ]
    if case.kind == "fused":
        arrays += [_array([case.n], dtype), _array([case.m, case.n], dtype)]
    arrays.append(_array([*lead, case.m, case.n], output, transposed=case.column_major))
    return {"file": file, "kernel": kernel, "arrays": arrays}


def _attention(case: AttentionCase) -> dict[str, Any]:
    queries, keys = (
        _array([case.batch, case.length, heads, case.depth], "bfloat16")
        for heads in (case.heads, case.shared_heads)
    )
    sums = _array([case.batch, case.heads, case.length], "float32")
    return {
        "file": "attention.tile",
        "kernel": "attention",
        "arrays": [queries, keys, keys, queries, sums],
        "others": {"scale": case.depth**-0.5, **attention_contenders.forward_constants(case)},
    }


@dataclass(frozen=True)
class Trial:
    """Operands of a case, and what runs kernels with them.

    Attributes:
        sets: How many sets of operands there are.
        call: Checks a kernel with the first set, and returns what launches it with a set.
            Raises a ContenderError if its result is wrong.
    """

    sets: int
    call: Callable[[Any], Callable[[int], None]]


def new_trial(torch: Any, case: Case) -> Trial:
    """Return a trial of a case, with new operands on the GPU."""
    make = _attention_trial if isinstance(case, AttentionCase) else _product_trial
    return make(torch, case)


def _product_trial(torch: Any, case: Any) -> Trial:
    operands = contenders.make_operands(torch, case)
    extras = operands.extras or [()] * len(operands.products)
    data = [(a, b, *more, c) for (a, b, c), more in zip(operands.products, extras, strict=True)]
    expected = contenders.reference(torch, operands, 0)

    def call(kernel: Any) -> Callable[[int], None]:
        results = [c for *_, c in data]
        contender = contenders.Contender("tilec", lambda i: kernel(*data[i]), results)
        contenders.check(torch, contender, operands, expected)
        return contender.call

    return Trial(len(data), call)


def _attention_trial(torch: Any, case: Any) -> Trial:
    operands = attention_contenders.make_operands(torch, case)
    data, results, sums = attention_contenders.forward_arguments(torch, case, operands)

    def call(kernel: Any) -> Callable[[int], None]:
        def attend(number: int) -> Any:
            kernel(*data[number])
            return results[number]

        contender = attention_contenders.Contender(attend, sums=sums)
        contender.call(0)
        attention_contenders.poison(contender)
        contender.call(0)
        attention_contenders.check_ours(torch, case, operands, contender, ())
        return contender.call

    return Trial(len(data), call)
