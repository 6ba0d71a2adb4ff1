"""Every example and every GPU test kernel is assembled by ptxas without a warning or a spill."""

from pathlib import Path

import pytest

from tilec.codegen.ptxas import assemble
from tilec.codegen.sass import count_opcodes, disassemble
from tilec.diagnostics import SourceFile
from tilec.driver import compile_source
from tilec.frontend import parser
from tilec.target import get_target

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "examples").glob("*.tile")) + sorted(
    (ROOT / "tests/kernels").glob("*.tile")
)


def parse(path):
    return SourceFile(path.name, path.read_text())


def kernels():
    for path in SOURCES:
        for kernel in parser.kernels(parser.parse_source(parse(path))):
            yield pytest.param(path, kernel.name, id=kernel.name)


def compile_kernel(path, name):
    (kernel,) = compile_source(parse(path), name).artifact.kernels
    return kernel


@pytest.mark.parametrize(("path", "name"), list(kernels()))
def test_assembles_cleanly(path, name):
    assembly = assemble(compile_kernel(path, name).ptx, get_target("sm_90a"))
    assert assembly.cubin
    assert assembly.warnings == ()
    assert (assembly.spill_stores, assembly.spill_loads) == (0, 0)


@pytest.mark.parametrize("name", ["matmul", "batched_matmul"])
def test_gemm_keeps_the_shape_an_expert_would_write(name):
    kernel = compile_kernel(ROOT / f"examples/{name}.tile", name)
    opcodes = count_opcodes(disassemble(kernel.cubin))
    plan = kernel.metadata["plan"]
    constants = kernel.metadata["constants"]
    k_steps = constants["BK"] // 16
    rows = constants["BM"] // (plan["consumer_warps"] // 4)
    assert opcodes["HGMMA"] == rows // 64 * k_steps
    assert opcodes["USETMAXREG"] == 2
    assert opcodes["UTMALDG"] == 1 + constants["BN"] // 64
    assert opcodes["UTMASTG"] == constants["BN"] // 64
    assert opcodes["LDL"] == opcodes["STL"] == 0


def test_a_fused_epilogue_takes_few_instructions_an_element():
    kernel = compile_kernel(ROOT / "examples/matmul_bias_gelu.tile", "matmul_bias_gelu")
    opcodes = count_opcodes(disassemble(kernel.cubin))
    constants, warps = kernel.metadata["constants"], kernel.metadata["plan"]["consumer_warps"]
    elements = constants["BM"] * constants["BN"] // (32 * warps)
    assert opcodes["MUFU"] < elements + 16
    arithmetic = sum(opcodes[name] for name in ("FFMA", "FMUL", "FADD"))
    assert arithmetic <= 6.5 * elements
    widening = sum(opcodes[name] for name in ("PRMT", "SHF", "LOP3"))
    assert widening <= 2 * elements
    assert opcodes["LDS"] <= 0.75 * elements + 4
