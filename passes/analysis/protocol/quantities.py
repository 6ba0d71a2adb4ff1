"""Numbers and conditions that decide control flow, without MLIR.

A number is linear in what a run knows: the rounds of the loops around, and variables. A variable
stands for a combination of values that only the launch or memory knows, such as the number of
tiles along K. Roles that compute the same values share their variables, so they take the same
branches and run the same rounds; values that differ are free to differ in a run, too.
"""

from tilec.support.fast_dataclasses import dataclass, field

MOST_ROUNDS = 64
"""Rounds that a loop runs at most because something is compared with its bound or its round."""
Values = tuple[int, ...]
"""The values of a variable, one for each round of what it varies with; they repeat."""


@dataclass(frozen=True)
class Variable:
    """A value that is unknown when the kernel is compiled.

    Attributes:
        depths: Depths of the loops from round to round of which it may change.
        flag: Whether it is a truth value: 0 or 1.
        long: Whether it stands for a constant that is too large to run a loop that often.
    """

    depths: tuple[int, ...] = ()
    flag: bool = False
    long: bool = False


@dataclass(frozen=True, eq=False)
class Rounds:
    """Where a run is in the loops of a role.

    Attributes:
        values: The values of each variable. `loop_key` of its number names the one that loops run
            by, where a comparison is with a number of rounds that no run can take.
        variables: What the variables are.
        numbers: The rounds that the loops around are in, by depth.
        ended: Depths of loops around whose condition has just ended them.
        asked: Depths whose round something has asked for.
    """

    values: dict[int, Values]
    variables: tuple[Variable, ...]
    numbers: dict[int, int] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    asked: set[int] = field(default_factory=set)

    def number(self, depth: int) -> int:
        """Return the round that the loop at `depth` is in."""
        self.asked.add(depth)
        return self.numbers.get(depth, 0)

    def value(self, variable: int, *, of_loop: bool = False) -> int:
        """Return the value that a variable has in these rounds, for loops or for comparisons."""
        values = self.values[variable]
        if of_loop:
            values = self.values.get(loop_key(variable), values)
        if len(values) == 1:
            return values[0]
        depths = self.variables[variable].depths
        return values[sum(map(self.number, depths)) % len(values)]


def loop_key(variable: int) -> int:
    """Return the key of the value that loops run by, where it is another one."""
    return -1 - variable


@dataclass(frozen=True)
class Number:
    """An integer: a constant, plus multiples of rounds, of one variable and of choices.

    Attributes:
        constant: The constant.
        rounds: Depth of a loop and coefficient of its round.
        variable: Number of a variable and its coefficient.
        choices: Choices and their coefficients.
    """

    constant: int = 0
    rounds: tuple[tuple[int, int], ...] = ()
    variable: tuple[int, int] | None = None
    choices: tuple[tuple["Choice", int], ...] = ()

    def evaluate(self, rounds: Rounds, *, of_loop: bool = False) -> int:
        """Return the integer in a run, as it counts for loops or for comparisons."""
        total = self.constant
        for depth, factor in self.rounds:
            total += factor * rounds.number(depth)
        if self.variable is not None:
            total += self.variable[1] * rounds.value(self.variable[0], of_loop=of_loop)
        for choice, factor in self.choices:
            total += factor * choice.evaluate(rounds)
        return total


@dataclass(frozen=True)
class Choice:
    """One of two numbers."""

    condition: "Condition"
    then: Number
    otherwise: Number

    def evaluate(self, rounds: Rounds) -> int:
        """Return the number in a run."""
        return (self.then if self.condition.holds(rounds) else self.otherwise).evaluate(rounds)


@dataclass(frozen=True)
class Trips:
    """How often a loop runs: the steps that fit into the distance between its bounds."""

    distance: Number
    step: int = 1

    def of(self, value: int) -> int:
        """Return the number of rounds for a value of the variable, about: rounds count as 0."""
        factor = self.distance.variable[1] if self.distance.variable else 0
        return max(0, -(-(self.distance.constant + factor * value) // self.step))

    def evaluate(self, rounds: Rounds) -> int:
        """Return the number of rounds in a run."""
        return max(0, -(-self.distance.evaluate(rounds, of_loop=True) // self.step))


@dataclass(frozen=True)
class Truth:
    """A condition that is always true, or never."""

    value: bool

    def holds(self, rounds: Rounds) -> bool:
        """Tell whether it holds in a run."""
        return self.value


@dataclass(frozen=True)
class Comparison:
    """Whether `difference` is less than (`slt`), equal to (`eq`), ... zero."""

    predicate: str
    difference: Number

    def holds(self, rounds: Rounds) -> bool:
        """Tell whether it holds in a run."""
        return PREDICATES[self.predicate](self.difference.evaluate(rounds))


@dataclass(frozen=True)
class Combination:
    """Two conditions, combined by `and`, `or` or `xor`."""

    operator: str
    left: "Condition"
    right: "Condition"

    def holds(self, rounds: Rounds) -> bool:
        """Tell whether it holds in a run."""
        return OPERATORS[self.operator](self.left.holds(rounds), self.right.holds(rounds))


@dataclass(frozen=True)
class Goes:
    """Whether the `scf.while` loop at `depth` goes on: true until it ends."""

    depth: int

    def holds(self, rounds: Rounds) -> bool:
        """Tell whether it holds in a run."""
        return self.depth not in rounds.ended


@dataclass(frozen=True)
class Runs:
    """Whether a loop runs at all."""

    trips: Trips

    def holds(self, rounds: Rounds) -> bool:
        """Tell whether it holds in a run."""
        return self.trips.evaluate(rounds) > 0


Condition = Truth | Comparison | Combination | Goes | Runs

PREDICATES = {
    "eq": lambda difference: difference == 0,
    "ne": lambda difference: difference != 0,
    "slt": lambda difference: difference < 0,
    "sle": lambda difference: difference <= 0,
    "sgt": lambda difference: difference > 0,
    "sge": lambda difference: difference >= 0,
}
OPERATORS = {
    "and": lambda left, right: left and right,
    "or": lambda left, right: left or right,
    "xor": lambda left, right: left != right,
}
