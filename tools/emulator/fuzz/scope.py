"""What a program that is being drawn can use at a place: variables, limits, chances."""

from dataclasses import dataclass, field, replace
from random import Random

from tools.emulator.fuzz.program import I32, Access, Array, Expression, name
from tools.emulator.fuzz.values import FLOATS, INTEGERS, RESTRICTED

ALL = ("bool", *INTEGERS, *FLOATS, *RESTRICTED)
ARITHMETIC = (*INTEGERS, *FLOATS)


@dataclass(frozen=True)
class Variable:
    """A variable that can be read.

    Attributes:
        name: Its name.
        dtype: Its element type.
        shape: Its shape; `()` for a scalar.
        fixed: Whether it cannot be assigned: parameters, dims, counters.
        counts: Whether it is an integer that is never negative and small.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    fixed: bool = False
    counts: bool = False

    @property
    def use(self) -> Expression:
        """An expression that reads it."""
        return name(self.name, self.dtype, self.shape)


@dataclass
class Budget:
    """What may still be drawn: it bounds how long a program takes to compile and to run.

    Attributes:
        operations: Operations on tiles.
        functions: Calls of functions whose code is long.
    """

    operations: int = 60
    functions: int = 4


@dataclass(frozen=True)
class Place:
    """A tile of an array that was accessed: accesses that meet are the ones to order."""

    access: Access
    index: tuple[Expression, ...]
    shape: tuple[int, ...]


@dataclass
class Scope:
    """A place in a program that is being drawn.

    Attributes:
        random: Decides.
        arrays: Parameters.
        variables: What can be read.
        budget: What may still be drawn in the whole program.
        depth: Loops and branches around it.
        counter: Number of the last name, of the whole program.
        places: Tiles that were accessed so far.
        width: Usual extent of tiles along an axis that blocks do not share.
        counted: Arrays that all blocks change by atomic operations.
        mostly_elements: Whether most statements access single elements.
        loop: The innermost loop: `for`, `while` or `static`; empty outside of loops.
    """

    random: Random
    arrays: list[Array]
    variables: list[Variable] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)
    depth: int = 0
    counter: list[int] = field(default_factory=lambda: [0])
    places: list[Place] = field(default_factory=list)
    width: int = 16
    counted: tuple[Array, ...] = ()
    mostly_elements: bool = False
    loop: str = ""

    def inner(self, loop: str = "") -> "Scope":
        """Return the scope of a body: what it declares is unknown outside."""
        return replace(
            self,
            variables=list(self.variables),
            depth=self.depth + 1,
            places=list(self.places),
            loop=loop or self.loop,
        )

    def fresh(self, prefix: str) -> str:
        """Return a name that is not taken."""
        self.counter[0] += 1
        return f"{prefix}{self.counter[0]}"

    def declare(self, variable: Variable) -> None:
        """Make a variable known."""
        self.variables.append(variable)

    def scalars(self, dtype: str = I32) -> list[Variable]:
        """Return the scalars of a type."""
        return [item for item in self.variables if not item.shape and item.dtype == dtype]

    def tiles(
        self, dtype: str | None = None, shape: tuple[int, ...] | None = None
    ) -> list[Variable]:
        """Return the tiles of a type and of a shape."""
        return [
            item
            for item in self.variables
            if item.shape
            and (dtype is None or item.dtype == dtype)
            and (shape is None or item.shape == shape)
        ]

    def chance(self, likely: float) -> bool:
        """Decide something."""
        return self.random.random() < likely
