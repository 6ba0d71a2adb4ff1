"""How many blocks share an SM where each of them waits for the tile that it reduces."""

import pytest

from tilec.compiler.backend import CodeGenerator
from tilec.compiler.driver import compile_source
from tilec.plan import KernelProblem, plan_kernel
from tilec.request.options import CompileOptions
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError, SourceFile, error

LARGEST = """
@kernel
def largest(X: bf16[64, 8192], Y: bf16[64]):
    m = grid(64)
    store(Y, m, max(load(X, (m, 0), (1, 8192)), axis=1))
"""


def problem(elements, thread_bytes, **facts):
    return KernelProblem(
        (), 0, 0, elements, waits_for_tiles=True, thread_bytes=thread_bytes, **facts
    )


def blocks(given, **overrides):
    return plan_kernel(given, get_target("sm_90a"), overrides).blocks_per_sm


@pytest.mark.parametrize(
    ("elements", "element_bytes", "expected"),
    [
        (4096, 2, 8),  # 8 KB for 64 registers of 128 threads
        (16384, 2, 2),
        (16384, 4, 1),  # one tile is enough
        (2048, 2, 10),  # registers end before the wanted 16
    ],
)
def test_blocks_keep_enough_loads_in_flight(elements, element_bytes, expected):
    assert blocks(problem(elements, elements * element_bytes)) == expected


def test_blocks_that_wait_for_nothing_have_all_registers():
    assert blocks(problem(4096, 0)) == 1
    assert blocks(problem(4096, 8192, blocks_per_sm=False)) == 1


def test_the_user_decides():
    assert blocks(problem(4096, 8192), blocks_per_sm=3) == 3


def compiled(text=LARGEST, **plan):
    found = text.replace(
        "@kernel", "@kernel(" + ", ".join(f"{k}={v}" for k, v in plan.items()) + ")"
    )
    options = CompileOptions(emit="ptx", run_ptxas=False)
    return compile_source(SourceFile("f.tile", found), options=options)


def test_ptxas_gets_the_number():
    assert ".minnctapersm 4" in compiled().texts["ptx"]
    assert ".minnctapersm 7" in compiled(blocks_per_sm=7).texts["ptx"]


def test_code_that_spills_gives_room_up(monkeypatch):
    run = CodeGenerator.run
    calls = []

    def spill(self, *arguments, **options):
        calls.append(True)
        if len(calls) == 1:
            raise CompileError(error("T0608", "a thread spills"))
        return run(self, *arguments, **options)

    monkeypatch.setattr(CodeGenerator, "run", spill)
    made = compiled()
    assert made.artifact.kernels[0].metadata["plan"]["blocks_per_sm"] == 1
    (why,) = (str(item) for item in made.sink.items if "planned again without" in str(item))
    assert "to make room for more blocks of an SM takes too many registers" in why
