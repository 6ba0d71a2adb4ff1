// RUN: tilec opt %s --passes nv-tileas-straddle-waits --split-input-file | FileCheck %s

// The pass lets the special functions of a tile straddle the wait for a product that hides them.

!acc = tensor<128x128xf32>
!rows = tensor<128x1xf32>

// Arithmetic after the wait takes 192 cycles: conversions, and the multiplication of the next round.
// The special functions take 512, less 64 for sums, which are cut as well. So 55 of 128 columns would
// take as long; 48 are the next multiple of 16. What needs neither comes before the wait.
// CHECK-LABEL: module @weights_of_a_softmax
// CHECK:         %[[B:.*]] = arith.mulf %[[TOP:.*]], %{{.*}} : tensor<128x1xf32>
// CHECK-NEXT:    %[[FADE:.*]] = math.exp2 %[[TOP]] : tensor<128x1xf32>
// CHECK-NEXT:    %[[S0:.*]] = "nv_tileas.tile_slice"(%[[S:.*]]) {origin = array<i64: 0, 0>} : (tensor<128x128xf32>) -> tensor<128x80xf32>
// CHECK-NEXT:    %[[C0:.*]] = "nv_tileas.splat"(%[[SCALE:.*]]) : (f32) -> tensor<128x80xf32>
// CHECK-NEXT:    %[[B0:.*]] = "nv_tileas.broadcast"(%[[B]]) : (tensor<128x1xf32>) -> tensor<128x80xf32>
// CHECK-NEXT:    %[[X0:.*]] = math.fma %[[S0]], %[[C0]], %[[B0]] : tensor<128x80xf32>
// CHECK-NEXT:    %[[P0:.*]] = math.exp2 %[[X0]] {flush_to_zero} : tensor<128x80xf32>
// CHECK-NEXT:    %[[V0:.*]] = "nv_tileas.view"(%[[P0]]) : (tensor<128x80xf32>) -> tensor<128x10x8xf32>
// CHECK-NEXT:    %[[R0:.*]] = "nv_tileas.reduce"(%[[V0]])
// CHECK:         "nv_tileas.anchor"(%[[R0]])
// CHECK-NEXT:    %[[D:.*]] = "nv_tileas.mma_wait"
// CHECK-NEXT:    %[[H:.*]] = "nv_tileas.hold"(%[[B]], %[[D]])
// CHECK-NEXT:    %[[S1:.*]] = "nv_tileas.tile_slice"(%[[S]]) {origin = array<i64: 0, 80>} : (tensor<128x128xf32>) -> tensor<128x48xf32>
// CHECK-NEXT:    %[[C1:.*]] = "nv_tileas.splat"(%[[SCALE]]) : (f32) -> tensor<128x48xf32>
// CHECK-NEXT:    %[[B1:.*]] = "nv_tileas.broadcast"(%[[H]]) : (tensor<128x1xf32>) -> tensor<128x48xf32>
// CHECK-NEXT:    %[[X1:.*]] = math.fma %[[S1]], %[[C1]], %[[B1]] : tensor<128x48xf32>
// CHECK-NEXT:    %[[P1:.*]] = math.exp2 %[[X1]] {flush_to_zero} : tensor<128x48xf32>
// CHECK:         %[[R1:.*]] = "nv_tileas.reduce"
// CHECK:         %[[R:.*]] = arith.addf %[[R0]], %[[R1]] : tensor<128x8xf32>
// CHECK-NEXT:    %[[P:.*]] = "nv_tileas.cat"(%[[P0]], %[[P1]]) {dim = 1 : i64}
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

!acc = tensor<128x128xf32>
!rows = tensor<128x1xf32>

// A part of a constant tile is a constant: a slice would ask for registers of the whole tile.
// CHECK-LABEL: module @a_constant_is_made_for_each_part
// CHECK:         %[[C0:.*]] = arith.constant dense<2.0{{.*}}> : tensor<128x80xf32>
// CHECK:         math.fma %{{.*}}, %[[C0]], %{{.*}} : tensor<128x80xf32>
// CHECK:         "nv_tileas.mma_wait"
// CHECK:         %[[C1:.*]] = arith.constant dense<2.0{{.*}}> : tensor<128x48xf32>
// CHECK:         math.fma %{{.*}}, %[[C1]], %{{.*}} : tensor<128x48xf32>
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

// Nothing small stands between the product and all columns, so there is nothing to hold.
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
