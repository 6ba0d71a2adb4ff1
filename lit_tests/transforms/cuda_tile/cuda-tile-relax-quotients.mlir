// RUN: tilec opt %s --passes cuda-tile-relax-quotients --split-input-file | FileCheck %s

// The pass lets an f32 quotient err by 2 ulp where it is only rounded to 16 bits or fewer.

// SwiGLU: the quotient times another tile is rounded.
// CHECK-LABEL: module @product_then_rounding
// CHECK: "cuda_tile.divf"({{.*}}) {rounding = "full"}
!tile = !cuda_tile.tile<8xf32>
!half = !cuda_tile.tile<8xbf16>
module @product_then_rounding {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %q = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %p = "cuda_tile.mulf"(%q, %c) : (!tile, !tile) -> !tile
    %r = "cuda_tile.ftof"(%p) : (!tile) -> !half
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// Changes of shape, negations, choices and extrema pass a relative error; so does a quotient.
// CHECK-LABEL: module @long_way
// CHECK-COUNT-2: "cuda_tile.divf"({{.*}}) {rounding = "full"}
!tile = !cuda_tile.tile<8xf32>
!flat = !cuda_tile.tile<1x8xf32>
!byte = !cuda_tile.tile<1x8xf8E4M3FN>
!bits = !cuda_tile.tile<1x8xi1>
module @long_way {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %m: i1):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%y) : (f32) -> !flat
    %mask = "cuda_tile.splat"(%m) : (i1) -> !bits
    %q = "cuda_tile.divf"(%a, %b) {rounding = "nearest_even"} : (!tile, !tile) -> !tile
    %0 = "cuda_tile.negf"(%q) : (!tile) -> !tile
    %1 = "cuda_tile.reshape"(%0) : (!tile) -> !flat
    %2 = "cuda_tile.select"(%mask, %1, %c) : (!bits, !flat, !flat) -> !flat
    %3 = "cuda_tile.maxf"(%2, %c) : (!flat, !flat) -> !flat
    %4 = "cuda_tile.divf"(%c, %3) : (!flat, !flat) -> !flat
    %5 = "cuda_tile.ftof"(%4) : (!flat) -> !byte
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, i1) -> ()} : () -> ()
}

// -----

// The next operation would be the sixth: each of them may double the error.
// CHECK-LABEL: module @too_long
// CHECK-NOT: rounding
!tile = !cuda_tile.tile<8xf32>
!half = !cuda_tile.tile<8xf16>
module @too_long {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %q = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %0 = "cuda_tile.mulf"(%q, %q) : (!tile, !tile) -> !tile
    %1 = "cuda_tile.mulf"(%0, %0) : (!tile, !tile) -> !tile
    %2 = "cuda_tile.mulf"(%1, %1) : (!tile, !tile) -> !tile
    %3 = "cuda_tile.mulf"(%2, %2) : (!tile, !tile) -> !tile
    %4 = "cuda_tile.mulf"(%3, %3) : (!tile, !tile) -> !tile
    %5 = "cuda_tile.mulf"(%4, %4) : (!tile, !tile) -> !tile
    %r = "cuda_tile.ftof"(%5) : (!tile) -> !half
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}

// -----

// One use of two is not rounded.
// CHECK-LABEL: module @second_use
// CHECK-NOT: rounding
!tile = !cuda_tile.tile<8xf32>
!half = !cuda_tile.tile<8xf16>
module @second_use {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %q = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %r = "cuda_tile.ftof"(%q) : (!tile) -> !half
    %s = "cuda_tile.mulf"(%q, %b) : (!tile, !tile) -> !tile
    %t = "cuda_tile.exp"(%s) : (!tile) -> !tile
    %u = "cuda_tile.ftof"(%t) : (!tile) -> !half
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}

// -----

// A sum may cancel.
// CHECK-LABEL: module @sum
// CHECK-NOT: rounding
!tile = !cuda_tile.tile<8xf32>
!half = !cuda_tile.tile<8xf16>
module @sum {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %q = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.subf"(%q, %b) : (!tile, !tile) -> !tile
    %r = "cuda_tile.ftof"(%s) : (!tile) -> !half
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}

// -----

// A whole number of steps is not a relative error.
// CHECK-LABEL: module @floor
// CHECK-NOT: rounding
!tile = !cuda_tile.tile<8xf32>
!half = !cuda_tile.tile<8xf16>
module @floor {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %q = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.floor"(%q) : (!tile) -> !tile
    %r = "cuda_tile.ftof"(%s) : (!tile) -> !half
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}

// -----

// f64 and tf32 hold more than 16 bits of the quotient, and f64 has no such division.
// CHECK-LABEL: module @wide
// CHECK-NOT: rounding
!tile = !cuda_tile.tile<8xf32>
!wide = !cuda_tile.tile<8xf64>
module @wide {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f64):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f64) -> !wide
    %q = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %r = "cuda_tile.ftof"(%q) : (!tile) -> !wide
    %s = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %t = "cuda_tile.ftof"(%s) : (!tile) -> !cuda_tile.tile<8xtf32>
    %u = "cuda_tile.divf"(%c, %c) : (!wide, !wide) -> !wide
    %v = "cuda_tile.ftof"(%u) : (!wide) -> !cuda_tile.tile<8xf16>
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f64) -> ()} : () -> ()
}

// -----

// A rounding that was asked for stays, and a quotient by a power of two is a product.
// CHECK-LABEL: module @asked_for
// CHECK: "cuda_tile.divf"({{.*}}) {rounding = "zero"}
// CHECK: "cuda_tile.divf"({{.*}}) : 
// CHECK: "cuda_tile.divf"({{.*}}) {rounding = "full"}
!tile = !cuda_tile.tile<8xf32>
!half = !cuda_tile.tile<8xf16>
module @asked_for {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %four = "cuda_tile.constant"() {value = dense<4.0> : tensor<8xf32>} : () -> !tile
    %three = "cuda_tile.constant"() {value = dense<3.0> : tensor<8xf32>} : () -> !tile
    %q = "cuda_tile.divf"(%a, %b) {rounding = "zero"} : (!tile, !tile) -> !tile
    %r = "cuda_tile.ftof"(%q) : (!tile) -> !half
    %s = "cuda_tile.divf"(%a, %four) : (!tile, !tile) -> !tile
    %t = "cuda_tile.ftof"(%s) : (!tile) -> !half
    %u = "cuda_tile.divf"(%a, %three) : (!tile, !tile) -> !tile
    %v = "cuda_tile.ftof"(%u) : (!tile) -> !half
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}

// -----

// The error of an approximate tanh is larger; a soft cap multiplies its result and goes on.
// CHECK-LABEL: module @soft_cap
// CHECK: "cuda_tile.divf"({{.*}}) {rounding = "full"}
// CHECK: "cuda_tile.divf"({{.*}}) : (
!tile = !cuda_tile.tile<8xf32>
module @soft_cap {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %q = "cuda_tile.divf"(%a, %b) : (!tile, !tile) -> !tile
    %t = "cuda_tile.tanh"(%q) {rounding = "approx"} : (!tile) -> !tile
    %s = "cuda_tile.mulf"(%t, %b) : (!tile, !tile) -> !tile
    %d = "cuda_tile.subf"(%s, %a) : (!tile, !tile) -> !tile
    %q2 = "cuda_tile.divf"(%d, %b) : (!tile, !tile) -> !tile
    %t2 = "cuda_tile.tanh"(%q2) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}
