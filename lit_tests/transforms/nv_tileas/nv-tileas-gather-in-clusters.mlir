// RUN: tilec opt %s --passes nv-tileas-gather-in-clusters --split-input-file | FileCheck %s

// The pass combines in two steps what is reduced along an axis that CTAs share.

!x = tensor<1x4096xf32, #nv_tileas.layout<"1x4096|reg:4*(0,1)|lane:32*(0,4)|warp:4*(0,128)|cta:8*(0,512)">>
!s = tensor<1xf32, #nv_tileas.layout<"1|lane:32*(0)|warp:4*(0)|cta:8*(0)">>

// Outside of loops an exchange has one slot.
// CHECK-LABEL: module @once
// CHECK:         %[[BUFFER:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64}
// CHECK-SAME:      !nv_tileas.smem<tensor<1x8xf32
// CHECK:         %[[BAR:.*]] = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64}
// CHECK:         %[[RING:.*]] = "nv_tileas.create_ring"(%[[BAR]]) {cluster = array<i64: 8, 1>, multicast_axes = array<i64: 0>, stages = 1 : i64}
// CHECK:         "nv_tileas.roles"
// CHECK:           "nv_tileas.await_cluster"()
// CHECK-NEXT:      %[[VIEW:.*]] = "nv_tileas.view"({{.*}} tensor<1x8x512xf32
// CHECK-NEXT:      %[[PART:.*]] = "nv_tileas.reduce"(%[[VIEW]])
// CHECK:           {axis = 2 : i64}
// CHECK-NOT:       "nv_tileas.barrier"
// CHECK:           "nv_tileas.mbarrier_arrive_expect_tx"{{.*}} {tx_count = 32 : i64}
// CHECK:           %[[SLOT:.*]] = "nv_tileas.slot_view"(%[[BUFFER]]
// CHECK-NEXT:      "nv_tileas.cluster_send"(%[[PART]], %[[SLOT]], {{.*}}) {cluster = array<i64: 8, 1>, multicast_axis = 0 : i64, tx_count = 4 : i64}
// CHECK-NEXT:      "nv_tileas.ring_wait"(%[[RING]]
// CHECK-NEXT:      %[[ALL:.*]] = "nv_tileas.load_shared"(%[[SLOT]]){{.*}} tensor<1x8xf32, #nv_tileas.layout<"1x8|reg:8*(0,1)|lane:32*(0,0)|warp:4*(0,0)|cta:8*(0,0)">>
// CHECK-NEXT:      "nv_tileas.reduce"(%[[ALL]])
// CHECK:           {axis = 1 : i64}
module @once {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %s = "nv_tileas.reduce"(%x) ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        "nv_tileas.yield_values"(%c) : (f32) -> ()
      }) {axis = 1 : i64} : (!x) -> !s
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "once", function_type = (!x) -> (), nv_tileaa.kernel_spec = {spread = 8 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!x = tensor<1x64xbf16, #nv_tileas.layout<"1x64|reg:1*(0,1)|lane:32*(0,1)|cta:2*(0,32)">>
!s = tensor<1xbf16, #nv_tileas.layout<"1|lane:32*(0)|cta:2*(0)">>

// In a loop it has two slots, and threads meet before they send again: a single warp shares no
// scratch area, so nothing else makes them meet. Elements of 16 bits travel as f32.
// CHECK-LABEL: module @in_a_loop
// CHECK:         "nv_tileas.alloc_shared"() {slots = 2 : i64}
// CHECK:         "nv_tileas.create_ring"{{.*}} stages = 2 : i64
// CHECK:           %[[START:.*]] = "nv_tileas.ring_start"
// CHECK:           "nv_tileas.await_cluster"()
// CHECK-NEXT:      scf.for {{.*}} iter_args(%[[POSITION:.*]] = %[[START]])
// CHECK:             arith.extf
// CHECK-NEXT:        "nv_tileas.barrier"()
// CHECK:             "nv_tileas.cluster_send"
// CHECK-NEXT:        "nv_tileas.ring_wait"
// CHECK-NEXT:        "nv_tileas.load_shared"
// CHECK-NEXT:        arith.truncf
// CHECK-NEXT:        %[[NEXT:.*]] = "nv_tileas.ring_advance"(%{{.*}}, %[[POSITION]])
// CHECK:             scf.yield %[[NEXT]]
module @in_a_loop {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x, %l: i32, %u: i32, %step: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.for %i = %l to %u step %step : i32 {
        %s = "nv_tileas.reduce"(%x) ({
        ^bb0(%a: bf16, %b: bf16):
          %c = arith.maximumf %a, %b : bf16
          "nv_tileas.yield_values"(%c) : (bf16) -> ()
        }) {axis = 1 : i64} : (!x) -> !s
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "in_a_loop", function_type = (!x, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {spread = 2 : i64, consumer_warps = 1 : i64}} : () -> ()
}

// -----

!x = tensor<8x64xf32, #nv_tileas.layout<"8x64|reg:2*(0,1),4*(1,0)|lane:32*(0,2)|cta:2*(4,0)">>
!s = tensor<8xf32, #nv_tileas.layout<"8|reg:4*(1)|lane:32*(0)|cta:2*(4)">>

// Rows that each CTA has whole need no exchange.
// CHECK-LABEL: module @whole_rows
// CHECK-NOT:     "nv_tileas.cluster_send"
module @whole_rows {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %s = "nv_tileas.reduce"(%x) ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        "nv_tileas.yield_values"(%c) : (f32) -> ()
      }) {axis = 1 : i64} : (!x) -> !s
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 1 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "whole_rows", function_type = (!x) -> (), nv_tileaa.kernel_spec = {spread = 2 : i64, consumer_warps = 1 : i64}} : () -> ()
}

