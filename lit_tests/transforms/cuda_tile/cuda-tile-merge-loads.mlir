// RUN: tilec opt %s --passes cuda-tile-order-tokens,cuda-tile-merge-loads --split-input-file | FileCheck %s

// The pass loads a tile once where nothing is stored between two equal loads.

// Equal loads are one, and so is a load in a loop that stands after an equal one.
// CHECK-LABEL: module @equal_loads_are_one
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK-NOT: "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0
// CHECK: scf.for
// CHECK-NEXT: "cuda_tile.store_view_tko"(%[[X]]#0
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @equal_loads_are_one {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%y#0, %vb, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %i step %c1 : i32 {
      %z:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      %t = "cuda_tile.store_view_tko"(%z#0, %vb, %j) {ordering = "weak"} : (!tile, !view, i32) -> !token
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A store to the array, another tile index, another memory order, and a load in a branch that may
// not have run: all loads stay.
// CHECK-LABEL: module @different_loads_stay
// CHECK-COUNT-6: "cuda_tile.load_view_tko"
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @different_loads_stay {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32, %j: i32, %c: i1):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    scf.if %c {
      %u:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      %r = "cuda_tile.store_view_tko"(%u#0, %vb, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    }
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %y:2 = "cuda_tile.load_view_tko"(%va, %j) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %z:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "relaxed", scope = "device"} : (!view, i32) -> (!tile, !token)
    %v:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "relaxed", scope = "device"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%y#0, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    %w:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32, i32, i1) -> ()} : () -> ()
}
