"""The pipeline as data: the stages in order and the passes of each.

The command line, the dump file names, the docs and the tests read this tuple; nothing else lists
passes.
"""

from typing import NamedTuple

from tilec.support.fast_dataclasses import dataclass


class Step(NamedTuple):
    """One pass of the pipeline.

    Attributes:
        name: Name of the pass.
        module: Module under `tilec.passes` that defines it; empty for a pass of MLIR. Its docstring
            describes the pass.
        purpose: For a pass of MLIR, what it does at this place; a sentence.
    """

    name: str
    module: str = ""
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """One IR level.

    Attributes:
        name: Name for `--emit` and `--start-from`.
        summary: What the level knows, in a few words.
        steps: Its passes in order; the first one converts from the level before.
    """

    name: str
    summary: str
    steps: tuple[Step, ...]

    @property
    def passes(self) -> tuple[str, ...]:
        """The names of its passes in order."""
        return tuple(step.name for step in self.steps)


_TILEAS = "transforms.nv_tileas"

STAGES: tuple[Stage, ...] = (
    Stage(
        "cuda_tile",
        "tiles, views and tokens; nothing about the target",
        (
            Step("canonicalize", purpose="Fold constants and simple identities."),
            Step("cse", purpose="Merge equal operations."),
            Step("cuda-tile-group-factors", "transforms.cuda_tile.group_factors"),
            Step("cuda-tile-fuse-fma", "transforms.cuda_tile.fuse_fma"),
            Step("cuda-tile-relax-quotients", "transforms.cuda_tile.relax_quotients"),
            Step("cuda-tile-order-tokens", "transforms.cuda_tile.order_tokens"),
            Step("cuda-tile-merge-loads", "transforms.cuda_tile.merge_loads"),
        ),
    ),
    Stage(
        "nv_tileaa",
        "memrefs with facts, alias scopes, a copy atom on every tiled load and store",
        (
            Step("convert-cuda-tile-to-nv-tileaa", "conversion.cuda_tile_to_nv_tileaa.convert"),
            Step("nv-tileaa-fold-comparisons", "transforms.nv_tileaa.fold_comparisons"),
            Step("canonicalize", purpose="Fold what the conversion left."),
            Step("cse", purpose="Merge equal index arithmetic."),
            Step("nv-tileaa-fold-saturation", "transforms.nv_tileaa.fold_saturation"),
            Step("nv-tileaa-skip-hidden-tiles", "transforms.nv_tileaa.skip_hidden_tiles"),
            Step("nv-tileaa-skip-rounds", "transforms.nv_tileaa.skip_rounds"),
            Step("nv-tileaa-join-loops", "transforms.nv_tileaa.join_loops"),
            Step("nv-tileaa-hoist-tails", "transforms.nv_tileaa.hoist_tails"),
            Step(
                "loop-invariant-code-motion",
                purpose="Move memrefs and index arithmetic out of loops.",
            ),
            Step("nv-tileaa-infer-facts", "transforms.nv_tileaa.infer_facts"),
            Step("nv-tileaa-fold-transpose", "transforms.nv_tileaa.fold_transpose"),
            Step("nv-tileaa-swap-operands", "transforms.nv_tileaa.swap_operands"),
            Step("nv-tileaa-convert-small-integers", "transforms.nv_tileaa.convert_small_integers"),
            Step("nv-tileaa-split-precision", "transforms.nv_tileaa.split_precision"),
            Step("nv-tileaa-promote-sums", "transforms.nv_tileaa.promote_sums"),
            Step("nv-tileaa-orient-operands", "transforms.nv_tileaa.orient_operands"),
            Step("nv-tileaa-sum-after-loops", "transforms.nv_tileaa.sum_after_loops"),
            Step("nv-tileaa-separate-tiles", "transforms.nv_tileaa.separate_tiles"),
            Step("nv-tileaa-select-copy-atoms", "transforms.nv_tileaa.select_copy_atoms"),
            Step("nv-tileaa-hold-operands", "transforms.nv_tileaa.hold_operands"),
            Step("nv-tileaa-delay-factors", "transforms.nv_tileaa.delay_factors"),
            Step("nv-tileaa-skip-added-masks", "transforms.nv_tileaa.skip_added_masks"),
            Step("nv-tileaa-lead-branches", "transforms.nv_tileaa.lead_branches"),
            Step("nv-tileaa-skip-masks", "transforms.nv_tileaa.skip_masks"),
            Step("nv-tileaa-clamp-limits", "transforms.nv_tileaa.clamp_limits"),
            Step("nv-tileaa-join-comparisons", "transforms.nv_tileaa.join_comparisons"),
            Step("nv-tileaa-flatten-loops", "transforms.nv_tileaa.flatten_loops"),
            Step("nv-tileaa-copy-operands", "transforms.nv_tileaa.copy_operands"),
            Step("nv-tileaa-load-ahead", "transforms.nv_tileaa.load_ahead"),
        ),
    ),
    Stage(
        "nv_tileas",
        "plan, roles, rings, layouts, shared memory, descriptors, barriers",
        (
            Step("convert-nv-tileaa-to-nv-tileas", "conversion.nv_tileaa_to_nv_tileas.convert"),
            Step("nv-tileas-plan-kernel", f"{_TILEAS}.plan.plan_kernel"),
            Step("nv-tileas-share-rounds", f"{_TILEAS}.plan.share_rounds"),
            Step("nv-tileas-schedule-tiles", f"{_TILEAS}.plan.schedule_tiles"),
            Step("nv-tileas-count-ahead", f"{_TILEAS}.plan.count_ahead"),
            Step("nv-tileas-slice-tiles", f"{_TILEAS}.plan.slice_tiles"),
            Step(
                "nv-tileas-assign-operand-layouts",
                f"{_TILEAS}.plan.assign_operand_layouts",
            ),
            Step("nv-tileas-partition-roles", f"{_TILEAS}.roles.partition_roles"),
            Step("nv-tileas-lower-histograms", f"{_TILEAS}.roles.lower_histograms"),
            Step("nv-tileas-order-memory", f"{_TILEAS}.roles.order_memory"),
            Step("nv-tileas-schedule-loops", f"{_TILEAS}.schedule.schedule_loops"),
            Step("nv-tileas-lead-loads", f"{_TILEAS}.roles.lead_loads"),
            Step("nv-tileas-fill-together", f"{_TILEAS}.roles.fill_together"),
            Step("nv-tileas-insert-rings", f"{_TILEAS}.roles.insert_rings"),
            Step("nv-tileas-exchange-operands", f"{_TILEAS}.schedule.exchange_operands"),
            Step("nv-tileas-rotate-loops", f"{_TILEAS}.schedule.rotate_loops"),
            Step("nv-tileas-lower-epilogue", f"{_TILEAS}.epilogue.lower_epilogue"),
            Step(
                "lower-tma-load-store-to-async",
                f"{_TILEAS}.tma.lower_tma_load_store_to_async",
            ),
            Step("nv-tileas-copy-ahead", f"{_TILEAS}.schedule.copy_ahead"),
            Step("nv-tileas-schedule-mma", f"{_TILEAS}.mma.schedule_mma"),
            Step("nv-tileas-straddle-waits", f"{_TILEAS}.mma.straddle_waits"),
            Step("nv-tileas-chain-reductions", f"{_TILEAS}.mma.chain_reductions"),
            Step("nv-tileas-overwrite-accumulator", f"{_TILEAS}.mma.overwrite_accumulator"),
            Step("nv-tileas-alternate-tiles", f"{_TILEAS}.roles.alternate_tiles"),
            Step("nv-tileas-fence-reads", f"{_TILEAS}.tma.fence_reads"),
            Step(
                "nv-tileas-assign-register-layouts",
                f"{_TILEAS}.resources.assign_register_layouts",
            ),
            Step(
                "nv-tileas-gather-in-clusters",
                f"{_TILEAS}.resources.gather_in_clusters",
            ),
            Step("nv-tileas-take-turns", f"{_TILEAS}.schedule.take_turns"),
            Step("nv-tileas-assign-buffers", f"{_TILEAS}.resources.assign_buffers"),
            Step("nv-tileas-assign-registers", f"{_TILEAS}.resources.assign_registers"),
            Step(
                "nv-tileas-attach-tma-descriptors",
                f"{_TILEAS}.tma.attach_tma_descriptors",
            ),
            Step("nv-tileas-attach-workspaces", f"{_TILEAS}.resources.attach_workspaces"),
            Step("nv-tileas-verify-placement", f"{_TILEAS}.verify.verify_placement"),
            Step(
                "nv-tileas-verify-async-protocol",
                f"{_TILEAS}.verify.verify_async_protocol",
            ),
            Step("nv-tileas-debug-waits", f"{_TILEAS}.verify.debug_waits"),
            Step("nv-tileas-number-reports", f"{_TILEAS}.verify.number_reports"),
        ),
    ),
    Stage(
        "llvm",
        "threads, registers and addresses in the llvm and nvvm dialects",
        (
            Step("convert-nv-tileas-to-llvm", "conversion.nv_tileas_to_llvm.convert"),
            Step("canonicalize", purpose="Fold address arithmetic."),
            Step("cse", purpose="Merge equal address arithmetic."),
            Step("split-loops", "transforms.llvm.split_loops"),
            Step("convert-scf-to-cf", purpose="Turn loops and branches into blocks."),
            Step(
                "convert-nvvm-to-llvm",
                purpose="Turn nvvm operations without an intrinsic into inline PTX.",
            ),
            Step("convert-arith-to-llvm", purpose="Convert scalar arithmetic."),
            Step("convert-cf-to-llvm", purpose="Convert branches between blocks."),
            Step("reconcile-unrealized-casts", purpose="Remove the casts between the conversions."),
            Step("verify-llvm-legality", "transforms.llvm.verify_llvm_legality"),
        ),
    ),
)

STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)
TEXT_STAGES: tuple[str, ...] = ("llvmir", "ptx", "cubin", "sass")
"""What follows the MLIR stages and is emitted as text or bytes."""
