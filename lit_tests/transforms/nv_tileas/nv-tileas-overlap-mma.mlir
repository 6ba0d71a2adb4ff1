// RUN: tilec opt %s --passes nv-tileas-overlap-mma --split-input-file | FileCheck %s

// The pass keeps one group of wgmma in flight while the next one is issued.

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!p = !nv_tileas.ring_position

// One group stays in flight over the end of the loop body. A slot is released one k-tile later, at a
// position of its own. After the loop, if it ran, the last group is drained and its slot released.
// CHECK-LABEL: module @one_group_stays_in_flight
// CHECK:         %[[HELD:.*]] = "nv_tileas.ring_start"(%[[RING:.*]]) :
// CHECK:         %[[START:.*]] = "nv_tileas.ring_start"(%[[RING]]) :
// CHECK:         %[[RAN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %[[IF:.*]]:3 = scf.if %[[RAN]]
// CHECK-NEXT:      %[[R:.*]]:3 = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %[[START]], %[[H:.*]] = %[[HELD]])
// CHECK:             %[[G:.*]]:2 = "nv_tileas.async_mma"(%{{.*}}, %{{.*}}, %[[ACC]])
// CHECK-NEXT:        %[[D:.*]] = "nv_tileas.mma_wait"(%[[G]]#0, %[[G]]#1) {pending = 1 : i64}
// CHECK-NEXT:        %[[I:.*]] = "nv_tileas.ring_release_until"(%[[RING]], %[[H]], %[[P]])
// CHECK-NEXT:        %[[N:.*]] = "nv_tileas.ring_advance"(%[[RING]], %[[P]])
// CHECK-NEXT:        scf.yield %[[D]], %[[N]], %[[I]]
// CHECK:           %[[S:.*]] = "nv_tileas.mma_drain"(%[[R]]#0)
// CHECK-NEXT:      %[[J:.*]] = "nv_tileas.ring_release_until"(%[[RING]], %[[R]]#2, %[[R]]#1)
// CHECK-NEXT:      scf.yield %[[S]], %[[R]]#1, %[[J]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %{{.*}}, %[[START]], %[[HELD]]
// CHECK:         arith.negf %[[IF]]#0
module @one_group_stays_in_flight {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<64x64xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
      %r, %q = scf.for %k = %c0 to %n step %c1 iter_args(%in = %acc, %p = %start) -> (tensor<64x64xf32>, !p) : i32 {
        "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %a = "nv_tileas.slot_view"(%buffer, %p) : (!a, !p) -> !a
        %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, tensor<64x64xf32>) -> (tensor<64x64xf32>, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x64xf32>, !t) -> tensor<64x64xf32>
        "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        scf.yield %d, %next : tensor<64x64xf32>, !p
      }
      %u = arith.negf %r : tensor<64x64xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, mma_pending = 1 : i64}} : () -> ()
}

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!t = !nv_tileas.mma_token
!p = !nv_tileas.ring_position

// The loop body reads the accumulator, so its group is retired at once.
// CHECK-LABEL: module @an_accumulator_that_is_read_is_waited_for
// CHECK-NOT:     ring_release_until
// CHECK:         "nv_tileas.mma_wait"(%{{.*}}) {pending = 0 : i64}
module @an_accumulator_that_is_read_is_waited_for {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<64x64xf32>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64} : () -> !a
    %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 4 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 4 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !p
      %r, %q = scf.for %k = %c0 to %n step %c1 iter_args(%in = %acc, %p = %start) -> (tensor<64x64xf32>, !p) : i32 {
        "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %a = "nv_tileas.slot_view"(%buffer, %p) : (!a, !p) -> !a
        %g, %t = "nv_tileas.async_mma"(%a, %a, %in) {a_major = "k", b_major = "k"} : (!a, !a, tensor<64x64xf32>) -> (tensor<64x64xf32>, !t)
        %d = "nv_tileas.mma_wait"(%g, %t) {pending = 0 : i64} : (tensor<64x64xf32>, !t) -> tensor<64x64xf32>
        "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !p) -> ()
        %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !p) -> !p
        %e = arith.negf %d : tensor<64x64xf32>
        scf.yield %e, %next : tensor<64x64xf32>, !p
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<64x64xf32>, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, mma_pending = 1 : i64}} : () -> ()
}
