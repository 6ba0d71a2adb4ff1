"""From the syntax tree of a kernel and a specialization to its typed program."""

import math
from typing import Any

from tilec.frontend.semantics import expressions, hir, statements
from tilec.frontend.semantics.bindings import BoundKernel, bind_kernel
from tilec.frontend.semantics.builtins import (
    modules,  # noqa: F401 - importing it registers the builtins
)
from tilec.frontend.semantics.context import Binding, Context, Frame, LimitError, SemanticError
from tilec.frontend.semantics.control import jumps
from tilec.frontend.semantics.facts.operand_sources import with_sources
from tilec.frontend.semantics.facts.products import products_together
from tilec.frontend.semantics.facts.result_deferral import (
    has_deferrable_result,
    has_elementwise_result,
    has_plain_sum,
)
from tilec.frontend.semantics.kernel_arguments import KernelArguments, bind_arguments
from tilec.frontend.semantics.metadata import kernel_metadata
from tilec.frontend.semantics.names import RESULT, RETURN
from tilec.frontend.semantics.signature import ConstParam, DTypeParam, signature
from tilec.frontend.semantics.values import (
    AnyValue,
    AutoInt,
    Constant,
    DTypeValue,
    NoneValue,
    Unusable,
    describe,
)
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.limits import MAX_ELEMENT_OPERATIONS
from tilec.frontend.syntax.parser import find_kernel
from tilec.plan.model import PLANNED_FACTS
from tilec.plan.overrides import parse_overrides
from tilec.plan.tiles import TileChoice, plan_tiles
from tilec.request.specialization import ANY_TILE_EXTENTS, Specialization
from tilec.support.diagnostics import CompileError, error
from tilec.support.fast_dataclasses import dataclass, replace
from tilec.support.numbers import is_power_of_two

_BAD_EXTENT = "T0303"
"""Code of a tile extent that is not a power of two."""
_PROVISIONAL_EXTENT = 64
"""Value of an `auto` constant while its uses are collected; a power of two that fits any tile."""


@dataclass(frozen=True, slots=True)
class KernelProgram:
    """A kernel ready for emission.

    Attributes:
        name: Kernel name.
        arguments: Kernel arguments in call order.
        body: The operations.
        metadata: The `tilec.kernel` dictionary.
        definition: The function in the syntax tree.
        any_tile_extents: Whether tiles may have extents that are not powers of two.
    """

    name: str
    arguments: tuple[hir.Value, ...]
    body: hir.Block
    metadata: dict[str, Any]
    definition: ast.FunctionDef
    any_tile_extents: bool = False


def analyze_kernel(
    module: ast.Module, name: str | None, specialization: Specialization
) -> KernelProgram:
    """Analyse one kernel.

    Args:
        module: Parsed source.
        name: Kernel name; None when there is only one.
        specialization: What to compile it for.

    Raises:
        CompileError: With every error that was found.
    """
    kernel = find_kernel(module, name)
    bound = bind_kernel(signature(kernel, module), specialization, module)
    choice: TileChoice | None = None
    lifted = _lifts_power_rule(bound, specialization)
    if bound.automatic:
        bound, choice = _plan_constants(module, kernel, bound, specialization)
        lifted = lifted or not all(map(is_power_of_two, choice.values.values()))
    ctx, arguments = _run(module, kernel, bound, specialization, any_tile_extents=lifted)
    ctx.raise_if_failed()
    _check_unrolled(ctx, kernel)
    metadata = kernel_metadata(ctx, bound, arguments, module)
    if choice is not None:
        metadata["tile_reasons"] = list(choice.reasons)
        metadata["tile_candidates"] = list(choice.candidates)
        metadata["planned_mma"] = choice.mma_elements
        for field, fact in PLANNED_FACTS.items():
            metadata[fact] = getattr(choice, field)
    metadata |= _facts_of_the_variant(specialization)
    return KernelProgram(kernel.name, tuple(arguments.values), ctx.block, metadata, kernel, lifted)


def _facts_of_the_variant(specialization: Specialization) -> dict[str, Any]:
    """Return what the planner must know of a kernel that is not for any launch, or a runner-up."""
    found = {
        "disabled": sorted(specialization.disabled),
        "warp_factor": specialization.warp_factor if specialization.warp_factor > 1 else 0,
        "most_per_sm": specialization.most_per_sm,
        "most_blocks": specialization.most_blocks,
        "splits": specialization.splits,
        "planned_split_k": specialization.splits,
        "variant": specialization.variant,
        "scratch_bytes": specialization.scratch_bytes,
    }
    return {name: value for name, value in found.items() if value}


def plan_constants(
    module: ast.Module, name: str, specialization: Specialization
) -> TileChoice | None:
    """Return the planner's choice of the `auto` constants of a kernel; None without one.

    Args:
        module: Parsed source.
        name: Kernel name.
        specialization: What to compile it for.

    Raises:
        CompileError: With every error that was found.
    """
    kernel = find_kernel(module, name)
    bound = bind_kernel(signature(kernel, module), specialization, module)
    if not bound.automatic:
        return None
    return _plan_constants(module, kernel, bound, specialization)[1]


def _lifts_power_rule(bound: BoundKernel, specialization: Specialization) -> bool:
    """Tell whether the user allowed extents that are not powers of two."""
    hints = specialization.fixed_fields(bound.signature.hints)
    return bool(hints.get(ANY_TILE_EXTENTS, False))


