"""Small kernels on the CPU reference and on the emulator, with arrays of given values."""

from functools import partial

import numpy as np

import tilec
from tilec.support.numpy_types import NUMPY_BY_NAME
from tilec.testing.check import Arguments
from tilec.testing.host_arrays import HostArray
from tools.emulator.device import launch_copies

GUARD = 64
"""Elements before and after an array that no kernel may write."""
NAMES = {dtype: name for name, dtype in NUMPY_BY_NAME.items() if name != "tf32"}
"""Element types of the language by their NumPy type."""


def host_array(name, values):
    """Return `values` with guards around them, row-major."""
    shape = values.shape
    memory = np.full(values.size + 2 * GUARD, 77).astype(values.dtype)
    memory[GUARD : GUARD + values.size] = values.reshape(-1)
    strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
    return HostArray(name, NAMES[values.dtype], memory, GUARD, shape, strides)


def run_both(device, source, arrays, **scalars):
    """Run the only kernel of `source` on both; return the arguments of each, guards checked.

    Args:
        device: The emulated device.
        source: Text of a `.tile` file.
        arrays: NumPy arrays, or arrays with any strides, by parameter name.
        scalars: Scalars and constants.
    """
    (kernel,) = tilec.loads(source, "kernel.tile")
    made = {
        name: item if isinstance(item, HostArray) else host_array(name, item)
        for name, item in arrays.items()
    }
    given = Arguments(made, scalars)
    found = []
    for run in (_call, partial(launch_copies, device)):
        copies = given.copy()
        run(kernel, copies)
        for name, item in copies.arrays.items():
            before = given.arrays[name].memory
            if item.memory.tobytes() != before.tobytes():
                assert item.stray_writes(before) == 0, name
        found.append(copies)
    return found


def _call(kernel, arguments):
    kernel(**arguments.data(), **arguments.scalars)


def agree(*args, **kwargs):
    """Run both as `run_both` and return what the reference computed; both must be the same."""
    expected, found = run_both(*args, **kwargs)
    for name, item in expected.arrays.items():
        np.testing.assert_array_equal(found.arrays[name].memory, item.memory, err_msg=name)
    return expected.data()
