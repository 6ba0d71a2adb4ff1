"""The machine code of a round of attention: what the schedule asks for is what ptxas makes."""

from collections import Counter

import pytest

from tests.support.sass_listing import Instruction, instructions, loops
from tests.support.seeded_faults import ROOT, source_of
from tilec.codegen.sass import disassemble
from tilec.compiler.driver import compile_source
from tilec.request.specialization import Specialization

CASES = [
    {"BM": 128, "BN": 176, "BD": 128, "causal": 0},
    {"BM": 128, "BN": 128, "BD": 128, "causal": 1},
    {"BM": 128, "BN": 224, "BD": 64, "causal": 0},
]
ROWS = 2
"""Rows of an accumulator of which a thread holds elements (PTX ISA, wgmma, register fragments)."""
K_STEP = 16
"""Elements of K of one instruction, for operands of 16 bits (PTX ISA, wgmma)."""
WAIT = "WARPGROUP.DEPBAR"
"""What waits for groups of products."""
TEST = "SYNCS.PHASECHK"
"""What asks whether a slot is filled."""
MASK = ("FSEL",)
"""What puts a mask on scores: a select for each."""


@pytest.fixture(scope="module", params=CASES, ids=lambda item: f"{item['BD']}-{item['causal']}")
def compiled(request):
    source = source_of(ROOT / "examples" / "attention.tile")
    return request.param, compile_source(
        source, "attention", Specialization(constants=request.param)
    )


@pytest.fixture(scope="module")
def listing(compiled) -> str:
    return disassemble(compiled[1].assembly.cubin)


@pytest.fixture(scope="module")
def bodies(listing) -> list[range]:
    """The loops over the keys, the shortest first: those that wait for two products."""
    code = instructions(listing)
    waits = [at for at, item in enumerate(code) if item.name.startswith(WAIT)]
    found = [loop for loop in loops(listing) if sum(at in loop for at in waits) == 2]
    return sorted(found, key=len)


@pytest.fixture(scope="module")
def body(bodies) -> range:
    """The loop of the rounds without a mask."""
    return bodies[0]


@pytest.fixture(scope="module")
def round_code(listing, body) -> tuple[Instruction, ...]:
    return instructions(listing)[body.start : body.stop]


def test_nothing_spills_or_goes_through_memory(compiled, round_code):
    made = compiled[1]
    assert (made.assembly.spill_stores, made.assembly.spill_loads) == (0, 0)
    kinds = {item.base for item in round_code}
    assert not kinds & {"STL", "LDL", "STS", "LDS", "STSM", "LDSM", "LDG", "STG"}


def test_products_and_exponentials_of_a_round(compiled, round_code):
    """One exponential for each score of a thread, and one for each row that is rescaled."""
    extents = compiled[0]
    counts = Counter(item.base for item in round_code)
    scores = ROWS * extents["BN"] // 4  # 4 lanes share a row
    assert counts["HGMMA"] == extents["BD"] // K_STEP + extents["BN"] // K_STEP
    assert counts["MUFU"] == scores + ROWS
    assert counts["F2FP"] == scores // 2


def test_the_softmax_runs_next_to_a_product(round_code):
    """The wait for the scores leaves the other product in flight, which most exponentials hide."""
    names = [item.name for item in round_code]
    waits = [at for at, name in enumerate(names) if name.startswith(WAIT)]
    products = [at for at, name in enumerate(names) if name.startswith("HGMMA")]
    assert len(waits) == 2
    assert max(products) < waits[0]
    between = names[waits[0] : waits[1]]
    special = sum(name.startswith("MUFU") for name in between)
    assert 2 * special > sum(name.startswith("MUFU") for name in names)


def test_rounds_without_a_mask_are_a_loop_of_their_own(listing, body, bodies, round_code):
    """It branches where a wait may fail, and at its end: ptxas orders the rest of a round."""
    code = instructions(listing)
    assert not any(item.base in MASK for item in round_code)
    branches = [at for at in body if code[at].base in ("BRA", "BRX", "CALL", "RET", "EXIT")]
    tests = [at for at in body if code[at].name.startswith(TEST)]
    assert len(branches) == len(tests) + 1
    assert branches[-1] == body.stop - 1
    others = [loop for loop in bodies if loop.start >= body.stop]
    assert any(code[at].base in MASK for loop in others for at in loop)
