"""Debug builds on a real device: right numbers, reported deadlocks, a process that goes on."""

import re
import time

import pytest

import tilec
from tilec.cli.main import EXIT_OK, main
from tilec.diagnostics import SourceFile
from tilec.driver import compile_source, resume
from tilec.options import CompileOptions
from tilec.runtime.aot import Package
from tilec.runtime.compiled import CompiledKernel

pytestmark = pytest.mark.gpu

LIMIT_SECONDS = 10
"""What a launch that deadlocks may take; a wait takes about a second."""


def relative_error(actual, expected):
    return float((actual.double() - expected).norm() / expected.norm())


def check_matmul(torch, matmul, m=384, n=512, k=1000):
    a = torch.randn(m, k, device="cuda").bfloat16()
    b = torch.randn(k, n, device="cuda").bfloat16()
    c = torch.full((m, n), float("nan"), dtype=torch.bfloat16, device="cuda")
    matmul(a, b, c)
    assert relative_error(c, a.double() @ b.double()) < 1e-2


def without_release(text: str) -> str:
    """Let consumers keep every slot."""
    edited = re.sub(r'^.*"nv_tileas\.ring_release".*\n', "", text, flags=re.MULTILINE)
    assert edited != text
    return edited


def more_arrivals(text: str) -> str:
    """Let the empty barriers wait for one consumer warp more than there is."""
    rings = re.findall(r'"nv_tileas\.create_ring"\(%\w+, (%\w+)\)', text)
    (barrier,) = rings
    pattern = rf'(\n *{barrier} = "nv_tileas\.alloc_mbarrier".*?count = )(\d+)'
    edited = re.sub(pattern, lambda match: f"{match[1]}{int(match[2]) + 1}", text)
    assert edited != text
    return edited


def more_bytes(text: str) -> str:
    """Announce 64 bytes more than the copies bring."""
    pattern = r'("nv_tileas\.mbarrier_arrive_expect_tx".*?tx_count = )(\d+)'
    edited = re.sub(pattern, lambda match: f"{match[1]}{int(match[2]) + 64}", text)
    assert edited != text
    return edited


@pytest.fixture
def broken(tmp_path, examples):
    """Return a function that makes a debug build of an example whose last dump was edited."""

    def build(name, edit):
        source = SourceFile(f"{name}.tile", (examples / f"{name}.tile").read_text())
        # With source lines in the dumps, so that the report names the program.
        normal = CompileOptions(
            emit="nv_tileas", dump_directory=tmp_path / name, lineinfo=True, run_ptxas=False
        )
        compile_source(source, options=normal)
        (path,) = (tmp_path / name).glob("*-nv-tileas-verify-async-protocol.mlir")
        dump = SourceFile(path.name, edit(path.read_text()))
        made = resume(dump, CompileOptions(start_from="nv_tileas", debug_waits=True))
        return Package([CompiledKernel(made.artifact)])[name]

    return build


def deadlock(torch, kernel, *arguments) -> str:
    """Launch a kernel that deadlocks; return the first line of the report."""
    started = time.monotonic()
    with pytest.raises(tilec.DeadlockError) as caught:
        kernel(*arguments)
    assert time.monotonic() - started < LIMIT_SECONDS
    assert [item.code for item in caught.value.diagnostics] == ["T0811"]
    torch.cuda.synchronize()
    return str(caught.value).splitlines()[0]


def test_numbers_are_right(torch, examples):
    matmul = tilec.load(examples / "matmul.tile", debug_waits=True).matmul
    check_matmul(torch, matmul)
    check_matmul(torch, matmul, 4096, 2048, 520)
    check_matmul(torch, matmul, 8, 8, 8)


def test_a_package_of_a_debug_build_runs(torch, examples, tmp_path):
    tilec.compile(examples / "matmul.tile", debug_waits=True).save(tmp_path / "debug.tilepkg")
    check_matmul(torch, tilec.load_package(tmp_path / "debug.tilepkg").matmul)


def test_the_command_runs_a_debug_build(examples, capsys):
    for name, size in (("matmul", "M=256,N=256,K=512"), ("copy_2d", "D0=300,D1=200")):
        words = ["run", str(examples / f"{name}.tile"), "--size", size, "--device", "gpu"]
        assert main([*words, "--check", "--debug-waits"]) == EXIT_OK, capsys.readouterr()


@pytest.mark.parametrize("edit", [without_release, more_arrivals])
def test_a_slot_that_is_never_released(torch, examples, broken, edit):
    """The producer fills the ring once and waits for its first slot in the second round."""
    kernel = broken("matmul", edit)
    stages = kernel.variants[0].plan["stages"]
    a = torch.randn(1024, 4096, device="cuda").bfloat16()
    b = torch.randn(4096, 1024, device="cuda").bfloat16()
    c = torch.empty(1024, 1024, dtype=torch.bfloat16, device="cuda")
    for _ in range(2):
        report = deadlock(torch, kernel, a, b, c)
        assert re.fullmatch(
            r"matmul\.tile:17:13: error\[T0811\]: matmul: the producer of CTA \d+ waited longer "
            r"than 2,000,000,000 clocks for slot 0 of ring 0 to be released "
            rf"\(parity 0, iteration {stages}\)",
            report,
        )
    check_matmul(torch, tilec.load(examples / "matmul.tile").matmul)


def test_bytes_that_never_come(torch, examples, broken):
    """K has two k-tiles, so that the producer has no reason to wait."""
    kernel = broken("matmul", more_bytes)
    k = 2 * kernel.variants[0].constants["BK"]
    assert kernel.variants[0].plan["stages"] > 2
    a = torch.randn(256, k, device="cuda").bfloat16()
    b = torch.randn(k, 256, device="cuda").bfloat16()
    c = torch.empty(256, 256, dtype=torch.bfloat16, device="cuda")
    report = deadlock(torch, kernel, a, b, c)
    assert re.fullmatch(
        r"matmul\.tile:17:13: error\[T0811\]: matmul: consumer warpgroup [01] of CTA \d+ waited "
        r"longer than 2,000,000,000 clocks for slot 0 of ring 0 to be filled "
        r"\(parity 0, iteration 0\)",
        report,
    )
    check_matmul(torch, tilec.load(examples / "matmul.tile", debug_waits=True).matmul)


def test_a_kernel_without_a_producer(torch, examples, broken):
    """Many more CTAs than the GPU holds at a time: those that start later end soon, too."""
    kernel = broken("copy_2d", more_bytes)
    a = torch.randn(4096, 4096, device="cuda")
    b = torch.empty_like(a)
    report = deadlock(torch, kernel, a, b)
    assert re.search(
        r"copy_2d: warpgroup \d of CTA \d+ waited .* for slot 0 of ring 0 to be filled "
        r"\(parity 0, iteration 0\)",
        report,
    )
    tilec.load(examples / "copy_2d.tile").copy_2d(a, b)
    assert torch.equal(a, b)
