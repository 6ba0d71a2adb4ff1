"""Builders for the operations of the llvm and nvvm dialects that tilec emits.

The modules that the bindings generate for these dialects hold 500 classes and take 70 ms to import,
more than lowering a GEMM does; what is needed of them fits here. A builder returns the operation's
result, or the operation where it has none or more. Attributes that are left out get MLIR's
defaults.
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir.bindings import ir, llvm_types
from tilec.ir.integers import i32, i64

DYNAMIC_INDEX = -2147483648
"""Marker of `llvm.getelementptr` for an index that is an operand (LLVM dialect, GEPOp)."""


def operation(
    name: str, operands: Sequence[Any] = (), results: Sequence[Any] = (), **attributes: Any
) -> Any:
    """Create an operation at the insertion point and return it."""
    return ir.Operation.create(name, results, operands, attributes)


def value(name: str, result: Any, operands: Sequence[Any] = (), **attributes: Any) -> Any:
    """Create an operation with one result of type `result` and return that."""
    return ir.Operation.create(name, (result,), operands, attributes).result


def _segments(*counts: int) -> Any:
    return ir.DenseI32ArrayAttr.get(list(counts))


def _alignment(alignment: int | None) -> dict[str, Any]:
    return {} if alignment is None else {"alignment": i64(alignment)}


def pointer_type(space: int = 0) -> Any:
    """Return the pointer type of an address space."""
    return llvm_types.PointerType.get(space)


def struct_type(element: Any, count: int) -> Any:
    """Return the struct type of `count` fields of type `element`.

    It has a name, `f32x64`: LLVM IR spells a literal struct out wherever a field is extracted,
    which was two thirds of the text of examples/attention.tile.
    """
    found = llvm_types.StructType.get_identified(f"{element}x{count}")
    found.set_body([element] * count)
    return found


def getelementptr(pointer: Any, index: Any, element: Any) -> Any:
    """Return the address of element `index` (a Python int, an i32 or an i64) of an array."""
    known = isinstance(index, int)
    return value(
        "llvm.getelementptr",
        pointer.type,
        [pointer] if known else [pointer, index],
        rawConstantIndices=ir.DenseI32ArrayAttr.get([index if known else DYNAMIC_INDEX]),
        elem_type=ir.TypeAttr.get(element),
    )


def load(result: Any, pointer: Any, alignment: int | None = None) -> Any:
    """Return the value of type `result` at `pointer`; alignment in bytes."""
    return value("llvm.load", result, [pointer], **_alignment(alignment))


def store(stored: Any, pointer: Any, alignment: int | None = None) -> None:
    """Store a value at `pointer`; alignment in bytes."""
    operation("llvm.store", [stored, pointer], **_alignment(alignment))


def alloca(element: Any, count: Any) -> Any:
    """Return the address of `count` (i32) elements on the stack."""
    elem_type = ir.TypeAttr.get(element)
    return value("llvm.alloca", pointer_type(), [count], elem_type=elem_type)


def poison(result: Any) -> Any:
    """Return a value of type `result` whose content is undefined."""
    return value("llvm.mlir.poison", result)


def expect(number: Any, expected: Any) -> Any:
    """Return `number`, which LLVM lays out branches for as if it were `expected`."""
    return value("llvm.intr.expect", number.type, [number, expected])


def bitcast(result: Any, operand: Any) -> Any:
    """Return the bits of `operand` as type `result`."""
    return value("llvm.bitcast", result, [operand])


def pointer_to_integer(result: Any, pointer: Any) -> Any:
    """Return an address as a number."""
    return value("llvm.ptrtoint", result, [pointer])


def integer_to_pointer(result: Any, number: Any) -> Any:
    """Return a number as an address."""
    return value("llvm.inttoptr", result, [number])


def extract_element(vector: Any, lane: Any) -> Any:
    """Return element `lane` (i32) of a vector."""
    return value("llvm.extractelement", vector.type.element_type, [vector, lane])


def insert_element(vector: Any, element: Any, lane: Any) -> Any:
    """Return `vector` with another element at `lane` (i32)."""
    return value("llvm.insertelement", vector.type, [vector, element, lane])


def extract_value(result: Any, struct: Any, index: int) -> Any:
    """Return field `index` of a struct, of type `result`."""
    position = ir.DenseI64ArrayAttr.get([index])
    return value("llvm.extractvalue", result, [struct], position=position)


def address_of(result: Any, symbol: str) -> Any:
    """Return the address of a global."""
    return value("llvm.mlir.addressof", result, global_name=ir.FlatSymbolRefAttr.get(symbol))


def inline_asm(
    text: str,
    constraints: str,
    operands: Sequence[Any],
    result: Any = None,
    *,
    has_side_effects: bool,
) -> Any:
    """Emit inline assembly; return its result, None when `result` is."""
    attributes = {
        "asm_string": ir.StringAttr.get(text),
        "constraints": ir.StringAttr.get(constraints),
        "asm_dialect": i64(0),
    }
    if has_side_effects:
        attributes["has_side_effects"] = ir.UnitAttr.get()
    if result is None:
        operation("llvm.inline_asm", operands, **attributes)
        return None
    return value("llvm.inline_asm", result, operands, **attributes)


def call(result: Any, callee: str, operands: Sequence[Any]) -> Any:
    """Call a function with one result."""
    return value(
        "llvm.call",
        result,
        operands,
        callee=ir.FlatSymbolRefAttr.get(callee),
        operandSegmentSizes=_segments(len(operands), 0),
        op_bundle_sizes=_segments(),
    )


def call_intrinsic(result: Any, name: str, operands: Sequence[Any]) -> Any:
    """Call an LLVM intrinsic with one result."""
    return value(
        "llvm.call_intrinsic",
        result,
        operands,
        intrin=ir.StringAttr.get(name),
        operandSegmentSizes=_segments(len(operands), 0),
        op_bundle_sizes=_segments(),
    )


def return_() -> None:
    """Return from the kernel."""
    operation("llvm.return")


def function(name: str, type_: Any, arg_attrs: Any = None) -> Any:
    """Declare a function and return its operation; it has a body once a block is added."""
    attributes = {"sym_name": ir.StringAttr.get(name), "function_type": ir.TypeAttr.get(type_)}
    if arg_attrs is not None:
        attributes["arg_attrs"] = arg_attrs
    return ir.Operation.create("llvm.func", attributes=attributes, regions=1)


def calling_function(name: str, callee: str, result: Any, inputs: Sequence[Any]) -> None:
    """Define a function of this module that calls another one and is never inlined."""
    types = ", ".join(str(item) for item in inputs)
    made = function(name, ir.Type.parse(f"!llvm.func<{result} ({types})>"))
    made.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
    made.attributes["no_inline"] = ir.UnitAttr.get()
    block = made.regions[0].blocks.append(*inputs, arg_locs=[made.location] * len(inputs))
    with ir.InsertionPoint(block):
        operation("llvm.return", [call(result, callee, list(block.arguments))])


def external_array(name: str, type_: Any, space: int, alignment: int) -> None:
    """Declare a global that others define; alignment in bytes."""
    ir.Operation.create(
        "llvm.mlir.global",
        attributes={
            "global_type": ir.TypeAttr.get(type_),
            "sym_name": ir.StringAttr.get(name),
            "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
            "addr_space": i32(space),
            "alignment": i64(alignment),
        },
        regions=1,
    )


def special_register(name: str) -> Any:
    """Return a 32-bit special register of PTX, for example `tid.x`."""
    return value(f"nvvm.read.ptx.sreg.{name}", ir.IntegerType.get_signless(32))


def barrier(identity: Any = None, threads: Any = None) -> None:
    """Synchronise `threads` on named barrier `identity` (both i32), else the whole CTA."""
    operands = [] if identity is None else [identity, threads]
    count = len(operands) // 2
    operation("nvvm.barrier", operands, operandSegmentSizes=_segments(count, count))


def fence_proxy(kind: str, space: str | None = None) -> None:
    """Order ordinary accesses against those of another proxy (PTX ISA, fence.proxy)."""
    attributes = {"kind": ir.Attribute.parse(f"#nvvm.proxy_kind<{kind}>")}
    if space is not None:
        attributes["space"] = ir.Attribute.parse(f"#nvvm.shared_space<{space}>")
    operation("nvvm.fence.proxy", **attributes)


def shuffle(kind: str, mask: Any, number: Any, lane: Any, clamp: Any) -> Any:
    """Return `number`, of 32 bits, of another lane (PTX ISA, shfl.sync).

    Args:
        kind: `idx`: of lane `lane`; `bfly`: of the lane whose number differs by an XOR with `lane`;
            `up` or `down`: of the lane that is `lane` below or above, or its own beyond `clamp`.
        mask: The lanes that take part.
        number: An i32 or f32.
        lane: See `kind`.
        clamp: Last lane of the segment: 31, or 0 for `up`.
    """
    attribute = ir.Attribute.parse(f"#nvvm<shfl_kind {kind}>")
    return value("nvvm.shfl.sync", number.type, [mask, number, lane, clamp], kind=attribute)


def ballot(mask: Any, condition: Any) -> Any:
    """Return the lanes in which a condition (i1) holds, as bits of an i32 (PTX ISA, vote.sync).

    Args:
        mask: The lanes that take part.
        condition: What they tell.
    """
    kind = ir.Attribute.parse("#nvvm<vote_sync_kind ballot>")
    word = ir.IntegerType.get_signless(32)
    return value("nvvm.vote.sync", word, [mask, condition], kind=kind)


def set_max_register(count: int, action: str) -> None:
    """Set the registers of the warpgroup's threads; `increase` or `decrease`."""
    kind = ir.Attribute.parse(f"#nvvm<action {action}>")
    operation("nvvm.setmaxregister", regCount=i32(count), action=kind)


