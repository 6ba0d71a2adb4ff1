"""Compiles the kernel of benchmark cases with one checkout of tilec, and writes packages.

`tools.bench.ab` runs this file with that checkout alone in `PYTHONPATH`, so nothing of the checkout
that measures is imported. Usage: python -P ab_compile.py REQUEST, a JSON file:

    {"gpu": "H200", "kernels": [{"source": "matmul.tile", "kernel": "matmul", "package": "x.pkg",
     "arrays": [{"dtype": "bfloat16", "shape": [64, 64], "transposed": false}, ...]}, ...]}
"""

import json
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Compile what the request asks for; say on standard error what failed, and return 1 then."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    failed = 0
    for item in request["kernels"]:
        try:
            _compile(item, request["gpu"])
        except Exception as failure:  # the others may work; the report says which did not
            print(f"{item['package']}: {type(failure).__name__}: {failure}", file=sys.stderr)
            failed = 1
    return failed


def _compile(item: dict[str, Any], gpu: str) -> None:
    import tilec
    from tilec.codegen.package import save_package

    kernel = tilec.load(item["source"])[item["kernel"]]
    arrays = [_array(**facts) for facts in item["arrays"]]
    others = item.get("others", {})  # scalars and constants
    compile_for = getattr(kernel, "compile_for", None)
    if compile_for is None:  # a checkout that plans for an H200 only
        made = kernel.compile(*arrays, **others)
    else:
        names = [parameter.name for parameter in kernel.signature.arrays()]
        made = compile_for(gpu, {**dict(zip(names, arrays, strict=True)), **others})
    save_package([made.artifact], item["package"])


def _array(dtype: str, shape: list[int], *, transposed: bool) -> Any:
    """Return an array whose elements nobody reads or writes: only its shape and order count."""
    import ml_dtypes
    import numpy as np

    found = np.dtype(getattr(ml_dtypes, dtype, dtype))
    array = np.empty((*shape[:-2], shape[-1], shape[-2]) if transposed else shape, found)
    return array.swapaxes(-1, -2) if transposed else array


if __name__ == "__main__":
    raise SystemExit(main())
