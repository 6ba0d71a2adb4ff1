"""State of one kernel's lowering: the value map, the thread's place and the rule table.

Rules (`passes/conversion/rule_table.py`) return what the results became. Tiles become lists of
scalars, one per register, or words of two or four registers each; ring positions become
(slot, phase); everything else stays one value.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.ir import llvm_ops
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, defining_operation, terminator
from tilec.ir.values import is_tile
from tilec.layout import Owner, RegisterLayout
from tilec.layout.matrix_accesses import PAIR
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.tma.shared_layouts import register_layout_of
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.timed_waits import DebugWaits
from tilec.passes.conversion.rule_table import RuleTable
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass, field

PASS_NAME = "convert-nv-tileas-to-llvm"
TERMINATORS = (
    "scf.yield",
    "scf.condition",
    "nv_tileas.yield",
    "nv_tileas.yield_values",
    "nv_tileaa.return",
)

RunRule = Callable[["Lowering", Sequence[Any]], int]
RULES: RuleTable["Lowering"] = RuleTable()
_PART = "llvm.extractelement"
_RUN_RULES: list[RunRule] = []


def lowers_runs(rule: RunRule) -> RunRule:
    """Register a rule for several operations at once.

    It gets the rest of a block, lowers as many operations from its start as belong together, and
    returns their number: 0 when the first one is not for it.
    """
    _RUN_RULES.append(rule)
    return rule


@dataclass(frozen=True)
class Role:
    """The threads that run the code being emitted.

    Attributes:
        warps: Warps of the role, of one team of it; 0 while all threads of the CTA run the code.
        ids: This thread's lane, warp in the warpgroup and warpgroup in the role (or team), and its
            CTA among those that compute the block together.
        thread: This thread's index in the role (or team).
        elected: i1 that is true in one thread; None when only one thread runs the code.
        warpgroup_elected: i1 that is true in one thread of each warpgroup; None as above.
        team: This thread's team; a role without teams is one.
        ctas: CTAs that compute the block together.
    """

    warps: int
    ids: dict[Owner, Any]
    thread: Any
    elected: Any
    warpgroup_elected: Any
    team: Any = 0
    ctas: int = 1

    def elected_for(self, op: Any) -> Any:
        """Return the predicate of the threads that perform `op`, which single threads do."""
        return self.warpgroup_elected if is_per_warpgroup(op) else self.elected

    @property
    def warpgroup(self) -> Any:
        """This thread's warpgroup in the role."""
        return self.ids[Owner.WARPGROUP]

    @property
    def consumer(self) -> Any:
        """This thread's warpgroup among those of all teams."""
        if isinstance(self.team, int):
            return emit.add(self.warpgroup, self.team * (self.warps // 4))
        return emit.add(emit.multiply(self.team, self.warps // 4), self.warpgroup)

    @property
    def threads(self) -> int:
        """Threads that run the role together: those of one team."""
        return self.warps * 32


@dataclass(eq=False)
class PackedTile:
    """A tile of elements of 8 or 16 bits as loops carry it.

    Attributes:
        words: An i32 for every four or two registers.
        element: Type of the elements.
        registers: The registers, from their first use on.
    """

    words: list[Any]
    element: Any
    registers: list[Any] | None = None


def registers_in_word(element: Any) -> int:
    """Return how many registers of type `element` share a word; 1 where none do."""
    return {"bf16": 2, "f16": 2, "i16": 2, "i8": 4}.get(str(element), 1)


@dataclass
class Memref:
    """A strided array: base pointer, extents (i32) and strides (i64), outer first."""

    base: Any
    sizes: list[Any]
    strides: list[Any]
    element: Any


@dataclass
class Lowering:
    """Lowers the operations of one kernel.

    Attributes:
        function: The nv_tileaa function that is lowered.
        shared: Pointer to the CTA's shared memory.
        module: The module that the kernel is lowered into.
        role: Who runs the code being emitted.
        values: What each value became.
        externals: Names of the external functions that are declared.
        prints: Address of the number of prints that the thread has come to; None without prints.
        debug: What a debug build (`--debug-waits`) needs; None in others.
        vectors: Vectors of two or four elements, by the registers that they were taken apart into.
        spread: Bytes of a loaded word that became elements of 16 bits: the selector that takes
            them and the word, by the registers of the elements.
        copies: Registers of a thread that all operations of a name compute, by that name.
        registers: How many a thread of the kernel has at entry.
        stream_tail: Whether the end of a block is lowered some registers at a time.
        loads_ahead: Whether it is not, although it could be.
        measured: Operations whose tables the CTA fills before its roles start.
        counted: Of the tables of sorted items, how many these are.
    """

    function: Any
    shared: Any
    module: Any
    role: Role | None = None
    values: dict[Any, Any] = field(default_factory=dict)
    externals: set[str] = field(default_factory=set)
    debug: DebugWaits | None = None
    prints: Any = None
    vectors: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    spread: dict[tuple[Any, ...], tuple[str, Any]] = field(default_factory=dict)
    copies: dict[str, int] = field(default_factory=dict)
    registers: int = 0
    stream_tail: bool = False
    loads_ahead: bool = False
    measured: list[Any] = field(default_factory=list)
    counted: dict[Any, Any] = field(default_factory=dict)

    def next_print(self) -> Any:
        """Emit how many prints this thread has come to before, and count one more."""
        if self.prints is None:
            raise InternalCompilerError("prints are not counted", pass_name=PASS_NAME)
        count = llvm_ops.load(emit.i32_type(), self.prints)
        llvm_ops.store(emit.add(count, 1), self.prints)
        return count

    def block(self, block: Any) -> None:
        """Lower every operation of `block` but its terminator, at the insertion point."""
        ops = [op for op in body_operations(block) if op.name not in TERMINATORS]
        place = 0
        while place < len(ops):
            count = next((n for rule in _RUN_RULES if (n := rule(self, ops[place:]))), 0)
            if not count:
                self.op(ops[place])
            place += count or 1

    def op(self, op: Any) -> None:
        """Lower one operation."""
        rule = RULES.find(op)
        if rule is None:
            raise InternalCompilerError(
                f"'{op.name}' has no lowering to LLVM", pass_name=PASS_NAME, op=op.name
            )
        with op.location, self.debug.guard(op) if self.debug is not None else nullcontext():
            self.replace(op.results, rule(op, self))

    def replace(self, values: Sequence[Any], lowered: Sequence[Any]) -> None:
        """Record what each of `values` became."""
        for value, item in zip(values, lowered, strict=True):
            self.set(value, item)

    def get(self, value: Any) -> Any:
        """Return what `value` became; of a tile, its registers."""
        found = self.values[value]
        return self._registers(found) if isinstance(found, PackedTile) else found

    def tile(self, value: Any) -> list[Any]:
        """Return the registers of a tile."""
        return self.get(value)

    def tile_word(self, value: Any, first: int, lanes: Sequence[Any]) -> Any:
        """Return registers `first` and `first` + 1 of a tile of 16-bit elements as an i32.

        Args:
            value: The tile.
            first: An even number.
            lanes: As for `unpack`.
        """
        found = self.values[value]
        if isinstance(found, PackedTile):
            return found.words[first // PAIR]
        return self.word(found[first : first + PAIR], lanes)

    def _registers(self, tile: PackedTile) -> list[Any]:
        """Take a tile apart after its words, where everybody who sees them can use the result."""
        if tile.registers is None:
            count = registers_in_word(tile.element)
            vector = ir.VectorType.get([count], tile.element)
            with point_after(tile.words):
                lanes = emit.lane_numbers(count)
                vectors = [llvm_ops.bitcast(vector, word) for word in tile.words]
                tile.registers = [item for made in vectors for item in self.unpack(made, lanes)]
        return tile.registers

    def set(self, value: Any, lowered: Any) -> None:
        """Record what `value` became."""
        self.values[value] = lowered

    def unpack(self, vector: Any, lanes: Sequence[Any]) -> list[Any]:
        """Take a vector of two or four elements apart; `lanes` are their numbers."""
        registers = [llvm_ops.extract_element(vector, lane) for lane in lanes]
        self.vectors[tuple(registers)] = vector
        return registers

    def pair(self, registers: Sequence[Any], lanes: Sequence[Any]) -> Any:
        """Return the vector of two registers, `lanes` as for `unpack`."""
        pair = self.vectors.get(tuple(registers))
        return emit.pack(registers, lanes) if pair is None else pair

    def word(self, registers: Sequence[Any], lanes: Sequence[Any]) -> Any:
        """Return the i32 that registers make up, `lanes` as for `unpack`.

        Args:
            registers: Two of 16 bits or four of 8.
            lanes: Their numbers.
        """
        vector = self.vectors.get(tuple(registers))
        halves = [self.vectors.get(tuple(registers[at : at + PAIR])) for at in (0, PAIR)]
        if vector is None and all(half is not None for half in halves):
            i16 = ir.IntegerType.get_signless(16)
            vector = emit.pack([llvm_ops.bitcast(i16, half) for half in halves], lanes[:PAIR])
        if vector is None:
            vector = emit.pack(registers, lanes)
        return llvm_ops.bitcast(emit.i32_type(), vector)

    def are_parts(self, registers: Sequence[Any]) -> bool:
        """Tell whether registers are known to be taken from vectors, and not each by itself."""
        if tuple(registers) in self.vectors:
            return True
        makers = [defining_operation(register) for register in registers]
        return all(maker is not None and maker.name == _PART for maker in makers)

    def copies_of(self, name: str) -> int:
        """Return how many registers of a thread the operations `name` of the kernel compute."""
        if name not in self.copies:
            results = [op.results[0] for op in kernel_operations(self.function) if op.name == name]
            self.copies[name] = sum(
                tile_layout(value).num_registers if is_tile(value) else 1 for value in results
            )
        return self.copies[name]

    def outline(self, name: str, result: Any, inputs: Sequence[Any]) -> str:
        """Define a function that calls `name` and is never inlined, once; return its name."""
        outlined = f"tilec{name}"
        if outlined not in self.externals:
            self.externals.add(outlined)
            with ir.InsertionPoint.at_block_begin(self.module.body):
                llvm_ops.calling_function(outlined, name, result, inputs)
        return outlined

    def declare(self, name: str, result: Any, inputs: Sequence[Any]) -> None:
        """Declare an external function once per module."""
        known = {
            ir.StringAttr(op.attributes["sym_name"]).value
            for op in body_operations(self.module.body)
            if op.name == "llvm.func"
        }
        if name in self.externals or name in known:
            return
        self.externals.add(name)
        types = ", ".join(str(item) for item in inputs)
        with ir.InsertionPoint.at_block_begin(self.module.body):
            llvm_ops.function(name, ir.Type.parse(f"!llvm.func<{result} ({types})>"))

    @property
    def current_role(self) -> Role:
        """The role whose code is being emitted."""
        if self.role is None:
            raise InternalCompilerError("code of a role is outside of it", pass_name=PASS_NAME)
        return self.role

    def thread_coordinates(self, layout: RegisterLayout) -> list[emit.Index]:
        """Return the part of a tile coordinate that depends on the thread, per dim."""
        coordinates: list[emit.Index] = [0] * layout.rank
        for term in layout.thread_terms():
            digit = self.thread_digit(term.owner, term.divisor, term.extent)
            for axis, stride in enumerate(term.stride):
                coordinates[axis] = emit.add(coordinates[axis], emit.multiply(digit, stride))
        return coordinates

    def number_of(self, block: Any, item: Any) -> Any:
        """Emit what a block, which any thread can run by itself, yields for an item."""
        self.role = Role(0, {}, None, None, None)
        self.set(block.arguments[0], item)
        self.block(block)
        self.role = None
        return self.get(terminator(block).operands[0])

    def first_holder(self, layout: RegisterLayout) -> Any:
        """Emit whether this thread is the first of those that hold its elements; None: it is."""
        first = None
        for term in layout.replica_terms():
            digit = self.thread_digit(term.owner, term.divisor, term.extent)
            if isinstance(digit, int):
                continue
            first = emit.both(first, emit.compare("eq", digit, 0))
        return first

    def thread_digit(self, owner: Owner, divisor: int, extent: int) -> emit.Index:
        """Return `(id // divisor) % extent` of this thread's id at level `owner`."""
        role = self.current_role
        warpgroups = max(1, role.warps // 4)
        sizes = {Owner.LANE: 32, Owner.WARP: 4, Owner.WARPGROUP: warpgroups, Owner.CTA: role.ctas}
        limit = sizes[owner]
        quotient = emit.divide(role.ids[owner], divisor)
        return quotient if divisor * extent >= limit else emit.remainder(quotient, extent)


def point_after(values: Sequence[Any]) -> Any:
    """Return the first insertion point after `values`, which have the order of their block."""
    last = values[-1]
    if isinstance(last, ir.BlockArgument):
        return ir.InsertionPoint.at_block_begin(last.owner)
    maker = last.owner.operation
    following = body_operations(maker.block)
    number = following.index(maker) + 1
    if number < len(following):
        return ir.InsertionPoint(following[number])
    return ir.InsertionPoint(maker.block)


def tile_layout(value: Any) -> RegisterLayout:
    """Return the register layout of a tile value of the nv_tileas dialect."""
    return register_layout_of(value)
