// RUN: tilec opt %s | tilec opt - | FileCheck %s

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!words = !cuda_tile.tensor_view<memref<64xi32, strided<[1]>>>
!at = !cuda_tile.tile<8x4xi32>
!mask = !cuda_tile.tile<8x4xi1>
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %w = builtin.unrealized_conversion_cast to !words
  %at = builtin.unrealized_conversion_cast to !at
  %mask = builtin.unrealized_conversion_cast to !mask
  %x = builtin.unrealized_conversion_cast to !tile
  %i = builtin.unrealized_conversion_cast to i64
  %j = builtin.unrealized_conversion_cast to i32
  %t = "cuda_tile.make_token"() : () -> !token
  // CHECK: "cuda_tile.load_elements_tko"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 2, 1, 1, 1>, ordering = "weak"}
  // CHECK-SAME: -> (!cuda_tile.tile<8x4xf32>, !cuda_tile.token)
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at, %mask, %x, %t) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 1, 1, 1>} : (!view, !at, !at, !mask, !tile, !token) -> (!tile, !token)
  // A single element of 64-bit indices that nobody checks.
  // CHECK: "cuda_tile.load_elements_tko"(%{{.*}}) {ordering = "acquire", scope = "sys", unchecked}
  // CHECK-SAME: -> (f32, !cuda_tile.token)
  %b:2 = "cuda_tile.load_elements_tko"(%v, %i, %i) {ordering = "acquire", scope = "sys", unchecked, operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>} : (!view, i64, i64) -> (f32, !token)
  // CHECK: "cuda_tile.store_elements_tko"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 2, 1, 0>, ordering = "release", scope = "tl_blk"}
  %c = "cuda_tile.store_elements_tko"(%v, %x, %at, %at, %mask) {ordering = "release", scope = "tl_blk", operandSegmentSizes = array<i32: 1, 1, 2, 1, 0>} : (!view, !tile, !at, !at, !mask) -> !token
  // CHECK: "cuda_tile.atomic_elements_tko"(%{{.*}}) {mode = "addf", operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>, ordering = "acq_rel", scope = "device"}
  %d:2 = "cuda_tile.atomic_elements_tko"(%v, %at, %at, %x) {mode = "addf", ordering = "acq_rel", scope = "device", operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
  // CHECK: "cuda_tile.atomic_elements_tko"(%{{.*}}) {mode = "cas", operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, ordering = "relaxed", scope = "device"}
  %e:2 = "cuda_tile.atomic_elements_tko"(%w, %j, %j, %j) {mode = "cas", ordering = "relaxed", scope = "device", operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>} : (!words, i32, i32, i32) -> (i32, !token)
}
