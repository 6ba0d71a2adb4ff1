"""Dataclasses that cost little to define.

`dataclasses.dataclass` compiles up to six methods for every class, which takes about 0.6 ms. The
160 classes that a compilation imports would take a tenth of all its time, most of them for methods
that are never called. Here the methods are closures over the field names, and `__init__`, whose
speed counts, is compiled once a class has many instances. Otherwise a class behaves as the standard
decorator makes it, and the functions of `dataclasses` (`replace`, `fields`, `asdict`) take it.

Use this one in what a compilation imports. Classes inherit from each other within one kind only.
"""

import dataclasses
import itertools
import operator
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from reprlib import recursive_repr
from typing import Any, NamedTuple, TypeVar, dataclass_transform, overload

__all__ = ["dataclass", "field", "field_names", "replace"]

_Class = TypeVar("_Class", bound=type)
_Instance = TypeVar("_Instance")
_SPECS = "__record_specs__"
"""Class attribute that holds the fields."""
_TABLE = "__dataclass_fields__"
"""Class attribute in which `dataclasses` looks for fields."""
_UNCOMPILED_INSTANCES = 32
"""How many instances of a class are made without compiled code. Compiling takes 60 to 190 us, an
instance 1 us with compiled code and 4 us without; of the 125 classes that a compilation makes
instances of, 108 have no more."""


class _Spec(NamedTuple):
    """A field: its annotation, and its default or what makes one (`MISSING`: neither)."""

    annotation: Any
    default: Any
    factory: Any

    @property
    def is_optional(self) -> bool:
        """Whether the constructor may be called without it."""
        return self.default is not MISSING or self.factory is not MISSING


