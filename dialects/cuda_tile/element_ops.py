"""Token-ordered accesses to single elements of a tensor view: gather, scatter, atomics.

The published dialect computes tiles of pointers for this (`offset`, `load_ptr_tko`,
`store_ptr_tko`, `atomic_rmw_tko`, `atomic_cas_tko`). These operations take the view and one index
per axis instead, for three reasons. The bounds check belongs to the access: the extents are in the
view, and an index of each axis is checked without arithmetic on tiles. Alignment and strides stay
known per axis, which tells where neighbouring elements make up a vector access. The array that is
accessed is known without following pointer arithmetic, which the alias analysis needs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from tilec.dialects.common import element_access as rules
from tilec.dialects.common.accesses import WEAK, Access
from tilec.dialects.common.effects import ReadsInOrder, WritesMemory
from tilec.dialects.cuda_tile.base import TileOperation, set_text
from tilec.dialects.cuda_tile.memory_ops import SCOPES
from tilec.dialects.cuda_tile.types import TensorViewType, TileType, TokenType
from tilec.ir.bindings import Operand, Result, ir


class ElementAccessOperation(TileOperation):
    """Base of the accesses to single elements.

    Attributes:
        ordering: Memory order; weak where it is absent.
        scope: One of `SCOPES`; present exactly when the order is not weak.
        unchecked: Unit attribute; the indices are known to be in range, so nobody checks them.
    """

    ACCESS = Access()
    ORDERS = rules.LOAD_ORDERS

    if TYPE_CHECKING:  # the derived classes declare these fields, each in its order
        view: Any
        indices: Any
        mask: Any

    @property
    def scope(self) -> str | None:
        """Who sees the access; None when it is weak."""
        return self.text("scope") or None

    def find_access_error(self, values: Sequence[Any]) -> str | None:
        """Return the first broken rule; `values` hold the elements."""
        view = self.view.type
        if not isinstance(view, TensorViewType):
            return f"expects a tensor_view, but got '{view}'"
        order = self.ACCESS.order_of(self)
        return (
            rules.find_index_error(self.indices, self.mask, view.rank)
            or rules.find_value_error(values, self.indices, view.element_type)
            or rules.find_order_error(order, self.scope, self.ORDERS, SCOPES)
        )


def describe_access(op: Any, ordering: str, scope: str | None, *, unchecked: bool) -> Any:
    """Set the attributes of an access and return it."""
    op.attributes["ordering"] = ir.StringAttr.get(ordering)
    set_text(op, "scope", scope)
    if unchecked:
        op.attributes["unchecked"] = ir.UnitAttr.get()
    return op


def _values_type(view: Any, indices: Sequence[Any]) -> Any:
    """Return the type of the elements that `indices` name."""
    shape = rules.shape_of(indices[0].type)
    element = view.type.element_type
    return TileType.of(shape, element) if shape else element


class LoadElementsTkoOp(ElementAccessOperation, name="load_elements_tko", traits=[ReadsInOrder]):
    """Load single elements; those that are masked off or out of range are `padding`.

    Operands:
        view: Tensor view.
        indices: One per axis: i32 or i64 scalars, or tiles of one shape.
        mask: Optional; which elements are loaded.
        padding: Optional; what the other elements are. Required unless nothing can be left out.
        token: Optional; what must happen before.

    Results:
        result: The elements.
        result_token: Orders later operations after this one.
    """

    ACCESS = Access(reads=True, order_attribute="ordering")

    view: Operand[Any]
    indices: Sequence[Operand[Any]]
    result: Result[Any]
    result_token: Result[Any]
    mask: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional
    padding: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional
    token: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return the first broken rule."""
        padding = [] if self.padding is None else [self.padding]
        may_leave_out = self.mask is not None or "unchecked" not in self.attributes
        message = self.find_access_error([self.result, *padding])
        if message is None and may_leave_out and not padding:
            return "expects a padding for the elements that it leaves out"
        return message

    @classmethod
    def build(
        cls,
        view: Any,
        indices: Sequence[Any],
        mask: Any = None,
        padding: Any = None,
        token: Any = None,
        *,
        ordering: str = WEAK,
        scope: str | None = None,
        unchecked: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return it (results: `result`, `result_token`)."""
        op = cls(
            view=view,
            indices=list(indices),
            result=_values_type(view, indices),
            result_token=TokenType.get(),
            mask=mask,
            padding=padding,
            token=token,
            **where,
        )
        return describe_access(op, ordering, scope, unchecked=unchecked)


class StoreElementsTkoOp(ElementAccessOperation, name="store_elements_tko", traits=[WritesMemory]):
    """Store single elements; those that are masked off or out of range are dropped.

    Which one of several elements with equal indices is stored is not defined.

    Operands:
        view: Tensor view.
        value: The elements.
        indices: One per axis: i32 or i64 scalars, or tiles of one shape.
        mask: Optional; which elements are stored.
        token: Optional; what must happen before.

    Results:
        result_token: Orders later operations after this one.
    """

    ACCESS = Access(writes=True, order_attribute="ordering")
    ORDERS = rules.STORE_ORDERS

    view: Operand[Any]
    value: Operand[Any]
    indices: Sequence[Operand[Any]]
    result_token: Result[Any]
    mask: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional
    token: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return the first broken rule."""
        return self.find_access_error([self.value])

    @classmethod
    def build(
        cls,
        view: Any,
        value: Any,
        indices: Sequence[Any],
        mask: Any = None,
        token: Any = None,
        *,
        ordering: str = WEAK,
        scope: str | None = None,
        unchecked: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return its token."""
        op = cls(
            view=view,
            value=value,
            indices=list(indices),
            result_token=TokenType.get(),
            mask=mask,
            token=token,
            **where,
        )
        return describe_access(op, ordering, scope, unchecked=unchecked).result_token


class AtomicElementsTkoOp(
    ElementAccessOperation, name="atomic_elements_tko", traits=[WritesMemory]
):
    """Change single elements, each of them in one step that no other access comes between.

    Elements that are masked off or out of range are not touched.

    Operands:
        view: Tensor view.
        indices: One per axis: i32 or i64 scalars, or tiles of one shape.
        values: What each element is combined with; for mode `cas` the values that are expected,
            then those that replace them.
        mask: Optional; which elements are changed.
        token: Optional; what must happen before.

    Results:
        result: What the elements were before; 0 for those that are not touched.
        result_token: Orders later operations after this one.

    Attributes:
        mode: A key of `ATOMIC_TYPES`.
    """

    ACCESS = Access(reads=True, writes=True, order_attribute="ordering")
    ORDERS = rules.ATOMIC_ORDERS

    view: Operand[Any]
    indices: Sequence[Operand[Any]]
    values: Sequence[Operand[Any]]
    result: Result[Any]
    result_token: Result[Any]
    mask: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional
    token: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return the first broken rule."""
        message = self.find_access_error([*self.values, self.result])
        if message is not None:
            return message
        element = self.view.type.element_type
        return rules.find_atomic_error(self.text("mode"), len(self.values), element)

    @classmethod
    def build(
        cls,
        view: Any,
        indices: Sequence[Any],
        values: Sequence[Any],
        mask: Any = None,
        token: Any = None,
        *,
        mode: str,
        ordering: str,
        scope: str,
        unchecked: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return it (results: `result`, `result_token`)."""
        op = cls(
            view=view,
            indices=list(indices),
            values=list(values),
            result=_values_type(view, indices),
            result_token=TokenType.get(),
            mask=mask,
            token=token,
            **where,
        )
        op.attributes["mode"] = ir.StringAttr.get(mode)
        return describe_access(op, ordering, scope, unchecked=unchecked)