def store_matrices(row: Any, words: Sequence[Any], layout: str) -> None:
    """Store 8x8 matrices of 16-bit elements (PTX ISA, stmatrix); `layout` is `row` or `col`."""
    operation(
        "nvvm.stmatrix",
        [row, *words],
        layout=ir.Attribute.parse(f"#nvvm.mma_layout<{layout}>"),
        shape=ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
        eltType=ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>"),
    )


def load_matrices(row: Any, count: int, layout: str) -> Any:
    """Load 8x8 matrices of 16-bit elements (PTX ISA, ldmatrix): an i32, or a struct of them.

    Args:
        row: Address of the row that this lane names.
        count: 1, 2 or 4.
        layout: `row`, or `col` to transpose them.
    """
    word = ir.IntegerType.get_signless(32)
    words = ", ".join(["i32"] * count)
    return value(
        "nvvm.ldmatrix",
        word if count == 1 else ir.Type.parse(f"!llvm.struct<({words})>"),
        [row],
        num=i32(count),
        layout=ir.Attribute.parse(f"#nvvm.mma_layout<{layout}>"),
        shape=ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
        eltType=ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>"),
    )


def tma_load(
    destination: Any,
    descriptor: Any,
    coords: Sequence[Any],
    barrier_address: Any,
    *,
    multicast_mask: Any = None,
    predicate: Any = None,
) -> None:
    """Start the copy of a box into shared memory of the cluster."""
    optional = [item for item in (multicast_mask, predicate) if item is not None]
    operation(
        "nvvm.cp.async.bulk.tensor.shared.cluster.global",
        [destination, descriptor, *coords, barrier_address, *optional],
        operandSegmentSizes=_segments(
            1, 1, len(coords), 1, 0, multicast_mask is not None, 0, predicate is not None
        ),
    )


def tma_store(descriptor: Any, source: Any, coords: Sequence[Any], predicate: Any = None) -> None:
    """Start the copy of a box out of shared memory."""
    optional = [] if predicate is None else [predicate]
    operation(
        "nvvm.cp.async.bulk.tensor.global.shared.cta",
        [descriptor, source, *coords, *optional],
        operandSegmentSizes=_segments(1, 1, len(coords), 0, len(optional)),
    )
