"""Order the loads and stores of each alias set by memory tokens.

Before:  store_view_tko %x, %view[%i]
         %y = load_view_tko %view[%i]
After:   %s = store_view_tko %x, %view[%i], %entry
         %y, %l = load_view_tko %view[%i], %s

An alias set is one array, or several arrays that the metadata puts together. A load waits for the
last store of its set (RAW). A store waits for the last store (WAW) and for the loads since then
(WAR). Loads are not ordered among themselves. All loads of a set that is only read take one token
from the start of the kernel.

Accesses that combine tiles with an array in one mode (`atomic_red_view_tko`), as additions, are not
ordered among themselves either. In a set that has some, all other accesses take the part of stores.

An acquire or a release belongs to all sets, as something that writes. It waits for what comes
before it in each of them, and what comes after it in any of them waits for it. It does not wait for
numbers (weak loads of one element) of arrays that the kernel does not write, unless other devices
see the order: nothing on the device can change them, and a producer may load them for itself.

A loop or a branch that holds a store carries the token as one more value, and so does one that
holds a load for which a later store must wait. This orders the iterations of a loop. A set whose
accesses all have a token already is left as it is: the author of the IR gave the order.
"""

from typing import Any

from tilec.dialects.common.accesses import (
    combination,
    global_access,
    must_happen,
    synchronises,
    writes_global,
)
from tilec.dialects.cuda_tile import (
    EntryOp,
    JoinTokensOp,
    LoadElementsTkoOp,
    MakeTokenOp,
    TileType,
    TokenType,
)
from tilec.ir.bindings import ir
from tilec.ir.errors import source_span
from tilec.ir.likeness import like
from tilec.ir.removal import replace_operation
from tilec.ir.structured import (
    LOOPS,
    STRUCTURED,
    add_carried_value,
    append_operand,
    body_operations,
    defining_operation,
    next_operation,
    terminator,
)
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.alias_sets import AliasSet, find_alias_sets
from tilec.passes.registry import PassContext, register_pass
from tilec.support.diagnostics import CompileError, error
from tilec.support.fast_dataclasses import dataclass, field


@register_pass("cuda-tile-order-tokens")
def order_tokens(module: Any, context: PassContext) -> None:
    """Order the accesses of every alias set by tokens."""
    for op in body_operations(module.body):
        if op.name == EntryOp.OPERATION_NAME:
            _order_entry(op.opview)


def _order_entry(entry: EntryOp) -> None:
    sets = find_alias_sets(entry)
    every = [op for item in sets for op in item.accesses]
    given = {op.opview.result_token for op in every if op.opview.token is not None}
    if all(op.opview.result_token in given for op in every):
        return
    start = MakeTokenOp.build(loc=entry.location, ip=ir.InsertionPoint.at_block_begin(entry.block))
    shared = [op for op in walk_operations(entry.block) if synchronises(op)]
    joined = {_with_token(op, start) for op in shared if op.opview.token is None}
    for number in range(len(sets)):
        found = find_alias_sets(entry)[number] if shared else sets[number]
        if any(op.opview.result_token not in given for op in found.accesses):
            _SetOrder(found, joined).order_block(entry.block, _State(start))


@dataclass
class _State:
    """What the next access of a set has to wait for.

    Attributes:
        write: Token of the last store.
        reads: Tokens since then of loads (or of additions, see `_SetOrder`); each of them implies
            `write`. Kept only while a store follows.
    """

    write: Any
    reads: list[Any] = field(default_factory=list)

    def join(self, before: Any) -> Any:
        """Return one token for everything so far; a join is built before operation `before`."""
        tokens = list(dict.fromkeys(self.reads)) or [self.write]
        if len(tokens) == 1:
            return tokens[0]
        return JoinTokensOp.build(tokens, loc=before.location, ip=ir.InsertionPoint(before))


