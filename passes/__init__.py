"""The passes of tilec, by name.

`PASS_MODULES` says which module defines which pass. A module is imported when its pass is first
asked for, so that `tilec opt` pays for the passes it runs and for no other.
"""

import importlib

from tilec.passes.registry import RegisteredPass, find_pass, registered_passes

PASS_MODULES: dict[str, str] = {
    "cuda-tile-fuse-fma": "transforms.cuda_tile.fuse_fma",
    "cuda-tile-order-tokens": "transforms.cuda_tile.order_tokens",
    "convert-cuda-tile-to-nv-tileaa": "conversion.cuda_tile_to_nv_tileaa.convert",
    "nv-tileaa-fold-saturation": "transforms.nv_tileaa.fold_saturation",
    "nv-tileaa-infer-facts": "transforms.nv_tileaa.infer_facts",
    "nv-tileaa-fold-transpose": "transforms.nv_tileaa.fold_transpose",
    "nv-tileaa-select-copy-atoms": "transforms.nv_tileaa.select_copy_atoms",
    "convert-nv-tileaa-to-nv-tileas": "conversion.nv_tileaa_to_nv_tileas.convert",
    "nv-tileas-plan-kernel": "transforms.nv_tileas.plan_kernel",
    "nv-tileas-schedule-tiles": "transforms.nv_tileas.schedule_tiles",
    "nv-tileas-split-k": "transforms.nv_tileas.split_k",
    "nv-tileas-snake-k": "transforms.nv_tileas.snake_k",
    "nv-tileas-slice-tiles": "transforms.nv_tileas.slice_tiles",
    "nv-tileas-assign-operand-layouts": "transforms.nv_tileas.assign_operand_layouts",
    "nv-tileas-partition-roles": "transforms.nv_tileas.partition_roles",
    "nv-tileas-order-memory": "transforms.nv_tileas.order_memory",
    "nv-tileas-insert-rings": "transforms.nv_tileas.insert_rings",
    "nv-tileas-pace-loads": "transforms.nv_tileas.pace_loads",
    "nv-tileas-defer-stores": "transforms.nv_tileas.defer_stores",
    "nv-tileas-lower-epilogue": "transforms.nv_tileas.lower_epilogue",
    "lower-tma-load-store-to-async": "transforms.nv_tileas.lower_tma_load_store_to_async",
    "nv-tileas-schedule-mma": "transforms.nv_tileas.schedule_mma",
    "nv-tileas-overlap-mma": "transforms.nv_tileas.overlap_mma",
    "nv-tileas-overwrite-accumulator": "transforms.nv_tileas.overwrite_accumulator",
    "nv-tileas-alternate-tiles": "transforms.nv_tileas.alternate_tiles",
    "nv-tileas-fence-reads": "transforms.nv_tileas.fence_reads",
    "nv-tileas-assign-register-layouts": "transforms.nv_tileas.assign_register_layouts",
    "nv-tileas-assign-buffers": "transforms.nv_tileas.assign_buffers",
    "nv-tileas-assign-registers": "transforms.nv_tileas.assign_registers",
    "nv-tileas-attach-tma-descriptors": "transforms.nv_tileas.attach_tma_descriptors",
    "nv-tileas-attach-workspaces": "transforms.nv_tileas.attach_workspaces",
    "nv-tileas-verify-placement": "transforms.nv_tileas.verify_placement",
    "nv-tileas-verify-async-protocol": "transforms.nv_tileas.verify_async_protocol",
    "nv-tileas-debug-waits": "transforms.nv_tileas.debug_waits",
    "convert-nv-tileas-to-llvm": "conversion.nv_tileas_to_llvm.convert",
    "verify-llvm-legality": "transforms.llvm.verify_llvm_legality",
}
"""Pass name -> module under `tilec.passes`."""


def load_pass(name: str) -> RegisteredPass | None:
    """Return the tilec pass called `name`, or None (it may be an upstream pass)."""
    if name in PASS_MODULES:
        importlib.import_module(f"tilec.passes.{PASS_MODULES[name]}")
    return find_pass(name)


def load_all_passes() -> tuple[RegisteredPass, ...]:
    """Import every pass module and return every pass."""
    for name in PASS_MODULES:
        load_pass(name)
    return registered_passes()
