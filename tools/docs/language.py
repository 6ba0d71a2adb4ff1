"""Tables of docs/language.md: the builtins, the standard library and the plan fields."""

import inspect

from tilec.frontend.semantics.attributes import PROPERTIES
from tilec.frontend.semantics.builtins.modules import MODULES
from tilec.frontend.semantics.builtins.table import (
    ANY_TYPE,
    ARITHMETIC,
    BUILTINS,
    FACTS,
    METHODS,
    BuiltinFunction,
)
from tilec.frontend.semantics.constant_names import CONSTANT_NAMES
from tilec.frontend.syntax.library import library_function
from tilec.lib import FILES
from tilec.plan.fields import FIELDS
from tilec.support.dtypes import DTYPES


def call_text(name: str, function: BuiltinFunction) -> str:
    """Return how a builtin is called, for example `zeros(shape, dtype=)`."""
    shown: list[str] = []
    for item in list(inspect.signature(function).parameters.values())[1:]:
        if item.kind is item.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        if item.kind is item.VAR_POSITIONAL:
            shown.append(f"*{item.name}")
        else:
            shown.append(item.name if item.default is item.empty else f"{item.name}=")
    return f"{name}({', '.join(shown)})"


def dtype_text(dtypes: tuple[str, ...]) -> str:
    """Return the element types of a builtin in words."""
    words = {(): "-", ANY_TYPE: "any", ARITHMETIC: "arithmetic"}
    return words.get(dtypes) or ", ".join(dtypes)


def builtins() -> str:
    """Return the table of the builtins, of the methods and of the properties."""
    lacking = ", ".join(f"`{name}`" for name in DTYPES if name not in ARITHMETIC)
    rows = [
        "`name=` marks an argument with a default, `*name` any number of arguments. Arguments after"
        " `*` are passed by name."
        f" *Arithmetic* element types are all but {lacking}; float functions convert integers to"
        " `f32`. The operations are those of the cuda_tile dialect.\n",
        "| Call | Element types | Operations | What it does |",
        "|---|---|---|---|",
    ]
    order = [item for module in MODULES for item in BUILTINS if module_of(item) == module]
    for name in order:
        facts = FACTS[name]
        operations = ", ".join(f"`{item}`" for item in facts.operations) or "-"
        call = call_text(name, BUILTINS[name])
        rows.append(f"| `{call}` | {dtype_text(facts.dtypes)} | {operations} | {facts.summary} |")
    methods = ", ".join(f"`x.{name}(...)`" for name in METHODS)
    properties = "; ".join(f"`.{name}`, {what}" for name, what in PROPERTIES.items())
    constants = ", ".join(f"`{name}`" for name in CONSTANT_NAMES)
    rows.append(
        f"\nMethods of a tile `x`: {methods}; `astype` is `cast`. Properties: {properties}."
        f" Constants: {constants}."
    )
    return "\n".join(rows)


def module_of(name: str) -> str:
    """Return the module that defines a builtin, without its package."""
    return BUILTINS[name].__module__.rpartition(".")[2]


def library() -> str:
    """Return the table of the functions of the standard library."""
    rows = ["| Call | What it does |", "|---|---|"]
    for name in FILES:
        function = library_function(name).module.functions[name]
        shown = (f"{item.name}=" if item.default else item.name for item in function.parameters)
        summary = " ".join((function.docstring or "").split())
        rows.append(f"| `{name}({', '.join(shown)})` | {summary} |")
    return "\n".join(rows)


def plan_fields() -> str:
    """Return the table of the plan fields."""
    rows = ["| Field | Values | Default | Meaning |", "|---|---|---|---|"]
    for field in FIELDS.values():
        values = "0 or 1" if field.is_flag else field.values
        rows.append(f"| `{field.name}` | {values} | {field.default} | {field.meaning} |")
    return "\n".join(rows)
