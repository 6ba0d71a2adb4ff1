"""How many blocks share an SM: where each waits for the tile that it reduces, or for memory."""

import pytest

from tilec.compiler.backend import CodeGenerator
from tilec.compiler.driver import compile_source
from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.plan.model import Reuse
from tilec.request.options import CompileOptions
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError, SourceFile, error
from tilec.support.fast_dataclasses import replace

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


@pytest.mark.parametrize(
    ("elements", "tiles", "expected"),
    [
        (4096, 1, 8),
        (4096, 2, 8),  # 64 registers for 64 words: ptxas keeps some of them as 16 bits
        (4096, 3, 1),  # 96 words and 32: no more than 4 fit, as without a bound
        (4096, 4, 3),
        (4096, 6, 1),  # two fit, whatever a thread takes
        (1024, 5, 12),
        (1024, 7, 1),
    ],
)
def test_tiles_that_are_held_together_leave_room_for_fewer_blocks(elements, tiles, expected):
    given = problem(elements, elements * 2, held_words=tiles * elements)
    assert blocks(given) == expected


GRADIENT = """
@kernel
def gradient(X: bf16[512, 4096], W: bf16[4096], D: f32[4096]):
    first = grid(16)
    d, w = zeros((1, 4096)), cast(load(W, 0, 4096), f32)[None, :]
    for m in range(first, 512, 16):
        x = cast(load(X, (m, 0), (1, 4096)), f32) * w
        {}
        d += x - sum(x, axis=1, keepdims=True)
    atomic_add(D, arange(4096), d.reshape((4096,)))
"""


@pytest.mark.parametrize(
    ("line", "blocks_of_sm"),
    [
        ("pass", 1),  # d, w and x: 96 registers of each of 128 threads, and 32
        ("x = where(arange(4096)[None, :] < m, x, 0.0)", 1),  # a mask is made again
        ("y = x * sum(x * x); x += y * sum(y)", 3),  # x * x, or y, is held next to x
    ],
)
def test_tiles_of_a_round_and_of_all_rounds_count(line, blocks_of_sm):
    plan = compiled(GRADIENT.format(line)).artifact.kernels[0].metadata["plan"]
    assert plan["blocks_per_sm"] == blocks_of_sm


def test_blocks_that_wait_for_nothing_have_all_registers():
    assert blocks(problem(4096, 0)) == 1
    assert blocks(problem(4096, 8192, blocks_per_sm=False)) == 1


@pytest.mark.parametrize(
    ("elements", "overrides", "expected"),
    [
        (1024, {}, 2),  # 8 elements of each of 128 threads
        (4096, {}, 2),
        (8192, {}, 1),  # 64 of each: one block computes while its loads come
        (4096, {"persistent": True}, 1),
        (4096, {"blocks_per_sm": 1}, 1),
    ],
)
def test_blocks_with_light_rounds_share_an_sm_next_to_their_producers(
    elements, overrides, expected
):
    given = KernelProblem((), 2 * elements, 0, elements)
    plan = plan_kernel(given, get_target("sm_90a"), {"worker_warps": 4, **overrides})
    assert (plan.specialize, plan.blocks_per_sm) == (True, expected)
    assert plan.persistent is (expected == 1)


@pytest.mark.parametrize(
    ("elements", "slot", "expected"), [(64, 16384, 2), (65, 16384, 1), (64, 65536, 1)]
)
def test_blocks_whose_warps_multiply_share_an_sm(elements, slot, expected):
    given = KernelProblem((), slot, 0, 128 * elements, product_bytes=8192)
    plan = plan_kernel(given, get_target("sm_90a"), {"worker_warps": 4})
    assert (plan.specialize, plan.blocks_per_sm) == (True, expected)


def test_code_that_spills_gives_room_up_next_to_a_producer():
    given = KernelProblem((), 8192, 0, 4096, blocks_per_sm=False)
    assert blocks(given) == 1


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


SCALED = """@kernel
def scaled(X: f32[4096, 8192], W: f32[8192], Y: f32[4096, 8192]):
    m = grid(4096)
    x = load(X, (m, 0), (1, 8192))
    store(Y, (m, 0), x / max(x, axis=1, keepdims=True) * load(W, 0, 8192)[None, :])
"""


