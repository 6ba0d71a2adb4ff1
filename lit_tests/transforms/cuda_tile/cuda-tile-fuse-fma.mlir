// RUN: tilec opt %s --passes cuda-tile-fuse-fma --split-input-file | FileCheck %s

// The pass fuses a product and the sum or difference that is its only use into one fma.

// a * b + c.
// CHECK-LABEL: module @product_on_the_left
// CHECK: %[[A:.*]] = "cuda_tile.splat"
// CHECK: %[[B:.*]] = "cuda_tile.splat"
// CHECK: %[[C:.*]] = "cuda_tile.splat"
// CHECK-NOT: "cuda_tile.mulf"
// CHECK: %[[F:.*]] = "cuda_tile.fma"(%[[A]], %[[B]], %[[C]]) : 
// CHECK-NEXT: "cuda_tile.negf"(%[[F]])
!tile = !cuda_tile.tile<8xf32>
module @product_on_the_left {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %c) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// c + a * b.
// CHECK-LABEL: module @product_on_the_right
// CHECK: %[[A:.*]] = "cuda_tile.splat"
// CHECK: %[[B:.*]] = "cuda_tile.splat"
// CHECK: %[[C:.*]] = "cuda_tile.splat"
// CHECK-NOT: "cuda_tile.mulf"
// CHECK: "cuda_tile.fma"(%[[A]], %[[B]], %[[C]]) : 
// CHECK-NOT: "cuda_tile.addf"
!tile = !cuda_tile.tile<8xf32>
module @product_on_the_right {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%c, %p) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// Of two products one is fused and the other is computed.
// CHECK-LABEL: module @two_products
// CHECK: %[[A:.*]] = "cuda_tile.splat"
// CHECK: %[[B:.*]] = "cuda_tile.splat"
// CHECK: %[[C:.*]] = "cuda_tile.splat"
// CHECK: %[[P:.*]] = "cuda_tile.mulf"(%[[B]], %[[C]])
// CHECK: "cuda_tile.fma"(%[[A]], %[[B]], %[[P]])
!tile = !cuda_tile.tile<8xf32>
module @two_products {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %q = "cuda_tile.mulf"(%b, %c) : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %q) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// A sum of fused products stays a chain.
// CHECK-LABEL: module @chain
// CHECK: %[[A:.*]] = "cuda_tile.splat"
// CHECK: %[[B:.*]] = "cuda_tile.splat"
// CHECK: %[[C:.*]] = "cuda_tile.splat"
// CHECK: %[[F:.*]] = "cuda_tile.fma"(%[[A]], %[[B]], %[[C]])
// CHECK: "cuda_tile.fma"(%[[B]], %[[C]], %[[F]])
// CHECK-NOT: "cuda_tile.addf"
!tile = !cuda_tile.tile<8xf32>
module @chain {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %r = "cuda_tile.addf"(%p, %c) : (!tile, !tile) -> !tile
    %q = "cuda_tile.mulf"(%b, %c) : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%q, %r) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// Equal rounding and flush-to-zero go on to the fma.
// CHECK-LABEL: module @same_modifiers
// CHECK: "cuda_tile.fma"({{.*}}) {flush_to_zero, rounding = "zero"}
!tile = !cuda_tile.tile<8xf32>
module @same_modifiers {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) {flush_to_zero, rounding = "zero"} : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %c) {flush_to_zero, rounding = "zero"} : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// Rounding to nearest even is the default, written or not.
// CHECK-LABEL: module @explicit_default
// CHECK: "cuda_tile.fma"({{.*}}) : 
!tile = !cuda_tile.tile<8xf32>
module @explicit_default {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) {rounding = "nearest_even"} : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %c) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// bf16 fuses too.
// CHECK-LABEL: module @half_precision
// CHECK: "cuda_tile.fma"({{.*}}) : (!cuda_tile.tile<8xbf16>,
!tile = !cuda_tile.tile<8xbf16>
module @half_precision {
  "cuda_tile.entry"() ({
  ^bb0(%x: bf16, %y: bf16, %z: bf16):
    %a = "cuda_tile.splat"(%x) : (bf16) -> !tile
    %b = "cuda_tile.splat"(%y) : (bf16) -> !tile
    %c = "cuda_tile.splat"(%z) : (bf16) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %c) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (bf16, bf16, bf16) -> ()} : () -> ()
}