def _plan_constants(
    module: ast.Module,
    kernel: ast.FunctionDef,
    bound: BoundKernel,
    specialization: Specialization,
) -> tuple[BoundKernel, TileChoice]:
    """Return `bound` with a value for every `auto` constant, and the planner's choice."""
    provisional = {name: AutoInt(_PROVISIONAL_EXTENT, name) for name in bound.automatic}
    trial = replace(bound, constants={**bound.constants, **provisional})
    lifted = _lifts_power_rule(bound, specialization)
    ctx, _ = _run(module, kernel, trial, specialization, any_tile_extents=lifted)
    ctx.uses.deferrable = has_deferrable_result(ctx.block)
    ctx.uses.swappable = has_elementwise_result(ctx.block) and has_plain_sum(ctx.block)
    ctx.uses.together = with_sources(ctx.block, products_together(ctx.block))
    uses = ctx.uses.uses()
    unused = next((name for name in bound.automatic if name not in uses), None)
    if unused is not None:
        ctx.raise_if_failed()
        raise _no_extent(unused, bound, kernel, module)
    try:
        # A planned 192 must not make an extent legal that the user wrote.
        broken = any(item.code == _BAD_EXTENT for item in ctx.diagnostics)
        fixed = parse_overrides(specialization.fixed_fields(bound.signature.hints))
        choice = plan_tiles(uses, specialization, powers_of_two=broken, overrides=fixed)
    except CompileError as failure:
        raise CompileError(
            [
                item if item.span else replace(item, span=kernel.span)
                for item in failure.diagnostics
            ],
            [module.source],
        ) from failure
    chosen = {**bound.constants, **choice.values}
    constants = {
        item.name: chosen[item.name]
        for item in bound.signature.params
        if isinstance(item, ConstParam)
    }
    return replace(bound, constants=constants), choice


def _no_extent(
    name: str, bound: BoundKernel, kernel: ast.FunctionDef, module: ast.Module
) -> CompileError:
    """Return the error that an `auto` constant is no extent that the planner could choose."""
    param = bound.signature.find(name)
    message = f"'{name}' is not the extent of a tile, so the planner cannot choose it"
    found = error("T0405", message, param.span if param else kernel.span, hint="give it a value")
    return CompileError(found, [module.source])


def _run(
    module: ast.Module,
    kernel: ast.FunctionDef,
    bound: BoundKernel,
    specialization: Specialization,
    *,
    any_tile_extents: bool,
) -> tuple[Context, KernelArguments]:
    """Run the body once; errors stay in the context."""
    ctx = Context(module, specialization, Frame(kernel, module))
    ctx.any_tile_extents = any_tile_extents
    ctx.evaluate = lambda node: expressions.evaluate(ctx, node)
    ctx.execute = lambda block: statements.execute(ctx, block)
    ctx.run_function = run_function
    for param in bound.signature.params:
        if isinstance(param, ConstParam):
            ctx.bind(param.name, Constant(bound.constants[param.name], param.span), param.span)
        elif isinstance(param, DTypeParam):
            ctx.bind(param.name, DTypeValue(bound.dtypes[param.name]), param.span)
    arguments = bind_arguments(ctx, bound)
    ctx.parameters = {name: item.value for name, item in ctx.frame.variables.items()}
    try:
        statements.execute(ctx, kernel.body)
    except LimitError as failure:
        raise CompileError([*ctx.diagnostics, failure.diagnostic], ctx.sources) from None
    except RecursionError:
        message = f"'{kernel.name}' has expressions, blocks or calls that are nested too deeply"
        hint = "split long expressions with variables"
        raise CompileError(error("T0207", message, kernel.span, hint=hint), ctx.sources) from None
    return ctx, arguments


def _check_unrolled(ctx: Context, kernel: ast.FunctionDef) -> None:
    """Raise when the tiles of a kernel have too many elements to compute one by one."""
    pending, elements = [ctx.block], 0
    while pending:
        for op in pending.pop().operations:
            shapes = (item.type.shape for item in op.results if isinstance(item.type, hir.TileType))
            elements += sum(math.prod(shape) for shape in shapes)
            pending.extend(op.regions)
    if elements > MAX_ELEMENT_OPERATIONS:
        message = (
            f"'{kernel.name}' computes {elements} elements of tiles in straight-line code; the"
            f" limit is {MAX_ELEMENT_OPERATIONS}"
        )
        hint = "use smaller tiles, or a loop over 'range' for code that repeats"
        raise CompileError(error("T0211", message, kernel.span, hint=hint), ctx.sources)


def run_function(ctx: Context, frame: Frame) -> AnyValue:
    """Inline a helper whose parameters are bound in `frame` and return its result."""
    outer = ctx.frame
    mark = len(ctx.diagnostics)
    ctx.frame = frame
    try:
        statements.execute(ctx, frame.function.body)
        returned = jumps.flag(frame.variables, RETURN)
        result = frame.variables.get(RESULT)
        if returned is True and result is not None:
            if isinstance(result.value, Unusable):
                raise expressions.unusable(ctx, "the result", result.value, result.span)
            return result.value
        if len(ctx.diagnostics) > mark:
            raise SemanticError(None)  # an error inside hid the result
        has_value = result is not None and not isinstance(result.value, NoneValue)
        if returned is not False and result is not None and has_value:
            raise _returns_sometimes(ctx, frame, result)
        return NoneValue()
    finally:
        ctx.frame = outer


def _returns_sometimes(ctx: Context, frame: Frame, result: Binding) -> SemanticError:
    """Return the error that a helper ends with a value on some ways only."""
    name = frame.function.name
    text = f"{describe(result.value)} and no value"
    message = f"'{name}' returns different kinds of values: {text}"
    hint = "end it with a 'return' of a value"
    return ctx.fail("T0317", message, result.span, hint=hint)
