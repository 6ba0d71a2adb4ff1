"""What `tools.stress_threads` does in one process: threads, forks and interrupts, by name.

Every scenario compares its results with those of the same work in one thread, which comes last, so
that all before it is the first of its kind in the process. What this file imports, it imports
first: an import of the caller that an interrupt cuts short or a fork meets is none of tilec's.
"""

import asyncio
import concurrent.futures
import contextlib
import faulthandler
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal  # NumPy imports numpy.testing when it is first used

import tilec
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import SourceFile

_TEXT = """
@kernel
def scale{n}[M, N](A: f32[M, N], B: f32[M, N], BM: const = 32, BN: const = 64):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    store(B, (m, n), load(A, (m, n), (BM, BN)) * {n}.0)

@kernel
def matmul{n}[M, N, K](A: bf16[M, K], B: bf16[K, N], C: bf16[M, N]):
    m, n = grid(cdiv(M, 128), cdiv(N, 128))
    acc = zeros((128, 128), f32)
    for k in range(cdiv(K, 64)):
        acc = mma(load(A, (m, k), (128, 64)), load(B, (k, n), (64, 128)), acc)
    store(C, (m, n), cast(acc, bf16))
"""
_JOIN_SECONDS = 150.0
_CHILDREN = 4


def _source(number: int) -> str:
    return _TEXT.format(n=number)


def _ptx(number: int) -> str:
    """Compile two kernels, which ptxas does not see."""
    source = SourceFile(f"stress{number}.tile", _source(number))
    options = CompileOptions(run_ptxas=False)
    names = (f"scale{number}", f"matmul{number}")
    return "".join(compile_source(source, name, None, options).texts["ptx"] for name in names)


def _package(number: int) -> bytes:
    """Compile two kernels to a package, with ptxas."""
    made = tilec.compile(_source(number))
    return b"".join(variant.cubin for item in made for variant in item.variants)


def _call(number: int) -> bytes:
    """Call a new kernel with NumPy arrays: the CPU reference runs it."""
    with_file = os.path.join(os.environ["TILEC_CACHE_DIR"], f"{os.getpid()}-{time.time_ns()}.tile")
    with open(with_file, "w", encoding="utf-8") as stream:
        stream.write(_source(number))
    kernel = tilec.load(with_file)[f"scale{number}"]
    array = np.arange(96 * 96, dtype=np.float32).reshape(96, 96)
    result = np.zeros_like(array)
    kernel(array, result)
    assert_array_equal(result, array * number)
    return result.tobytes()


def _check(work: Callable[[int], Any], results: dict[int, list[Any]]) -> None:
    for number, found in results.items():
        expected = work(number)
        for item in found:
            if item != expected:
                raise AssertionError(f"{work.__name__}({number}) differs from a single thread")


def _in_threads(work: Callable[[int], Any], numbers: Sequence[int]) -> dict[int, list[Any]]:
    """Run `work` in one thread a number, started together."""
    results: dict[int, list[Any]] = {number: [] for number in numbers}
    failures: list[BaseException] = []
    together = threading.Barrier(len(numbers))

    def run(number: int) -> None:
        try:
            together.wait()
            results[number].append(work(number))
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(item,), daemon=True) for item in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_JOIN_SECONDS)
        if thread.is_alive():
            raise TimeoutError("a thread does not end")
    if failures:
        raise failures[0]
    return results


def cold_compiles(chance: random.Random) -> None:
    """Two to four threads compile as the first thing in the process."""
    _check(_ptx, _in_threads(_ptx, range(1, 1 + chance.choice((2, 2, 3, 4)))))


def cold_calls(chance: random.Random) -> None:
    """Two kernels are called for the first time, with NumPy arrays."""
    _check(_call, _in_threads(_call, range(1, 1 + chance.choice((2, 2, 3)))))


def warm_compiles(chance: random.Random) -> None:
    """Eight threads compile after a first compilation; some with ptxas."""
    _ptx(9)
    work = _package if chance.random() < 0.3 else _ptx
    _check(work, _in_threads(work, range(1, 9)))


def executors(chance: random.Random) -> None:
    """A thread pool and an event loop compile and call."""
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        pending = {number: pool.submit(_ptx, number) for number in range(1, 4)}
        asyncio.run(_gather(chance))
        _check(_ptx, {number: [item.result()] for number, item in pending.items()})


async def _gather(chance: random.Random) -> None:
    numbers = [chance.randrange(1, 4) for _ in range(3)]
    await asyncio.gather(*[asyncio.to_thread(_call, number) for number in numbers])


