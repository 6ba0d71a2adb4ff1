"""The modules that define builtins: importing this one registers all of them."""

from importlib import import_module

MODULES = (
    "views",
    "memory",
    "elements",
    "atomic",
    "atomic_store",
    "shape",
    "parts",
    "math",
    "products",
    "functions",
    "convert",
    "rounded",
    "bytes",
    "reduce",
    "scan",
    "count",
    "checks",
    "printing",
)
"""Their names, in the order of the tables of docs/language.md."""

for _name in MODULES:
    import_module(f"{__package__}.{_name}")
