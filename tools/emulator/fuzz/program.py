"""Random programs as typed trees: what is drawn, printed, evaluated and shrunk.

An `Expression` knows its element type and its shape (`()` for a scalar). Statements are those of
the language. A `Program` is a kernel together with the arguments of one call.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Expression:
    """One operation on other expressions.

    Attributes:
        op: What it does: a key of `printing.FORMS` and of `evaluation.RULES`.
        args: Operands.
        dtype: Element type of the result; for a number, the type that it takes.
        shape: Shape of the result; `()` for a scalar.
        value: What else the operation needs: a number, a name, an operator, an `Access`.
    """

    op: str
    args: tuple["Expression", ...]
    dtype: str
    shape: tuple[int, ...]
    value: Any = None

    def names(self) -> Iterator[str]:
        """Yield the variables that it reads."""
        if self.op == "name":
            yield self.value
        for item in self.args:
            yield from item.names()

    def size(self) -> int:
        """Return the number of operations."""
        return 1 + sum(item.size() for item in self.args)


@dataclass(frozen=True)
class Access:
    """How a load or store reaches memory.

    Attributes:
        array: Name of the array.
        pad: What a load gives outside; None for the default.
        allow_tma: Whether it may use TMA.
        dim_map: Array axis of each axis of the tile, for an access through a view; None for one
            that names the array.
    """

    array: str
    pad: float | None = None
    allow_tma: bool = True
    dim_map: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Elements:
    """How a gather, a scatter or an atomic operation reaches single elements.

    The expressions that belong to it are, in this order: an index for each axis of the array, the
    mask if there is one, the padding if there is one, the values if there are any.

    Attributes:
        array: Name of the array.
        rank: Its axes.
        masked: Whether there is a mask.
        padded: Whether there is a padding.
        order: Memory order; empty for the default.
    """

    array: str
    rank: int
    masked: bool = False
    padded: bool = False
    order: str = ""


@dataclass(frozen=True)
class Fold:
    """A reduction or a scan along axes of a tile.

    Attributes:
        call: The builtin: `sum`, `argmax`, `cumsum`, `reduce`, ...
        axes: The axes; None for all of them.
        keepdims: Whether a reduction leaves extents of 1.
        reverse: Whether a scan runs from the end.
        propagate: Whether a NaN wins in `max` and `min`.
        function: Key of `combining.FUNCTIONS`, for `reduce` and `scan`.
        part: Which result of several is used.
    """

    call: str
    axes: tuple[int, ...] | None
    keepdims: bool = False
    reverse: bool = False
    propagate: bool = False
    function: str = ""
    part: int = 0


@dataclass(frozen=True)
class Assign:
    """`target = value`."""

    target: str
    value: Expression


@dataclass(frozen=True)
class Store:
    """`store(array, index, tile)`.

    Attributes:
        access: Which array, and how.
        index: Which tile.
        tile: What is stored.
        atomic: Name of the atomic operation that combines it with the array, such as `atomic_add`
            for `atomic_store_add`; empty for `store`.
    """

    access: Access
    index: tuple[Expression, ...]
    tile: Expression
    atomic: str = ""


@dataclass(frozen=True)
class Scatter:
    """`scatter(array, indices, value)`, or an atomic operation in its place.

    Attributes:
        elements: The elements; `args` are its expressions.
        args: Indices, mask, values.
        atomic: Name of the atomic operation, such as `atomic_add`; empty for `scatter`.
        target: Variable that gets what the elements were; empty if nothing needs it.
        dtype: Element type of the array.
        shape: Shape of the elements.
    """

    elements: Elements
    args: tuple[Expression, ...]
    atomic: str
    target: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class For:
    """`for counter in range(*bounds)`.

    Attributes:
        counter: The loop variable.
        bounds: One to three bounds.
        body: What is repeated.
        static: Whether the compiler unrolls it: `static_range`.
    """

    counter: str
    bounds: tuple[Expression, ...]
    body: tuple["Statement", ...]
    static: bool = False


@dataclass(frozen=True)
class While:
    """A loop that counts by itself: `counter = 0`, then `while counter < limit`."""

    counter: str
    limit: Expression
    body: tuple["Statement", ...]


@dataclass(frozen=True)
class If:
    """A branch on a scalar condition."""

    condition: Expression
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...] = ()


@dataclass(frozen=True)
class Jump:
    """`break`, `continue` or `return`.

    Attributes:
        word: The statement.
    """

    word: str


Statement = Assign | Store | Scatter | For | While | If | Jump


@dataclass(frozen=True)
class Layout:
    """How an array lies in memory.

    Attributes:
        order: Its axes, the one whose elements are neighbours last; empty for row-major.
        step: Distance of neighbours in elements.
        padding: Elements by which a row is longer than the next multiple of 16 bytes.
        shift: Elements between a multiple of 16 bytes and the start of the array.
        repeated: Axes with stride 0.
        backwards: Axes with a negative stride.
        alias: Array in whose memory this one lies, from its element `shift` on; empty for memory
            of its own.
    """

    order: tuple[int, ...] = ()
    step: int = 1
    padding: int = 0
    shift: int = 0
    repeated: tuple[int, ...] = ()
    backwards: tuple[int, ...] = ()
    alias: str = ""


@dataclass(frozen=True)
class Array:
    """An array parameter.

    Attributes:
        name: Its name.
        dtype: Its element type.
        dims: Name of each extent, or a number.
        layout: How it lies in memory.
        data: Which values it holds: a key of `memory.DATA`.
        owned: For an array that is written: for each axis the coordinate of the grid along which
            blocks share it, how many elements each block has, and by how many blocks they are
            shifted; None for an axis that every block has whole. Empty for one that is only read.
        counted: Atomic operation by which all blocks change any of its elements, and which is the
            only access to it; empty for all other arrays.
    """

    name: str
    dtype: str
    dims: tuple[str | int, ...]
    layout: Layout = Layout()
    data: str = "small"
    owned: tuple[tuple[int, int, int] | None, ...] = ()
    counted: str = ""


@dataclass(frozen=True)
class Scalar:
    """A scalar parameter and its argument."""

    name: str
    dtype: str
    value: float


@dataclass(frozen=True)
class Program:
    """A kernel and the arguments of one call.

    Attributes:
        seed: What it was drawn from; it also decides the data and the first schedule.
        arrays: Array parameters.
        scalars: Scalar parameters.
        grid: Extents of the grid.
        body: Statements after the grid.
        sizes: Extent of each named dim.
        plan: Fields of the plan that are fixed.
        multiprocessors: SMs of the device.
    """

    seed: int
    arrays: tuple[Array, ...]
    scalars: tuple[Scalar, ...]
    grid: tuple[Expression, ...]
    body: tuple[Statement, ...]
    sizes: dict[str, int] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    multiprocessors: int = 2

    def array(self, name: str) -> Array:
        """Return an array by its name."""
        return next(item for item in self.arrays if item.name == name)

    def shape(self, array: Array) -> tuple[int, ...]:
        """Return the extents of an array."""
        return tuple(dim if isinstance(dim, int) else self.sizes[dim] for dim in array.dims)


COORDINATES = ("m", "n", "p")
"""Names of the coordinates of a block."""
I32 = "i32"


def number(value: float, dtype: str) -> Expression:
    """Return a number of the source that takes type `dtype`."""
    return Expression("number", (), dtype, (), value)


def name(text: str, dtype: str, shape: tuple[int, ...] = ()) -> Expression:
    """Return a use of a variable, a parameter or a dim."""
    return Expression("name", (), dtype, shape, text)


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield all statements of a body, those of loops and branches included."""
    for item in body:
        yield item
        for block in blocks(item):
            yield from statements(block)


def blocks(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """Return the bodies of a statement."""
    if isinstance(statement, For | While):
        return (statement.body,)
    if isinstance(statement, If):
        return (statement.then, statement.otherwise)
    return ()


def expressions(statement: Statement) -> tuple[Expression, ...]:
    """Return the expressions of a statement, but not those of its bodies."""
    if isinstance(statement, Assign):
        return (statement.value,)
    if isinstance(statement, Store):
        return (*statement.index, statement.tile)
    if isinstance(statement, Scatter):
        return statement.args
    if isinstance(statement, For):
        return statement.bounds
    if isinstance(statement, While):
        return (statement.limit,)
    if isinstance(statement, If):
        return (statement.condition,)
    return ()


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and everything inside it."""
    yield expression
    for item in expression.args:
        yield from subexpressions(item)


def accesses(program: Program) -> Iterator[tuple[Access | Elements, bool]]:
    """Yield every access of a program, and whether it stores."""
    for statement in statements(program.body):
        if isinstance(statement, Store):
            yield statement.access, True
        elif isinstance(statement, Scatter):
            yield statement.elements, True
        for top in expressions(statement):
            for item in subexpressions(top):
                if item.op in ("load", "gather"):
                    yield item.value, False
