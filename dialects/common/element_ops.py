"""Base classes of the accesses to single elements that nv_tileaa and nv_tileas both have.

Dims of the memref are in storage order, and so are the indices. The dims of tiles are those of the
program.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tilec.dialects.common import element_access as rules
from tilec.dialects.common.accesses import Access
from tilec.dialects.common.effects import ReadsInOrder, WritesMemory
from tilec.dialects.common.memory_ops import MEM_SCOPES
from tilec.dialects.common.verify import check_counts, report, total
from tilec.dialects.nv_tileaa.types import MemrefType, MemTokenType
from tilec.ir.bindings import Operand, Result, ext, ir


class ElementAccessBase(ext.Operation):
    """What accesses to single elements share.

    Attributes:
        mem_semantic: Memory order; weak where it is absent.
        mem_scope: cta, cluster, gpu or sys; absent when weak.
        unchecked: Unit attribute; the indices are known to be in range.
        run: Optional; as many neighbouring elements of the last dim as this lie next to each other
            in memory, start at a multiple of this, and are all masked off or none of them.
        ragged: Unit attribute; the end of the array may come in the middle of a run.
    """

    ACCESS = Access()
    ORDERS = rules.LOAD_ORDERS

    if TYPE_CHECKING:  # the derived classes declare these fields, each in its order
        memref: Any
        indices: Any
        mask: Any

    @property
    def mem_scope(self) -> str | None:
        """Memory scope, or None."""
        attributes = self.attributes
        return attributes["mem_scope"].value if "mem_scope" in attributes else None

    @property
    def unchecked(self) -> bool:
        """Whether indices are known to be in range."""
        return "unchecked" in self.attributes

    @property
    def run(self) -> int:
        """Elements that one vector access may take."""
        return self.attributes["run"].value if "run" in self.attributes else 1

    @property
    def ragged(self) -> bool:
        """Whether the end of the array may come in the middle of a run."""
        return "ragged" in self.attributes

    def names(self, value: Any) -> bool:
        """Tell whether `value` is an index or the mask, so that it says which elements."""
        return any(value == item for item in (*self.indices, self.mask) if item is not None)

    def find_access_error(self, values: Sequence[Any]) -> str | None:
        """Return the first broken rule; `values` hold the elements."""
        memref = self.memref.type
        if not isinstance(memref, MemrefType) or not memref.is_strided:
            return f"expects a strided memref, but got {memref}"
        order = self.ACCESS.order_of(self)
        return (
            rules.find_index_error(self.indices, self.mask, memref.rank)
            or rules.find_value_error(values, self.indices, memref.element_type)
            or rules.find_order_error(order, self.mem_scope, self.ORDERS, MEM_SCOPES)
        )

    def find_error(self) -> str | None:
        """Return the first broken rule, or None."""
        raise NotImplementedError

    @total
    def verify_invariants(self) -> bool:
        """Report the first broken rule."""
        if not check_counts(self):
            return False
        message = self.find_error()
        return message is None or report(self, message)


def _values_type(memref: Any, indices: Sequence[Any]) -> Any:
    """Return the type of the elements that `indices` name."""
    shape = rules.shape_of(indices[0].type)
    element = memref.type.element_type
    return ir.RankedTensorType.get(list(shape), element) if shape else element


class GatherBase(ElementAccessBase, traits=[ReadsInOrder]):
    """Load single elements; those that are masked off or out of range are `padding`.

    Operands:
        memref: Array to read.
        indices: One per dim: i32 or i64 scalars, or tiles of one shape.
        mask: Optional; which elements are loaded.
        padding: Optional; what the other elements are.
        after: Token of what must happen before.

    Results:
        result: The elements.
        token: Orders later operations after this one.
    """

    ACCESS = Access(reads=True)

    memref: Operand[Any]
    indices: Sequence[Operand[Any]]
    result: Result[Any]
    token: Result[Any]
    mask: Operand[Any] | None = None
    padding: Operand[Any] | None = None
    after: Operand[Any] | None = None

    def find_error(self) -> str | None:
        """Return the first broken rule, or None."""
        padding = [] if self.padding is None else [self.padding]
        message = self.find_access_error([self.result, *padding])
        if message is None and not padding and (self.mask is not None or not self.unchecked):
            return "expects a padding for the elements that it leaves out"
        return message

    @classmethod
    def build(
        cls,
        memref: Any,
        indices: Sequence[Any],
        mask: Any = None,
        padding: Any = None,
        after: Any = None,
        **where: Any,
    ) -> Any:
        """Build the op and return it (results: result, token)."""
        return cls(
            memref=memref,
            indices=indices,
            result=_values_type(memref, indices),
            token=MemTokenType.get(),
            mask=mask,
            padding=padding,
            after=after,
            **where,
        )


class ScatterBase(ElementAccessBase, traits=[WritesMemory]):
    """Store single elements; those that are masked off or out of range are dropped.

    Operands:
        memref: Array to write.
        value: The elements.
        indices: One per dim: i32 or i64 scalars, or tiles of one shape.
        mask: Optional; which elements are stored.
        after: Token of what must happen before.

    Results:
        token: Orders later operations after this one.
    """

    ACCESS = Access(writes=True)
    ORDERS = rules.STORE_ORDERS

    memref: Operand[Any]
    value: Operand[Any]
    indices: Sequence[Operand[Any]]
    token: Result[Any]
    mask: Operand[Any] | None = None
    after: Operand[Any] | None = None

    def find_error(self) -> str | None:
        """Return the first broken rule, or None."""
        return self.find_access_error([self.value])

    @classmethod
    def build(
        cls,
        memref: Any,
        value: Any,
        indices: Sequence[Any],
        mask: Any = None,
        after: Any = None,
        **where: Any,
    ) -> Any:
        """Build the op and return it (result: token)."""
        return cls(
            memref=memref,
            value=value,
            indices=indices,
            token=MemTokenType.get(),
            mask=mask,
            after=after,
            **where,
        )


class AtomicBase(ElementAccessBase, traits=[WritesMemory]):
    """Change single elements, each of them in one step that no other access comes between.

    Operands:
        memref: Array to change.
        indices: One per dim: i32 or i64 scalars, or tiles of one shape.
        values: What each element is combined with; for mode `cas` the values that are expected,
            then those that replace them.
        mask: Optional; which elements are changed.
        after: Token of what must happen before.

    Results:
        result: What the elements were before; 0 for those that are not touched.
        token: Orders later operations after this one.

    Attributes:
        mode: A key of `ATOMIC_TYPES`.
    """

    ACCESS = Access(reads=True, writes=True)
    ORDERS = rules.ATOMIC_ORDERS

    memref: Operand[Any]
    indices: Sequence[Operand[Any]]
    values: Sequence[Operand[Any]]
    result: Result[Any]
    token: Result[Any]
    mask: Operand[Any] | None = None
    after: Operand[Any] | None = None

    def find_error(self) -> str | None:
        """Return the first broken rule, or None."""
        message = self.find_access_error([*self.values, self.result])
        if message is not None:
            return message
        mode = ir.StringAttr(self.attributes["mode"]).value
        return rules.find_atomic_error(mode, len(self.values), self.memref.type.element_type)

    @classmethod
    def build(
        cls,
        memref: Any,
        indices: Sequence[Any],
        values: Sequence[Any],
        mask: Any = None,
        after: Any = None,
        *,
        mode: str,
        **where: Any,
    ) -> Any:
        """Build the op and return it (results: result, token)."""
        op = cls(
            memref=memref,
            indices=indices,
            values=values,
            result=_values_type(memref, indices),
            token=MemTokenType.get(),
            mask=mask,
            after=after,
            **where,
        )
        op.attributes["mode"] = ir.StringAttr.get(mode)
        return op