class _SetOrder:
    """Orders the accesses of one alias set.

    Some accesses need no order among themselves: loads, or all that combine tiles with the array in
    one mode. One kind of a set is treated so; what is said of loads below holds for that kind, and
    what is said of stores for all others.

    Operations hash by their contents, which change here, so sets hold a stable `_key` of each.
    """

    def __init__(self, found: AliasSet, joined: set[Any]) -> None:
        """Note where the set is accessed and where a store can still follow.

        Args:
            found: The set.
            joined: Tokens of accesses of several sets, which wait for what each of them says.
        """
        accesses = found.accesses
        self._joined = joined
        self._is_constant = not found.is_written and not any(map(_is_seen_outside, accesses))
        self._accesses = {_key(op) for op in accesses}
        self._combination = next(filter(None, map(combination, accesses)), None)
        self._holders = _enclosing_keys(accesses)
        self._writers = _enclosing_keys([op for op in accesses if not self._is_load(op)])
        self._before_store: set[Any] = set()
        entry = _outermost(accesses[0])
        self._note_following(entry.regions[0].blocks[0], follows=False)

    def _is_load(self, op: Any) -> bool:
        """Tell whether access `op` is of the kind that needs no order among itself."""
        if synchronises(op):
            return False
        if self._combination is not None:
            return combination(op) == self._combination
        return not writes_global(op)

    def _note_following(self, block: Any, *, follows: bool) -> None:
        """Note the operations under `block` after which a store of the set can run.

        Args:
            block: Block to look at.
            follows: Whether a store can run after the block.
        """
        for op in reversed(body_operations(block)):
            key = _key(op)
            if follows:
                self._before_store.add(key)
            if key in self._holders:
                again = follows or (op.name in LOOPS and key in self._writers)
                for inner in _blocks(op):
                    self._note_following(inner, follows=again)
            is_store = key in self._accesses and not self._is_load(op)
            follows = follows or is_store or key in self._writers

    def order_block(self, block: Any, state: _State) -> _State:
        """Give the accesses under `block` their tokens and return the state at its end."""
        for op in body_operations(block):
            key = _key(op)
            if key in self._accesses:
                state = self._order_access(op, state)
            elif key in self._holders:
                state = self._order_structured(op, state)
        return state

    def _order_access(self, op: Any, state: _State) -> _State:
        if op.opview.result_token in self._joined:
            _wait_for(op, state.join(op))
            return _State(op.opview.result_token)
        if op.opview.token is not None:
            return self._order_given(op.opview, state)
        is_load, follows = self._is_load(op), _key(op) in self._before_store
        follows = follows and not (self._is_constant and _is_number(op))
        token = _with_token(op, state.write if is_load else state.join(op))
        if not is_load:
            return _State(token)
        return _State(state.write, [*state.reads, token]) if follows else state

    def _order_given(self, access: Any, state: _State) -> _State:
        """Take over the token of an access that has an order already."""
        tokens = [*state.reads, state.write, access.result_token]
        if self._is_load(access.operation):
            return _State(state.write, tokens)
        after = next_operation(access.operation)
        return _State(_State(state.write, tokens).join(after))

    def _order_structured(self, op: Any, state: _State) -> _State:
        if op.name not in STRUCTURED:
            raise CompileError(
                error(
                    "T0501",
                    f"memory accesses under '{op.name}' cannot be ordered: only scf.for, scf.if"
                    " and scf.while are known",
                    source_span(op.location),
                )
            )
        key = _key(op)
        writes = key in self._writers
        if not writes and key not in self._before_store:
            for block in _blocks(op):
                self.order_block(block, _State(state.write))
            return state
        result = self._carry(op, state, writes=writes)
        return _State(result) if writes else _State(state.write, [result])

    def _carry(self, op: Any, state: _State, *, writes: bool) -> Any:
        """Rebuild `op` with one more carried token and return the token after it."""
        is_loop = op.name in LOOPS
        clone = add_carried_value(op, TokenType.get(), state.join(op) if is_loop else None)
        for block in _blocks(clone):
            inner = _State(state.write, list(state.reads))
            if is_loop:
                argument = block.add_argument(TokenType.get(), clone.location)
                inner = _State(argument) if writes else _State(state.write, [argument])
            inner = self.order_block(block, inner)
            last = terminator(block)
            append_operand(last, inner.join(last))
        return clone.results[len(clone.results) - 1]


def _is_seen_outside(op: Any) -> bool:
    """Tell whether other devices see the order of access `op`."""
    return synchronises(op) and op.opview.scope == "sys"


def _is_number(op: Any) -> bool:
    """Tell whether access `op` is a weak load of a single element."""
    is_load = op.name == LoadElementsTkoOp.OPERATION_NAME and not must_happen(op)
    return is_load and not isinstance(op.results[0].type, TileType)


def _blocks(op: Any) -> list[Any]:
    """Return the blocks of every region of `op`."""
    return [block for region in op.regions for block in region.blocks]


def _key(op: Any) -> Any:
    """Return what represents `op` in a set: its token, or its first block, or None."""
    if global_access(op) is not None:
        return op.opview.result_token
    return next(iter(_blocks(op)), None)


def _enclosing_keys(ops: list[Any]) -> set[Any]:
    """Return the keys of the operations inside the kernel that hold one of `ops`."""
    found: set[Any] = set()
    for op in ops:
        parent = op.parent.operation
        while parent.name != EntryOp.OPERATION_NAME:
            found.add(_key(parent))
            parent = parent.parent.operation
    return found


def _outermost(op: Any) -> Any:
    """Return the kernel that holds `op`."""
    while op.name != EntryOp.OPERATION_NAME:
        op = op.parent.operation
    return op


def _with_token(op: Any, token: Any) -> Any:
    """Rebuild an access with a token operand, which is its last, and return the new one's token."""
    sizes = ir.DenseI32ArrayAttr.get([*list(op.attributes["operandSegmentSizes"])[:-1], 1])
    with ir.InsertionPoint(op):
        new = like(op, [*op.operands, token], operandSegmentSizes=sizes)
    replace_operation(op, new.results)
    return new.opview.result_token


def _wait_for(op: Any, token: Any) -> None:
    """Let an access that has a token wait for another one, too."""
    last = len(op.operands) - 1
    known = op.operands[last]
    if known == token or _waits_for_nothing(token):
        return
    if not _waits_for_nothing(known):
        token = JoinTokensOp.build([known, token], loc=op.location, ip=ir.InsertionPoint(op))
    op.operands[last] = token


def _waits_for_nothing(token: Any) -> bool:
    maker = defining_operation(token)
    return maker is not None and maker.name == MakeTokenOp.OPERATION_NAME