@overload
def dataclass(cls: _Class, /) -> _Class: ...
@overload
def dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Callable[[_Class], _Class]: ...
@dataclass_transform(field_specifiers=(field,))
def dataclass(
    cls: Any = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Any:
    """Add the methods of a dataclass to a class: the standard decorator, with fewer options.

    Args:
        cls: The class.
        frozen: Refuse assignments; with `eq`, make instances hashable.
        slots: Give instances slots, no dict. The class is made anew.
        eq: Compare instances by their fields.
    """

    def decorate(plain: type) -> type:
        return _decorate(plain, frozen, slots, eq)

    return decorate if cls is None else decorate(cls)


def field_names(cls: type) -> tuple[str, ...]:
    """Return the names of the fields of a class, in order."""
    return tuple(getattr(cls, _SPECS))


def replace(instance: _Instance, /, **changes: Any) -> _Instance:
    """Return a copy of `instance` with other values in some fields."""
    cls = type(instance)
    for name in getattr(cls, _SPECS):
        if name not in changes:
            changes[name] = getattr(instance, name)
    return cls(**changes)


def _decorate(cls: type, frozen: bool, slots: bool, eq: bool) -> type:
    own = _own_specs(cls)
    specs: dict[str, _Spec] = {}
    for base in reversed(cls.__mro__[1:]):
        if _TABLE in vars(base) and _SPECS not in vars(base):
            raise TypeError(f"{cls.__name__} inherits from the standard dataclass {base.__name__}")
        specs.update(vars(base).get(_SPECS, {}))
    specs.update(own)
    _check_order(cls, specs)
    if slots:
        cls = _with_slots(cls, own)
    for name, method in _methods(cls, specs, frozen, slots, eq).items():
        setattr(cls, name, method)
    return cls


def _own_specs(cls: type) -> dict[str, _Spec]:
    """Return the fields that the body of `cls` declares; `field(...)` leaves the class."""
    specs: dict[str, _Spec] = {}
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        value = vars(cls).get(name, MISSING)
        if isinstance(value, Field):
            specs[name] = _Spec(annotation, value.default, value.default_factory)
            delattr(cls, name)
            if value.default is not MISSING:
                setattr(cls, name, value.default)
            continue
        if type(value).__hash__ is None:
            raise ValueError(f"{cls.__name__}.{name}: a mutable default needs a default_factory")
        specs[name] = _Spec(annotation, value, MISSING)
    return specs


def _check_order(cls: type, specs: dict[str, _Spec]) -> None:
    optional = ""
    for name, spec in specs.items():
        if spec.is_optional:
            optional = name
        elif optional:
            raise TypeError(f"{cls.__name__}: '{name}' without a default follows '{optional}'")


def _with_slots(cls: type, own: dict[str, _Spec]) -> type:
    """Return `cls` made anew with slots for its own fields."""
    inherited = {slot for base in cls.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    namespace = {
        name: value
        for name, value in vars(cls).items()
        if name not in own and name not in ("__dict__", "__weakref__")
    }
    namespace["__slots__"] = tuple(name for name in own if name not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _methods(
    cls: type, specs: dict[str, _Spec], frozen: bool, slots: bool, eq: bool
) -> dict[str, Any]:
    """Return what the decorator adds to `cls`; what its body defines stays."""
    values = _reader(tuple(specs))
    explicit_hash = vars(cls).get("__hash__", MISSING)
    has_hash = not (explicit_hash is MISSING or (explicit_hash is None and "__eq__" in vars(cls)))
    methods: dict[str, Any] = {
        "__init__": _initializer(cls, specs, frozen),
        "__repr__": _representation(tuple(specs)),
    }
    if eq:
        methods["__eq__"] = _equality(values)
    methods = {name: method for name, method in methods.items() if name not in vars(cls)}
    if eq and not has_hash:
        methods["__hash__"] = _hash(values) if frozen else None
    if frozen:
        methods |= _guards(cls, specs)
    if frozen and slots:
        methods |= _pickling(tuple(specs), values)
    match_args = vars(cls).get("__match_args__", tuple(specs))
    return {**methods, _SPECS: specs, _TABLE: _FieldTable(), "__match_args__": match_args}


class _FieldTable:
    """Stands for the table of fields that `dataclasses` reads, until something reads it."""

    def __get__(self, instance: object, owner: Any) -> Any:
        """Make the table and put it in its place."""
        specs: dict[str, _Spec] = getattr(owner, _SPECS)
        columns = [(name, spec.annotation, _standard_field(spec)) for name, spec in specs.items()]
        twin = dataclasses.make_dataclass(owner.__name__, columns, init=False, repr=False, eq=False)
        table = getattr(twin, _TABLE)
        setattr(owner, _TABLE, table)
        return table


def _standard_field(spec: _Spec) -> Any:
    if spec.factory is not MISSING:
        return field(default_factory=spec.factory)
    return field(default=spec.default) if spec.default is not MISSING else field()


def _reader(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function from an instance to its fields."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _initializer(cls: type, specs: dict[str, _Spec], frozen: bool) -> Any:
    """Return an `__init__` that puts compiled code in its own place when instances are many."""
    numbers = itertools.count()
    put = object.__setattr__ if frozen else setattr

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes one
        values = _bind(specs, args, kwargs) if next(numbers) < _UNCOMPILED_INSTANCES else None
        if values is None:
            compiled = _compile_initializer(cls, specs, frozen)
            if vars(cls).get("__init__") is __init__:
                setattr(cls, "__init__", compiled)  # noqa: B010 - type checkers refuse it else
            compiled(self, *args, **kwargs)
            return
        for name, value in values.items():
            put(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()

    return __init__


def _bind(
    specs: dict[str, _Spec], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the value of every field; None when the arguments are not the right ones.

    What is wrong with them the compiled code says, in Python's own words.
    """
    values = dict(zip(specs, args, strict=False), **kwargs)
    if len(values) != len(args) + len(kwargs):
        return None
    for name, spec in specs.items():
        if name not in values:
            if not spec.is_optional:
                return None
            values[name] = spec.default if spec.factory is MISSING else spec.factory()
    return values if len(values) == len(specs) else None


def _compile_initializer(cls: type, specs: dict[str, _Spec], frozen: bool) -> Any:
    given: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    parameters, lines = ["self"], []
    for name, spec in specs.items():
        value = name
        if spec.factory is not MISSING:
            given[f"_make_{name}"] = spec.factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif spec.default is not MISSING:
            given[f"_default_{name}"] = spec.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", given)
    compiled = given["__init__"]
    compiled.__qualname__ = f"{cls.__qualname__}.__init__"
    return compiled


def _representation(names: tuple[str, ...]) -> Any:
    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes one
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({fields})"

    return __repr__


def _equality(values: Callable[[Any], tuple[Any, ...]]) -> Any:
    def __eq__(self: Any, other: Any) -> Any:  # noqa: N807 - it becomes one
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Any:
    def __hash__(self: Any) -> int:  # noqa: N807 - it becomes one
        return hash(values(self))

    return __hash__


def _guards(cls: type, specs: dict[str, _Spec]) -> dict[str, Any]:
    """Return the methods that refuse assignments; plain subclasses may have more attributes."""

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807 - it becomes one
        if type(self) is cls or name in specs:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807 - it becomes one
        if type(self) is cls or name in specs:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}


def _pickling(names: tuple[str, ...], values: Callable[[Any], tuple[Any, ...]]) -> dict[str, Any]:
    """Return the methods that copy and restore slots that refuse assignments."""

    def __getstate__(self: Any) -> tuple[Any, ...]:  # noqa: N807 - it becomes one
        return values(self)

    def __setstate__(self: Any, state: tuple[Any, ...]) -> None:  # noqa: N807 - it becomes one
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": __getstate__, "__setstate__": __setstate__}
