"""tilec compiles tile-level kernels to PTX for NVIDIA Hopper and runs them.

```python
import tilec

mm = tilec.load("matmul.tile").matmul            # or tilec.loads(text), or @tilec.kernel
mm(A, B, C)                                      # compile for these arrays, cache, launch
mm.compile(A, B, C).ptx                          # look inside; also .ir(stage), .plan, .registers
tilec.compile("matmul.tile").save("mm.tilepkg")  # ahead of time, without a GPU
tilec.load_package("mm.tilepkg").matmul(A, B, C)
```

Every name is imported on first use: `import tilec` loads neither MLIR nor NumPy nor CUDA.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilec.language import (
        auto,
        bf16,
        const,
        dtype,
        f8e4m3,
        f8e5m2,
        f16,
        f32,
        f64,
        i8,
        i16,
        i32,
        i64,
        tf32,
        u8,
        u16,
        u32,
        u64,
    )
    from tilec.runtime.aot import Package, compile, load_package  # noqa: A004 - the public name
    from tilec.runtime.compiled import CompiledKernel
    from tilec.runtime.decorators import Function, function, kernel
    from tilec.runtime.jit import Kernel, SourceModule, load, loads
    from tilec.runtime.tuning.search import Trial, Tuning, tune
    from tilec.support.diagnostics import (
        CompileError,
        DeadlockError,
        DeviceError,
        Diagnostic,
        InternalCompilerError,
        KernelAssertionError,
        LaunchError,
        OutOfRangeError,
        PerformanceWarning,
        TileError,
    )
    from tilec.version import __version__

__all__ = [
    "CompileError",
    "CompiledKernel",
    "DeadlockError",
    "DeviceError",
    "Diagnostic",
    "Function",
    "InternalCompilerError",
    "Kernel",
    "KernelAssertionError",
    "LaunchError",
    "OutOfRangeError",
    "Package",
    "PerformanceWarning",
    "SourceModule",
    "TileError",
    "Trial",
    "Tuning",
    "__version__",
    "auto",
    "bf16",
    "compile",
    "const",
    "dtype",
    "f8e4m3",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "function",
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "load",
    "load_package",
    "loads",
    "tf32",
    "tune",
    "u8",
    "u16",
    "u32",
    "u64",
]

_MODULES = {
    "tilec.support.diagnostics": (
        "CompileError",
        "DeadlockError",
        "DeviceError",
        "Diagnostic",
        "InternalCompilerError",
        "KernelAssertionError",
        "LaunchError",
        "OutOfRangeError",
        "PerformanceWarning",
        "TileError",
    ),
    "tilec.runtime.aot": ("Package", "compile", "load_package"),
    "tilec.runtime.compiled": ("CompiledKernel",),
    "tilec.runtime.decorators": ("Function", "function", "kernel"),
    "tilec.runtime.jit": ("Kernel", "SourceModule", "load", "loads"),
    "tilec.runtime.tuning.search": ("Trial", "Tuning", "tune"),
    "tilec.version": ("__version__",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import the module that defines a public name."""
    home = _HOMES.get(name)
    if home is None:
        if name not in __all__:
            raise AttributeError(f"module 'tilec' has no attribute '{name}'")
        home = "tilec.language"
    from tilec.support import (
        compiler_threads,  # an interrupt or a fork must not meet the import on its way
    )

    value = getattr(compiler_threads.run_locked(lambda: importlib.import_module(home)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
