"""The driver's JIT compiler makes of the PTX what ptxas makes of it.

This holds for loading a module. The driver's linker (`cuLinkAddData`) ignores setmaxnreg, "to
maintain compatibility across compilation units" (C7504; driver 580, 2026-11-21), so tilec does not
use it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.gpu_arrays import wait
from tilec.codegen.sass import count_opcodes, disassemble
from tilec.runtime.cuda.cuda_driver import CudaDriver
from tilec.runtime.jit import Kernel, load

pytestmark = pytest.mark.gpu

MATMUL = Path(__file__).resolve().parents[2] / "examples/matmul.tile"
EXTENT = 512
TILE = {"BM": 128, "BN": 256, "BK": 64}
ELF = b"\x7fELF"
LOAD = """
import sys
from cuda.bindings import driver

def check(result, *values):
    assert result == driver.CUresult.CUDA_SUCCESS, result
    return values[0] if values else None

check(*driver.cuInit(0))
check(*driver.cuCtxSetCurrent(check(*driver.cuDevicePrimaryCtxRetain(0))))
check(*driver.cuModuleLoadData(open(sys.argv[1], "rb").read() + b"\\0"))
"""
"""Loads PTX in a process of its own, so that the driver's cache of machine code is ours."""


@pytest.fixture
def matmul():
    """Return the plain product with clusters, not loaded yet."""
    return Kernel(load(MATMUL).matmul.text, "matmul", {"cluster": (2, 1)})


@pytest.fixture
def operands(torch):
    generator = torch.Generator("cuda").manual_seed(7)
    a, b = (
        torch.randn(EXTENT, EXTENT, device="cuda", generator=generator).to(torch.bfloat16)
        for _ in range(2)
    )
    return a, b, torch.full((EXTENT, EXTENT), float("nan"), device="cuda", dtype=torch.bfloat16)


def compiled_by_driver(matmul, operands, folder):
    """Return the machine code that the driver makes of the kernel, from the cache that it keeps."""
    script = folder / "run.py"
    script.write_text(LOAD)
    (folder / "kernel.ptx").write_text(matmul.compile(*operands, **TILE).ptx)
    cache = folder / "cache"
    settings = {"CUDA_CACHE_PATH": str(cache), "CUDA_CACHE_DISABLE": "0"}
    command = [sys.executable, script, folder / "kernel.ptx"]
    subprocess.run(command, env=os.environ | settings, check=True, timeout=60)
    contents = (path.read_bytes() for path in cache.rglob("*") if path.is_file())
    (image,) = (found[found.index(ELF) :] for found in contents if ELF in found)
    return image


def test_driver_keeps_registers_and_copies(matmul, operands, tmp_path):
    ours = count_opcodes(disassemble(matmul.compile(*operands, **TILE).cubin))
    theirs = count_opcodes(disassemble(compiled_by_driver(matmul, operands, tmp_path)))
    names = ("USETMAXREG", "HGMMA", "UTMALDG", "UTMASTG", "LDL", "STL")
    assert {name: theirs[name] for name in names} == {name: ours[name] for name in names}
    assert theirs["USETMAXREG"] == 2


def test_runs_from_ptx_alone(torch, matmul, operands, monkeypatch):
    a, b, c = operands
    load_kernel = CudaDriver.load
    loaded = []

    def load_ptx(self, device, name, cubin, ptx, shared_bytes):
        loaded.append(load_kernel(self, device, name, b"no machine code", ptx, shared_bytes))
        return loaded[-1]

    monkeypatch.setattr(CudaDriver, "load", load_ptx)
    matmul(a, b, c, **TILE)
    wait(torch, "the product")
    assert [kernel.from_ptx for kernel in loaded] == [True]
    expected = a.float() @ b.float()
    assert (c.float() - expected).norm() < 2**-8 * expected.norm()