def _forked(work: Callable[[], None]) -> int:
    """Return the id of a child process that does `work`; its status is 0 if nothing was wrong."""
    child = os.fork()
    if child:
        return child
    signal.alarm(int(_JOIN_SECONDS))
    faulthandler.dump_traceback_later(_JOIN_SECONDS - 10)  # a child that hangs says where
    status = 1
    try:
        work()
        status = 0
    except BaseException as failure:
        print(f"in the child: {type(failure).__name__}: {failure}", flush=True)
    finally:
        os._exit(status)


def _reap(children: Sequence[int]) -> None:
    for child in children:
        _, status = os.waitpid(child, 0)
        if status:
            raise AssertionError(f"a forked child ended with wait status {status}")


def fork_after_import(chance: random.Random) -> None:
    """Children of a process that has imported tilec, or has compiled, compile."""
    if chance.random() < 0.5:
        _ptx(9)
    children = [_forked(lambda: _compile_and_call(2)) for _ in range(2)]
    _reap(children)
    _compile_and_call(2)


def _compile_and_call(number: int) -> None:
    _ptx(number)
    _call(number)


def fork_while_compiling(chance: random.Random) -> None:
    """Processes are forked at odd moments of compilations in two threads."""
    ended = threading.Event()

    def compile_on() -> None:
        number = 1
        while not ended.is_set():
            (_package if chance.random() < 0.2 else _ptx)(number)
            _call(number)
            number = number % 5 + 1

    threads = [threading.Thread(target=compile_on, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    children = []
    for _ in range(_CHILDREN):
        time.sleep(chance.random() * 0.4)
        children.append(_forked(lambda: _in_child(chance)))
    _reap(children)
    ended.set()
    for thread in threads:
        thread.join(_JOIN_SECONDS)
        if thread.is_alive():
            raise TimeoutError("a thread does not end")


def _in_child(chance: random.Random) -> None:
    if chance.random() < 0.5:
        _compile_and_call(2)
    else:
        _in_threads(_ptx, (1, 2))


def one_kernel(chance: random.Random) -> None:
    """Threads call and compile one kernel while processes are forked that call it, too."""
    folder = os.environ["TILEC_CACHE_DIR"]
    path = os.path.join(folder, "one.tile")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(_source(3))
    kernel = tilec.load(path)["scale3"]

    def call(number: int) -> bytes:
        array = np.full((40, 8 * number), number, np.float32)
        result = np.zeros_like(array)
        kernel(array, result)
        kernel.compile(array, result)
        return result.tobytes()

    worker = threading.Thread(target=lambda: [call(number) for number in range(1, 6)], daemon=True)
    worker.start()
    time.sleep(chance.random() * 0.5)
    children = [_forked(lambda: _expect(call(2), 3.0 * 2)) for _ in range(2)]
    _check(call, _in_threads(call, (1, 2, 3)))
    _reap(children)
    worker.join(_JOIN_SECONDS)


def _expect(result: bytes, value: float) -> None:
    if not (np.frombuffer(result, np.float32) == value).all():
        raise AssertionError("wrong elements in a forked child")


def process_pools(chance: random.Random) -> None:
    """Pools of processes, forked and spawned, compile while a thread of this one does."""
    method = chance.choice(("fork", "spawn"))
    worker = threading.Thread(target=_ptx, args=(1,), daemon=True)
    worker.start()
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(_ptx, (1, 2), timeout=_JOIN_SECONDS))
    worker.join(_JOIN_SECONDS)
    _check(_ptx, {1: [found[0]], 2: [found[1]]})


def interrupts(chance: random.Random) -> None:
    """The main thread is interrupted at odd moments of compilations, then compiles."""
    armed = False

    def interrupt(_number: int, _frame: object) -> None:
        # A late signal, delivered to another thread, must not stop the loop below.
        if armed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    deadline = time.monotonic() + 4.0
    while time.monotonic() < deadline:
        with contextlib.suppress(KeyboardInterrupt):
            armed = True
            signal.setitimer(signal.ITIMER_REAL, 0.001 + chance.random() ** 2 * 0.6)
            (_ptx if chance.random() < 0.7 else _call)(1)
            armed = False
        armed = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    _compile_and_call(1)
    _check(_ptx, _in_threads(_ptx, (1, 2)))


SCENARIOS: dict[str, Callable[[random.Random], None]] = {
    "cold-compiles": cold_compiles,
    "cold-calls": cold_calls,
    "warm-compiles": warm_compiles,
    "executors": executors,
    "one-kernel": one_kernel,
    "fork-after-import": fork_after_import,
    "fork-while-compiling": fork_while_compiling,
    "process-pools": process_pools,
    "interrupts": interrupts,
}
"""Name -> what to do with the random numbers of a seed."""


def main() -> None:
    """Run the scenario that the command line names, with a seed."""
    import faulthandler

    faulthandler.enable()
    name, seed = sys.argv[1:]
    SCENARIOS[name](random.Random(int(seed)))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
