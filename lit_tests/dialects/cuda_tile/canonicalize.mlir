// RUN: tilec opt %s --passes canonicalize,cse,loop-invariant-code-motion,canonicalize --split-input-file | FileCheck %s

// Canonicalization and CSE keep what has an effect, and remove or merge the rest.

// Unused arithmetic is removed, equal arithmetic is merged.
// CHECK-LABEL: module @pure_operations
// CHECK: %[[N:.*]] = "cuda_tile.negf"
// CHECK-NOT: "cuda_tile.negf"
// CHECK: "cuda_tile.addf"(%[[N]], %[[N]])
// CHECK-NOT: "cuda_tile.mulf"
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @pure_operations {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %a = "cuda_tile.negf"(%x#0) : (!tile) -> !tile
    %b = "cuda_tile.negf"(%x#0) : (!tile) -> !tile
    %dead = "cuda_tile.mulf"(%a, %b) : (!tile, !tile) -> !tile
    %c = "cuda_tile.addf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.store_view_tko"(%c, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// Operations that differ in an attribute are not merged.
// CHECK-LABEL: module @attributes_matter
// CHECK: "cuda_tile.addf"(%[[X:.*]], %[[X]]) {rounding = "zero"}
// CHECK: "cuda_tile.addf"(%[[X]], %[[X]]) :
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @attributes_matter {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %a = "cuda_tile.addf"(%x#0, %x#0) {rounding = "zero"} : (!tile, !tile) -> !tile
    %b = "cuda_tile.addf"(%x#0, %x#0) : (!tile, !tile) -> !tile
    %c = "cuda_tile.subf"(%a, %b) : (!tile, !tile) -> !tile
    %s = "cuda_tile.store_view_tko"(%c, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// A weak load without a use is removed.
// CHECK-LABEL: module @unused_load
// CHECK-NOT: "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.return"
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @unused_load {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// A load that orders other accesses stays.
// CHECK-LABEL: module @acquire_load
// CHECK: "cuda_tile.load_view_tko"
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @acquire_load {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "acquire", scope = "device"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// Equal loads without a store between them are one load.
// CHECK-LABEL: module @equal_loads
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK-NOT: "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.addf"(%[[X]]#0, %[[X]]#0)
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @equal_loads {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %y:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %c = "cuda_tile.addf"(%x#0, %y#0) : (!tile, !tile) -> !tile
    %s = "cuda_tile.store_view_tko"(%c, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// A store keeps the loads around it apart.
// CHECK-LABEL: module @store_between
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.store_view_tko"
// CHECK: %[[Y:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.addf"(%[[X]]#0, %[[Y]]#0)
// CHECK: "cuda_tile.store_view_tko"
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @store_between {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    %y:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %c = "cuda_tile.addf"(%x#0, %y#0) : (!tile, !tile) -> !tile
    %u = "cuda_tile.store_view_tko"(%c, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// Equal stores both stay.
// CHECK-LABEL: module @equal_stores
// CHECK: "cuda_tile.store_view_tko"
// CHECK: "cuda_tile.store_view_tko"
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @equal_stores {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    %u = "cuda_tile.store_view_tko"(%x#0, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}

// -----

// Views and arithmetic leave a loop; loads and stores stay in it.
// CHECK-LABEL: module @loop_invariant
// CHECK: "cuda_tile.make_partition_view"
// CHECK: %[[Z:.*]] = "cuda_tile.splat"
// CHECK: %[[N:.*]] = "cuda_tile.negf"(%[[Z]])
// CHECK: scf.for
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.addf"(%[[X]]#0, %[[N]])
// CHECK: "cuda_tile.store_view_tko"
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @loop_invariant {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32, %n: i32, %f: f32):
    scf.for %k = %i to %n step %n : i32 {
      %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
      %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
      %x:2 = "cuda_tile.load_view_tko"(%v, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      %z = "cuda_tile.splat"(%f) : (f32) -> !tile
      %m = "cuda_tile.negf"(%z) : (!tile) -> !tile
      %c = "cuda_tile.addf"(%x#0, %m) : (!tile, !tile) -> !tile
      %s = "cuda_tile.store_view_tko"(%c, %v, %k) {ordering = "weak"} : (!tile, !view, i32) -> !token
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32, i32, f32) -> ()} : () -> ()
}

// -----

// Equal tokens are merged, unused ones are removed.
// CHECK-LABEL: module @tokens
// CHECK: %[[T:.*]] = "cuda_tile.make_token"
// CHECK-NOT: "cuda_tile.make_token"
// CHECK: %[[J:.*]] = "cuda_tile.join_tokens"(%[[T]], %[[T]])
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[J]])
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module @tokens {
  "cuda_tile.entry"() ({
  ^bb0(%p: !cuda_tile.ptr<f32>, %i: i32):
    %t = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !tensor
    %v = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !view
    %a = "cuda_tile.make_token"() : () -> !token
    %b = "cuda_tile.make_token"() : () -> !token
    %j = "cuda_tile.join_tokens"(%a, %b) : (!token, !token) -> !token
    %x:2 = "cuda_tile.load_view_tko"(%v, %i, %j) {ordering = "weak"} : (!view, i32, !token) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %v, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.ptr<f32>, i32) -> ()} : () -> ()
}
