// RUN: tilec opt %s --passes nv-tileas-fill-together --split-input-file | FileCheck %s

// A producer loads all tiles of a slot before it waits for a slot of another ring.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!t = tensor<64x64xbf16>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// The second tile is received one stage later. The third moves to the place after the first, with its coordinate.
// CHECK-LABEL: module @a_slot_is_filled_at_once
// CHECK:           scf.for %[[I:.*]] =
// CHECK-NEXT:        %[[A:.*]]:2 = "nv_tileas.tiled_load"(%{{.*}}, %[[I]], %[[I]])
// CHECK-NEXT:        "nv_tileas.send"(%[[A]]#0) {channel = 0 : i64}
// CHECK-NEXT:        %[[J:.*]] = arith.addi %[[I]], %[[I]]
// CHECK-NEXT:        %[[C:.*]]:2 = "nv_tileas.tiled_load"(%{{.*}}, %[[J]], %[[I]])
// CHECK-NEXT:        "nv_tileas.send"(%[[C]]#0) {channel = 2 : i64}
// CHECK-NEXT:        %[[B:.*]]:2 = "nv_tileas.tiled_load"(%{{.*}}, %[[I]], %{{.*}})
// CHECK-NEXT:        "nv_tileas.send"(%[[B]]#0) {channel = 1 : i64}
module @a_slot_is_filled_at_once {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      scf.for %i = %l to %u step %step : i32 {
        %a, %t0 = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
        "nv_tileas.send"(%a) {channel = 0 : i64} : (!t) -> ()
        %b, %t1 = "nv_tileas.tiled_load"(%v, %i, %l) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
        "nv_tileas.send"(%b) {channel = 1 : i64} : (!t) -> ()
        %j = arith.addi %i, %i : i32
        %c, %t2 = "nv_tileas.tiled_load"(%v, %j, %i) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
        "nv_tileas.send"(%c) {channel = 2 : i64} : (!t) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %i = %l to %u step %step : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot, stage = 0 : i64} : () -> !t
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot, stage = 1 : i64} : () -> !t
        %c = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot, stage = 0 : i64} : () -> !t
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!t = tensor<64x64xbf16>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// A loop that loads tiles stays between those before and after it.
// CHECK-LABEL: module @a_loop_has_slots_of_its_own
// CHECK:           "nv_tileas.send"(%{{.*}}) {channel = 0 : i64}
// CHECK:             "nv_tileas.send"(%{{.*}}) {channel = 1 : i64}
// CHECK:           "nv_tileas.send"(%{{.*}}) {channel = 2 : i64}
module @a_loop_has_slots_of_its_own {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      %a, %t0 = "nv_tileas.tiled_load"(%v, %l, %l) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (!t) -> ()
      scf.for %i = %l to %u step %step : i32 {
        %b, %t1 = "nv_tileas.tiled_load"(%v, %i, %l) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
        "nv_tileas.send"(%b) {channel = 1 : i64} : (!t) -> ()
      }
      %c, %t2 = "nv_tileas.tiled_load"(%v, %u, %l) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
      "nv_tileas.send"(%c) {channel = 2 : i64} : (!t) -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> !t
      scf.for %i = %l to %u step %step : i32 {
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> !t
      }
      %c = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot} : () -> !t
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!t = tensor<64x64xbf16>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#slot = #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>

// The coordinate of the third tile follows the first one already.
// CHECK-LABEL: module @a_coordinate_is_there_already
// CHECK:           scf.for %[[I:.*]] =
// CHECK-NEXT:        %[[A:.*]]:2 = "nv_tileas.tiled_load"(%{{.*}}, %[[I]], %[[I]])
// CHECK-NEXT:        "nv_tileas.send"(%[[A]]#0) {channel = 0 : i64}
// CHECK-NEXT:        %[[J:.*]] = arith.addi %[[I]], %[[I]]
// CHECK-NEXT:        %[[C:.*]]:2 = "nv_tileas.tiled_load"(%{{.*}}, %[[J]], %[[I]])
// CHECK-NEXT:        "nv_tileas.send"(%[[C]]#0) {channel = 2 : i64}
// CHECK-NEXT:        %[[B:.*]]:2 = "nv_tileas.tiled_load"(%{{.*}}, %[[I]], %{{.*}})
// CHECK-NEXT:        "nv_tileas.send"(%[[B]]#0) {channel = 1 : i64}
module @a_coordinate_is_there_already {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      scf.for %i = %l to %u step %step : i32 {
        %a, %t0 = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
        "nv_tileas.send"(%a) {channel = 0 : i64} : (!t) -> ()
        %j = arith.addi %i, %i : i32
        %b, %t1 = "nv_tileas.tiled_load"(%v, %i, %l) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
        "nv_tileas.send"(%b) {channel = 1 : i64} : (!t) -> ()
        %c, %t2 = "nv_tileas.tiled_load"(%v, %j, %i) {atom = #ldg} : (!v, i32, i32) -> (!t, !token)
        "nv_tileas.send"(%c) {channel = 2 : i64} : (!t) -> ()
      }
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %i = %l to %u step %step : i32 {
        %a = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot, stage = 0 : i64} : () -> !t
        %b = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot, stage = 1 : i64} : () -> !t
        %c = "nv_tileas.receive"() {channel = 2 : i64, shared_layout = #slot, stage = 0 : i64} : () -> !t
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32) -> ()} : () -> ()
}
