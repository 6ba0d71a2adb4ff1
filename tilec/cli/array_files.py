"""Arrays in `.npy` files: the inputs and the outputs of `tilec run`.

NumPy has no bf16 and no 8-bit floats. An output of such a type is stored as float32, which holds
every value of it. An input may be float32, which is rounded to the nearest value, or raw elements
of the same size (`V2`, `V1`), whose bits are kept: that is what `np.save` writes for the bfloat16
and float8_e4m3fn of ml_dtypes. Of float8_e5m2 it writes a file that NumPy itself cannot read.
"""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tilec.cli.kernel_options import bad_option, split_assignment
from tilec.frontend.semantics.signature import ArrayParam, DTypeParam, Signature
from tilec.support.diagnostics import CompileError, SourceFile, error
from tilec.support.fast_dataclasses import dataclass
from tilec.support.file_io import write_atomic
from tilec.support.numpy_types import NUMPY_BY_NAME

_WITHOUT_NUMPY_TYPE = ("bf16", "f8e4m3", "f8e5m2")
_ALSO_READ = {**dict.fromkeys(_WITHOUT_NUMPY_TYPE, "float32"), "tf32": "float32"}
_BY_NUMPY = {
    dtype: name for name, dtype in NUMPY_BY_NAME.items() if name not in (*_ALSO_READ, "tf32")
}


@dataclass(frozen=True)
class InputFile:
    """The values of one array parameter.

    Attributes:
        parameter: The parameter.
        path: Name of the file.
        values: Contents of the file, in its own element type and native byte order.
    """

    parameter: ArrayParam
    path: str
    values: np.ndarray

    def place(self, axis: int) -> str:
        """Return how messages call the extent of an axis."""
        return f"{self.parameter.name}.shape[{axis}] in {self.path}"


class Inputs:
    """What `--input` gives: array files that fit the declarations of a kernel."""

    def __init__(self, options: Iterable[str], signature: Signature, source: SourceFile) -> None:
        """Read the files.

        Args:
            options: Values of `--input`, each of the form NAME=FILE.
            signature: The kernel's parameters.
            source: Where the kernel is written, to quote from.

        Raises:
            CompileError: An option names no array, or a file cannot be read or has another rank.
        """
        self.signature = signature
        self.source = source
        self.files: dict[str, InputFile] = {}
        for name, path in _by_array(options, "--input", signature).items():
            parameter = next(item for item in signature.arrays() if item.name == name)
            found = InputFile(parameter, path, _read(path))
            rank = len(parameter.dims)
            if found.values.ndim != rank:
                message = (
                    f"{path} holds an array of rank {found.values.ndim}, but {name} has {rank}"
                )
                raise self._misfit("T0704", message, found, f"its shape is {found.values.shape}")
            self.files[name] = found

    def sizes(self, given: Mapping[str, int]) -> dict[str, int]:
        """Return the extents of dims: those of the files and those of `--size`.

        Raises:
            CompileError: Two of them differ, or one is not the declared extent (T0705).
        """
        sizes = dict(given)
        places = {name: f"--size {name}={extent}" for name, extent in given.items()}
        for file in self.files.values():
            for axis, (dim, extent) in enumerate(
                zip(file.parameter.dims, file.values.shape, strict=True)
            ):
                place = file.place(axis)
                name = f"{file.parameter.name}.shape[{axis}]" if dim is None else dim
                if isinstance(name, int):
                    if name != extent:
                        message = f"{place} is {extent}, but the kernel declares {name}"
                        raise self._misfit("T0705", message, file)
                elif sizes.setdefault(name, extent) != extent:
                    message = f"{place} is {extent}, but {name} is {sizes[name]} by {places[name]}"
                    raise self._misfit("T0705", message, file)
                else:
                    places.setdefault(name, place)
        return sizes

    def dtypes(self) -> dict[str, str]:
        """Return the element types of `dtype` parameters, from the first file of that type."""
        found: dict[str, str] = {}
        kinds = {item.name for item in self.signature.params if isinstance(item, DTypeParam)}
        for file in self.files.values():
            name = _BY_NUMPY.get(file.values.dtype)
            if name is None and file.values.dtype == np.dtype("V2"):
                name = "bf16"
            if name is not None and file.parameter.dtype in kinds:
                found.setdefault(file.parameter.dtype, name)
        return found

    def values(self, dtypes: Mapping[str, str]) -> dict[str, np.ndarray]:
        """Return the arrays by parameter, in the element types of the kernel.

        Args:
            dtypes: Element types by dtype parameter.

        Raises:
            CompileError: The type of a file does not fit (T0703).
        """
        return {name: self._converted(file, dtypes) for name, file in self.files.items()}

    def _converted(self, file: InputFile, dtypes: Mapping[str, str]) -> np.ndarray:
        declared = file.parameter.dtype
        wanted = dtypes.get(declared, declared)
        have, native = file.values.dtype, NUMPY_BY_NAME[wanted]
        also = _ALSO_READ.get(wanted)
        if have == native:
            return file.values
        if also is not None and have == np.dtype(also):
            return file.values.astype(native)
        if wanted in _WITHOUT_NUMPY_TYPE and have == np.dtype(f"V{native.itemsize}"):
            return file.values.view(native)
        message = f"{file.path} holds {have}, but {file.parameter.name} has element type {wanted}"
        target = also or native.name
        hint = f"convert it: np.save({file.path!r}, array.astype(np.{target}))"
        if declared in dtypes and have in _BY_NUMPY:
            hint += f", or compile for it: -D {declared}={_BY_NUMPY[have]}"
        raise self._misfit("T0703", message, file, hint)

    def _misfit(
        self, code: str, message: str, file: InputFile, hint: str | None = None
    ) -> CompileError:
        found = error(code, f"--input: {message}", file.parameter.span, hint=hint)
        return CompileError(found, [self.source])


