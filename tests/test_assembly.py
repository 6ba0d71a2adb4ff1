"""What ptxas makes of products.

The machine code of large products is held
against their plan: shape and grouping of wgmma, TMA copies, barriers, registers and who starts
what. The counts follow from the plan, so another plan asks for other ones.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import pytest

from tests.support.sass_listing import Instruction, instructions, reached, stretches
from tilec.codegen.sass import disassemble
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import ArraySpec, Specialization, column_major, row_major
from tilec.support.diagnostics import SourceFile

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module", autouse=True)
def recorded_version(record_testsuite_property, ptxas_version):
    """Keep with the results what they hold for: another ptxas may make other code."""
    record_testsuite_property("ptxas", ptxas_version)


def parse(path):
    return SourceFile(path.name, path.read_text())


def compile_kernel(path, name, **plan):
    specialization = Specialization(plan=plan)
    made = compile_source(parse(path), name, specialization=specialization)
    (kernel,) = made.artifact.kernels
    return kernel


@dataclass(frozen=True)
class GemmCase:
    """A product of `arrays`: two operands and the result; those in `columns` are column-major."""

    kernel: str
    arrays: str
    dtype: str
    columns: str
    sizes: dict[str, int]

    @property
    def id(self) -> str:
        layout = "".join("T" if name in self.columns else "N" for name in self.arrays)
        return f"{self.kernel}-{self.dtype}-{layout}"


@dataclass(frozen=True)
class Gemm:
    """A compiled product."""

    case: GemmCase | None
    metadata: dict[str, Any]
    assembly: Any
    sass: str

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        return instructions(self.sass)

    @property
    def plan(self) -> dict[str, Any]:
        return self.metadata["plan"]

    @property
    def constants(self) -> dict[str, int]:
        return self.metadata["constants"]

    @property
    def consumers(self) -> int:
        return self.plan["consumer_warps"] // 4

    @property
    def stores(self) -> int:
        """How often the store of a tile stands in the program: in the shadow and alone."""
        return 2 if self.plan["defer_stores"] else 1

    @property
    def consumer_tile(self) -> tuple[int, int]:
        """Rows and columns of a warpgroup: rows are shared where 64 of them divide."""
        rows, columns = self.constants["BM"], self.constants["BN"]
        if rows % (64 * self.consumers):
            return rows, columns // self.consumers
        return rows // self.consumers, columns

    def all(self, base: str) -> list[Instruction]:
        return [item for item in self.instructions if item.base == base]

    def count(self, base: str) -> int:
        return len(self.all(base))

    def opcodes(self, base: str) -> set[str]:
        return {item.name for item in self.all(base)}

    def box_elements(self, array: str) -> int:
        (box,) = {tuple(it["box"]) for it in self.metadata["tensor_maps"] if it["array"] == array}
        return prod(box)


LARGE = dict.fromkeys("MNK", 8192)
GEMMS = [
    GemmCase("matmul", "ABC", "bf16", "", LARGE),
    GemmCase("matmul", "ABC", "f16", "A", LARGE),
    GemmCase("matmul", "ABC", "bf16", "B", LARGE),
    GemmCase("matmul", "ABC", "f16", "AB", LARGE),
    GemmCase("matmul", "ABC", "bf16", "C", LARGE),
    GemmCase("batched_matmul", "XYZ", "bf16", "", {"B": 8, **dict.fromkeys("MNK", 4096)}),
]


def compile_gemm(case, constants=None, **overrides):
    path = ROOT / f"examples/{case.kernel}.tile"
    rank = 3 if "B" in case.sizes else 2
    arrays = {
        name: ArraySpec(case.dtype, column_major(rank) if name in case.columns else row_major(rank))
        for name in case.arrays
    }
    dtypes = {"T": case.dtype}
    wanted = Specialization(
        arrays, constants=constants or {}, dtypes=dtypes, sizes=case.sizes, plan=overrides
    )
    options = CompileOptions(emit="sass")
    result = compile_source(parse(path), case.kernel, wanted, options)
    (kernel,) = result.artifact.kernels
    return Gemm(case, kernel.metadata, result.assembly, result.texts["sass"])


@pytest.fixture(scope="module", params=GEMMS, ids=lambda case: case.id)
def gemm(request):
    return compile_gemm(request.param)


def test_ptxas_has_no_objection(gemm):
    assert gemm.assembly.warnings == ()
    assert gemm.assembly.stack_bytes == 0
    assert (gemm.assembly.spill_stores, gemm.assembly.spill_loads) == (0, 0)
    assert gemm.count("LDL") == gemm.count("STL") == 0


def test_wgmma_has_the_planned_shape(gemm):
    """Operands of bf16 are named in the opcode, those of f16 are not."""
    kind = ".BF16" if gemm.case.dtype == "bf16" else ""
    _, columns = gemm.consumer_tile
    assert gemm.opcodes("HGMMA") == {f"HGMMA.64x{columns}x16.F32{kind}"}


def test_the_k_steps_of_a_stage_run_back_to_back(gemm):
    """Between two waits there is a k-tile of wgmma, all of it, or none."""
    rows, _ = gemm.consumer_tile
    groups = [
        sum(item.base == "HGMMA" for item in stretch) for stretch in stretches(gemm.instructions)
    ]
    assert {count for count in groups if count} == {rows // 64 * gemm.constants["BK"] // 16}


def check_accumulators(gemm):
    """Check that the first k-step of a tile overwrites its accumulators, which nobody zeroes.

    Zeros are written where there are no k-tiles, and only there: 64 bits at a time.
    """
    rows, columns = gemm.consumer_tile
    products = [at for at, item in enumerate(gemm.instructions) if item.base == "HGMMA"]
    steps = [gemm.instructions[at].operands for at in products]
    may_overwrite = [re.search(r", !?UP\d", operands) is not None for operands in steps]
    count = gemm.constants["BK"] // 16
    assert may_overwrite == [step == 0 for _ in range(rows // 64) for step in range(count)]
    firsts = {int(operands.split(",")[0].removeprefix("R")) for operands in steps}
    registers = {first + offset for first in firsts for offset in range(columns // 2)}
    assert len(registers) == rows * columns // 128
    zeros = [f"R{register}, SRZ" for register in registers]
    written = frozenset(
        at
        for at, item in enumerate(gemm.instructions)
        if item.name == "CS2R" and item.operands in zeros
    )
    assert 2 * len(written) == len(registers)
    tile_ends = [at for at, item in enumerate(gemm.instructions) if item.base == "UTMASTG"]
    for start in (0, *tile_ends):
        assert reached(gemm.sass, start, written) >= set(products)


def test_the_first_k_step_overwrites_the_accumulators(gemm):
    check_accumulators(gemm)


@pytest.mark.parametrize("plan", [{"mma_pending": 1}, {"pingpong": 1}, {"split_k": 2}], ids=str)
def test_the_first_k_step_overwrites_in_every_schedule(plan):
    check_accumulators(compile_gemm(GEMMS[0], {"BM": 128, "BN": 128, "BK": 64}, **plan))


def test_many_accumulators_are_overwritten():
    """They leave few other registers, so none may stay alive when nothing is in it."""
    gemm = compile_gemm(GEMMS[0], pingpong=1)
    rows, columns = gemm.consumer_tile
    assert rows * columns // 128 > 128
    check_accumulators(gemm)
    assert (gemm.assembly.spill_stores, gemm.assembly.spill_loads) == (0, 0)


def test_a_cta_loads_its_share_of_the_boxes(gemm):
    """CTAs in a row of the cluster share tiles of the first operand, in a column of the second."""
    rows, columns, _ = gemm.plan["cluster"]
    first, second, _ = gemm.case.arrays
    tile_m, tile_n, tile_k = (gemm.constants[name] for name in ("BM", "BN", "BK"))
    copies = [
        (columns, tile_m * tile_k // columns // gemm.box_elements(first)),
        (rows, tile_k * tile_n // rows // gemm.box_elements(second)),
    ]
    multicast = sum(item.name.endswith(".MULTICAST") for item in gemm.all("UTMALDG"))
    assert multicast == sum(count for peers, count in copies if peers > 1)
    assert gemm.count("UTMALDG") == sum(count for _, count in copies)


def test_every_slot_has_two_barriers(gemm):
    initialised = sum(item.name == "SYNCS.EXCH.64" for item in gemm.instructions)
    assert initialised == 2 * gemm.plan["stages"]


def check_stores(gemm, *, policy):
    """Check that results leave in parts; a store names the register that holds its policy."""
    share = gemm.constants["BM"] * gemm.constants["BN"] // gemm.consumers
    boxes = share // gemm.box_elements(gemm.case.arrays[-1])
    assert gemm.count("UTMASTG") == gemm.stores * boxes
    assert all(("desc[" in item.operands) == policy for item in gemm.all("UTMASTG"))


def test_results_leave_in_parts(gemm):
    check_stores(gemm, policy=False)


def test_results_leave_after_products_of_the_next_tile(gemm):
    """Between the last product of a k-tile and the wait for it, or else after all products."""
    names = [item.base if item.base != "WARPGROUP" else item.name for item in gemm.instructions]
    last = max(place for place, name in enumerate(names) if name == "HGMMA")
    waited = names.index("WARPGROUP.DEPBAR.LE", last)
    shadow = names[last:waited].count("UTMASTG")
    assert shadow == (gemm.count("UTMASTG") // gemm.stores if gemm.plan["defer_stores"] else 0)


def test_results_are_staged_as_matrices(gemm):
    """A warp stores four 8x8 matrices at once, transposed where C is column-major."""
    share = gemm.constants["BM"] * gemm.constants["BN"] // gemm.consumers
    form = "MT88" if gemm.case.arrays[-1] in gemm.case.columns else "M88"
    assert gemm.opcodes("STSM") == {f"STSM.16.{form}.4"}
    assert gemm.count("STSM") == gemm.stores * share // (4 * 4 * 64)
    assert gemm.count("STS") == 0
    assert gemm.count("F2FP") == share // (4 * 32 * 2)


def test_staging_takes_two_addresses_a_thread(gemm):
    """One for each half of a row of 128 bytes; the slot and the row are immediates."""
    bases = {re.split(r"[+\]]", item.operands)[0] for item in gemm.all("STSM")}
    assert len(bases) <= 2


def test_registers_move_once(gemm):
    moves = {item.name: int(item.operands.split(", ")[-1], 16) for item in gemm.all("USETMAXREG")}
    assert gemm.count("USETMAXREG") == 2
    assert moves == {
        "USETMAXREG.DEALLOC.CTAPOOL": gemm.plan["producer_registers"],
        "USETMAXREG.TRY_ALLOC.CTAPOOL": gemm.plan["consumer_registers"],
    }


def test_one_elected_thread_starts_the_loads(gemm):
    """All warps of the producer but one leave, and of that one all threads but the elected one."""
    names = [item.name for item in gemm.instructions]
    start = names.index("USETMAXREG.DEALLOC.CTAPOOL")
    stop = names.index("USETMAXREG.TRY_ALLOC.CTAPOOL")
    producer = gemm.instructions[start : stop if stop > start else None]
    assert sum(item.base == "UTMALDG" for item in producer) == gemm.count("UTMALDG")
    others, elect, unelected = [item for item in producer if item.base in ("ELECT", "EXIT")][:3]
    assert (others.base, elect.base, unelected.base) == ("EXIT", "ELECT", "EXIT")
    assert others.guard
    assert unelected.guard == f"@!{elect.operands.split(', ')[0]}"
    ahead = producer[: producer.index(unelected)]
    assert not {"BRA", "UTMALDG", "SYNCS"} & {item.base for item in ahead}


def skipped_by(code, position):
    """Return the predicate of the threads that do not perform an instruction of one thread.

    ptxas lets them branch around it, or makes it uniform: some lane performs the instruction.
    """
    item = code[position]
    if not item.guard:
        branch = next(it for it in code[position::-1] if it.base == "BRA")
        return branch.guard.removeprefix("@")
    vote = next(it for it in code[position::-1] if it.base == "VOTEU")
    target, voter = vote.operands.split(", ")
    assert (vote.name, item.guard) == ("VOTEU.ALL", f"@!{target}")
    return voter


def test_one_thread_starts_each_store(gemm):
    code = gemm.instructions
    stores = [position for position, item in enumerate(code) if item.base == "UTMASTG"]
    (predicate,) = {skipped_by(code, position) for position in stores}
    assert predicate


@pytest.mark.parametrize("case", [GEMMS[0], GEMMS[4]], ids=lambda case: case.id)
def test_streamed_results_are_stored_with_a_policy(case):
    streamed = compile_gemm(case, stream_results=True)
    assert streamed.assembly.warnings == ()
    check_stores(streamed, policy=True)
    stores = [at for at, item in enumerate(streamed.instructions) if item.base == "UTMASTG"]
    assert all(skipped_by(streamed.instructions, position) for position in stores)


def test_a_fused_epilogue_loads_and_stores_in_slices():
    """A slot for each slice is worth a stage; two threads load, the k-tiles and the slices."""
    source = parse(ROOT / "examples/matmul_bias_gelu.tile")
    result = compile_source(source, "matmul_bias_gelu", options=CompileOptions(emit="sass"))
    (kernel,) = result.artifact.kernels
    fused = Gemm(None, kernel.metadata, result.assembly, result.texts["sass"])
    assert fused.assembly.warnings == ()
    assert (fused.assembly.spill_stores, fused.assembly.spill_loads) == (0, 0)
    slices = fused.constants["BN"] // fused.plan["slice_columns"]
    assert (fused.plan["stages"], fused.plan["epilogue_stages"]) == (3, slices)
    copies = 1 + fused.plan["defer_stores"]  # the last tile of a CTA is stored alone
    assert fused.count("UTMASTG") == copies * slices
    rows, _, _ = fused.plan["cluster"]
    operands = 1 + fused.constants["BK"] * fused.constants["BN"] // rows // fused.box_elements("B")
    assert fused.count("UTMALDG") == operands + 1 + slices
    assert fused.count("ELECT") == 2
    assert fused.count("BAR") <= 2 * copies * slices + 1


def test_a_fused_epilogue_takes_few_instructions_an_element():
    path = ROOT / "examples/matmul_bias_gelu.tile"
    kernel = compile_kernel(path, "matmul_bias_gelu", defer_stores=False)
    constants, warps = kernel.metadata["constants"], kernel.metadata["plan"]["consumer_warps"]
    elements = constants["BM"] * constants["BN"] // (32 * warps)
    code = instructions(disassemble(kernel.cubin))
    assert sum(item.base == "MUFU" for item in code) < elements + 16
    assert sum(item.name == "MUFU.TANH" for item in code) == elements
    # What tiles at a border need, which threads store, is elsewhere.
    loads = (position for position, item in enumerate(code) if item.base == "LDS")
    stores = [position for position, item in enumerate(code) if item.base == "STSM"]
    epilogue = code[next(loads) : stores[-1]]
    opcodes = Counter(item.base for item in epilogue)
    arithmetic = sum(opcodes[name] for name in ("FFMA", "FMUL", "FADD"))
    assert arithmetic <= 6.5 * elements
    # The parities of barriers are shifted and flipped, too: SHF by 31 bits, LOP3 with a bit.
    widening = opcodes["PRMT"] + sum("0x10," in i.operands for i in epilogue if i.base == "SHF")
    widening += sum("0xffff0000" in item.operands for item in epilogue if item.base == "LOP3")
    assert elements <= widening <= 1.5 * elements
    assert opcodes["LDS"] <= 0.75 * elements + 4


def test_called_functions_leave_the_products_of_a_stage_together():
    """Without spills, and with the registers that setmaxnreg moves."""
    text = (ROOT / "examples/matmul.tile").read_text().replace("cast(acc", "cast(sin(acc)")
    options = CompileOptions(emit="sass")
    result = compile_source(SourceFile("sin.tile", text), "matmul", options=options)
    (kernel,) = result.artifact.kernels
    made = Gemm(None, kernel.metadata, result.assembly, result.texts["sass"])
    assert made.assembly.warnings == ()
    assert (made.assembly.spill_stores, made.assembly.spill_loads) == (0, 0)
    elements = made.constants["BM"] * made.constants["BN"] // (32 * made.plan["consumer_warps"])
    assert made.count("CALL") == elements
    assert made.count("USETMAXREG") == 2
    bases = [item.base for item in instructions(made.sass)]
    first, last = bases.index("HGMMA"), len(bases) - bases[::-1].index("HGMMA")
    assert bases[first:last].count("HGMMA") == made.constants["BK"] // 16
    assert "CALL" not in bases[first:last]
