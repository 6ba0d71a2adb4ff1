"""Configuration of the lit suite: `python -m lit lit_tests`."""
# pyright: reportUndefinedVariable=false

import os
import shutil
import sys
from pathlib import Path

import lit.formats

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parent
sys.path.insert(0, str(_ROOT))
from lit_tests.warm_python.start import VARIABLE, make_python, start_server  # noqa: E402

_SECONDS_PER_TEST = 120

config.name = "tilec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".tile", ".test"]
config.excludes = ["Output", "inputs"]
config.test_source_root = str(_HERE)
config.test_exec_root = os.environ.get("LIT_EXEC_ROOT", str(_ROOT / "build" / "lit"))
config.maxIndividualTestTime = _SECONDS_PER_TEST


_PYTHON = make_python(Path(config.test_exec_root))
# lit's own `diff` and `cat` change PYTHONPATH for the commands after them, so it is set each time.
_TILEC = f"env PYTHONPATH={_ROOT} {_PYTHON} -m tilec"
config.substitutions.extend(
    [
        (r"(?<![-_./\w])tilec(?![-_./\w])", _TILEC),
        (r"(?<![-_./\w])FileCheck(?![-_./\w])", f"{_PYTHON} -m filecheck"),
        (r"%examples", str(_ROOT / "examples")),
        (r"%python", _PYTHON),
    ]
)

config.environment[VARIABLE] = start_server(_PYTHON)
config.environment["PYTHONPATH"] = str(_ROOT)
config.environment["TILEC_CACHE"] = "0"  # what is tested is the compiler, not what it made before
for _name in ("HOME", "XDG_CACHE_HOME", "TILEC_CACHE_DIR", "TMPDIR"):
    if _name in os.environ:
        config.environment[_name] = os.environ[_name]


def _has_ptxas() -> bool:
    site = next((Path(item) for item in sys.path if item.endswith("site-packages")), None)
    bundled = site is not None and any(site.glob("nvidia/*/bin/ptxas"))
    return bundled or shutil.which("ptxas") is not None


if _has_ptxas():
    config.available_features.add("ptxas")
