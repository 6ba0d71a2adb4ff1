"""Small kernels on the CPU reference and on the emulator, with arrays of given values."""

from functools import partial

import ml_dtypes
import numpy as np

import tilec
from tilec.check import Arguments
from tilec.host_arrays import HostArray
from tools.emulator.driver import launch_copies

GUARD = 64
"""Elements before and after an array that no kernel may write."""
NAMES = {np.dtype(ml_dtypes.bfloat16): "bf16", np.dtype(np.float32): "f32"}


def host_array(name, values):
    """Return `values` with guards around them, row-major."""
    shape = values.shape
    memory = np.full(values.size + 2 * GUARD, 77).astype(values.dtype)
    memory[GUARD : GUARD + values.size] = values.reshape(-1)
    strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
    return HostArray(name, values.dtype.name, memory, GUARD, shape, strides)


def run_both(device, folder, source, arrays, **scalars):
    """Run the only kernel of `source` on both; return the arrays of each, guards checked.

    Args:
        device: The emulated device.
        folder: Where the source goes.
        source: Text of a `.tile` file.
        arrays: NumPy arrays by parameter name.
        scalars: Scalars and constants.
    """
    path = folder / "kernel.tile"
    path.write_text(source)
    (kernel,) = tilec.load(path)
    given = Arguments({name: host_array(name, item) for name, item in arrays.items()}, scalars)
    found = []
    for run in (_call, partial(launch_copies, device)):
        copies = given.copy()
        run(kernel, copies)
        for name, item in copies.arrays.items():
            assert item.stray_writes(given.arrays[name].memory) == 0, name
        found.append(copies.data())
    return found


def _call(kernel, arguments):
    kernel(**arguments.data(), **arguments.scalars)


def agree(*args, **kwargs):
    """Run both as `run_both` and return what the reference computed; both must be the same."""
    expected, found = run_both(*args, **kwargs)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
    return expected
