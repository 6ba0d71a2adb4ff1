"""Checking a kernel against an independent NumPy function: inputs, comparison, summary.

Beside `examples/matmul.tile` lies `examples/matmul.py`, which knows nothing of tilec. It holds

* `reference(...)`: takes input arrays, scalars and constants by their parameter names (only those
  it names) and returns output name -> array;
* `SIZES`: default extents of the named dims; `CASES`: more of them, odd ones included;
* optional `LAYOUTS` (array -> layout, each entry a variant; arrays that are not named are `row`),
  `DTYPES` (dtype parameter -> element type; the first entry is the default), `SCALARS` (defaults),
  `SUMMED` (output -> name of the dim that is summed over), and `inputs(**sizes)`, which gives
  arrays that shall not be random.

No MLIR and no driver is imported here: the CPU reference and the GPU are both checked with this.
"""

import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from tilec.diagnostics import CompileError, error
from tilec.dtypes import DTYPES
from tilec.host_arrays import HostArray, make_array

F32_ROUNDOFF = 2.0**-24


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
        """Fill arrays that are only written with bytes that no kernel should leave behind."""
        for name in names:
            self.arrays[name].poison()


@dataclass(frozen=True)
class Variant:
    """One way to call an example.

    Attributes:
        sizes: Extents by dim name.
        layouts: Layout by array name; the others are `row`.
        dtypes: Element type by dtype parameter.
    """

    sizes: Mapping[str, int]
    layouts: Mapping[str, str] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return a short name, for test reports."""
        parts = {**self.sizes, **self.layouts, **self.dtypes}
        return ",".join(f"{name}={value}" for name, value in parts.items())


@dataclass(frozen=True)
class Example:
    """The module beside a `.tile` file: its NumPy function and the sizes to try."""

    reference: Callable[..., Mapping[str, np.ndarray]]
    sizes: Mapping[str, int] = field(default_factory=dict)
    cases: Sequence[Mapping[str, int]] = ()
    layouts: Sequence[Mapping[str, str]] = ()
    dtypes: Sequence[Mapping[str, str]] = ()
    scalars: Mapping[str, Any] = field(default_factory=dict)
    summed: Mapping[str, str] = field(default_factory=dict)
    inputs: Callable[..., Mapping[str, np.ndarray]] | None = None

    def expected(
        self, arguments: Arguments, constants: Mapping[str, Any] | None = None
    ) -> dict[str, np.ndarray]:
        """Return the outputs that the NumPy function gives for `arguments`, inputs untouched."""
        values = {**(constants or {}), **arguments.scalars, **arguments.copy().data()}
        wanted = inspect.signature(self.reference).parameters
        # Inputs are contiguous here: BLAS and NumPy are slow on strange strides.
        chosen = {
            name: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
            for name, value in values.items()
            if name in wanted
        }
        return dict(self.reference(**chosen))

    def variants(self) -> list[Variant]:
        """Return what a thorough test calls: every size, layout and element type once or more.

        Layouts and further element types are tried at the last size, which is an odd one.
        """
        usual = self.dtypes[0] if self.dtypes else {}
        last = self.cases[-1] if self.cases else self.sizes
        return [
            *[Variant(sizes, {}, usual) for sizes in (self.sizes, *self.cases)],
            *[Variant(last, layouts, usual) for layouts in self.layouts],
            *[Variant(last, {}, dtypes) for dtypes in self.dtypes[1:]],
        ]

    def terms(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """Return how many products are summed into one element of each output."""
        return {name: sizes.get(dim, 1) for name, dim in self.summed.items()}


def load_example(tile_path: str | Path) -> Example | None:
    """Load the module beside a `.tile` file; None when there is none.

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
    return Example(
        reference=module.reference,
        sizes=getattr(module, "SIZES", {}),
        cases=getattr(module, "CASES", ()),
        layouts=getattr(module, "LAYOUTS", ()),
        dtypes=getattr(module, "DTYPES", ()),
        scalars=getattr(module, "SCALARS", {}),
        summed=getattr(module, "SUMMED", {}),
        inputs=getattr(module, "inputs", None),
    )


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
        signature: What `tilec.frontend.signature` returns for the kernel.
        sizes: Extents by dim name; `A.shape[1]` names an anonymous one.
        dtypes: Element types by dtype parameter.
        layouts: One of `LAYOUTS` by array name; the others are `row`.
        scalars: Values by scalar name; the others are random.
        example: Its defaults fill in what is not given, and its `inputs` replace random values.
        seed: Seed of the random values.

    Raises:
        CompileError: A dim has no extent.
    """
    known = {**(example.sizes if example else {}), **sizes}
    given = {**(example.scalars if example else {}), **(scalars or {})}
    bound = _bound_dtypes(signature, example, dtypes or {})
    arrays: dict[str, HostArray] = {}
    values: dict[str, Any] = {}
    for parameter in signature.params:
        kind = type(parameter).__name__
        if kind == "ArrayParam":
            shape = _shape(parameter, known)
            dtype = _dtype(parameter, bound)
            layout = (layouts or {}).get(parameter.name, "row")
            arrays[parameter.name] = make_array(parameter.name, dtype, shape, layout, seed)
        elif kind == "ScalarParam":
            value = given.get(parameter.name)
            if value is None:
                value = _random_scalar(parameter.name, _dtype(parameter, bound), seed)
            values[parameter.name] = value
    arguments = Arguments(arrays, values)
    if example is not None and example.inputs is not None:
        wanted = inspect.signature(example.inputs).parameters
        chosen = {name: extent for name, extent in known.items() if name in wanted}
        for name, array in example.inputs(**chosen).items():
            arguments.arrays[name].data[...] = array
    return arguments


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
        extents.append(name if isinstance(name, int) else int(sizes[name]))
    return tuple(extents)


def _random_scalar(name: str, dtype: str, seed: int) -> Any:
    value = make_array(name, dtype, (1,), "row", seed).data[0]
    return float(value) if DTYPES[dtype].is_float else value.item()


@dataclass(frozen=True)
class Comparison:
    """How one output differs from what was expected.

    Attributes:
        name: Output.
        elements: Number of elements.
        mismatches: Elements beyond the tolerance.
        max_abs: Largest absolute difference; infinite where one side is a NaN.
        max_rel: Largest difference relative to the expected element, or to the RMS of the output
            where the element is smaller than that.
        first: Index of the first mismatch, with what was got and what was expected.
    """

    name: str
    elements: int
    mismatches: int
    max_abs: float
    max_rel: float
    first: tuple[tuple[int, ...], float, float] | None = None

    @property
    def ok(self) -> bool:
        """Whether every element is within the tolerance."""
        return self.mismatches == 0

    def __str__(self) -> str:
        """Return one line for the user."""
        errors = f"max abs error {self.max_abs:.3g}, max rel error {self.max_rel:.3g}"
        if self.first is None:
            return f"{self.name}: {errors}: ok"
        index, got, want = self.first
        return (
            f"{self.name}: {self.mismatches} of {self.elements} elements differ, {errors}; "
            f"first {self.name}{list(index)} = {got:.8g}, expected {want:.8g}"
        )


@dataclass(frozen=True)
class CheckResult:
    """What a check found, output by output."""

    outputs: tuple[Comparison, ...]

    @property
    def ok(self) -> bool:
        """Whether every output is as expected."""
        return all(output.ok for output in self.outputs)

    @property
    def max_abs(self) -> float:
        """Largest absolute error of all outputs."""
        return max((output.max_abs for output in self.outputs), default=0.0)

    @property
    def max_rel(self) -> float:
        """Largest relative error of all outputs."""
        return max((output.max_rel for output in self.outputs), default=0.0)

    def __str__(self) -> str:
        """Return one line per output."""
        return "\n".join(str(output) for output in self.outputs)


def tolerance(dtype: np.dtype[Any], terms: int = 1) -> tuple[float, float]:
    """Return the allowed relative error, and the allowed error relative to the output's RMS.

    The first is one unit in the last place of the output type: two values that round differently
    are neighbours. The second is four times the bound n*u of a sum of n products in precision u
    (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1), with u of
    f32, in which every float type but f64 is summed. Applied to the RMS of the output instead of
    the sum of absolute products it is tighter for long sums of random data, and still far below
    the change that one lost product makes.

    Args:
        dtype: NumPy type of the output.
        terms: Number of products summed into one element.
    """
    if dtype.kind in "iub":
        return 0.0, 0.0
    unit = float(ml_dtypes.finfo(dtype).eps)
    return unit, 4.0 * max(terms, 1) * (unit / 2 if dtype == np.float64 else F32_ROUNDOFF)


def compare_array(
    name: str, actual: np.ndarray, expected: np.ndarray, terms: int = 1
) -> Comparison:
    """Compare one output with what was expected.

    Args:
        name: Output.
        actual: What the kernel wrote; its type decides the tolerance.
        expected: Array of the same shape.
        terms: Number of products summed into one element.
    """
    relative, absolute = tolerance(actual.dtype, terms)
    wide = np.int64 if actual.dtype.kind in "iub" else np.float64
    got, want = actual.astype(wide), np.asarray(expected).astype(wide)
    with np.errstate(all="ignore"):
        same = (got == want) | ((got != got) & (want != want))
        difference = np.where(same, 0.0, np.abs(got.astype(np.float64) - want))
        difference = np.where(np.isnan(difference), np.inf, difference)
        size = np.abs(want).astype(np.float64)
        finite = np.where(np.isfinite(size), size, 0.0)
        rms = float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
        bad = ~same & ~(difference <= relative * finite + absolute * rms)
        scale = np.maximum(finite, rms)
        ratio = np.where(same, 0.0, difference / np.where(scale == 0, 1.0, scale))
    first = None
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        first = (index, float(got[index]), float(want[index]))
    return Comparison(
        name,
        actual.size,
        int(np.count_nonzero(bad)),
        float(difference.max(initial=0.0)),
        float(ratio.max(initial=0.0)),
        first,
    )


def compare(
    actual: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    terms: Mapping[str, int] | None = None,
) -> CheckResult:
    """Compare every output in `expected` with what the kernel wrote.

    Args:
        actual: Arrays by name after the run.
        expected: Outputs by name.
        terms: Number of products summed into one element, by output.
    """
    counts = terms or {}
    return CheckResult(
        tuple(
            compare_array(name, actual[name], want, counts.get(name, 1))
            for name, want in expected.items()
        )
    )