@pytest.mark.parametrize(("text", "spills"), [(LARGEST, 2), (SCALED, 2)])
def test_code_that_spills_gives_room_up(monkeypatch, text, spills):
    """A tail is streamed first, where there is one; blocks are halved as long as two are left."""
    run = CodeGenerator.run
    calls = []

    def spill(self, *arguments, **options):
        calls.append(True)
        if len(calls) <= spills:
            raise CompileError(error("T0608", "a thread spills"))
        return run(self, *arguments, **options)

    monkeypatch.setattr(CodeGenerator, "run", spill)
    made = compiled(text)
    plan = made.artifact.kernels[0].metadata["plan"]
    assert (plan["blocks_per_sm"], plan["stream_tail"]) == (1, False)
    first, room = (str(item) for item in made.sink.items if "planned again" in str(item))
    halved = "planned again for at most 2"
    streamed = "to load all that the end of a block needs before it"
    assert (halved if text == LARGEST else streamed) in first
    assert "to make room for more blocks of an SM takes too many registers" in room


def test_a_tail_is_streamed_where_its_loads_would_take_a_cta():
    given = problem(4096, 8192, load_ahead=False)
    found = plan_kernel(given, get_target("sm_90a"), {})
    assert (found.blocks_per_sm, found.stream_tail) == (8, True)
    assert plan_kernel(given, get_target("sm_90a"), {"blocks_per_sm": 1}).stream_tail is False
    assert plan_kernel(given, get_target("sm_90a"), {"stream_tail": False}).stream_tail is False
    plain = problem(4096, 8192)
    assert plan_kernel(plain, get_target("sm_90a"), {}).stream_tail is False
    assert plan_kernel(plain, get_target("sm_90a"), {"stream_tail": True}).stream_tail is True


TARGET = get_target("sm_90a")
ONCE = Reuse(once=True)
DECODE = """
@kernel
def decode[B, S, P](
    Q: bf16[B, 64, 128], K: bf16[B, S, 128], O: f32[P, B, 64, 128], BN: const = 64,
):
    b, p = grid(B, P)
    share = cdiv(cdiv(S, BN), P)
    q = load(Q, (b, 0, 0), (1, 64, 128)).reshape((64, 128))
    acc = zeros((64, 128), f32)
    for n in range(p * share, min((p + 1) * share, cdiv(S, BN))):
        k = load(K, (b, n, 0), (1, BN, 128)).reshape((BN, 128))
        acc = acc + cast(exp2(q @ k.T), bf16) @ k
    store(O, (p, b, 0, 0), acc.reshape((1, 1, 64, 128)))
"""


def products(columns, slot_bytes, **facts):
    """Return a kernel with one product of 64 rows in a loop that loads `slot_bytes` a round."""
    tile = MmaTile(64, columns, 128, 2, 4)
    facts = {"reuse": ONCE, **facts}
    return KernelProblem((tile,), slot_bytes, 0, 64 * 128, True, **facts)


def test_two_blocks_share_an_sm_where_memory_bounds_products():
    found = plan_kernel(products(64, 32768), TARGET)
    assert (found.blocks_per_sm, found.stages, found.persistent) == (2, 2, False)
    assert found.producer_registers + found.consumer_registers == 2 * 128, "all registers at entry"
    (why,) = (item for item in found.reasons if item.startswith("blocks_per_sm"))
    assert why == "blocks_per_sm = 2: a round loads for 1773 cycles and multiplies for 256"


@pytest.mark.parametrize(
    ("given", "overrides"),
    [
        (products(64, 32768, reuse=Reuse()), {}),  # tiles share what they load
        (products(64, 2048), {}),  # products take longer than loads
        (products(64, 65536), {}),  # a CTA would have one slot
        (products(64, 32768), {"stages": 4}),
        (products(256, 32768), {}),  # an instruction needs more than the registers at entry
        (products(64, 32768, blocks_per_sm=False), {}),  # threads spilled
        (products(64, 32768), {"specialize": False}),
        (products(64, 32768), {"persistent": True}),
        (products(64, 32768), {"blocks_per_sm": 1}),
    ],
)
def test_a_block_with_products_has_an_sm_alone(given, overrides):
    found = plan_kernel(given, TARGET, overrides)
    assert found.blocks_per_sm == 1
    assert found.persistent == overrides.get("specialize", True)


