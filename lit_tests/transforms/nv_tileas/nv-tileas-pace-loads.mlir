// RUN: tilec opt %s --passes nv-tileas-pace-loads --split-input-file | FileCheck %s

// The pass spreads the loads of an epilogue over the products of its tile.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!ring = !nv_tileas.ring
!p = !nv_tileas.ring_position
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// A sleep comes before each slice, after the wait for its slot. It takes the number of k-tiles times
// the pace, up to the longest sleep. What is loaded next to the slices is not delayed, nor are the operands.
// CHECK-LABEL: module @slices_are_spread
// CHECK:         ^bb0({{.*}}, %[[N:.*]]: i32):
// CHECK:         %[[LENGTH:.*]] = arith.subi %[[N]], %[[ZERO:.*]] : i32
// CHECK-NEXT:    %[[ROUNDS:.*]] = arith.ceildivsi %[[LENGTH]], %[[STEP:.*]] : i32
// CHECK-NEXT:    %[[NONE:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[SOME:.*]] = arith.maxsi %[[ROUNDS]], %[[NONE]] : i32
// CHECK-NEXT:    %[[MOST:.*]] = arith.constant 20833 : i32
// CHECK-NEXT:    %[[K:.*]] = arith.minsi %[[SOME]], %[[MOST]] : i32
// CHECK-NEXT:    %[[PACE:.*]] = arith.constant 48 : i32
// CHECK-NEXT:    %[[NS:.*]] = arith.muli %[[K]], %[[PACE]] : i32
// CHECK-NEXT:    "nv_tileas.roles"
// CHECK-NOT:       nv_tileas.sleep
// CHECK:           "nv_tileas.producer_warp"
// CHECK:             "nv_tileas.ring_acquire"(%[[BIAS:[a-z0-9]*]],
// CHECK-NEXT:        "nv_tileas.tiled_load"
// CHECK:             "nv_tileas.ring_acquire"
// CHECK-NEXT:        "nv_tileas.sleep"(%[[NS]]) : (i32) -> ()
// CHECK-NEXT:        "nv_tileas.tiled_load"{{.*}}slice = 0
// CHECK-NEXT:        "nv_tileas.tiled_load"{{.*}}slice = 0
// CHECK-NEXT:        "nv_tileas.ring_commit"
// CHECK:             "nv_tileas.ring_acquire"
// CHECK-NEXT:        "nv_tileas.sleep"(%[[NS]]) : (i32) -> ()
// CHECK-NEXT:        "nv_tileas.tiled_load"{{.*}}slice = 1
// CHECK-NOT:       nv_tileas.sleep
module @slices_are_spread {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %bias: !ring, %ring: !ring, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %p = "nv_tileas.ring_start"(%ring) : (!ring) -> !p
    "nv_tileas.roles"() ({
      scf.for %tile = %c0 to %c64 step %c1 : i32 {
        scf.for %k = %c0 to %n step %c1 : i32 {
          %x, %t = "nv_tileas.tiled_load"(%v, %tile, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        }
      }
      "nv_tileas.producer_warp"() ({
        scf.for %tile = %c0 to %c64 step %c1 : i32 {
          "nv_tileas.ring_acquire"(%bias, %p) : (!ring, !p) -> ()
          %b, %s = "nv_tileas.tiled_load"(%v, %tile, %c0) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
          "nv_tileas.ring_commit"(%bias, %p) : (!ring, !p) -> ()
          "nv_tileas.ring_acquire"(%ring, %p) : (!ring, !p) -> ()
          %x, %t = "nv_tileas.tiled_load"(%v, %tile, %c0) {atom = #load, slice_group = 0 : i64, slice = 0 : i64} : (!v, i32, i32) -> (tensor<64x32xbf16>, !token)
          %y, %u = "nv_tileas.tiled_load"(%v, %tile, %c0) {atom = #load, slice_group = 0 : i64, slice = 0 : i64} : (!v, i32, i32) -> (tensor<64x32xbf16>, !token)
          "nv_tileas.ring_commit"(%ring, %p) : (!ring, !p) -> ()
          %q = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!ring, !p) -> !p
          "nv_tileas.ring_acquire"(%ring, %q) : (!ring, !p) -> ()
          %z, %w = "nv_tileas.tiled_load"(%v, %tile, %c64) {atom = #load, slice_group = 0 : i64, slice = 1 : i64} : (!v, i32, i32) -> (tensor<64x32xbf16>, !token)
          "nv_tileas.ring_commit"(%ring, %q) : (!ring, !p) -> ()
        }
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !ring, !ring, i32) -> (), nv_tileaa.kernel_spec = {epilogue_pace = 48 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!ring = !nv_tileas.ring
!p = !nv_tileas.ring_position
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// There is no sleep where the number of k-tiles depends on the tile, or the plan has no pace.
// CHECK-LABEL: module @k_tiles_that_depend_on_the_tile_have_no_pace
// CHECK-NOT:     nv_tileas.sleep
module @k_tiles_that_depend_on_the_tile_have_no_pace {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %ring: !ring):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %p = "nv_tileas.ring_start"(%ring) : (!ring) -> !p
    "nv_tileas.roles"() ({
      scf.for %tile = %c0 to %c1 step %c1 : i32 {
        scf.for %k = %c0 to %tile step %c1 : i32 {
          %x, %t = "nv_tileas.tiled_load"(%v, %tile, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        }
      }
      "nv_tileas.producer_warp"() ({
        "nv_tileas.ring_acquire"(%ring, %p) : (!ring, !p) -> ()
        %x, %t = "nv_tileas.tiled_load"(%v, %c0, %c0) {atom = #load, slice_group = 0 : i64, slice = 0 : i64} : (!v, i32, i32) -> (tensor<64x32xbf16>, !token)
        "nv_tileas.ring_commit"(%ring, %p) : (!ring, !p) -> ()
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !ring) -> (), nv_tileaa.kernel_spec = {epilogue_pace = 48 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!ring = !nv_tileas.ring
!p = !nv_tileas.ring_position
#load = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>

// CHECK-LABEL: module @a_plan_without_a_pace_delays_nothing
// CHECK-NOT:     nv_tileas.sleep
module @a_plan_without_a_pace_delays_nothing {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %ring: !ring, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %p = "nv_tileas.ring_start"(%ring) : (!ring) -> !p
    "nv_tileas.roles"() ({
      scf.for %k = %c0 to %n step %c1 : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %c0, %k) {atom = #load} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      }
      "nv_tileas.producer_warp"() ({
        "nv_tileas.ring_acquire"(%ring, %p) : (!ring, !p) -> ()
        %x, %t = "nv_tileas.tiled_load"(%v, %c0, %c0) {atom = #load, slice_group = 0 : i64, slice = 0 : i64} : (!v, i32, i32) -> (tensor<64x32xbf16>, !token)
        "nv_tileas.ring_commit"(%ring, %p) : (!ring, !p) -> ()
        "nv_tileas.yield"() : () -> ()
      }) {warp = 1 : i64} : () -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64, teams = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !ring, i32) -> (), nv_tileaa.kernel_spec = {epilogue_pace = 0 : i64}} : () -> ()
}
