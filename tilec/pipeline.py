"""The pipeline as data: the stages in order and the passes of each.

The command line, the dump file names, the docs and the tests read this tuple; nothing else lists
passes. A name that the pass registry does not know is an upstream MLIR pass.
"""

from tilec.records import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """One IR level.

    Attributes:
        name: Name for `--emit` and `--start-from`.
        summary: What the level knows, in a few words.
        passes: Pass names in order; the first one converts from the level before.
    """

    name: str
    summary: str
    passes: tuple[str, ...]


STAGES: tuple[Stage, ...] = (
    Stage(
        "cuda_tile",
        "tiles, views and tokens; target-agnostic",
        (
            "canonicalize",
            "cse",
            "cuda-tile-fuse-fma",
            "cuda-tile-order-tokens",
        ),
    ),
    Stage(
        "nv_tileaa",
        "memrefs with facts, alias scopes, a copy-atom witness on every tiled load and store",
        (
            "convert-cuda-tile-to-nv-tileaa",
            "canonicalize",
            "cse",
            "nv-tileaa-fold-saturation",
            "loop-invariant-code-motion",
            "nv-tileaa-infer-facts",
            "nv-tileaa-fold-transpose",
            "nv-tileaa-select-copy-atoms",
        ),
    ),
    Stage(
        "nv_tileas",
        "plan, roles, rings, layouts, shared memory, descriptors, barriers",
        (
            "convert-nv-tileaa-to-nv-tileas",
            "nv-tileas-plan-kernel",
            "nv-tileas-schedule-tiles",
            "nv-tileas-split-k",
            "nv-tileas-snake-k",
            "nv-tileas-slice-tiles",
            "nv-tileas-assign-operand-layouts",
            "nv-tileas-partition-roles",
            "nv-tileas-order-memory",
            "nv-tileas-insert-rings",
            "nv-tileas-pace-loads",
            "nv-tileas-defer-stores",
            "nv-tileas-lower-epilogue",
            "lower-tma-load-store-to-async",
            "nv-tileas-schedule-mma",
            "nv-tileas-overlap-mma",
            "nv-tileas-overwrite-accumulator",
            "nv-tileas-alternate-tiles",
            "nv-tileas-fence-reads",
            "nv-tileas-assign-register-layouts",
            "nv-tileas-assign-buffers",
            "nv-tileas-assign-registers",
            "nv-tileas-attach-tma-descriptors",
            "nv-tileas-attach-workspaces",
            "nv-tileas-verify-placement",
            "nv-tileas-verify-async-protocol",
            "nv-tileas-debug-waits",
        ),
    ),
    Stage(
        "llvm",
        "threads, registers and addresses in the llvm and nvvm dialects",
        (
            "convert-nv-tileas-to-llvm",
            "canonicalize",
            "cse",
            "convert-scf-to-cf",
            "convert-nvvm-to-llvm",
            "convert-arith-to-llvm",
            "convert-cf-to-llvm",
            "reconcile-unrealized-casts",
            "verify-llvm-legality",
        ),
    ),
)

STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)
TEXT_STAGES: tuple[str, ...] = ("llvmir", "ptx", "cubin", "sass")
"""What follows the MLIR stages and is emitted as text or bytes."""