@pytest.mark.parametrize(
    ("given", "overrides", "stages"),
    [
        (products(32, 8192), {}, 4),  # 64 KB in flight on the SM
        (replace(products(64, 32768), latency=3), {}, 3),  # the source asks for more
        (products(64, 32768), {"stages": 3}, 3),
        (products(64, 16384), {"blocks_per_sm": 3}, 2),
        (products(64, 16384), {"blocks_per_sm": 1}, 4),
        (products(64, 65536), {}, 2),  # a CTA alone
        (products(64, 16384, reuse=Reuse()), {}, 14),  # memory does not bound the time
    ],
)
def test_slots_where_memory_bounds_products(given, overrides, stages):
    assert plan_kernel(given, TARGET, overrides).stages == stages


def test_the_user_decides_with_products_too():
    assert blocks(products(64, 2048, reuse=Reuse()), blocks_per_sm=2) == 2
    with pytest.raises(CompileError, match="at most 104 fit"):
        plan_kernel(products(256, 2048), TARGET, {"blocks_per_sm": 3})


def test_two_blocks_share_an_sm_where_one_computes_operands():
    tile = MmaTile(64, 64, 64, 2, 4, holds_a=True)
    given = KernelProblem((tile,), 8192, 0, 64 * 128, True)
    found = plan_kernel(given, TARGET)
    assert (found.blocks_per_sm, found.persistent) == (2, False)
    why = "blocks_per_sm = 2: while one CTA computes an operand, the other one multiplies"
    assert why in found.reasons
    wider = replace(given, mma=(replace(tile, m=128),))
    assert plan_kernel(wider, TARGET).consumers == 2
    assert plan_kernel(wider, TARGET).blocks_per_sm == 1
    assert plan_kernel(replace(given, blocks_per_sm=False), TARGET).blocks_per_sm == 1
    assert plan_kernel(replace(given, split_k=2), TARGET).blocks_per_sm == 1


def planned(text):
    options = CompileOptions(emit="ptx", run_ptxas=False)
    made = compile_source(SourceFile("f.tile", text), options=options)
    return made.artifact.kernels[0].metadata["plan"], made.texts["ptx"]


def test_parts_of_a_range_load_what_no_other_part_loads():
    plan, ptx = planned(DECODE)
    assert (plan["blocks_per_sm"], plan["persistent"]) == (2, False)
    assert ".minnctapersm 2" in ptx
    assert "setmaxnreg.inc.sync.aligned.u32 \t216" in ptx


def test_what_the_last_block_adds_up_is_no_input():
    text = DECODE.replace("O: f32[P, B, 64, 128],", "O: f32[P, B, 64, 128], C: i32[B],")
    last = """
    if atomic_add(C, b, 1) == P - 1:
        acc = zeros((64, 128), f32)
        for i in range(P):
            acc += load(O, (i, b, 0, 0), (1, 1, 64, 128)).reshape((64, 128))
        store(O, (0, b, 0, 0), acc.reshape((1, 1, 64, 128)))
"""
    plan, _ = planned(text + last)
    assert (plan["blocks_per_sm"], plan["producer_warps"]) == (2, 4)


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ("0, cdiv(S, BN)", "all parts are the same"),
        ("0, (p + 1) * share", "each part has those before it"),
        ("p * share, min((p + 2) * share, cdiv(S, BN))", "parts overlap"),
        ("p * share, max((p + 1) * share, cdiv(S, BN))", "parts end after the next one begins"),
    ],
)
def test_ranges_that_overlap_are_no_parts(bounds, why):
    text = DECODE.replace("p * share, min((p + 1) * share, cdiv(S, BN))", bounds)
    assert text != DECODE
    plan, _ = planned(text)
    assert not any("a round loads for" in item for item in plan["reasons"]), why
