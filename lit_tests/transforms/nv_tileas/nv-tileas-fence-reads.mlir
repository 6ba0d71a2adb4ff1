// RUN: tilec opt %s --passes nv-tileas-fence-reads --split-input-file | FileCheck %s

// The pass fences the reads that threads make of a slot before the slot is released.

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!p = !nv_tileas.ring_position

// Threads read the slot: their reads are fenced before its release, once, after the last of them.
// CHECK-LABEL: module @reads_of_threads_are_fenced_once
// CHECK:         "nv_tileas.ring_wait"(%[[RING:.*]], %[[P:.*]])
// CHECK:         "nv_tileas.load_shared"
// CHECK-NOT:     nv_tileas.fence_proxy
// CHECK:         "nv_tileas.load_shared"
// CHECK-NEXT:    "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:    "nv_tileas.ring_release"(%[[RING]], %[[P]])
module @reads_of_threads_are_fenced_once {
  "nv_tileaa.func"() ({
    %a = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    %p = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
    "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
    %s = "nv_tileas.slot_view"(%a, %p) : (!a, !p) -> !a
    %x = "nv_tileas.load_shared"(%s) : (!a) -> tensor<64x64xbf16>
    %t = "nv_tileas.shared_view"(%s) {order = array<i64: 1, 0>} : (!a) -> !a
    %y = "nv_tileas.load_shared"(%t) : (!a) -> tensor<64x64xbf16>
    "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = () -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!p = !nv_tileas.ring_position

// A read in a branch counts. A fence that exists is enough, unless it is a fence of global memory.
// CHECK-LABEL: module @reads_in_a_branch_are_fenced
// CHECK:         scf.if
// CHECK:           "nv_tileas.load_shared"
// CHECK:         }
// CHECK-NEXT:    "nv_tileas.fence_proxy"() {space = "global"}
// CHECK-NEXT:    "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:    "nv_tileas.ring_release"
// CHECK:         "nv_tileas.load_shared"
// CHECK-NEXT:    "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:    "nv_tileas.barrier"
// CHECK-NEXT:    "nv_tileas.ring_release"
module @reads_in_a_branch_are_fenced {
  "nv_tileaa.func"() ({
  ^bb0(%c: i1):
    %a = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    %p = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
    %s = "nv_tileas.slot_view"(%a, %p) : (!a, !p) -> !a
    scf.if %c {
      %x = "nv_tileas.load_shared"(%s) : (!a) -> tensor<64x64xbf16>
    }
    "nv_tileas.fence_proxy"() {space = "global"} : () -> ()
    "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
    %q = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
    %t = "nv_tileas.slot_view"(%a, %q) : (!a, !p) -> !a
    %y = "nv_tileas.load_shared"(%t) : (!a) -> tensor<64x64xbf16>
    "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()
    "nv_tileas.barrier"() : () -> ()
    "nv_tileas.ring_release"(%ring, %q) : (!nv_tileas.ring, !p) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i1) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!c = tensor<64x64xf32>
!p = !nv_tileas.ring_position

// The wait for a group of wgmma orders its reads: no fence.
// CHECK-LABEL: module @reads_of_wgmma_need_no_fence
// CHECK:         "nv_tileas.mma_wait"
// CHECK-NEXT:    "nv_tileas.ring_release"
module @reads_of_wgmma_need_no_fence {
  "nv_tileaa.func"() ({
  ^bb0(%acc: !c):
    %a = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    %p = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
    %s = "nv_tileas.slot_view"(%a, %p) : (!a, !p) -> !a
    %g, %t = "nv_tileas.async_mma"(%s, %s, %acc) {a_major = "k", b_major = "n"} : (!a, !a, !c) -> (!c, !nv_tileas.mma_token)
    %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (!c, !nv_tileas.mma_token) -> !c
    "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!c) -> ()} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!p = !nv_tileas.ring_position

// A read in another branch than the release needs no fence.
// CHECK-LABEL: module @reads_in_another_branch_need_no_fence
// CHECK:         scf.if
// CHECK-NEXT:      "nv_tileas.load_shared"
// CHECK-NOT:       nv_tileas.fence_proxy
// CHECK:         } else {
// CHECK-NEXT:      "nv_tileas.load_shared"
// CHECK-NEXT:      "nv_tileas.fence_proxy"() {space = "shared"}
// CHECK-NEXT:      "nv_tileas.ring_release"
module @reads_in_another_branch_need_no_fence {
  "nv_tileaa.func"() ({
  ^bb0(%c: i1):
    %a = "nv_tileas.alloc_shared"() {slots = 2 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    %p = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
    %s = "nv_tileas.slot_view"(%a, %p) : (!a, !p) -> !a
    scf.if %c {
      %x = "nv_tileas.load_shared"(%s) : (!a) -> tensor<64x64xbf16>
    } else {
      %x = "nv_tileas.load_shared"(%s) : (!a) -> tensor<64x64xbf16>
      "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i1) -> ()} : () -> ()
}
