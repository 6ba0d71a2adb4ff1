// RUN: tilec opt %s --passes cuda-tile-group-factors --split-input-file | FileCheck %s

// The pass multiplies the scalar factors of a tile with each other first.

// A soft cap: a scale and a quotient before an approximate tanh, two factors after it.
// CHECK-LABEL: module @soft_cap
// CHECK:      ^bb0(%[[S:.*]]: f32, %[[CAP:.*]]: f32):
// CHECK:      %[[D:.*]] = "cuda_tile.mmaf"
// CHECK:      %[[BEFORE:.*]] = arith.divf %[[S]], %[[CAP]] : f32
// CHECK-NEXT: %[[B:.*]] = "cuda_tile.splat"(%[[BEFORE]])
// CHECK-NEXT: %[[P:.*]] = "cuda_tile.mulf"(%[[D]], %[[B]])
// CHECK-NEXT: %[[T:.*]] = "cuda_tile.tanh"(%[[P]]) {rounding = "approx"}
// CHECK:      %[[AFTER:.*]] = arith.mulf %[[CAP]], %{{.*}} : f32
// CHECK-NEXT: %[[A:.*]] = "cuda_tile.splat"(%[[AFTER]])
// CHECK-NEXT: "cuda_tile.mulf"(%[[T]], %[[A]])
!in = !cuda_tile.tile<64x64xbf16>
!tile = !cuda_tile.tile<64x64xf32>
module @soft_cap {
  "cuda_tile.entry"() ({
  ^bb0(%s: f32, %cap: f32):
    %zeros = "cuda_tile.constant"() {value = dense<0.0> : tensor<64x64xf32>} : () -> !tile
    %x = "cuda_tile.constant"() {value = dense<1.0> : tensor<64x64xbf16>} : () -> !in
    %d = "cuda_tile.mmaf"(%x, %x, %zeros) : (!in, !in, !tile) -> !tile
    %ss = "cuda_tile.splat"(%s) : (f32) -> !tile
    %caps = "cuda_tile.splat"(%cap) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%d, %ss) : (!tile, !tile) -> !tile
    %q = "cuda_tile.divf"(%p, %caps) : (!tile, !tile) -> !tile
    %t = "cuda_tile.tanh"(%q) {rounding = "approx"} : (!tile) -> !tile
    %u = "cuda_tile.mulf"(%t, %caps) : (!tile, !tile) -> !tile
    %log = "cuda_tile.constant"() {value = dense<1.44269502> : tensor<64x64xf32>} : () -> !tile
    %v = "cuda_tile.mulf"(%u, %log) : (!tile, !tile) -> !tile
    %e = "cuda_tile.exp2"(%v) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}

// -----

// A factor goes to the terms of a sum, and a quotient alone becomes a product, before a tanh.
// CHECK-LABEL: module @sum
// CHECK:      ^bb0(%[[S:.*]]: f32, %[[W:.*]]: f32, %[[R:.*]]: f32):
// CHECK:      %[[X:.*]] = "cuda_tile.exp2"
// CHECK-NEXT: %[[Y:.*]] = "cuda_tile.tanh"(%[[X]])
// CHECK:      %[[SR:.*]] = arith.mulf %[[S]], %[[R]] : f32
// CHECK-NEXT: %[[A:.*]] = "cuda_tile.splat"(%[[SR]])
// CHECK-NEXT: %[[P:.*]] = "cuda_tile.mulf"(%[[X]], %[[A]])
// CHECK-NEXT: %[[WR:.*]] = arith.mulf %[[W]], %[[R]] : f32
// CHECK-NEXT: %[[B:.*]] = "cuda_tile.splat"(%[[WR]])
// CHECK-NEXT: %[[Q:.*]] = "cuda_tile.mulf"(%[[Y]], %[[B]])
// CHECK-NEXT: %[[SUM:.*]] = "cuda_tile.subf"(%[[P]], %[[Q]])
// CHECK-NEXT: "cuda_tile.tanh"(%[[SUM]])
// CHECK:      %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[INV:.*]] = arith.divf %[[ONE]], %[[R]] : f32
// CHECK-NEXT: %[[I:.*]] = "cuda_tile.splat"(%[[INV]])
// CHECK-NEXT: "cuda_tile.mulf"(%[[X]], %[[I]])
!tile = !cuda_tile.tile<64x64xf32>
module @sum {
  "cuda_tile.entry"() ({
  ^bb0(%s: f32, %w: f32, %r: f32):
    %ss = "cuda_tile.splat"(%s) : (f32) -> !tile
    %x = "cuda_tile.exp2"(%ss) : (!tile) -> !tile
    %y = "cuda_tile.tanh"(%x) {rounding = "approx"} : (!tile) -> !tile
    %ws = "cuda_tile.splat"(%w) : (f32) -> !tile
    %rs = "cuda_tile.splat"(%r) : (f32) -> !tile
    %a = "cuda_tile.mulf"(%x, %ss) : (!tile, !tile) -> !tile
    %b = "cuda_tile.mulf"(%ws, %y) : (!tile, !tile) -> !tile
    %c = "cuda_tile.subf"(%a, %b) : (!tile, !tile) -> !tile
    %d = "cuda_tile.mulf"(%rs, %c) : (!tile, !tile) -> !tile
    %t = "cuda_tile.tanh"(%d) {rounding = "approx"} : (!tile) -> !tile
    %q = "cuda_tile.divf"(%x, %rs) : (!tile, !tile) -> !tile
    %u = "cuda_tile.tanh"(%q) {rounding = "approx"} : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// Numbers of f32 whose result is not approximated, a term without a factor, a product that is also
// used otherwise, another rounding, an accurate tanh, and two exact terms that may cancel: all stay.
// CHECK-LABEL: module @stays
// CHECK-NOT: arith.
!tile = !cuda_tile.tile<64x64xf32>
!in = !cuda_tile.tile<64x64xbf16>
module @stays {
  "cuda_tile.entry"() ({
  ^bb0(%s: f32):
    %ss = "cuda_tile.splat"(%s) : (f32) -> !tile
    %x = "cuda_tile.exp2"(%ss) : (!tile) -> !tile
    %y = "cuda_tile.ftof"(%x) : (!tile) -> !in
    %a = "cuda_tile.mulf"(%x, %ss) : (!tile, !tile) -> !tile
    %b = "cuda_tile.mulf"(%a, %ss) : (!tile, !tile) -> !tile
    %c = "cuda_tile.exp2"(%b) : (!tile) -> !tile
    %d = "cuda_tile.mulf"(%x, %ss) : (!tile, !tile) -> !tile
    %e = "cuda_tile.addf"(%d, %x) : (!tile, !tile) -> !tile
    %f = "cuda_tile.mulf"(%e, %ss) : (!tile, !tile) -> !tile
    %g = "cuda_tile.tanh"(%f) {rounding = "approx"} : (!tile) -> !tile
    %m = "cuda_tile.mmaf"(%y, %y, %x) : (!in, !in, !tile) -> !tile
    %h = "cuda_tile.mulf"(%m, %ss) : (!tile, !tile) -> !tile
    %i = "cuda_tile.mulf"(%h, %ss) : (!tile, !tile) -> !tile
    %j = "cuda_tile.addf"(%h, %i) : (!tile, !tile) -> !tile
    %k = "cuda_tile.mulf"(%m, %ss) {rounding = "zero"} : (!tile, !tile) -> !tile
    %l = "cuda_tile.mulf"(%k, %ss) : (!tile, !tile) -> !tile
    %n = "cuda_tile.mulf"(%x, %ss) : (!tile, !tile) -> !tile
    %o = "cuda_tile.divf"(%n, %ss) : (!tile, !tile) -> !tile
    %p = "cuda_tile.tanh"(%o) : (!tile) -> !tile
    %q = "cuda_tile.mulf"(%x, %ss) : (!tile, !tile) -> !tile
    %r = "cuda_tile.mulf"(%c, %ss) : (!tile, !tile) -> !tile
    %t = "cuda_tile.subf"(%q, %r) : (!tile, !tile) -> !tile
    %u = "cuda_tile.mulf"(%t, %ss) : (!tile, !tile) -> !tile
    %v = "cuda_tile.tanh"(%u) {rounding = "approx"} : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32) -> ()} : () -> ()
}
