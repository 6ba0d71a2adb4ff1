"""The modules that define builtins: importing this one registers all of them."""

from importlib import import_module

MODULES = (
    "builtins_views",
    "builtins_memory",
    "builtins_elements",
    "builtins_atomic",
    "builtins_atomic_store",
    "builtins_shape",
    "builtins_parts",
    "builtins_math",
    "builtins_products",
    "builtins_functions",
    "builtins_convert",
    "builtins_rounded",
    "builtins_bytes",
    "builtins_reduce",
    "builtins_scan",
    "builtins_count",
    "builtins_checks",
    "printing",
)
"""Their names, in the order of the tables of docs/language.md."""

for _name in MODULES:
    import_module(f"{__package__}.{_name}")
