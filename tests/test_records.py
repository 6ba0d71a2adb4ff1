"""Dataclasses of tilec: everything the standard ones do that tilec relies on."""

import copy
import dataclasses
import pickle
from functools import cached_property

import pytest

from tilec.support.fast_dataclasses import dataclass, field, field_names, replace


@dataclass(frozen=True, slots=True)
class Point:
    """Frozen, with slots."""

    x: int
    y: int = 2


@dataclass(frozen=True, slots=True)
class Labelled(Point):
    """Adds a field to another."""

    label: str = "none"


@dataclass
class Bag:
    """Mutable, with a default that is made anew."""

    items: list[int] = field(default_factory=list)
    size: int = 0


@dataclass(frozen=True)
class Doubled:
    """Frozen, with a check and a cached property."""

    number: int

    def __post_init__(self) -> None:
        """Refuse negative numbers."""
        if self.number < 0:
            raise ValueError("negative")

    @cached_property
    def twice(self) -> int:
        """Twice the number."""
        return 2 * self.number


@dataclass(slots=True, eq=False)
class Named:
    """Compared by identity."""

    name: str


STANDARD_POINT = dataclasses.make_dataclass(
    "Point", [("x", int), ("y", int, 2)], frozen=True, slots=True
)


def test_values_and_defaults():
    assert (Point(1).x, Point(1).y) == (1, 2)
    assert (Point(y=4, x=3).x, Point(y=4, x=3).y) == (3, 4)
    assert repr(Labelled(1, 3)) == "Labelled(x=1, y=3, label='none')"
    assert Bag().items is not Bag().items
    assert Bag([1]).items == [1]


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=3)  # pyright: ignore[reportCallIssue]


def test_many_instances_are_made_like_the_first_ones():
    @dataclass(frozen=True)
    class Pair:
        first: int
        second: list[int] = field(default_factory=list)

    pairs = [Pair(0) if number % 2 else Pair(first=0) for number in range(100)]
    assert all(pair == Pair(0, []) for pair in pairs)
    assert len({id(pair.second) for pair in pairs}) == len(pairs)
    with pytest.raises(TypeError, match="first"):
        Pair()  # pyright: ignore[reportCallIssue]


def test_equality_and_hashes_follow_the_fields():
    assert Point(1) == Point(1, 2) != Point(1, 3)
    assert Point(1) != Labelled(1)
    assert hash(Point(1)) == hash(Point(1, 2)) == hash(STANDARD_POINT(1))
    assert Named("a") != Named("a")
    assert len({Named("a"), Named("a")}) == 2
    assert Bag() == Bag()
    with pytest.raises(TypeError, match="unhashable"):
        hash(Bag())


def test_frozen_instances_refuse_changes():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 3  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x  # pyright: ignore[reportAttributeAccessIssue]
    bag = Bag()
    bag.size = 3
    assert bag.size == 3


def test_slots_leave_no_dict():
    assert not hasattr(Labelled(1), "__dict__")
    with pytest.raises(AttributeError):
        Named("a").other = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_post_init_and_cached_properties():
    assert Doubled(2).twice == 4
    with pytest.raises(ValueError, match="negative"):
        Doubled(-1)


def test_functions_of_dataclasses_take_them():
    assert dataclasses.is_dataclass(Point)
    assert [item.name for item in dataclasses.fields(Labelled)] == ["x", "y", "label"]
    assert dataclasses.replace(Labelled(1), y=5) == Labelled(1, 5)
    assert dataclasses.asdict(Bag([1], 2)) == {"items": [1], "size": 2}


def test_names_of_fields():
    assert field_names(Labelled) == ("x", "y", "label")


def test_replacing_fields():
    assert replace(Labelled(1), y=5) == Labelled(1, 5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        replace(Point(1), z=5)


def test_copies_and_pickles():
    for value in (Labelled(1, 2, "a"), Doubled(3), Bag([1])):
        assert copy.deepcopy(value) == value
        assert pickle.loads(pickle.dumps(value)) == value


def test_patterns_match_by_position():
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)


def test_a_subclass_inherits_the_constructor():
    class Plain(Point):
        """Has no fields of its own."""

    assert Plain(7).x == 7
    assert isinstance(Plain(7), Plain)


def test_mistakes_in_a_definition():
    with pytest.raises(ValueError, match="default_factory"):

        @dataclass
        class _Shared:
            items: list[int] = []  # noqa: RUF012 - the mistake

    with pytest.raises(TypeError, match="'b' without a default follows 'a'"):

        @dataclass
        class _Order:
            a: int = 1
            b: str  # pyright: ignore[reportGeneralTypeIssues]

    with pytest.raises(TypeError, match="standard dataclass"):

        @dataclass
        class _Mixed(dataclasses.make_dataclass("Standard", [("a", int)])):
            b: int
