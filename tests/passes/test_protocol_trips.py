"""How often loops run and which way branches go in the protocol check: in kernels and in edits."""

import re

import pytest

from tests.support.seeded_faults import before_the_check, failure, verify
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import SourceFile

KERNELS = {
    "a loop and a branch on the same scalar": """
    t = load(A, (i, 0), (64, 64))
    for q in range(n):
        t = t * 2.0
    if n > 1:
        store(C, (i, 0), t)
""",
    "loads in a branch, later a loop on its scalar": """
    t = zeros((64, 64), f32)
    if n > 1:
        for q in range(3):
            t = t + load(A, (i, q), (64, 64))
    for q in range(n):
        store(C, (i, q), t)
""",
    "counts that differ from block to block": """
    t = zeros((64, 64), f32)
    for q in range(i + 1):
        t = t + load(A, (i, q), (64, 64))
    for q in range(i // 2):
        t = t - load(A, (i, q), (64, 64))
    store(C, (i, 0), t)
""",
    "a first round that loads less": """
    t = load(A, (i, 0), (64, 64))
    for q in range(1, n):
        t = t + load(A, (i, q), (64, 64))
    store(C, (i, 0), t)
""",
    "a loop bound that is compared with a large number": """
    t = zeros((64, 64), f32)
    for q in range(n):
        t = t + load(A, (i, q), (64, 64))
    if n != 1103515245:
        store(C, (i, 0), t)
""",
    "a round that is compared with a large number": """
    t = load(A, (i, 0), (64, 64))
    for q in range(n):
        if q == 1103515245:
            t = t + load(A, (i, q), (64, 64))
    store(C, (i, 0), t)
""",
    "nested loops on one scalar": """
    t = zeros((64, 64), f32)
    for p in range(n):
        for q in range(p, n):
            t = t + load(A, (p, q), (64, 64))
    store(C, (i, 0), t)
""",
    "rounds of a while loop that loads nothing": """
    t = load(A, (i, 0), (64, 64))
    p = n
    while p > 1:
        p = p // 2
        t = t + 1.0
    if p == 1:
        store(C, (i, 0), t)
""",
    "an operand that is staged before a loop, which may run no round": """
    b = exp(load(A, (i, 0), (64, 64))).astype(bf16)
    t = zeros((64, 64), f32)
    for p in range(n):
        for q in range(p, n):
            t = t + load(A, (p, q), (64, 64)).astype(bf16) @ b
    store(C, (i, 0), t)
""",
    "an operand that is staged before a loop whose rounds may not read it": """
    b = exp(load(A, (i, 0), (64, 64))).astype(bf16)
    t = zeros((64, 64), f32)
    for p in range(n):
        if p > 3:
            t = t + load(A, (p, i), (64, 64)).astype(bf16) @ b
    store(C, (i, 0), t)
""",
}
HEAD = """@kernel
def counted[M, N](A: f32[M, N], C: f32[M, N], n: i32):
    i = grid(cdiv(M, 64))"""


@pytest.mark.parametrize("name", KERNELS)
def test_right_kernels_pass(name):
    """No two conditions come out in a way that excludes each other."""
    compile_source(SourceFile("k.tile", HEAD + KERNELS[name]), options=CompileOptions(emit="ptx"))


@pytest.fixture(scope="module")
def matmul() -> str:
    return before_the_check(defer_stores=0)


UNREAD = "nothing waits for the last load"
K_LOOP = re.compile(
    r"^( *)(.*scf\.for %\w+ = )(%c[01]_\w*)( to )(%\w+)( step %c1\w* iter_args.*)$", re.MULTILINE
)


def k_loops(text: str) -> list[re.Match[str]]:
    """Return the loops over k-tiles, that of the producer first."""
    found = list(K_LOOP.finditer(text))
    assert len(found) == 2
    return found


def with_bounds(text: str, number: int, lower: str, upper: str) -> str:
    """Return a dump in which a loop over k-tiles has other bounds; {0} is the right one."""
    found = k_loops(text)[number]
    indent, head, first, to, last, rest = found.groups()
    one = re.findall(r"(%c1_i32\w*) = arith.constant 1 : i32", text)[0]
    constants = {"0": first, "1": one, "{0}": last}
    lines = []
    if upper not in constants:
        operation = {"+": "addi", "-": "subi"}[upper[-2]]
        lines.append(f"{indent}%edited = arith.{operation} {last}, {one} : i32")
        constants[upper] = "%edited"
    lines.append(f"{indent}{head}{constants[lower]}{to}{constants[upper]}{rest}")
    return text[: found.start()] + "\n".join(lines) + text[found.end() :]


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize(("lower", "upper"), [("0", "{0}+1"), ("0", "{0}-1"), ("1", "{0}")])
def test_roles_that_run_another_number_of_rounds(matmul, role, lower, upper):
    found = failure(with_bounds(matmul, role, lower, upper))
    assert "deadlock" in found or UNREAD in found


@pytest.mark.parametrize("computed", [False, True])
def test_a_loop_that_never_ends(matmul, computed):
    loop = k_loops(matmul)[1]
    start, end = loop.span(6)
    step = re.findall(r"(%c0_i32\w*) = arith.constant 0 : i32", matmul)[0]
    one = re.findall(r"(%c1_i32\w*) = arith.constant 1 : i32", matmul)[0]
    rest = re.sub(r"step %c1\w*", "step %none" if computed else f"step {step}", matmul[start:end])
    text = matmul[:start] + rest + matmul[end:]
    if computed:
        lines = f"\n{loop[1]}%none = arith.subi {one}, {one} : i32\n"
        text = text[: loop.start()].rstrip(" \n") + lines + text[loop.start() :].lstrip("\n")
    assert "a loop never ends: its step is 0" in failure(text)


@pytest.mark.parametrize("bounds", [("1", "{0}"), ("0", "{0}-1")])
def test_roles_that_both_run_a_round_less(matmul, bounds):
    verify(with_bounds(with_bounds(matmul, 1, *bounds).replace("%edited", "%other"), 0, *bounds))


def test_roles_whose_bounds_are_not_known_to_be_equal(matmul):
    """A role that loops to the extent of another dim may run another number of rounds."""
    loops = k_loops(matmul)
    rows = re.findall(r"(%\d+) = arith.ceildivsi %arg6", matmul)[0]
    start, end = loops[1].span(5)
    found = failure(matmul[:start] + rows + matmul[end:])
    assert "deadlock" in found or UNREAD in found