// -----

// A product with another use is not computed twice.
// CHECK-LABEL: module @second_use
// CHECK-NOT: "cuda_tile.fma"
// CHECK: "cuda_tile.mulf"
// CHECK: "cuda_tile.addf"
!tile = !cuda_tile.tile<8xf32>
module @second_use {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %c) : (!tile, !tile) -> !tile
    %u = "cuda_tile.subf"(%p, %s) : (!tile, !tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// p + p has two uses of p.
// CHECK-LABEL: module @doubled_product
// CHECK-NOT: "cuda_tile.fma"
// CHECK: "cuda_tile.addf"(%[[P:.*]], %[[P]])
!tile = !cuda_tile.tile<8xf32>
module @doubled_product {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %p) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// Different rounding.
// CHECK-LABEL: module @rounding_differs
// CHECK-NOT: "cuda_tile.fma"
// CHECK: "cuda_tile.addf"
!tile = !cuda_tile.tile<8xf32>
module @rounding_differs {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) {rounding = "zero"} : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %c) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// Different flush-to-zero.
// CHECK-LABEL: module @flush_differs
// CHECK-NOT: "cuda_tile.fma"
// CHECK: "cuda_tile.addf"
!tile = !cuda_tile.tile<8xf32>
module @flush_differs {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) {flush_to_zero} : (!tile, !tile) -> !tile
    %s = "cuda_tile.addf"(%p, %c) : (!tile, !tile) -> !tile
    %u = "cuda_tile.negf"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// A product outside the loop stays there: fusing would keep both factors alive.
