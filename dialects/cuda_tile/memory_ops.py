"""Token-ordered loads, stores and combinations of tiles with arrays.

Program order alone orders nothing: a memory operation comes after another one only when a token
leads from the one to the other. Tokens have no value at run time.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from tilec.dialects.common.accesses import Access
from tilec.dialects.common.effects import ReadsInOrder, WritesMemory
from tilec.dialects.common.element_access import find_combination_error
from tilec.dialects.common.verify import is_i32
from tilec.dialects.cuda_tile.base import TileOperation, set_text, set_unit
from tilec.dialects.cuda_tile.types import TileType, TileViewType, TokenType, spell, spell_tile
from tilec.ir.bindings import Operand, Pure, Result, ir
from tilec.ir.integers import i64

SCOPES = ("tl_blk", "device", "sys")
"""Who sees an ordered access: the tile block, the device, the system."""

_LATENCIES = range(1, 11)


class ViewAccessOperation(TileOperation):
    """Base of loads and stores: indices, memory ordering and hints.

    Attributes:
        ordering: `weak`, `relaxed`, `acquire` (loads) or `release` (stores).
        scope: One of `SCOPES`; present exactly when the ordering is not weak.
        allow_tma: Optional; false forbids TMA.
        latency: Optional; 1 (near) to 10 (far), how long the access may take.
        element_offsets: Optional unit attribute; the indices count elements, are signed, and a tile
            may start at any element.
    """

    NOUN = ""
    ACCEPTED = ("weak",)
    LAST_TYPE = "!cuda_tile.token"

    if TYPE_CHECKING:  # the derived classes declare these fields, each in its order
        view: Any
        index: Any
        tile: Any
        result_token: Any
        ordering: ir.StringAttr
        token: Any

    @property
    def scope(self) -> str | None:
        """Who sees the access; None when it is weak."""
        return self.text("scope") or None

    @property
    def allow_tma(self) -> bool:
        """Whether TMA may move the tile."""
        return self.attributes["allow_tma"].value if "allow_tma" in self.attributes else True

    @property
    def latency(self) -> int | None:
        """Hint how long the access may take, 1 to 10; None without one."""
        return self.attributes["latency"].value if "latency" in self.attributes else None

    @property
    def element_offsets(self) -> bool:
        """Whether the indices count elements, not tiles."""
        return "element_offsets" in self.attributes

    def set_optional(
        self,
        scope: str | None,
        allow_tma: bool | None,
        latency: int | None,
        element_offsets: bool,
    ) -> None:
        """Set the optional attributes that are given."""
        set_unit(self, "element_offsets", element_offsets)
        set_text(self, "scope", scope)
        if allow_tma is not None:
            self.attributes["allow_tma"] = ir.BoolAttr.get(allow_tma)
        if latency is not None:
            self.attributes["latency"] = i64(latency)

    def find_access_error(self, view_number: int) -> str | None:
        """Return the first broken rule; `view_number` is the operand number of the view."""
        view, tile = self.view.type, self.tile.type
        if not isinstance(view, TileViewType):
            return f"operand #{view_number} must be TileView instance, but got '{spell(view)}'"
        rank = len(view.tile)
        if len(self.index) != rank:
            return f"expected {rank} index operands (based on view type), got {len(self.index)}"
        message = _tile_error(tile, view.tile, view.view.element_type)
        if message is not None:
            return message
        for index in self.index:
            if not is_i32(index.type):
                return f"index operands must be i32, but got '{index.type}'"
        return self._find_token_error() or self._find_ordering_error() or self._find_hint_error()

    def _find_token_error(self) -> str | None:
        for token in (self.token, self.result_token):
            if token is not None and not isinstance(token.type, TokenType):
                return f"expected a token, but got '{token.type}'"
        return None

    def _find_ordering_error(self) -> str | None:
        ordering, scope = ir.StringAttr(self.ordering).value, self.scope
        if ordering not in self.ACCEPTED:
            *most, last = self.ACCEPTED
            expected = f"{', '.join(most)}, or {last}" if most else last
            return f"expect one of: {expected}, but got: {ordering}"
        if ordering == "weak":
            return f"weak {self.NOUN} must not have memory scope" if scope is not None else None
        if scope is None:
            return f"memory scope is required for {ordering} {self.NOUN}"
        if scope not in SCOPES:
            return f"expect scope to be one of: {', '.join(SCOPES)}, but got: {scope}"
        return None

    def _find_hint_error(self) -> str | None:
        attributes = self.attributes
        if "allow_tma" in attributes and not isinstance(attributes["allow_tma"], ir.BoolAttr):
            return f"boolean value expected for allow_tma, but got {attributes['allow_tma']}"
        if "latency" in attributes:
            latency = attributes["latency"]
            if not isinstance(latency, ir.IntegerAttr) or latency.value not in _LATENCIES:
                return f"integer value in the range [1, 10] is expected for latency, got {latency}"
        return None


class LoadViewTkoOp(ViewAccessOperation, name="load_view_tko", traits=[ReadsInOrder]):
    """Load one tile of a view; elements outside the tensor are the view's padding.

    Operands:
        view: Partition view or strided view.
        index: Which tile, one i32 per dimension, read as unsigned.
        token: Optional; what must happen before.

    Results:
        tile: The tile.
        result_token: Orders later operations after this one.
    """

    ACCESS = Access(reads=True, order_attribute="ordering")
    NOUN = "load"
    ACCEPTED = ("weak", "relaxed", "acquire")

    view: Operand[Any]
    index: Sequence[Operand[Any]]
    tile: Result[Any]
    result_token: Result[Any]
    ordering: ir.StringAttr
    token: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return the first broken rule."""
        return self.find_access_error(view_number=0)

    @classmethod
    def build(
        cls,
        view: Any,
        index: Sequence[Any],
        token: Any = None,
        *,
        ordering: str = "weak",
        scope: str | None = None,
        allow_tma: bool | None = None,
        latency: int | None = None,
        element_offsets: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return it (results: `tile`, `result_token`)."""
        op = cls(
            view=view,
            index=list(index),
            tile=TileType.of(view.type.tile, view.type.view.element_type),
            result_token=TokenType.get(),
            ordering=ir.StringAttr.get(ordering),
            token=token,
            **where,
        )
        op.set_optional(scope, allow_tma, latency, element_offsets)
        return op


class StoreViewTkoOp(ViewAccessOperation, name="store_view_tko", traits=[WritesMemory]):
    """Store one tile of a view; elements outside the tensor are dropped.

    Operands:
        tile: The tile.
        view: Partition view or strided view.
        index: Which tile, one i32 per dimension, read as unsigned.
        token: Optional; what must happen before.

    Results:
        result_token: Orders later operations after this one.
    """

    ACCESS = Access(writes=True, order_attribute="ordering")
    NOUN = "store"
    ACCEPTED = ("weak", "relaxed", "release")

    tile: Operand[Any]
    view: Operand[Any]
    index: Sequence[Operand[Any]]
    result_token: Result[Any]
    ordering: ir.StringAttr
    token: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return the first broken rule."""
        return self.find_access_error(view_number=1)

    @classmethod
    def build(
        cls,
        tile: Any,
        view: Any,
        index: Sequence[Any],
        token: Any = None,
        *,
        ordering: str = "weak",
        scope: str | None = None,
        allow_tma: bool | None = None,
        latency: int | None = None,
        element_offsets: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return its token."""
        op = cls(
            tile=tile,
            view=view,
            index=list(index),
            result_token=TokenType.get(),
            ordering=ir.StringAttr.get(ordering),
            token=token,
            **where,
        )
        op.set_optional(scope, allow_tma, latency, element_offsets)
        return op.result_token


class AtomicRedViewTkoOp(ViewAccessOperation, name="atomic_red_view_tko", traits=[WritesMemory]):
    """Combine one tile with a view, each element in one atomic step; elements outside are dropped.

    The published operation has other scopes, too; here it is always the device's.

    Operands:
        view: Partition view or strided view.
        index: Which tile, one i32 per dimension, read as unsigned.
        tile: What is combined with the elements of the view.
        token: Optional; what must happen before.

    Results:
        result_token: Orders later operations after this one.

    Attributes:
        mode: `add`, `max`, `min`, `umax`, `umin`, `and`, `or` or `xor` for integers, `addf` for
            floats.
        ordering: `relaxed`.
    """

    ACCESS = Access(reads=True, writes=True, order_attribute="ordering", combine_attribute="mode")
    NOUN = "reduction"
    ACCEPTED = ("relaxed",)

    view: Operand[Any]
    index: Sequence[Operand[Any]]
    tile: Operand[Any]
    result_token: Result[Any]
    ordering: ir.StringAttr
    mode: ir.StringAttr
    token: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return the first broken rule."""
        message = self.find_access_error(view_number=0)
        if message is not None:
            return message
        return find_combination_error(self, "mode", self.view.type.view.element_type)

    @classmethod
    def build(
        cls,
        view: Any,
        index: Sequence[Any],
        tile: Any,
        token: Any = None,
        *,
        mode: str,
        allow_tma: bool | None = None,
        element_offsets: bool = False,
        **where: Any,
    ) -> Any:
        """Build the operation and return its token."""
        op = cls(
            view=view,
            index=list(index),
            tile=tile,
            result_token=TokenType.get(),
            ordering=ir.StringAttr.get("relaxed"),
            mode=ir.StringAttr.get(mode),
            token=token,
            **where,
        )
        op.set_optional("device", allow_tma, None, element_offsets)
        return op.result_token


class MakeTokenOp(TileOperation, name="make_token", traits=[Pure]):
    """A token that waits for nothing."""

    result: Result[Any]

    def find_error(self) -> str | None:
        """Return a message when the result is no token."""
        return _token_error("result", 0, self.result)

    @classmethod
    def build(cls, **where: Any) -> Any:
        """Build the operation and return the token."""
        return cls(result=TokenType.get(), **where).result


class JoinTokensOp(TileOperation, name="join_tokens", traits=[Pure]):
    """A token that waits for every one of `tokens`."""

    tokens: Sequence[Operand[Any]]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on the operands."""
        if len(self.tokens) < 2:
            return f"expect two or more tokens, but got: {len(self.tokens)}"
        return _token_error("operand", 0, self.tokens[0]) or _token_error("result", 0, self.result)

    @classmethod
    def build(cls, tokens: Sequence[Any], **where: Any) -> Any:
        """Build the operation and return the joined token."""
        return cls(tokens=list(tokens), result=TokenType.get(), **where).result


def _tile_error(tile: Any, shape: Sequence[int], element_type: Any) -> str | None:
    if isinstance(tile, TileType) and (tile.shape, tile.element_type) == (shape, element_type):
        return None
    expected = spell_tile(shape, element_type)
    return f"expected tile type to be '{expected}' (based on view type), got '{spell(tile)}'"


def _token_error(kind: str, number: int, value: Any) -> str | None:
    if isinstance(value.type, TokenType):
        return None
    return f"{kind} #{number} must be cuda tile token type, but got '{value.type}'"
