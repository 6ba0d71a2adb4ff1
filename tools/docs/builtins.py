"""docs/builtins.md: where each builtin is tested, and a line that calls it."""

from tilec.frontend.semantics.builtins.modules import MODULES
from tilec.frontend.semantics.builtins.table import BUILTINS, FACTS
from tools.docs.builtin_uses import SUITES, example_of, uses
from tools.docs.language import dtype_text, module_of

_HEAD = """# Builtins and their tests

[language.md](language.md#builtins) says what each builtin does. This page says where it is tested.
Every suite runs the same kernels on the emulator (`tests/emulated/test_NAME.py`) and on a GPU
(`tests/gpu/test_NAME.py`), and compares both with the CPU reference; the examples are compared with
NumPy, too. `tests/frontend/test_builtin_facts.py` checks the element types and the operations of
cuda_tile. The example is the shortest line of a test that calls the builtin.

| Builtin | Element types | Operations | Suites (CPU, emulator, GPU) | Example |
|---|---|---|---|---|
"""


def render() -> str:
    """Return the page."""
    names = [name for module in MODULES for name in BUILTINS if module_of(name) == module]
    return _HEAD + "".join(f"{_row(name)}\n" for name in names)


def _row(name: str) -> str:
    facts = FACTS[name]
    operations = ", ".join(f"`{item}`" for item in facts.operations) or "-"
    suites = {use.suite for use in uses()[name]}
    shown = ", ".join(suite for suite in SUITES if suite in suites) or "-"
    example = example_of(name).replace("|", "\\|")
    return f"| `{name}` | {dtype_text(facts.dtypes)} | {operations} | {shown} | `{example}` |"
