"""Give every assertion its id, and the kernel the buffer for the report of one that fails.

Before:  nv_tileaa.func @k(%A: !nv_tileaa.ptr<f32>) { nv_tileas.assert %c, %x, %y, %z {message} }
After:   nv_tileaa.func @k(%A: !nv_tileaa.ptr<f32>, %buffer: !nv_tileaa.ptr<i32>) {
           nv_tileas.assert %c, %x, %y, %z {message, nv_tileas.assertion = 0} }
           {tilec.kernel = {assertions = [{message, span, line}], hidden_parameters = [...]}}

The id is the row of the assertion in the table, from which the launcher takes message and place.
The address of the buffer becomes the last parameter of the kernel; a debug build has it already.
Kernels without assertions are left alone.
"""

from typing import Any

from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import ir
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.verify.debug_waits import add_buffer, place_of
from tilec.request.assertions import METADATA_KEY

ASSERTION_ID = "nv_tileas.assertion"
"""Attribute with the id of an assertion."""


@register_pass("nv-tileas-number-assertions")
def number_assertions(module: Any, context: PassContext) -> bool:
    """Number the assertions of each kernel and add the buffer for their report."""
    changed = False
    for function in kernel_functions(module):
        found = [op for op in kernel_operations(function) if op.name == "nv_tileas.assert"]
        if not found or read_kernel_fact(function, METADATA_KEY) is not None:
            continue
        changed = True
        table = [_row(op, context) for op in found]
        i64 = ir.IntegerType.get_signless(64)
        for number, op in enumerate(found):
            op.attributes[ASSERTION_ID] = ir.IntegerAttr.get(i64, number)
        write_kernel_facts(function, **{METADATA_KEY: table})
        add_buffer(function)
    return changed


def _row(op: Any, context: PassContext) -> dict[str, Any]:
    message = ir.StringAttr(op.attributes["message"]).value
    return {"message": message, **place_of(op, context.buffer, context.sources)}
