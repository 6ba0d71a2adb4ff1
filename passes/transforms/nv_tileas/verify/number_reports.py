"""Number the assertions and prints, and add the buffers for their reports.

Before:  nv_tileaa.func @k(%A: !nv_tileaa.ptr<f32>) {
           nv_tileas.assert %c, %x, %y, %z {message}
           nv_tileas.print %x, %y, %z, %v {template, dtype, starts} }
After:   nv_tileaa.func @k(%A: !nv_tileaa.ptr<f32>, %debug_buffer: !nv_tileaa.ptr<i32>,
                           %print_buffer: !nv_tileaa.ptr<i32>) {
           nv_tileas.assert %c, %x, %y, %z {message, nv_tileas.report = 0}
           nv_tileas.print %x, %y, %z, %v {template, dtype, starts, nv_tileas.report = 0} }
           {tilec.kernel = {assertions = [{message, span, line}], hidden_parameters = [...],
                            prints = [{template, dtype, shape, starts}]}}

Each assertion gets a number, its row in the table `assertions`; each print gets a number, its row
in the table `prints`. The launcher takes message and place, or the format, from these tables. The
first assertion that fails writes its number and the coordinates of its block into the debug buffer,
and the launcher raises the error. A print writes its values into the print buffer, and the launcher
prints them.

The addresses of the buffers become the last parameters of the kernel. If
`nv-tileas-debug-waits` added the debug buffer, the assertions use it too. Kernels without
assertions and prints stay as they are.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import ir
from tilec.ir.integers import i64
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.verify.debug_waits import add_buffer, place_of
from tilec.request import assertions, prints
from tilec.request.wait_records import DEBUG_BUFFER

REPORT_ID = "nv_tileas.report"
"""Attribute with the id of an assertion or print."""


@register_kernel_pass("nv-tileas-number-reports")
def number_reports(function: Any, context: PassContext) -> bool:
    """Number the assertions and prints of each kernel and add the buffers for their reports."""
    ops = kernel_operations(function)
    checks = [op for op in ops if op.name == "nv_tileas.assert"]
    shown = [op for op in ops if op.name == "nv_tileas.print"]
    row = partial(_assertion, context)
    changed = _number(function, checks, assertions.METADATA_KEY, DEBUG_BUFFER, row)
    return _number(function, shown, prints.METADATA_KEY, prints.PRINT_BUFFER, _print) or changed


def _number(
    function: Any, found: list[Any], key: str, buffer: str, row: Callable[[Any], dict[str, Any]]
) -> bool:
    """Number operations that report; return whether there are any without numbers.

    Args:
        function: The kernel.
        found: The operations, all of one kind.
        key: Entry of the metadata for the table.
        buffer: Name of the hidden parameter.
        row: Makes the row of an operation.
    """
    if not found or read_kernel_fact(function, key) is not None:
        return False
    for number, op in enumerate(found):
        op.attributes[REPORT_ID] = i64(number)
    write_kernel_facts(function, **{key: [row(op) for op in found]})
    add_buffer(function, buffer)
    return True


def _assertion(context: PassContext, op: Any) -> dict[str, Any]:
    message = ir.StringAttr(op.attributes["message"]).value
    return {"message": message, **place_of(op, context.buffer, context.sources)}


def _print(op: Any) -> dict[str, Any]:
    view = op.opview
    kind = view.value.type if view.value is not None else None
    return {
        "template": view.template.value,
        "dtype": view.dtype.value,
        "shape": list(kind.shape) if isinstance(kind, ir.RankedTensorType) else [],
        "starts": bool(view.starts.value),
    }
