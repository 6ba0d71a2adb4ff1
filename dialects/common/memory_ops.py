"""Base classes of the memory operations that nv_tileaa and nv_tileas both have."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from tilec.dialects.common.accesses import Access
from tilec.dialects.common.effects import ReadsInOrder, WritesMemory
from tilec.dialects.common.element_access import COMBINE, find_combination_error
from tilec.dialects.common.tile_shape import MAX_TILE_ELEMENTS
from tilec.dialects.common.verify import (
    check_counts,
    is_float,
    is_i32,
    report,
    static_tensor,
    total,
)
from tilec.dialects.cute.copy_atom import CopyAtomAttr
from tilec.dialects.nv_tileaa.types import MemrefType, MemTokenType, PtrType
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, Pure, Result, ext, ir

PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
"""Values of elements outside the array (cuda_tile padding_value)."""
MEM_SCOPES = ("cta", "cluster", "gpu", "sys")


class MakeMemrefBase(ext.Operation, traits=[Pure]):
    """Describe a strided array: base address, run-time extents and run-time strides.

    Operands:
        base: Address of the first element.
        sizes: The extents that the type leaves open, in elements, outermost first (i32).
        strides: The strides that the type leaves open, in elements (i64).
    """

    LAST_TYPE = "i64"

    base: Operand[Any]
    sizes: Sequence[Operand[Any]]
    strides: Sequence[Operand[Any]]
    memref: Result[Any]

    @total
    def verify_invariants(self) -> bool:
        """Report operands that do not fill the open dims of the type."""
        if not check_counts(self):
            return False
        type_ = self.memref.type
        if not isinstance(type_, MemrefType) or not type_.is_strided:
            return report(self, f"expects a strided memref result, but got {type_}")
        sizes, strides = type_.shape.count(None), type_.strides.count(None)
        if len(self.sizes) != sizes:
            return report(self, f"expects {sizes} sizes, but got {len(self.sizes)}")
        if len(self.strides) != strides:
            return report(self, f"expects {strides} strides, but got {len(self.strides)}")
        return True

    @classmethod
    def build(
        cls, base: Any, sizes: Sequence[Any], strides: Sequence[Any], type_: Any, **where: Any
    ) -> Any:
        """Build the op and return the memref of type `type_`."""
        return cls(base=base, sizes=sizes, strides=strides, memref=type_, **where).memref


class SliceBaseBase(ext.Operation, traits=[Pure]):
    """Return the address of element `start` of a memref along one dim, its first one along others.

    It is the base of the memref of a slice. Who can access the whole array (TMA) finds it here.

    Operands:
        memref: The array, or a slice of one.
        start: Number of the element (i32).

    Attributes:
        dim: Dim of the memref.
    """

    memref: Operand[Any]
    start: Operand[Any]
    base: Result[Any]
    dim: ir.IntegerAttr

    @total
    def verify_invariants(self) -> bool:
        """Report a start that is no i32, or a dim that the memref does not have."""
        memref = self.memref.type
        if not isinstance(memref, MemrefType) or not memref.is_strided:
            return report(self, f"expects a strided memref, but got {memref}")
        if not is_i32(self.start.type):
            return report(self, f"expects an i32 start, but got {self.start.type}")
        if not 0 <= self.dim.value < memref.rank:
            return report(self, f"expects a dim below {memref.rank}, but got {self.dim.value}")
        return True

    @classmethod
    def build(cls, memref: Any, start: Any, dim: int, **where: Any) -> Any:
        """Build the op and return the address."""
        number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dim)
        base = PtrType.of(memref.type.element_type)
        return cls(memref=memref, start=start, base=base, dim=number, **where).base


class TiledAccessBase(ext.Operation):
    """What tiled loads and stores share: optional attributes and their rules.

    Attributes:
        atom: Copy atom that will move the tile (the witness).
        legal_atoms: Every atom that could, the witness first.
        in_bounds: Per dim, whether the tile never leaves the array.
        never_before: Per dim, whether the tile never begins before the array.
        mem_semantic: weak (default), relaxed, acquire (loads) or release (stores).
        mem_scope: cta, cluster, gpu or sys; absent when weak.
        allow_tma: False forbids TMA.
    """

    SEMANTICS = ("weak",)
    BAD_SEMANTIC = "unsupported mem_semantic: {}"
    SCOPE_ON_WEAK = "mem_scope not supported when mem_semantic is weak"
    SCOPE_MISSING = "mem_scope required when mem_semantic is not weak"
    ATOM_KINDS = ()
    WRONG_ATOM = ""
    ATOM_REQUIRED = False
    LAST_TYPE = "!nv_tileaa.mem_token"

    if TYPE_CHECKING:  # the derived classes declare this field, each in its order
        coords: Any

    @property
    def atom(self) -> CopyAtomAttr | None:
        """The witness, or None before selection."""
        return self.attributes.get("atom")

    @property
    def legal_atoms(self) -> tuple[CopyAtomAttr, ...]:
        """Every legal atom, the witness first; empty before selection."""
        return tuple(elements_of(self.attributes.get("legal_atoms", ())))

    @property
    def in_bounds(self) -> tuple[bool, ...]:
        """Per dim: the tile never leaves the array. Absent means not known, that is False."""
        return self._per_dim("in_bounds")

    @property
    def never_before(self) -> tuple[bool, ...]:
        """Per dim: the tile never begins before the array. Absent means not known."""
        return self._per_dim("never_before")

    def _per_dim(self, name: str) -> tuple[bool, ...]:
        if name in self.attributes:
            return tuple(bool(item) for item in elements_of(self.attributes[name]))
        return (False,) * len(self.coords)

    @property
    def mem_semantic(self) -> str:
        """Memory ordering."""
        return _text(self, "mem_semantic", "weak")

    @property
    def mem_scope(self) -> str | None:
        """Memory scope, or None."""
        return _text(self, "mem_scope", None)

    @property
    def allow_tma(self) -> bool:
        """Whether TMA may move the tile."""
        return self.attributes["allow_tma"].value if "allow_tma" in self.attributes else True

    @property
    def atom_kinds(self) -> tuple[str, ...]:
        """Kinds of atoms that do what the operation does."""
        return self.ATOM_KINDS

    def verify_access(self, memref: Any, tile: Any) -> bool:
        """Report coordinates, tile or attributes that do not fit the memref type."""
        if not isinstance(memref, MemrefType) or not memref.is_strided:
            return report(self, f"expects a strided memref, but got {memref}")
        return (
            self.verify_coordinates(memref)
            and self._verify_tile(memref, tile)
            and self._verify_ordering()
            and self.verify_atom()
        )

    def verify_coordinates(self, memref: MemrefType) -> bool:
        """Report coordinates that do not fit the memref."""
        if len(self.coords) != memref.rank:
            return report(self, f"expects {memref.rank} coordinates, but got {len(self.coords)}")
        for coord in self.coords:
            if not is_i32(coord.type):
                message = f"expects CoordType is same as memref index type, but got {coord.type}"
                return report(self, message)
        for name in ("in_bounds", "never_before"):
            found = len(self._per_dim(name))
            if found != memref.rank:
                return report(
                    self,
                    f"incorrect number of {name} elements: expected {memref.rank},"
                    f" but found {found}",
                )
        return True

    def _verify_tile(self, memref: MemrefType, tile: Any) -> bool:
        if not static_tensor(tile):
            return report(self, f"all dimensions must be positive constants, got {tile}")
        if len(tile.shape) != memref.rank:
            return report(self, "requires the same size for tileSize and tensor")
        if tile.element_type != memref.element_type:
            return report(
                self,
                f"view elementType not equal with tensor element type: {memref.element_type}"
                f" != {tile.element_type}",
            )
        if prod(tile.shape) > MAX_TILE_ELEMENTS:
            return report(self, f"tile would exceed the maximum of {MAX_TILE_ELEMENTS} elements")
        return True

    def _verify_ordering(self) -> bool:
        if self.mem_semantic not in self.SEMANTICS:
            return report(self, self.BAD_SEMANTIC.format(self.mem_semantic))
        if self.mem_semantic == "weak":
            return self.mem_scope is None or report(self, self.SCOPE_ON_WEAK)
        if self.mem_scope is None:
            return report(self, self.SCOPE_MISSING)
        if self.mem_scope not in MEM_SCOPES:
            return report(self, f"unknown mem_scope: {self.mem_scope}")
        return True

    def verify_atom(self) -> bool:
        """Report an atom of another kind of access."""
        atoms = [self.atom, *self.legal_atoms] if self.atom is not None else self.legal_atoms
        if self.ATOM_REQUIRED and self.atom is None:
            return report(self, "requires attribute 'atom'")
        for atom in atoms:
            if not isinstance(atom, CopyAtomAttr) or atom.kind not in self.atom_kinds:
                return report(self, self.WRONG_ATOM)
        return True


class TiledLoadBase(TiledAccessBase, traits=[ReadsInOrder]):
    """Load one tile.

    Operands:
        memref: Array to read.
        coords: ELEMENT coordinates of the tile's first element, storage order, outermost first.
        after: Token of what must happen before.

    Results:
        tile: The tile, dims in storage order; elements outside the array are `padding`.
        token: Orders later operations after this one.
    """

    ACCESS = Access(reads=True)
    ATOM_KINDS = ("tma_load", "ldg", "cp_async")
    WRONG_ATOM = "expect a ldgsts, tma_load, ldg or unknown_copy atom type"

    memref: Operand[Any]
    coords: Sequence[Operand[Any]]
    tile: Result[Any]
    token: Result[Any]
    after: Operand[Any] | None = None

    @property
    def padding(self) -> str:
        """Value of elements outside the array."""
        return _text(self, "padding", "zero") or "zero"

    @total
    def verify_invariants(self) -> bool:
        """Report a load that breaks a rule of tiled accesses or of padding values."""
        if not check_counts(self) or not self.verify_access(self.memref.type, self.tile.type):
            return False
        if self.padding not in PADDINGS:
            expected = ", ".join(PADDINGS)
            return report(
                self,
                f'invalid padding_value attribute specification. Got "{self.padding}"'
                f" but expect one of: {expected}",
            )
        if self.padding != "zero" and not is_float(self.tile.type.element_type):
            return report(
                self,
                "special padding values (nan, pos_inf, neg_inf, neg_zero)"
                " only for float-like element types",
            )
        return True

    @classmethod
    def build(
        cls,
        memref: Any,
        coords: Sequence[Any],
        shape: Sequence[int],
        after: Any = None,
        *,
        padding: str = "zero",
        **where: Any,
    ) -> Any:
        """Build a load of a tile of `shape` and return the op (results: tile, token)."""
        op = cls(
            memref=memref,
            coords=coords,
            tile=ir.RankedTensorType.get(list(shape), memref.type.element_type),
            token=MemTokenType.get(),
            after=after,
            **where,
        )
        op.attributes["padding"] = ir.StringAttr.get(padding)
        return op


class TiledStoreBase(TiledAccessBase, traits=[WritesMemory]):
    """Store one tile, or combine it with the array; elements outside the array are dropped.

    Operands:
        memref: Array to write.
        value: The tile, dims in storage order.
        coords: ELEMENT coordinates of the tile's first element, storage order, outermost first.
        after: Token of what must happen before.

    Results:
        token: Orders later operations after this one.

    Attributes:
        combine: How each element is combined with that of the array, in one atomic step.
    """

    ACCESS = Access(writes=True, combine_attribute=COMBINE)
    WRONG_ATOM = "expect a stg, tma_store, red or tma_reduce atom type"

    memref: Operand[Any]
    value: Operand[Any]
    coords: Sequence[Operand[Any]]
    token: Result[Any]
    after: Operand[Any] | None = None

    @property
    def combine(self) -> str | None:
        """How elements are combined with those of the array; None for a store."""
        return _text(self, COMBINE, None)

    @property
    def atom_kinds(self) -> tuple[str, ...]:
        """Kinds of atoms that do what the operation does."""
        return ("tma_store", "stg") if self.combine is None else ("tma_reduce", "red")

    @total
    def verify_invariants(self) -> bool:
        """Report a store that breaks a rule of tiled accesses."""
        if not (check_counts(self) and self.verify_access(self.memref.type, self.value.type)):
            return False
        message = find_combination_error(self, COMBINE, self.memref.type.element_type)
        return message is None or report(self, message)

    @classmethod
    def build(
        cls, memref: Any, value: Any, coords: Sequence[Any], after: Any = None, **where: Any
    ) -> Any:
        """Build the op and return its token."""
        token = MemTokenType.get()
        return cls(
            memref=memref, value=value, coords=coords, token=token, after=after, **where
        ).token


class CreateMemTokenBase(ext.Operation, traits=[Pure]):
    """Make a token that depends on nothing."""

    token: Result[Any]

    @classmethod
    def build(cls, **where: Any) -> Any:
        """Build the op and return the token."""
        return cls(token=MemTokenType.get(), **where).token


class JoinMemTokenBase(ext.Operation, traits=[Pure]):
    """Make a token that depends on all of `tokens`."""

    tokens: Sequence[Operand[Any]]
    token: Result[Any]

    @total
    def verify_invariants(self) -> bool:
        """Report an empty list."""
        return check_counts(self) and (
            len(self.tokens) > 0 or report(self, "expects at least one token")
        )

    @classmethod
    def build(cls, tokens: Sequence[Any], **where: Any) -> Any:
        """Build the op and return the joined token."""
        return cls(tokens=tokens, token=MemTokenType.get(), **where).token


def _text(op: Any, name: str, default: str | None) -> Any:
    """Return string attribute `name` of `op`, or `default`."""
    return op.attributes[name].value if name in op.attributes else default
