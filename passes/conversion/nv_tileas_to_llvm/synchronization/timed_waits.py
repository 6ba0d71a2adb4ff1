"""Waits of a debug build: they give up after a cycle limit and say where they stood.

The first wait that exceeds the limit claims the record (`tilec.request.wait_records`) and fills it
in. Every wait that takes long looks whether the record is claimed, and gives up too, so that the
kernel ends by itself with meaningless results; a trap would take the CUDA context with it.

A thread that has given up, *astray* from here on, skips all that follows in the protocol: waits,
arrivals and TMA loads. So no barrier sees more arrivals or bytes than it was made for, which is
undefined (PTX ISA, mbarrier). It still takes part in named barriers, and its stores stay inside the
arrays. The lanes of a warp go astray together.

An index of `extract` that is out of range claims the record, too; its thread goes on.

In a debug build the phase of a ring position counts rounds, which makes it the number of the
iteration; its lowest bit is the parity.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.bindings import arith, ir, scf
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.transforms.nv_tileas.verify.debug_waits import WAIT_ID
from tilec.request.wait_records import DEBUG_BUFFER, HIDDEN_PARAMETERS, METADATA_KEY, Word

PATIENCE = 1 << 20
"""Cycles that a wait takes before it looks whether another one has given up: over half a
millisecond. So the TMA loads under way have arrived before a CTA ends without waiting for them, and
a kernel that works never reads the record."""
SLEEP_NS = 64
"""Time between two looks at a barrier."""
_PROTOCOL_TYPES = ("!nv_tileas.ring", "!nv_tileas.mbarrier")

_WAIT = """{
.reg .pred p;
.reg .b32 word, value;
.reg .b64 start, now;
mov.b32 $0, $3;
setp.ne.b32 p, $3, 0;
@p bra DONE;
@SKIP@
mov.u64 start, %clock64;
POLL:
@TEST@
@p bra DONE;
mov.u64 now, %clock64;
sub.u64 now, now, start;
setp.lt.u64 p, now, @PATIENCE@;
@p bra SLEEP;
ld.volatile.global.u32 word, [$4];
setp.ne.u32 p, word, 0;
@p bra GIVE_UP;
setp.lt.u64 p, now, @LIMIT@;
@p bra SLEEP;
atom.global.cas.b32 word, [$4], 0, 1;
setp.ne.u32 p, word, 0;
@p bra GIVE_UP;
@RECORD@
fence.acq_rel.sys;
GIVE_UP:
mov.b32 $0, 1;
bra DONE;
SLEEP:
nanosleep.u32 @SLEEP@;
bra POLL;
DONE:
@VOTE@
}"""
"""Operands: $0 whether the thread is astray afterwards, $1 what it looks at, $2 what it waits for,
$3 whether it is astray already, $4 buffer, $5 and $6 place and time for the record."""
_RING = "mbarrier.test_wait.parity.shared::cta.b64 p, [$1], $2;"
"""$1 barrier, $2 parity, $5 slot, $6 iteration. `test_wait` does not suspend the thread, as
`try_wait` would for a time that depends on the system (PTX ISA, mbarrier.try_wait)."""
_PARTIALS = """ld.acquire.gpu.global.b32 seen, [$1];
setp.eq.b32 p, seen, $2;"""
"""$1 counter, $2 and $6 partial sums to wait for, $5 tile, $7 whether this thread waits for the
role."""
_NOT_ELECTED = """.reg .b32 seen;
setp.eq.b32 p, $7, 0;
@p bra DONE;"""
_VOTE = """setp.ne.b32 p, $0, 0;
vote.sync.any.pred p, p, 0xffffffff;
selp.b32 $0, 1, 0, p;"""
_CHECK = """{
.reg .pred p;
.reg .b32 word, value;
setp.lt.u32 p, $1, $2;
@p bra DONE;
atom.global.cas.b32 word, [$0], 0, 1;
setp.ne.u32 p, word, 0;
@p bra DONE;
@RECORD@
fence.acq_rel.sys;
DONE:
}"""
"""Operands: $0 buffer, $1 an index, $2 what it must be below."""
_CHECK_CONSTRAINTS = "l,r,r,~{memory}"
_RING_CONSTRAINTS = "=&r,r,r,r,l,r,r,~{memory}"
_PARTIALS_CONSTRAINTS = "=&r,l,r,r,l,r,r,r,~{memory}"


class DebugWaits:
    """What only the lowering of a debug build knows."""

    def __init__(self, buffer: Any, limit: int) -> None:
        """Emit the variable that says whether the thread is astray.

        Args:
            buffer: Address of the record in global memory.
            limit: Cycles that a wait may take.
        """
        self._buffer = buffer
        self._limit = limit
        # LLVM turns the variable into registers, so control flow need not carry it.
        self._astray = llvm_ops.alloca(emit.i32_type(), emit.value(1))
        llvm_ops.store(emit.value(0), self._astray)

    def wait(self, lowering: Any, op: Any, barrier: Any, parity: emit.Index) -> None:
        """Wait until the phase of `parity` of `barrier` has completed, or give up.

        Args:
            lowering: State of the kernel's lowering.
            op: The `ring_acquire` or `ring_wait`.
            barrier: Address of the mbarrier.
            parity: A number whose lowest bit is the parity.
        """
        ring, (slot, rounds) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
        iteration = emit.add(emit.multiply(rounds, ring.stages), slot)
        bit = parity & 1 if isinstance(parity, int) else arith.andi(parity, emit.value(1))
        astray = llvm_ops.load(emit.i32_type(), self._astray)
        text = self._text(op, _RING, "$2", whole_warps=lowering.current_role.thread is not None)
        operands = [barrier, emit.value(bit), astray, self._buffer]
        operands += [emit.value(slot), emit.value(iteration)]
        result = emit.inline_ptx(text, _RING_CONSTRAINTS, operands, emit.i32_type())
        llvm_ops.store(result, self._astray)

    def await_partials(self, op: Any, counter: Any, tile: Any, count: Any, elected: Any) -> None:
        """Wait in the elected thread until `counter` holds `count`, or give up.

        Args:
            op: The `await_partials`.
            counter: Address of the counter of the tile.
            tile: Number of the tile.
            count: Partial sums to wait for.
            elected: 1 in the thread that waits for its role, else 0.
        """
        astray = llvm_ops.load(emit.i32_type(), self._astray)
        text = self._text(op, _PARTIALS, "seen", whole_warps=True, skip=_NOT_ELECTED)
        operands = [counter, count, astray, self._buffer, tile, count, elected]
        result = emit.inline_ptx(text, _PARTIALS_CONSTRAINTS, operands, emit.i32_type())
        llvm_ops.store(result, self._astray)

    def check_index(self, op: Any, axis: int, index: Any, count: int) -> None:
        """Write the record if `index` is not below `count`, and go on.

        Args:
            op: The `extract`.
            axis: The axis along which it cuts.
            index: Number of the slice, an i32.
            count: Slices along that axis.
        """
        text = _CHECK.replace("@RECORD@", _record(op, "$0", str(axis), "$1", "$2"))
        emit.inline_ptx(text, _CHECK_CONSTRAINTS, [self._buffer, index, emit.value(count)])

    def _text(self, op: Any, test: str, parity: str, *, whole_warps: bool, skip: str = "") -> str:
        """Return the PTX of one wait.

        Args:
            op: The operation.
            test: Sets `p` when the wait is over.
            parity: What the record gets as the parity.
            whole_warps: Whether all lanes of a warp come here together; else it is one thread.
            skip: Goes to `DONE` in threads that do not wait.
        """
        parts = {
            "@SKIP@": skip,
            "@TEST@": test,
            "@PATIENCE@": str(min(PATIENCE, self._limit)),
            "@LIMIT@": str(self._limit),
            "@RECORD@": _record(op, "$4", parity, "$5", "$6"),
            "@SLEEP@": str(SLEEP_NS),
            "@VOTE@": _VOTE if whole_warps else "",
        }
        text = _WAIT
        for name, part in parts.items():
            text = text.replace(f"{name}\n", f"{part}\n" if part else "").replace(name, part)
        return text

    def on_course(self) -> Any:
        """Emit whether the thread still takes part in the protocol."""
        return emit.compare("eq", llvm_ops.load(emit.i32_type(), self._astray), 0)

    @contextmanager
    def guard(self, op: Any) -> Iterator[None]:
        """Let threads that are astray skip the code of the `with`, if `op` needs that."""
        if not _takes_part(op):
            yield
            return
        branch = scf.IfOp(self.on_course())
        with ir.InsertionPoint(branch.then_block):
            yield
            scf.YieldOp([])


def _record(op: Any, buffer: str, parity: str, slot: str, iteration: str) -> str:
    """Return the PTX that fills in the record at the address in operand `buffer`."""
    values = {
        Word.WAIT: str(integer(op, WAIT_ID)),
        Word.BLOCK: "%ctaid.x",
        Word.THREAD: "%tid.x",
        Word.PARITY: parity,
        Word.SLOT: slot,
        Word.ITERATION: iteration,
    }
    return "\n".join(
        f"mov.b32 value, {value};\nst.volatile.global.u32 [{buffer}+{4 * word}], value;"
        for word, value in values.items()
    )


def make_debug_waits(function: Any, block: Any) -> DebugWaits | None:
    """Return the state of a debug build; None when no wait of the kernel has an id.

    Args:
        function: The nv_tileas function that is lowered.
        block: Body of the lowered function, whose last parameter is then the buffer.
    """
    if not any(WAIT_ID in op.attributes for op in kernel_operations(function)):
        return None
    limit = read_kernel_fact(function, METADATA_KEY)["limit"]
    return DebugWaits(hidden_argument(function, block, DEBUG_BUFFER), limit)


def hidden_argument(function: Any, block: Any, name: str) -> Any:
    """Return the parameter of `block` for hidden parameter `name`; without metadata the last one.

    Args:
        function: The nv_tileas function, whose metadata names the hidden parameters in order.
        block: Its body, or that of the lowered function.
        name: Name of the hidden parameter.
    """
    names = [item["name"] for item in read_kernel_fact(function, HIDDEN_PARAMETERS, [])]
    place = names.index(name) - len(names) if name in names else -1
    return block.arguments[len(block.arguments) + place]


def next_round(rounds: Any, count: int = 1) -> Any:
    """Return the number of rounds after `count` more of them."""
    return arith.addi(rounds, emit.value(count))


def _takes_part(op: Any) -> bool:
    """Tell whether `op` does something to a barrier other than waiting for it."""
    if op.results or WAIT_ID in op.attributes:
        return False
    return any(str(operand.type) in _PROTOCOL_TYPES for operand in op.operands)