// CHECK-LABEL: module @other_block
// CHECK-NOT: "cuda_tile.fma"
// CHECK: "cuda_tile.mulf"
// CHECK: scf.for
// CHECK: "cuda_tile.addf"
!tile = !cuda_tile.tile<8xf32>
module @other_block {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %r = scf.for %i = %n to %n step %n iter_args(%acc = %c) -> (!tile) : i32 {
      %s = "cuda_tile.addf"(%acc, %p) : (!tile, !tile) -> !tile
      scf.yield %s : !tile
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// A product of the loop body and a carried sum.
// CHECK-LABEL: module @loop_carried
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = 
// CHECK: %[[F:.*]] = "cuda_tile.fma"({{.*}}, %[[ACC]])
// CHECK: scf.yield %[[F]]
!tile = !cuda_tile.tile<8xf32>
module @loop_carried {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %r = scf.for %i = %n to %n step %n iter_args(%acc = %c) -> (!tile) : i32 {
      %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
      %s = "cuda_tile.addf"(%acc, %p) : (!tile, !tile) -> !tile
      scf.yield %s : !tile
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// a * b - c: what is repeated is negated before that.
// CHECK-LABEL: module @difference
// CHECK: %[[A:.*]] = "cuda_tile.splat"
// CHECK: %[[M:.*]] = "cuda_tile.splat"(%{{.*}}) : (f32) -> !cuda_tile.tile<8x1xf32>
// CHECK-NOT: "cuda_tile.mulf"
// CHECK: %[[N:.*]] = "cuda_tile.negf"(%[[M]])
// CHECK: %[[W:.*]] = "cuda_tile.broadcast"(%[[N]])
// CHECK: "cuda_tile.fma"(%[[A]], %[[A]], %[[W]])
// CHECK-NOT: "cuda_tile.subf"
!tile = !cuda_tile.tile<8x8xf32>
!column = !cuda_tile.tile<8x1xf32>
module @difference {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %m = "cuda_tile.splat"(%y) : (f32) -> !column
    %c = "cuda_tile.broadcast"(%m) : (!column) -> !tile
    %p = "cuda_tile.mulf"(%a, %a) : (!tile, !tile) -> !tile
    %s = "cuda_tile.subf"(%p, %c) : (!tile, !tile) -> !tile
    %u = "cuda_tile.exp"(%s) : (!tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32) -> ()} : () -> ()
}

// -----

// c - a * b: one of the factors is negated.
// CHECK-LABEL: module @subtracted_product
// CHECK: %[[A:.*]] = "cuda_tile.splat"
// CHECK: %[[B:.*]] = "cuda_tile.splat"
// CHECK: %[[C:.*]] = "cuda_tile.splat"
// CHECK: %[[N:.*]] = "cuda_tile.negf"(%[[B]])
// CHECK: "cuda_tile.fma"(%[[A]], %[[N]], %[[C]])
!tile = !cuda_tile.tile<8xf32>
module @subtracted_product {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %c = "cuda_tile.splat"(%z) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.subf"(%c, %p) : (!tile, !tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// The product is subtracted from itself: it has two uses.
// CHECK-LABEL: module @subtracted_from_itself
// CHECK-NOT: "cuda_tile.fma"
// CHECK: "cuda_tile.subf"(%[[P:.*]], %[[P]])
!tile = !cuda_tile.tile<8xf32>
module @subtracted_from_itself {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32, %y: f32, %z: f32):
    %a = "cuda_tile.splat"(%x) : (f32) -> !tile
    %b = "cuda_tile.splat"(%y) : (f32) -> !tile
    %p = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.subf"(%p, %p) : (!tile, !tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32, f32, f32) -> ()} : () -> ()
}

// -----

// A tile that the block loads is not negated; one that an outer block loads is.
// CHECK-LABEL: module @loaded
// CHECK: "cuda_tile.subf"
// CHECK: scf.for
// CHECK: "cuda_tile.fma"
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!row = !cuda_tile.tile<1x8xf32>
!square = !cuda_tile.tile<8x8xf32>
module @loaded {
  "cuda_tile.entry"() ({
  ^bb0(%p: !ptr, %i: i32, %x: f32):
    %tv = "cuda_tile.make_tensor_view"(%p) : (!ptr) -> !tensor
    %v = "cuda_tile.make_partition_view"(%tv) : (!tensor) -> !view
    %a = "cuda_tile.splat"(%x) : (f32) -> !square
    %e:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %r = "cuda_tile.reshape"(%e#0) : (!tile) -> !row
    %c = "cuda_tile.broadcast"(%r) : (!row) -> !square
    %m = "cuda_tile.mulf"(%a, %a) : (!square, !square) -> !square
    %s = "cuda_tile.subf"(%m, %c) : (!square, !square) -> !square
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = scf.for %j = %c0 to %i step %c1 iter_args(%k = %s) -> (!square) : i32 {
      %n = "cuda_tile.mulf"(%k, %k) : (!square, !square) -> !square
      %o = "cuda_tile.subf"(%n, %c) : (!square, !square) -> !square
      scf.yield %o : !square
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, i32, f32) -> ()} : () -> ()
}

// -----

// In the function of a scan, scalars are fused.
// CHECK-LABEL: module @scanned
// CHECK:       ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32):
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:    %[[Q:.*]] = math.fma %[[C]], %[[B]], %[[D]]
// CHECK-NEXT:    "cuda_tile.yield"(%[[P]], %[[Q]])
!tile = !cuda_tile.tile<8xf32>
module @scanned {
  "cuda_tile.entry"() ({
  ^bb0(%x: f32):
    %t = "cuda_tile.splat"(%x) : (f32) -> !tile
    %y:2 = "cuda_tile.scan"(%t, %t) ({
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.mulf %c, %b : f32
      %r = arith.addf %q, %d : f32
      "cuda_tile.yield"(%p, %r) : (f32, f32) -> ()
    }) {dim = 0 : i64, identities = [1.0 : f32, 0.0 : f32]} : (!tile, !tile) -> (!tile, !tile)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (f32) -> ()} : () -> ()
}
