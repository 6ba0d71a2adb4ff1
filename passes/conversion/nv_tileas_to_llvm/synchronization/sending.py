"""Rule for what CTAs of a cluster send to each other: remote stores that arrive on an mbarrier."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.cluster_ops import ClusterSendOp, cluster_of
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir import llvm_ops
from tilec.ir.bindings import ir
from tilec.layout import Owner, RegisterLayout
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import TileAddresses

_TEXT = (
    "{{ .reg .pred p; .reg .b32 a; .reg .b32 b; setp.ne.b32 p, $4, 0; "
    "@p mapa.shared::cluster.u32 a, $0, $3; @p mapa.shared::cluster.u32 b, $1, $3; "
    "@p st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b{bits} [a], $2, [b]; }}"
)


@RULES.converts(ClusterSendOp)
def lower_cluster_send(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Let the lanes that hold the same elements send them to different CTAs.

    Where there are fewer of them than CTAs, each sends to several.
    """
    send = op.opview
    layout, shared = tile_layout(send.tile), layout_of_shared(send.destination.type)
    addresses = TileAddresses(lowering, lowering.get(send.destination), shared, layout, ())
    barrier, rows = lowering.get(send.barrier), cluster_of(op)[0]
    copy, copies = _copy_number(lowering, layout)
    first = _is_first_warp(lowering, layout)
    words = [_word(value) for value in lowering.tile(send.tile)]
    text = _TEXT.format(bits=element_bits(send.tile.type.element_type))
    kind = "r" if words[0].type == emit.i32_type() else "l"
    for start in range(0, rows, copies):
        peer = emit.add(copy, start)
        flag = emit.flag(emit.both(emit.compare("slt", peer, rows), first))
        for register, word in enumerate(words):
            place = addresses.at(register)
            operands = [place, barrier, word, emit.value(peer), flag]
            emit.inline_ptx(text, f"r,r,{kind},r,r,~{{memory}}", operands)
    return ()


def _copy_number(lowering: Lowering, layout: RegisterLayout) -> tuple[emit.Index, int]:
    """Emit which of the lanes that hold the same elements this one is; and how many there are."""
    number: emit.Index = 0
    count = 1
    for term in layout.replica_terms():
        if term.owner is Owner.LANE:
            digit = lowering.thread_digit(term.owner, term.divisor, term.extent)
            number = emit.add(number, emit.multiply(digit, count))
            count *= term.extent
    return number, count


def _is_first_warp(lowering: Lowering, layout: RegisterLayout) -> Any:
    """Emit whether this warp is the first of those that hold its elements; None: it is."""
    first = None
    for term in layout.replica_terms():
        if term.owner in (Owner.WARP, Owner.WARPGROUP):
            digit = lowering.thread_digit(term.owner, term.divisor, term.extent)
            first = emit.both(first, emit.compare("eq", digit, 0))
    return first


def _word(value: Any) -> Any:
    """Return an element as an integer of its size."""
    integer = ir.IntegerType.get_signless(element_bits(value.type))
    return value if value.type == integer else llvm_ops.bitcast(integer, value)