def output_files(options: Iterable[str], signature: Signature) -> dict[str, str]:
    """Return the file for each array that `--output` names.

    Raises:
        CompileError: An option does not have the form NAME=FILE, or names no array.
    """
    return _by_array(options, "--output", signature)


def write_array(path: str, values: np.ndarray, dtype: str) -> None:
    """Write an array to a `.npy` file, all of it or nothing.

    Args:
        path: Name of the file.
        values: The array.
        dtype: Its element type by its tilec name; a type that NumPy lacks is stored as float32.

    Raises:
        CompileError: The file cannot be written (T0004).
    """
    stored = values.astype(np.float32) if dtype in _WITHOUT_NUMPY_TYPE else values
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(stored), allow_pickle=False)
    try:
        write_atomic(Path(path), buffer.getvalue())
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0004", f"cannot write '{path}': {reason}")) from failure


def _by_array(options: Iterable[str], option: str, signature: Signature) -> dict[str, str]:
    """Return options of the form NAME=FILE by the name of the array."""
    known = [item.name for item in signature.arrays()]
    found: dict[str, str] = {}
    for text in options:
        name, path = split_assignment(text, option)
        if name not in known:
            other: Any = signature.find(name)
            hint = f"its arrays: {', '.join(known)}" if known else None
            if other is not None:
                hint = f"'{name}' is no array: give its value with -D {name}=..."
            message = f"{option} {name}: {signature.name} has no array called '{name}'"
            raise CompileError(error("T0007", message, hint=hint))
        if name in found:
            raise bad_option(f"{option} {name} is given twice: {found[name]} and {path}")
        found[name] = path
    return found


def _read(path: str) -> np.ndarray:
    """Return the array in a `.npy` file, in native byte order.

    Raises:
        CompileError: The file cannot be read (T0002), or is no `.npy` file of numbers (T0020).
    """
    try:
        with open(path, "rb") as stream:
            values = np.lib.format.read_array(stream, allow_pickle=False)
    except OSError as failure:
        reason = failure.strerror or str(failure)
        raise CompileError(error("T0002", f"cannot read '{path}': {reason}")) from failure
    except (ValueError, EOFError, MemoryError, OverflowError) as failure:
        reason = str(failure).partition("\n")[0] or type(failure).__name__
        message = f"'{path}' cannot be read as a .npy file: {reason}"
        hint = "write it with np.save(path, array); store bf16 and 8-bit floats as float32"
        raise CompileError(error("T0020", message, hint=hint)) from failure
    return values.astype(values.dtype.newbyteorder("="), copy=False)
