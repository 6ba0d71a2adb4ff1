// RUN: tilec opt %s --passes nv-tileas-verify-placement | FileCheck %s
// RUN: sed 's/offset = 2048/offset = 2560/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: sed 's/offset = 2048/offset = 1024/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: sed 's/offset = 6144/offset = 4096/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=SCRATCH
// RUN: sed 's/offset = 7176/offset = 7168/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: sed 's/shared_bytes = 7208/shared_bytes = 7200/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=END
// RUN: sed 's/stages = 1 : i64}/stages = 2 : i64}/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: sed 's/(%b, %q)/(%a, %q)/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=RINGS
// RUN: sed 's/slot = 1 : i64, slots = 2/slot = 0 : i64, slots = 1/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: sed 's/warpgroup_view"(%c) {slot = 1 : i64, slots = 2/warpgroup_view"(%b) {slot = 0 : i64, slots = 1/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=WAYS
// RUN: sed 's/producer_warps = 4/producer_warps = 8/' %s | not tilec opt - --passes nv-tileas-verify-placement 2>&1 | FileCheck %s --check-prefix=THREADS

// The pass checks the places of everything in shared memory; each `sed` breaks one of them.

!a = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<8x32xf32>>

// Two rings of one slot each, which two scratch operations of one role follow in one place.
// CHECK: nv_tileas.slot_view

// TMA writes with a swizzle of 128 bytes, whose pattern takes 1024.
// ALIGNMENT: the 8x32 f32 buffer lies at offset 2560, but needs a multiple of 1024
// OVERLAP: the 8x32 f32 buffer at offset 1024 overlaps the 8x32 f32 buffer at 1024 to 2047
// SCRATCH: a scratch area at offset 4096 overlaps the 8x32 f32 buffer at 4096 to 6143
// BARRIER: an mbarrier at offset 7168 overlaps an mbarrier at 7168 to 7175
// END: an mbarrier takes bytes 7200 to 7207 of shared memory, but the kernel has 7200
// STAGES: a ring of 2 stages has 1 mbarriers
// RINGS: the 8x32 f32 buffer is indexed by positions of 2 rings
// VIEW: the 8x32 f32 buffer has 2 slots, but is used by 1 warpgroups with 1 tiles each
// WAYS: the 8x32 f32 buffer is divided into slots in 2 ways
// THREADS: roles of 12 warps in a kernel of 256 threads
"nv_tileaa.func"() ({
^bb0(%d: !desc, %n: i32, %x: tensor<8x32xf32>):
  %a = "nv_tileas.alloc_shared"() {offset = 1024 : i64, slots = 1 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {offset = 2048 : i64, slots = 1 : i64} : () -> !a
  %c = "nv_tileas.alloc_shared"() {offset = 4096 : i64, slots = 2 : i64} : () -> !a
  %f0 = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, offset = 7168 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
  %e0 = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, offset = 7176 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
  %f1 = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, offset = 7192 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
  %e1 = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, offset = 7200 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
  %r0 = "nv_tileas.create_ring"(%f0, %e0) {stages = 1 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  %r1 = "nv_tileas.create_ring"(%f1, %e1) {stages = 1 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    %p = "nv_tileas.ring_start"(%r0) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %q = "nv_tileas.ring_start"(%r1) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %m0 = "nv_tileas.ring_barrier"(%r0, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
    %m1 = "nv_tileas.ring_barrier"(%r1, %q) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
    %sa = "nv_tileas.slot_view"(%a, %p) : (!a, !nv_tileas.ring_position) -> !a
    %sb = "nv_tileas.slot_view"(%b, %q) : (!a, !nv_tileas.ring_position) -> !a
    "nv_tileas.async_tiled_tma_load"(%d, %sa, %n, %n, %m0) {box_index = 0 : i64, tx_count = 1024 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.async_tiled_tma_load"(%d, %sb, %n, %n, %m1) {box_index = 0 : i64, tx_count = 1024 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.yield"() : () -> ()
  }, {
    %v = "nv_tileas.warpgroup_view"(%c) {slot = 1 : i64, slots = 2 : i64} : (!a) -> !a
    %0 = "nv_tileas.convert_layout"(%x) {id = 1 : i64, offset = 6144 : i64} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    %1 = "nv_tileas.convert_layout"(%0) {id = 1 : i64, offset = 6144 : i64} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    "nv_tileas.store_shared"(%1, %v) : (tensor<8x32xf32>, !a) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "places", function_type = (!desc, i32, tensor<8x32xf32>) -> (), tilec.kernel = {block_threads = 256 : i64, shared_bytes = 7208 : i64}} : () -> ()
