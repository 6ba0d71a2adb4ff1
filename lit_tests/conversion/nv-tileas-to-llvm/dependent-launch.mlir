// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass places the waits and triggers of a dependent launch.

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x64xbf16>>

// The set-up overlaps the end of the kernel before: descriptors, barriers and their synchronisation
// come before the wait, and every access of global memory comes after it. The next kernel may start at
// once, because it waits, too.
// CHECK-LABEL: llvm.func @the_set_up_overlaps_the_kernel_before
// CHECK:         prefetch.tensormap
// CHECK:         nvvm.mbarrier.init
// CHECK:         nvvm.barrier
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.launch_dependents;", "~{memory}"
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}"griddepcontrol.wait;", "~{memory}"
// CHECK-NOT:     griddepcontrol
// CHECK:         scf.if
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:     griddepcontrol
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%d: !desc, %m: i32, %k: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 8192 : i64} : () -> !nv_tileas.mbarrier
  "nv_tileas.roles"() ({
    "nv_tileas.async_tiled_tma_load"(%d, %a, %m, %k, %full) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "the_set_up_overlaps_the_kernel_before", function_type = (!desc, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// A kernel without barriers waits, too: a kernel that waits for it relies on all kernels before it.
// CHECK-LABEL: llvm.func @every_kernel_waits
// CHECK:         griddepcontrol.launch_dependents;
// CHECK-NEXT:    {{.*}}griddepcontrol.wait;
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "every_kernel_waits", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