// -----

!x = tensor<1x4096xf32, #nv_tileas.layout<"1x4096|reg:4*(0,1)|lane:32*(0,4)|warp:4*(0,128)|cta:8*(0,512)">>

// Each CTA scans its part while the parts of the others arrive, and then combines it with those
// before. A part is reduced from its end where the scan runs from there.
// CHECK-LABEL: module @scanned
// CHECK:           %[[VIEW:.*]] = "nv_tileas.view"({{.*}} -> tensor<1x8x512xf32
// CHECK-NEXT:      %[[PART:.*]] = "nv_tileas.reduce"(%[[VIEW]])
// CHECK-NEXT:      ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:        arith.subf %[[B]], %[[A]]
// CHECK:           {axis = 2 : i64}
// CHECK:           "nv_tileas.cluster_send"(%[[PART]]
// CHECK-NEXT:      %[[SCAN:.*]] = "nv_tileas.scan"(%[[VIEW]])
// CHECK-NEXT:      ^bb0(%[[C:.*]]: f32, %[[D:.*]]: f32):
// CHECK-NEXT:        arith.subf %[[C]], %[[D]]
// CHECK:           {axis = 2 : i64, reverse}
// CHECK-NEXT:      "nv_tileas.ring_wait"
// CHECK-NEXT:      %[[ALL:.*]] = "nv_tileas.load_shared"
// CHECK-NEXT:      %[[FOUND:.*]] = "nv_tileas.combine_before"(%[[SCAN]], %[[ALL]])
// CHECK:           {axis = 1 : i64, {{.*}}, reverse}
// CHECK-NEXT:      "nv_tileas.view"(%[[FOUND]]){{.*}} -> tensor<1x4096xf32
module @scanned {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %s = "nv_tileas.scan"(%x) ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.subf %a, %b : f32
        "nv_tileas.yield_values"(%c) : (f32) -> ()
      }) {axis = 1 : i64, reverse} : (!x) -> !x
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "scanned", function_type = (!x) -> (), nv_tileaa.kernel_spec = {spread = 8 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!x = tensor<64x32xf32, #nv_tileas.layout<"64x32|reg:16*(0,1)|lane:2*(0,16),16*(1,0)|warp:4*(16,0)|cta:8*(0,0)">>
!s = tensor<32xf32, #nv_tileas.layout<"32|reg:16*(1)|lane:2*(16),16*(0)|warp:4*(0)|cta:8*(0)">>

// Each CTA has reduced a tile of its own: its row of a tile of all CTAs.
// CHECK-LABEL: module @rounds
// CHECK:         %[[OWN:.*]] = "nv_tileas.reduce"(%{{.*}})
// CHECK:         {axis = 0 : i64}
// CHECK:         %[[ROW:.*]] = "nv_tileas.view"(%[[OWN]]){{.*}} tensor<1x32xf32
// CHECK-NEXT:    %[[ROWS:.*]] = "nv_tileas.broadcast"(%[[ROW]]){{.*}} tensor<8x32xf32, #nv_tileas.layout<"8x32|reg:16*(0,1)|lane:2*(0,16),16*(0,0)|warp:4*(0,0)|cta:8*(1,0)">>
// CHECK-NEXT:    "nv_tileas.await_cluster"()
// CHECK:         "nv_tileas.cluster_send"(%{{.*}}) {cluster = array<i64: 8, 1>, multicast_axis = 0 : i64, tx_count = 128 : i64}
// CHECK:         %[[ALL:.*]] = "nv_tileas.load_shared"
// CHECK-NEXT:    "nv_tileas.reduce"(%[[ALL]])
// CHECK:         {axis = 0 : i64}
module @rounds {
  "nv_tileaa.func"() ({
  ^bb0(%x: !x):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %r = "nv_tileas.reduce"(%x) ({
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        "nv_tileas.yield_values"(%c) : (f32) -> ()
      }) {across_ctas, axis = 0 : i64} : (!x) -> !s
      "nv_tileas.yield"() : () -> ()
    }) {consumer_warps = 4 : i64, producer_warps = 0 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {function_type = (!x) -> (), sym_name = "rounds", nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, producer_warps = 0 : i64, share_rounds = true, spread = 8 : i64}} : () -> ()
}
