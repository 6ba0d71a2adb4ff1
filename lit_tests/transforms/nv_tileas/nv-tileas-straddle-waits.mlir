// RUN: tilec opt %s --passes nv-tileas-straddle-waits --split-input-file | FileCheck %s

// The pass lets the special functions of a tile straddle the wait for a product that hides them.

!acc = tensor<128x128xf32>
!rows = tensor<128x1xf32>

// The first eight rows of each 16 come before the wait, with their sums, and the last eight after it.
// What needs neither the product nor the special functions comes before the wait. The round before
// the loop adds in the same order.
// CHECK-LABEL: module @weights_of_a_softmax
// CHECK:         {axis = 1 : i64, serial} : (tensor<128x16x8xf32>) -> tensor<128x8xf32>
// CHECK:         scf.for
// CHECK:         %[[B:.*]] = arith.mulf %[[TOP:.*]], %{{.*}} : tensor<128x1xf32>
// CHECK-NEXT:    %[[FADE:.*]] = math.exp2 %[[TOP]] : tensor<128x1xf32>
// CHECK-NEXT:    %[[V:.*]] = "nv_tileas.view"(%[[B]]) : (tensor<128x1xf32>) -> tensor<8x2x8x1xf32>
// CHECK-NEXT:    %[[V0:.*]] = "nv_tileas.tile_slice"(%[[V]]) {origin = array<i64: 0, 0, 0, 0>} : (tensor<8x2x8x1xf32>) -> tensor<8x1x8x1xf32>
// CHECK-NEXT:    %[[H0:.*]] = "nv_tileas.view"(%[[V0]]) : (tensor<8x1x8x1xf32>) -> tensor<64x1xf32>
// CHECK-NEXT:    %[[W:.*]] = "nv_tileas.view"(%[[S:.*]]) : (tensor<128x128xf32>) -> tensor<8x2x8x128xf32>
// CHECK-NEXT:    %[[W0:.*]] = "nv_tileas.tile_slice"(%[[W]]) {origin = array<i64: 0, 0, 0, 0>} : (tensor<8x2x8x128xf32>) -> tensor<8x1x8x128xf32>
// CHECK-NEXT:    %[[S0:.*]] = "nv_tileas.view"(%[[W0]]) : (tensor<8x1x8x128xf32>) -> tensor<64x128xf32>
// CHECK-NEXT:    %[[C0:.*]] = "nv_tileas.splat"(%[[SCALE:.*]]) : (f32) -> tensor<64x128xf32>
// CHECK-NEXT:    %[[B0:.*]] = "nv_tileas.broadcast"(%[[H0]]) : (tensor<64x1xf32>) -> tensor<64x128xf32>
// CHECK-NEXT:    %[[X0:.*]] = math.fma %[[S0]], %[[C0]], %[[B0]] : tensor<64x128xf32>
// CHECK-NEXT:    %[[P0:.*]] = math.exp2 %[[X0]] {flush_to_zero} : tensor<64x128xf32>
// CHECK-NEXT:    %[[Q0:.*]] = "nv_tileas.view"(%[[P0]]) : (tensor<64x128xf32>) -> tensor<64x16x8xf32>
// CHECK-NEXT:    %[[R0:.*]] = "nv_tileas.reduce"(%[[Q0]])
// CHECK:         {axis = 1 : i64, serial} : (tensor<64x16x8xf32>) -> tensor<64x8xf32>
// CHECK-NEXT:    "nv_tileas.anchor"(%[[R0]])
// CHECK-NEXT:    %[[D:.*]] = "nv_tileas.mma_wait"
// CHECK:         %[[L:.*]] = "nv_tileas.tile_slice"(%{{.*}}) {origin = array<i64: 0, 1, 0, 0>} : (tensor<8x2x8x1xf32>) -> tensor<8x1x8x1xf32>
// CHECK-NEXT:    %[[L1:.*]] = "nv_tileas.view"(%[[L]])
// CHECK-NEXT:    %[[H1:.*]] = "nv_tileas.hold"(%[[L1]], %[[D]])
// CHECK:         %[[B1:.*]] = "nv_tileas.broadcast"(%[[H1]]) : (tensor<64x1xf32>) -> tensor<64x128xf32>
// CHECK-NEXT:    %[[X1:.*]] = math.fma %{{.*}}, %{{.*}}, %[[B1]] : tensor<64x128xf32>
// CHECK-NEXT:    %[[P1:.*]] = math.exp2 %[[X1]] {flush_to_zero} : tensor<64x128xf32>
// CHECK:         %[[R1:.*]] = "nv_tileas.reduce"
// CHECK:         %[[T0:.*]] = "nv_tileas.view"(%[[R0]]) : (tensor<64x8xf32>) -> tensor<8x1x8x8xf32>
// CHECK-NEXT:    %[[T1:.*]] = "nv_tileas.view"(%[[R1]]) : (tensor<64x8xf32>) -> tensor<8x1x8x8xf32>
// CHECK-NEXT:    %[[T:.*]] = "nv_tileas.cat"(%[[T0]], %[[T1]]) {dim = 1 : i64}
// CHECK-NEXT:    %[[R:.*]] = "nv_tileas.view"(%[[T]]) : (tensor<8x2x8x8xf32>) -> tensor<128x8xf32>
// CHECK:         %[[Y:.*]] = "nv_tileas.cat"(%{{.*}}, %{{.*}}) {dim = 1 : i64} : (tensor<8x1x8x128xf32>, tensor<8x1x8x128xf32>) -> tensor<8x2x8x128xf32>
// CHECK-NEXT:    %[[P:.*]] = "nv_tileas.view"(%[[Y]]) : (tensor<8x2x8x128xf32>) -> tensor<128x128xf32>
// CHECK-NEXT:    %[[A:.*]] = arith.truncf %[[P]]
// CHECK-NEXT:    scf.yield %[[D]], %[[A]], %[[R]], %[[FADE]]
module @weights_of_a_softmax {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<128x128xbf16>, %acc: !acc, %s: !acc, %top: !rows, %c: f32, %v: !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, %l: i32, %u: i32, %step: i32, %r0: tensor<128x8xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %scale = "nv_tileas.splat"(%c) : (f32) -> !acc
      %rows = "nv_tileas.splat"(%c) : (f32) -> !rows
      %p0 = math.exp2 %s {flush_to_zero} : !acc
      %q0 = "nv_tileas.view"(%p0) : (!acc) -> tensor<128x16x8xf32>
      %s0 = "nv_tileas.reduce"(%q0) ({
      ^bb0(%lhs: f32, %rhs: f32):
        %z = arith.addf %lhs, %rhs : f32
        "nv_tileas.yield_values"(%z) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x16x8xf32>) -> tensor<128x8xf32>
      %x:4 = scf.for %i = %l to %u step %step iter_args(%o = %acc, %w = %a, %t = %s0, %f = %top) -> (!acc, tensor<128x128xbf16>, tensor<128x8xf32>, !rows) : i32 {
        %fade = "nv_tileas.broadcast"(%f) : (!rows) -> !acc
        %scaled = arith.mulf %o, %fade : !acc
        %g:2 = "nv_tileas.async_mma"(%w, %v, %scaled) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, !acc) -> (!acc, !nv_tileas.mma_token)
        %m = arith.mulf %top, %rows : !rows
        %b = "nv_tileas.broadcast"(%m) : (!rows) -> !acc
        %e = math.fma %s, %scale, %b : !acc
        %p = math.exp2 %e {flush_to_zero} : !acc
        %q = "nv_tileas.view"(%p) : (!acc) -> tensor<128x16x8xf32>
        "nv_tileas.anchor"(%p) : (!acc) -> ()
        %d = "nv_tileas.mma_wait"(%g#0, %g#1) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
        %n = arith.truncf %p : !acc to tensor<128x128xbf16>
        %r = "nv_tileas.reduce"(%q) ({
        ^bb0(%lhs: f32, %rhs: f32):
          %z = arith.addf %lhs, %rhs : f32
          "nv_tileas.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (tensor<128x16x8xf32>) -> tensor<128x8xf32>
        %k = math.exp2 %top : !rows
        scf.yield %d, %n, %r, %k : !acc, tensor<128x128xbf16>, tensor<128x8xf32>, !rows
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, !acc, !acc, !rows, f32, !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, i32, i32, i32, tensor<128x8xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}

// -----

!acc = tensor<128x128xf32>
!rows = tensor<128x1xf32>

// Half of a constant tile is a constant: a slice would ask for registers of the whole tile.
// CHECK-LABEL: module @a_constant_is_made_for_each_part
// CHECK:         %[[C0:.*]] = arith.constant dense<2.0{{.*}}> : tensor<64x128xf32>
// CHECK:         math.fma %{{.*}}, %[[C0]], %{{.*}} : tensor<64x128xf32>
// CHECK:         "nv_tileas.mma_wait"
// CHECK:         %[[C1:.*]] = arith.constant dense<2.0{{.*}}> : tensor<64x128xf32>
// CHECK:         math.fma %{{.*}}, %[[C1]], %{{.*}} : tensor<64x128xf32>
module @a_constant_is_made_for_each_part {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<128x128xbf16>, %acc: !acc, %s: !acc, %top: !rows, %c: f32, %v: !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, %l: i32, %u: i32, %step: i32, %r0: tensor<128x8xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %scale = arith.constant dense<2.0> : !acc
      %rows = "nv_tileas.splat"(%c) : (f32) -> !rows
      %x:4 = scf.for %i = %l to %u step %step iter_args(%o = %acc, %w = %a, %t = %r0, %f = %top) -> (!acc, tensor<128x128xbf16>, tensor<128x8xf32>, !rows) : i32 {
        %fade = "nv_tileas.broadcast"(%f) : (!rows) -> !acc
        %scaled = arith.mulf %o, %fade : !acc
        %g:2 = "nv_tileas.async_mma"(%w, %v, %scaled) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, !acc) -> (!acc, !nv_tileas.mma_token)
        %m = arith.mulf %top, %rows : !rows
        %b = "nv_tileas.broadcast"(%m) : (!rows) -> !acc
        %e = math.fma %s, %scale, %b : !acc
        %p = math.exp2 %e {flush_to_zero} : !acc
        %q = "nv_tileas.view"(%p) : (!acc) -> tensor<128x16x8xf32>
        "nv_tileas.anchor"(%p) : (!acc) -> ()
        %d = "nv_tileas.mma_wait"(%g#0, %g#1) {pending = 0 : i64} : (!acc, !nv_tileas.mma_token) -> !acc
        %n = arith.truncf %p : !acc to tensor<128x128xbf16>
        %r = "nv_tileas.reduce"(%q) ({
        ^bb0(%lhs: f32, %rhs: f32):
          %z = arith.addf %lhs, %rhs : f32
          "nv_tileas.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (tensor<128x16x8xf32>) -> tensor<128x8xf32>
        %k = math.exp2 %top : !rows
        scf.yield %d, %n, %r, %k : !acc, tensor<128x128xbf16>, tensor<128x8xf32>, !rows
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, !acc, !acc, !rows, f32, !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, i32, i32, i32, tensor<128x8xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}

// -----

// Nothing small stands between the product and all rows, so there is nothing to hold.
// CHECK-LABEL: module @nothing_to_hold
// CHECK:         %[[P:.*]] = math.exp2
// CHECK-NEXT:    "nv_tileas.anchor"(%[[P]])
// CHECK-NEXT:    "nv_tileas.mma_wait"
// CHECK-NEXT:    arith.truncf %[[P]]
module @nothing_to_hold {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<128x128xbf16>, %acc: tensor<128x128xf32>, %s: tensor<128x128xf32>, %v: !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %g:2 = "nv_tileas.async_mma"(%a, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, tensor<128x128xf32>) -> (tensor<128x128xf32>, !nv_tileas.mma_token)
      %p = math.exp2 %s : tensor<128x128xf32>
      "nv_tileas.anchor"(%p) : (tensor<128x128xf32>) -> ()
      %d = "nv_tileas.mma_wait"(%g#0, %g#1) {pending = 0 : i64} : (tensor<128x128xf32>, !nv_tileas.mma_token) -> tensor<128x128xf32>
      %n = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x128xbf16>, tensor<128x128xf32>, tensor<128x128xf32>, !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}

// -----

!acc = tensor<128x192xf32>
!rows = tensor<128x1xf32>

// The largest scores of rows of more than 128 columns are found in one chain.
// CHECK-LABEL: module @largest_scores_of_long_rows
// CHECK:         "nv_tileas.reduce"(%[[S:.*]])
// CHECK:           arith.maxnumf
// CHECK:         {axis = 1 : i64, serial} : (tensor<128x192xf32>) -> tensor<128xf32>
// CHECK:         "nv_tileas.anchor"
// CHECK-NEXT:    "nv_tileas.mma_wait"
// CHECK:         "nv_tileas.hold"
module @largest_scores_of_long_rows {
  "nv_tileaa.func"() ({
  ^bb0(%a: tensor<128x192xbf16>, %acc: tensor<128x128xf32>, %s: !acc, %c: f32, %v: !nv_tileas.smem<tensor<192x128xbf16, #nv_tileas.shared_layout<array<i64: 192, 64>, 128 : i64>>>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %scale = "nv_tileas.splat"(%c) : (f32) -> !acc
      %g:2 = "nv_tileas.async_mma"(%a, %v, %acc) {a_major = "k", b_major = "n"} : (tensor<128x192xbf16>, !nv_tileas.smem<tensor<192x128xbf16, #nv_tileas.shared_layout<array<i64: 192, 64>, 128 : i64>>>, tensor<128x128xf32>) -> (tensor<128x128xf32>, !nv_tileas.mma_token)
      %top = "nv_tileas.reduce"(%s) ({
      ^bb0(%lhs: f32, %rhs: f32):
        %z = arith.maxnumf %lhs, %rhs : f32
        "nv_tileas.yield_values"(%z) : (f32) -> ()
      }) {axis = 1 : i64} : (!acc) -> tensor<128xf32>
      %m = "nv_tileas.view"(%top) : (tensor<128xf32>) -> !rows
      %b = "nv_tileas.broadcast"(%m) : (!rows) -> !acc
      %e = math.fma %s, %scale, %b : !acc
      %p = math.exp2 %e {flush_to_zero} : !acc
      "nv_tileas.anchor"(%p) : (!acc) -> ()
      %d = "nv_tileas.mma_wait"(%g#0, %g#1) {pending = 0 : i64} : (tensor<128x128xf32>, !nv_tileas.mma_token) -> tensor<128x128xf32>
      %n = arith.truncf %p : !acc to tensor<128x192xbf16>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<128x192xbf16>, tensor<128x128xf32>, !acc, f32, !nv_tileas.smem<tensor<192x128xbf16, #nv_tileas.shared_layout<array<i64: 192, 64>, 128 : i64>>>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}
