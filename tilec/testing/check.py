"""Checking a kernel against an independent NumPy function: inputs, comparison, summary.

Next to `examples/matmul.tile` lies `examples/matmul.py`, which knows nothing of tilec. It holds

* `reference(...)`: takes input arrays, scalars and constants by their parameter names (only those
  it names) and returns output name -> array;
* `SIZES`: default extents of the named dims; `CASES`: more of them, odd ones included;
* optional `LAYOUTS` (array -> layout, each entry a variant; arrays that are not named are `row`),
  `LAYOUT_CONSTANTS` (constant -> value, in these variants),
  `CONSTANTS` (constant -> value, each entry a variant; the others keep their defaults), `DTYPES`
  (dtype parameter -> element type; the first entry is the default), `SCALARS` (defaults), `SUMMED`
  (output -> name of the dim that is summed over), `ROUNDINGS` (output -> error that approximations
  may add, in roundings of f32), `STATE` (names of arrays in which the kernel leaves what is no
  result), and `inputs(**sizes)`, which gives arrays that shall not be random.

No MLIR and no driver is imported here: the CPU reference and the GPU are both checked with this.
"""

import importlib.util
import inspect
import math
import os
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tilec.request.specialization import MAX_EXTENT
from tilec.support.diagnostics import CompileError, error
from tilec.support.dtypes import DTYPES
from tilec.support.numpy_types import NUMPY_BY_NAME
from tilec.testing.compare import CheckResult, Comparison, compare, compare_array, tolerance
from tilec.testing.host_arrays import HostArray, make_array

__all__ = [
    "Arguments",
    "CheckResult",
    "Comparison",
    "Example",
    "HostArray",
    "Variant",
    "compare",
    "compare_array",
    "load_example",
    "make_arguments",
    "make_array",
    "tolerance",
]


@dataclass(frozen=True)
class Arguments:
    """Arguments of one run.

    Attributes:
        arrays: By parameter name, in declaration order.
        scalars: By parameter name.
    """

    arrays: Mapping[str, HostArray]
    scalars: Mapping[str, Any] = field(default_factory=dict)

    def copy(self) -> "Arguments":
        """Return the same arguments in fresh memory."""
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        return Arguments(arrays, dict(self.scalars))

    def data(self) -> dict[str, np.ndarray]:
        """Return the arrays as NumPy arrays by name."""
        return {name: array.data for name, array in self.arrays.items()}

    def poison(self, names: Iterable[str]) -> None:
        """Fill arrays that are only written with bytes that no kernel writes."""
        for name in names:
            self.arrays[name].poison()


@dataclass(frozen=True)
class Variant:
    """One way to call an example.

    Attributes:
        sizes: Extents by dim name.
        layouts: Layout by array name; the others are `row`.
        dtypes: Element type by dtype parameter.
        constants: Value by constant; the others keep their defaults.
    """

    sizes: Mapping[str, int]
    layouts: Mapping[str, str] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return a short name, for test reports."""
        parts = {**self.sizes, **self.layouts, **self.dtypes, **self.constants}
        return ",".join(f"{name}={value}" for name, value in parts.items())


@dataclass(frozen=True)
class Example:
    """The module next to a `.tile` file: its NumPy function and the sizes to try."""

    reference: Callable[..., Mapping[str, np.ndarray]]
    sizes: Mapping[str, int] = field(default_factory=dict)
    cases: Sequence[Mapping[str, int]] = ()
    layouts: Sequence[Mapping[str, str]] = ()
    layout_constants: Mapping[str, Any] = field(default_factory=dict)
    dtypes: Sequence[Mapping[str, str]] = ()
    constants: Sequence[Mapping[str, Any]] = ()
    scalars: Mapping[str, Any] = field(default_factory=dict)
    summed: Mapping[str, str] = field(default_factory=dict)
    roundings: Mapping[str, int] = field(default_factory=dict)
    state: Sequence[str] = ()
    inputs: Callable[..., Mapping[str, np.ndarray]] | None = None

    def expected(
        self, arguments: Arguments, constants: Mapping[str, Any] | None = None
    ) -> dict[str, np.ndarray]:
        """Return the outputs that the NumPy function gives for `arguments`, inputs untouched.

        Raises:
            CompileError: The function fails, or returns something else than outputs (T0012).
        """
        values = {**(constants or {}), **arguments.scalars, **arguments.copy().data()}
        # Inputs are contiguous here: BLAS and NumPy are slow on strange strides.
        given = {
            name: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }
        shapes = {name: array.shape for name, array in arguments.arrays.items()}
        return _arrays_of(self.reference, given, shapes)

    def variants(self) -> list[Variant]:
        """Return what a thorough test calls: sizes, layouts, element types, constants.

        Each is called once or more, all but the sizes at the last size, which is an odd one.
        """
        usual = self.dtypes[0] if self.dtypes else {}
        last = self.cases[-1] if self.cases else self.sizes
        return [
            *[Variant(sizes, {}, usual) for sizes in (self.sizes, *self.cases)],
            *[Variant(last, layouts, usual, self.layout_constants) for layouts in self.layouts],
            *[Variant(last, {}, dtypes) for dtypes in self.dtypes[1:]],
            *[Variant(last, {}, usual, constants) for constants in self.constants],
        ]

    def terms(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Return how many roundings each output allows: those of its sum and its approximations."""
        summed = {name: sizes.get(dim, 1) for name, dim in self.summed.items()}
        names = dict.fromkeys((*summed, *self.roundings))
        return {name: summed.get(name, 1) + self.roundings.get(name, 0) for name in names}


