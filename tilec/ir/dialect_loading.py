"""Loading the Python-defined dialects into a context, by the text of their definitions.

The bindings have a loader of their own, which is not used. It makes the definition (IRDL) operation
by operation, which takes six times as long as to write text and to let MLIR read it. And it keeps
the module that defines the dialect in the class: when something else loads the dialect meanwhile,
in another context, one context gets it twice, and MLIR ends the process.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tilec.ir.bindings import ext, ir, load_module

_irdl = load_module("dialects.irdl")


def load_dialect(dialect: Any) -> None:
    """Load a Python-defined dialect into the current context.

    Operations that an import which was cut short defined count once: MLIR would refuse the second
    ones as redefinitions.
    """
    bindings = load_module("_mlir_libs._mlir")
    _keep_last(dialect.operations, "_op_name")
    _keep_last(dialect.types, "_name")
    _keep_last(dialect.attributes, "_name")
    parts = (dialect.types, dialect.attributes, dialect.operations)
    _irdl.load_dialects(ir.Module.parse(definition(dialect.name, *map(tuple, parts))))
    for operation in dialect.operations:
        operation._attach_traits()
    bindings.globals._register_dialect_impl(dialect.DIALECT_NAMESPACE, dialect, replace=True)
    for item in dialect.types:
        identity = bindings.ir.DynamicType.lookup_typeid(item.type_name)
        bindings.register_type_caster(identity, replace=True)(item)
    for item in dialect.attributes:
        identity = bindings.ir.DynamicAttr.lookup_typeid(item.attr_name)
        bindings.register_type_caster(identity, replace=True)(item)
    for operation in dialect.operations:
        bindings.register_operation(dialect, replace=True)(operation)
        bindings.register_op_adaptor(operation, replace=True)(operation.Adaptor)


def _keep_last(classes: list[Any], name: str) -> None:
    """Drop all but the last of the classes that define the same thing."""
    classes[:] = {getattr(item, name): item for item in classes}.values()


@functools.cache
def definition(
    name: str, types: Sequence[Any], attributes: Sequence[Any], operations: Sequence[Any]
) -> str:
    """Return the IRDL text that defines a dialect.

    Args:
        name: Its namespace.
        types: Its classes of types.
        attributes: Its classes of attributes.
        operations: Its classes of operations.

    Raises:
        TypeError: The constraint of a field is neither `Any` nor a class of builtin attributes.
    """
    lines = [f"irdl.dialect @{name} {{"]
    for kind, classes in (("type", types), ("attribute", attributes)):
        for item in classes:
            lines.append(f"irdl.{kind} @{item._name} {{")
            lines += _values(item._fields)
            named = ", ".join(f"{field.name}: %{field.name}" for field in item._fields)
            lines.append(f"irdl.parameters({named}) }}")
    for item in operations:
        lines += [f"irdl.operation @{item._op_name} {{", *_parts(item), "}"]
    return "\n".join([*lines, "}"])


def _parts(operation: Any) -> Iterator[str]:
    """Yield what an operation takes, holds and returns."""
    operands, attributes, results, regions = ext.partition_fields(operation._fields)
    yield from _values((*operands, *attributes, *results))
    for region in regions:
        yield f"%{region.name} = irdl.region"
    for kind, fields in (("operands", operands), ("results", results), ("regions", regions)):
        if fields:
            yield f"irdl.{kind}({_list(fields)})"
    if attributes:
        named = ", ".join(f'"{field.name}" = %{field.name}' for field in attributes)
        yield f"irdl.attributes {{ {named} }}"


def _values(fields: Iterable[Any]) -> Iterator[str]:
    """Yield a value for the constraint of each field; fields that share one must be equal."""
    return (f"%{field.name} = {_constraint(field.constraint)}" for field in fields)


def _constraint(wanted: Any) -> str:
    if wanted is Any:
        return "irdl.any"
    name = getattr(wanted, "attr_name", None)
    if name is None:
        raise TypeError(f"unsupported constraint of a field: {wanted}")
    return f'irdl.base "#{name}"'


def _list(fields: Iterable[Any]) -> str:
    return ", ".join(f"{field.name}: {_number_of(field)}%{field.name}" for field in fields)


def _number_of(field: Any) -> str:
    """Return how many values a field has, as IRDL spells it."""
    number = field.variadicity
    return "" if number == _irdl.Variadicity.single else f"{number.name} "
