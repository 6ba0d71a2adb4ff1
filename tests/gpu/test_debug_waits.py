"""Debug builds on a real device: right numbers, reported deadlocks, a process that goes on."""

import re
import time
from functools import partial

import pytest

import tilec
from tests.support.deadlock_cases import (
    SPLIT_TILE,
    build_broken,
    more_arrivals,
    more_bytes,
    without_partials,
    without_release,
)
from tilec.cli.main import EXIT_OK, main
from tilec.request.specialization import Specialization

pytestmark = pytest.mark.gpu

LIMIT_SECONDS = 60
"""What a launch that deadlocks may take; a wait takes about a second."""


def relative_error(actual, expected):
    return float((actual.double() - expected).norm() / expected.norm())


def check_matmul(torch, matmul, m=384, n=512, k=1000):
    a = torch.randn(m, k, device="cuda").bfloat16()
    b = torch.randn(k, n, device="cuda").bfloat16()
    c = torch.full((m, n), float("nan"), dtype=torch.bfloat16, device="cuda")
    matmul(a, b, c)
    assert relative_error(c, a.double() @ b.double()) < 1e-2


@pytest.fixture
def broken(tmp_path):
    """Return a function that makes a debug build of an example whose last dump was edited."""
    return partial(build_broken, tmp_path)


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
    """The producer fills the ring once and waits for its first slot in the second round.

    The consumers wait for the same slot a few microseconds later. If other processes interrupt the
    kernel, their wait may reach the limit first.
    """
    kernel = broken("matmul", edit)
    stages = kernel.variants[0].plan["stages"]
    a = torch.randn(1024, 4096, device="cuda").bfloat16()
    b = torch.randn(4096, 1024, device="cuda").bfloat16()
    c = torch.empty(1024, 1024, dtype=torch.bfloat16, device="cuda")
    for _ in range(2):
        report = deadlock(torch, kernel, a, b, c)
        assert re.fullmatch(
            r"matmul\.tile:17:13: error\[T0811\]: matmul: (the producer|consumer warpgroup [01])"
            r" of CTA \d+ waited longer than 2,000,000,000 cycles for slot 0 of ring 0 to be "
            rf"(released \(parity 0|filled \(parity 1), iteration {stages}\)",
            report,
        )
        assert ("producer" in report) == ("released" in report)
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
        r"longer than 2,000,000,000 cycles for slot 0 of ring 0 to be filled "
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


def test_partial_sums_that_never_come(torch, examples, broken):
    """The counters of the tiles hold zeros again after the deadlock."""
    plan = {"split_k": 4}
    kernel = broken("matmul", without_partials, Specialization(constants=SPLIT_TILE, plan=plan))
    a = torch.randn(128, 4096, device="cuda").bfloat16()
    b = torch.randn(4096, 128, device="cuda").bfloat16()
    c = torch.empty(128, 128, dtype=torch.bfloat16, device="cuda")
    report = deadlock(torch, kernel, a, b, c)
    assert re.search(
        r"matmul: consumer warpgroup 0 of CTA \d+ waited .* for the partial sums of 3 splits of "
        r"tile 0 \(so far: 0\)",
        report,
    )
    text = tilec.load(examples / "matmul.tile").matmul.text
    for debug_waits in (True, False):
        matmul = tilec.Kernel(text, "matmul", plan, debug_waits=debug_waits)
        c.fill_(float("nan"))
        matmul(a, b, c, **SPLIT_TILE)
        assert relative_error(c, a.double() @ b.double()) < 1e-2
