"""Registers of warp roles: what accumulators need, and counts that setmaxnreg can reach.

A CTA gets the same count for every thread at entry. A producer warpgroup then gives registers back
and consumers take more; the sum may not grow, or the consumers wait forever (PTX ISA, setmaxnreg).
"""

from collections.abc import Iterable

from tilec.plan import machine
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass

MAX_CONSUMERS = 3
"""Most consumer warpgroups: a fourth leaves no room for accumulators (512 + 128 threads)."""
HELD_FRAGMENTS = 2
"""Fragments of a computed A that are live together: one is computed while another is multiplied."""


@dataclass(frozen=True, slots=True)
class RoleRegisters:
    """Registers a thread of each role."""

    producer: int
    consumer: int


_PRODUCER_REGISTERS = {1: 40, 2: 40, 3: 32}
"""What a producer thread keeps, by the number of consumer warpgroups."""
_MOST_REGISTERS = 240
"""What a consumer thread gets at most."""


def accumulator_registers(m: int, n: int, element_bytes: int, consumers: int) -> int:
    """Return the 32-bit registers a thread needs for an m x n accumulator."""
    return -(-m * n * element_bytes // (4 * consumers * machine.WARPGROUP_THREADS))


def instruction_registers(n: int, element_bytes: int) -> int:
    """Return the registers a thread needs at kernel entry for one wgmma of up to `n` columns."""
    return min(n, machine.MMA_MAX_COLUMNS) * element_bytes // 8 + machine.MMA_OVERHEAD


def split_consumers(accumulators: Iterable[tuple[int, int, int]], target: Target) -> int:
    """Return how many consumer warpgroups share the products of a kernel.

    Two where the rows split into two parts of whole 64-row slices. Three for other multiples of 192
    rows, as long as an instruction fits the registers at entry, which are fewer with 512 threads;
    two, which then share the columns, where it does not. Two that share the columns, too, where
    only they can hold the largest accumulator. Otherwise one.

    Args:
        accumulators: Rows, columns and element size in bytes of every accumulator.
        target: Machine.
    """
    found = tuple(accumulators)

    def divides(count: int) -> bool:
        return all(m % (machine.MMA_ROWS * count) == 0 for m, _, _ in found)

    if divides(2):
        return 2
    entry = entry_registers(machine.WARPGROUP_THREADS * (MAX_CONSUMERS + 1), target)
    if divides(MAX_CONSUMERS) and all(
        instruction_registers(n, size) <= entry for _, n, size in found
    ):
        return MAX_CONSUMERS
    splits = all(shares(m, n, 2) for m, n, _ in found)
    needs_two = not _fits(found, 1, target) and _fits(found, 2, target)
    return 2 if splits and (needs_two or divides(MAX_CONSUMERS)) else 1


def _fits(accumulators: Iterable[tuple[int, int, int]], consumers: int, target: Target) -> bool:
    """Tell whether consumers that share accumulators can each hold their part of the largest."""
    limit = accumulator_limit(consumers, target)
    return all(accumulator_registers(*item, consumers) <= limit for item in accumulators)


def shares(m: int, n: int, consumers: int) -> bool:
    """Tell whether consumers can share an m x n accumulator by its rows or by its columns."""
    rows, columns = machine.MMA_ROWS * consumers, machine.MMA_COLUMN_STEP * consumers
    return m % rows == 0 or (m % machine.MMA_ROWS == 0 and n % columns == 0)


def accumulator_limit(consumers: int, target: Target) -> int:
    """Return the most accumulator registers a consumer thread can hold without spills."""
    return most_consumer_registers(consumers, target) - machine.CONSUMER_OVERHEAD


def entry_registers(threads: int, target: Target) -> int:
    """Return the registers that each thread of a CTA of `threads` threads has at entry.

    CUDA programming guide, technical specifications: the register file is divided in units of 8
    per thread, up to 255.
    """
    step = machine.REGISTER_STEP
    share = target.registers_per_sm // threads // step * step
    return min(target.max_registers_per_thread, share)


def role_registers(consumers: int, accumulators: int, target: Target) -> RoleRegisters:
    """Return the setmaxnreg counts for one producer warpgroup and `consumers` consumers.

    The producer keeps less where accumulators leave a consumer too few of the others.
    """
    roles = _share_out(consumers, _PRODUCER_REGISTERS[consumers], target)
    if accumulators <= roles.consumer - machine.CONSUMER_OVERHEAD:
        return roles
    heavy = _share_out(consumers, machine.MIN_REGISTERS, target)
    return heavy if heavy.consumer > roles.consumer else roles


def most_consumer_registers(consumers: int, target: Target) -> int:
    """Return the largest setmaxnreg count that the planner gives to `consumers` consumers."""
    return _share_out(consumers, machine.MIN_REGISTERS, target).consumer


def _share_out(consumers: int, producer: int, target: Target) -> RoleRegisters:
    """Return what consumers get where the producer keeps `producer` registers a thread."""
    threads = machine.WARPGROUP_THREADS * (consumers + 1)
    step = machine.REGISTER_STEP
    free = (consumers + 1) * entry_registers(threads, target) - producer
    return RoleRegisters(producer, min(_MOST_REGISTERS, free // consumers // step * step))


def least_consumer_registers(consumers: int, accumulators: int, target: Target) -> int:
    """Return the smallest count that a consumer can ask for.

    That is what its threads have at entry, or what they are given by default if that is less. ptxas
    drops the setmaxnreg of both roles, without a word, when a consumer asks for less (13.0,
    consumer at 64 of 168 registers, 2026-11-21).
    """
    threads = machine.WARPGROUP_THREADS * (consumers + 1)
    default = role_registers(consumers, accumulators, target).consumer
    return min(entry_registers(threads, target), default)


def exceeds_pool(roles: RoleRegisters, consumers: int, target: Target) -> str | None:
    """Return why the counts break the sum rule of setmaxnreg, or None when they obey it."""
    threads = machine.WARPGROUP_THREADS * (consumers + 1)
    entry = entry_registers(threads, target)
    wanted = roles.producer + consumers * roles.consumer
    pool = (consumers + 1) * entry
    if wanted <= pool:
        return None
    return (
        f"producer and consumer registers {roles.producer} + {consumers} x {roles.consumer} = "
        f"{wanted} exceed the {pool} that {threads} threads have at entry ({entry} each)"
    )
