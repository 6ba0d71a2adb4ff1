// RUN: tilec opt %s --passes cuda-tile-order-tokens --split-input-file | FileCheck %s
// RUN: tilec opt %s --passes cuda-tile-order-tokens,cuda-tile-order-tokens --split-input-file | FileCheck %s

!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!view = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>

// A relaxed atomic operation writes its own array, and no more: the load of the other array waits
// for nothing.
// CHECK-LABEL: module @relaxed
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[A:.*]]:2 = "cuda_tile.atomic_elements_tko"(%{{.*}}, %[[START]])
// CHECK: "cuda_tile.load_elements_tko"(%{{.*}}, %[[START]])
// CHECK: "cuda_tile.load_elements_tko"(%{{.*}}, %[[A]]#1)
module @relaxed {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32, %x: f32):
    %va = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !view
    %vb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !view
    %r:2 = "cuda_tile.atomic_elements_tko"(%va, %i, %x) {mode = "addf", ordering = "relaxed", scope = "device", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!view, i32, f32) -> (f32, !token)
    %s:2 = "cuda_tile.load_elements_tko"(%vb, %i, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!view, i32, f32) -> (f32, !token)
    %t:2 = "cuda_tile.load_elements_tko"(%va, %i, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!view, i32, f32) -> (f32, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32, f32) -> ()} : () -> ()
}

// -----

!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!view = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>

// An acquire orders what comes after it in every array, a release what comes before it.
// CHECK-LABEL: module @lock
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[L:.*]]:2 = "cuda_tile.load_elements_tko"(%{{.*}}, %[[START]]) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>, ordering = "acquire"
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_elements_tko"(%{{.*}}, %[[L]]#1)
// CHECK: %[[S:.*]] = "cuda_tile.store_elements_tko"(%{{.*}}, %[[X]]#1)
// CHECK: %[[ALL:.*]] = "cuda_tile.join_tokens"(%[[L]]#1, %[[S]])
// CHECK: "cuda_tile.store_elements_tko"(%{{.*}}, %[[ALL]]) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>, ordering = "release"
module @lock {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32, %x: f32):
    %va = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !view
    %vb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !view
    %r:2 = "cuda_tile.load_elements_tko"(%va, %i, %x) {ordering = "acquire", scope = "device", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!view, i32, f32) -> (f32, !token)
    %s:2 = "cuda_tile.load_elements_tko"(%vb, %i, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!view, i32, f32) -> (f32, !token)
    %t = "cuda_tile.store_elements_tko"(%vb, %x, %i) {ordering = "weak", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!view, f32, i32) -> !token
    %u = "cuda_tile.store_elements_tko"(%va, %x, %i) {ordering = "release", scope = "device", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!view, f32, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32, f32) -> ()} : () -> ()
}

// -----

!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!view = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>

// A release does not wait for a number of an array that the kernel does not write, but for tiles.
// CHECK-LABEL: module @number
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: "cuda_tile.load_elements_tko"(%{{.*}}, %[[START]])
// CHECK: "cuda_tile.atomic_elements_tko"(%{{.*}}, %[[START]])
module @number {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32, %x: f32):
    %va = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !view
    %vb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !view
    %s:2 = "cuda_tile.load_elements_tko"(%vb, %i, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!view, i32, f32) -> (f32, !token)
    %r:2 = "cuda_tile.atomic_elements_tko"(%va, %i, %x) {mode = "addf", ordering = "acq_rel", scope = "device", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!view, i32, f32) -> (f32, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32, f32) -> ()} : () -> ()
}

// -----

!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!view = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>

// It does if other devices see the order, as they may change the array then.
// CHECK-LABEL: module @seen_outside
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_elements_tko"
// CHECK: "cuda_tile.atomic_elements_tko"(%{{.*}}, %[[X]]#1)
module @seen_outside {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32, %x: f32):
    %va = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !view
    %vb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !view
    %s:2 = "cuda_tile.load_elements_tko"(%vb, %i, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!view, i32, f32) -> (f32, !token)
    %r:2 = "cuda_tile.atomic_elements_tko"(%va, %i, %x) {mode = "addf", ordering = "acq_rel", scope = "sys", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!view, i32, f32) -> (f32, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32, f32) -> ()} : () -> ()
}