def load_example(tile_path: str | Path) -> Example | None:
    """Load the module next to a `.tile` file, which has its name with `.py`; None without one.

    Raises:
        CompileError: The module cannot be imported or has no `reference`.
    """
    path = Path(tile_path).with_suffix(".py")
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location(f"tilec_example_{path.stem}", path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as failure:  # the file is the user's: whatever it raises is a diagnostic
        message = f"{path} cannot be imported: {type(failure).__name__}: {failure}"
        raise CompileError(error("T0012", message)) from failure
    if not callable(getattr(module, "reference", None)):
        raise CompileError(error("T0012", f"{path} has no function 'reference'"))
    return example_of(module)


def example_of(module: Any) -> Example:
    """Return what an imported module with a function `reference` says about its kernel."""
    return Example(
        reference=module.reference,
        sizes=getattr(module, "SIZES", {}),
        cases=getattr(module, "CASES", ()),
        layouts=getattr(module, "LAYOUTS", ()),
        layout_constants=getattr(module, "LAYOUT_CONSTANTS", {}),
        dtypes=getattr(module, "DTYPES", ()),
        constants=getattr(module, "CONSTANTS", ()),
        scalars=getattr(module, "SCALARS", {}),
        summed=getattr(module, "SUMMED", {}),
        roundings=getattr(module, "ROUNDINGS", {}),
        state=getattr(module, "STATE", ()),
        inputs=getattr(module, "inputs", None),
    )


def _arrays_of(
    function: Callable[..., Any],
    given: Mapping[str, Any],
    shapes: Mapping[str, tuple[int, ...]],
    *,
    broadcast: bool = False,
) -> dict[str, np.ndarray]:
    """Call a function of the user with those of `given` that it names; return its arrays by name.

    Raises:
        CompileError: It fails, wants something else, or returns something else (T0012).
    """
    name = getattr(function, "__name__", "reference")
    parameters = inspect.signature(function).parameters.values()
    fixed = [item for item in parameters if item.kind not in _MORE]
    missing = [item.name for item in fixed if item.name not in given and item.default is item.empty]
    if missing:
        message = f"'{name}' wants '{missing[0]}', which the kernel does not have"
        raise _unusable(message, f"it can have: {', '.join(given)}")
    try:
        found = function(**{item.name: given[item.name] for item in fixed if item.name in given})
    except Exception as failure:  # the function is the user's: whatever it raises is a diagnostic
        raise _unusable(f"'{name}' fails{_place(failure)}: {_text(failure)}") from failure
    if not isinstance(found, Mapping):
        hint = "return a dict: name of an array of the kernel -> its values"
        raise _unusable(f"'{name}' returns {type(found).__name__}, not arrays by name", hint)
    result: dict[str, np.ndarray] = {}
    for key, value in found.items():
        if key not in shapes:
            message = f"'{name}' returns '{key}', which is no array of the kernel"
            raise _unusable(message, f"it has: {', '.join(shapes)}")
        array = np.asarray(value)
        fits = array.shape == shapes[key] or (broadcast and array.ndim == 0)
        if not fits or not _is_numeric(array):
            message = f"'{name}' returns a {array.shape} array of {array.dtype} for '{key}'"
            raise _unusable(message, f"'{key}' has the shape {shapes[key]}")
        result[key] = array
    return result


_MORE = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
"""Kinds of parameters that take what nobody names."""


def _is_numeric(array: np.ndarray) -> bool:
    """Tell whether an array holds numbers: of NumPy, or of ml_dtypes, whose kind is V."""
    return array.dtype.kind in "biuf" or array.dtype in NUMPY_BY_NAME.values()


def _unusable(message: str, hint: str | None = None) -> CompileError:
    return CompileError(error("T0012", message, hint=hint))


def _text(failure: Exception) -> str:
    return f"{type(failure).__name__}: {failure}"


def _place(failure: Exception) -> str:
    """Return the innermost place in the user's file, for a message."""
    frames = traceback.extract_tb(failure.__traceback__)[1:]
    return f" at {frames[0].filename}:{frames[0].lineno}" if frames else ""


def make_arguments(
    signature: Any,
    sizes: Mapping[str, int],
    *,
    dtypes: Mapping[str, str] | None = None,
    layouts: Mapping[str, str] | None = None,
    scalars: Mapping[str, Any] | None = None,
    example: Example | None = None,
    seed: int = 0,
) -> Arguments:
    """Return arguments for a kernel.

    Args:
        signature: What `tilec.frontend.semantics.signature` returns for the kernel.
        sizes: Extents by dim name; `A.shape[1]` names an anonymous one.
        dtypes: Element types by dtype parameter.
        layouts: One of `LAYOUTS` by array name; the others are `row`.
        scalars: Values by scalar name; the others are random.
        example: Its defaults fill in what is not given, and its `inputs` replace random values.
        seed: Seed of the random values.

    Raises:
        CompileError: A dim has no extent or an impossible one, or there is too little memory.
    """
    known = {**(example.sizes if example else {}), **sizes}
    given = {**(example.scalars if example else {}), **(scalars or {})}
    bound = _bound_dtypes(signature, example, dtypes or {})
    arrays: dict[str, HostArray] = {}
    values: dict[str, Any] = {}
    for parameter in signature.params:
        name, kind = parameter.name, type(parameter).__name__
        if kind == "ArrayParam":
            what = _dtype(parameter, bound), _shape(parameter, known)
            arrays[name] = _allocated(parameter, *what, (layouts or {}).get(name, "row"), seed)
        elif kind == "ScalarParam":
            values[name] = given[name] if name in given else _random_scalar(parameter, bound, seed)
    if example is not None and example.inputs is not None:
        _set_inputs(arrays, example.inputs, known)
    return Arguments(arrays, values)


def _set_inputs(
    arrays: Mapping[str, HostArray],
    inputs: Callable[..., Mapping[str, np.ndarray]],
    sizes: Mapping[str, int],
) -> None:
    shapes = {name: array.shape for name, array in arrays.items()}
    for name, values in _arrays_of(inputs, sizes, shapes, broadcast=True).items():
        arrays[name].data[...] = values


def _bound_dtypes(
    signature: Any, example: Example | None, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the element type of each dtype parameter: given, else declared, else the example's."""
    usual = example.dtypes[0] if example is not None and example.dtypes else {}
    declared = {
        parameter.name: parameter.default
        for parameter in signature.params
        if type(parameter).__name__ == "DTypeParam" and isinstance(parameter.default, str)
    }
    return {**usual, **declared, **given}


def _dtype(parameter: Any, bound: Mapping[str, str]) -> str:
    dtype = bound.get(parameter.dtype, parameter.dtype)
    if dtype in DTYPES:
        return dtype
    raise CompileError(
        error(
            "T0013",
            f"the element type {dtype} of {parameter.name} is not known",
            getattr(parameter, "span", None),
            hint=f"give it: -D {parameter.dtype}=bf16",
        )
    )


def _shape(parameter: Any, sizes: Mapping[str, int]) -> tuple[int, ...]:
    extents = []
    for axis, dim in enumerate(parameter.dims):
        name = f"{parameter.name}.shape[{axis}]" if dim in (None, "_") else dim
        if not isinstance(name, int) and name not in sizes:
            raise CompileError(
                error(
                    "T0010",
                    f"the extent of {name} is not known",
                    getattr(parameter, "span", None),
                    hint=f"give it: --size {name}=256",
                )
            )
        extent = name if isinstance(name, int) else int(sizes[name])
        if not 0 <= extent <= MAX_EXTENT:
            message = f"the size of {name} is {extent}; an extent is 0 to {MAX_EXTENT}"
            raise CompileError(error("T0008", message, getattr(parameter, "span", None)))
        extents.append(extent)
    return tuple(extents)


_RANDOM_BYTES = 8
_COPIES = 3


def _physical_memory() -> float:
    """Return the bytes of memory that this machine has; infinity where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return math.inf


def _allocated(parameter: Any, dtype: str, shape: tuple[int, ...], layout: str, seed: int) -> Any:
    """Return an array of random values.

    Raises:
        CompileError: There is not enough memory (T0406).
    """
    size = math.prod(shape) * DTYPES[dtype].bytes
    try:
        # Besides the array: its random values in f64, and the copies that a run makes.
        if math.prod(shape) * _RANDOM_BYTES + _COPIES * size > _physical_memory():
            raise MemoryError
        return make_array(parameter.name, dtype, shape, layout, seed)
    except (MemoryError, OverflowError) as failure:
        extents = "x".join(map(str, shape))
        message = f"no memory for the array {parameter.name}: {extents} of {dtype}, {size} bytes"
        hint = "run it with smaller sizes; the CPU reference needs several copies of every array"
        span = getattr(parameter, "span", None)
        raise CompileError(error("T0406", message, span, hint=hint)) from failure


def _random_scalar(parameter: Any, bound: Mapping[str, str], seed: int) -> Any:
    dtype = _dtype(parameter, bound)
    value = make_array(parameter.name, dtype, (1,), "row", seed).data[0]
    return float(value) if DTYPES[dtype].is_float else value.item()
