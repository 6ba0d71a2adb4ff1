"""Host time of a launch: how long Python is busy with one call of a small kernel.

Usage: python -m tools.bench.launch [--rounds N] [--calls N]

The kernels take the GPU less time than the host, so the queue never fills and nobody waits for the
GPU. Rounds visit all contenders, each time in another order; the time of a contender is the median
over the rounds. `bare` launches the first tilec kernel with everything prepared: one call of
`cuLaunchKernelEx` through cuda-python.
"""

import argparse
import importlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tools.bench.host import HostError, describe_host, import_torch, open_monitor

BARE = "bare cuLaunchKernelEx"
_SOURCE = """\
@kernel
def add[N](A: f32[N], B: f32[N], C: f32[N], BN: const = 1024):
    i = grid(cdiv(N, BN))
    store(C, i, load(A, i, BN, allow_tma=False) + load(B, i, BN, allow_tma=False))


@kernel
def scaled[N](A: f32[N], B: f32[N], C: f32[N], s: f32, BN: const = 1024):
    i = grid(cdiv(N, BN))
    store(C, i, load(A, i, BN, allow_tma=False) * s + load(B, i, BN, allow_tma=False))


@kernel
def product[M, N, K](A: bf16[M, K], B: bf16[K, N], C: bf16[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc = mma(load(A, (m, k), (64, 64)), load(B, (k, n), (64, 64)), acc)
    store(C, (m, n), cast(acc, bf16))
"""
_LENGTH = 1024


def contenders(torch: Any) -> dict[str, Callable[[], Any]]:
    """Return what is timed, by name: functions without arguments that launch one kernel."""
    import tilec

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "launch.tile"
        path.write_text(_SOURCE)
        module = tilec.load(path)
    a, b, c = (torch.randn(_LENGTH, device="cuda") for _ in range(3))
    x, y, z = (torch.randn(64, 64, device="cuda").bfloat16() for _ in range(3))
    add, scaled, product = module["add"], module["scaled"], module["product"]
    for _ in range(3):
        add(a, b, c)
        scaled(a, b, c, 0.5)
        product(x, y, z)
    found: dict[str, Callable[[], Any]] = {
        BARE: _bare(add, (a, b, c)),
        "tilec, 3 tensors": lambda: add(a, b, c),
        "tilec, 3 tensors and a float": lambda: scaled(a, b, c, 0.5),
        "tilec, 3 tensor maps": lambda: product(x, y, z),
        "torch.add(a, b, out=c)": lambda: torch.add(a, b, out=c),
    }
    with_triton = _triton(a, b, c)
    if with_triton is not None:
        found["Triton, 3 tensors"] = with_triton
    return found


def _bare(kernel: Any, tensors: tuple[Any, ...]) -> Callable[[], Any]:
    """Return a launch of `kernel` on prepared handles and parameters."""
    from tilec.runtime.cuda.current import get_driver
    from tilec.runtime.launch.parameter_block import ParameterBlock

    driver = importlib.import_module("cuda.bindings.driver")
    values = dict(zip("ABC", tensors, strict=True))
    bound = kernel._dispatcher.check({**values, "BN": _LENGTH})
    plan = kernel.variants.plan(get_driver(), bound, None, ())
    (launch,) = plan.launches
    block = ParameterBlock(launch.layout)
    block.fill(tuple(item.data_ptr() for item in tensors), ())
    plan.run(tuple(item.data_ptr() for item in tensors), (), 0)
    configuration, function = launch.prepared.configurations[0], launch.prepared.kernel.function
    owners = (block, plan)

    def run() -> Any:
        return driver.cuLaunchKernelEx(configuration, function, owners[0].address, 0)

    return run


def _triton(a: Any, b: Any, c: Any) -> Callable[[], Any] | None:
    try:
        kernels: Any = importlib.import_module("tools.bench.triton_kernels")
    except ImportError:
        return None
    add = kernels.add
    return lambda: add[(1,)](a, b, c, _LENGTH, BLOCK=_LENGTH)


def measure(
    functions: Mapping[str, Callable[[], Any]],
    synchronize: Callable[[], Any],
    *,
    rounds: int,
    calls: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return the median host time of a call in microseconds, by name.

    Args:
        functions: What is timed.
        synchronize: Waits for the GPU; called before each timed stretch.
        rounds: How often all of them are timed.
        calls: Calls in a stretch.
        clock: Seconds.
    """
    times: dict[str, list[float]] = {name: [] for name in functions}
    order, shuffle = list(functions), random.Random(0)
    for _ in range(rounds):
        shuffle.shuffle(order)
        for name in order:
            function = functions[name]
            function()
            synchronize()
            start = clock()
            for _ in range(calls):
                function()
            times[name].append((clock() - start) / calls * 1e6)
    synchronize()
    return {name: statistics.median(found) for name, found in times.items()}


def table(found: Mapping[str, float]) -> str:
    """Return the times and their ratios to the bare launch as a table in Markdown."""
    lines = ["| call | us | of bare |", "|---|---|---|"]
    lines += [f"| {name} | {item:.2f} | {item / found[BARE]:.2f} |" for name, item in found.items()]
    return "\n".join(lines)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.launch", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="rounds (30)")
    parser.add_argument(
        "--calls", type=int, default=400, help="calls of a contender in a round (400)"
    )
    options = parser.parse_args()
    try:
        torch = import_torch()
    except HostError as failure:
        parser.exit(1, f"{failure}\n")
    from tilec.runtime.launch import repeats
    from tilec.support.environment import uses_extension

    host = describe_host(torch, open_monitor(torch))
    print(", ".join(f"{name} {value}" for name, value in host.items()))
    active = repeats.RepeatedCalls is not None and uses_extension()
    print(f"extension for repeated calls: {'active' if active else 'not active'}")
    found = measure(
        contenders(torch), torch.cuda.synchronize, rounds=options.rounds, calls=options.calls
    )
    print(table(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
