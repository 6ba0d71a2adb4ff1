// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Accesses to single elements.
!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects 2 indices, one per axis, but got 1}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!view, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects indices of i32 or i64, but got !cuda_tile.tile<8xf32>}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %x, %x, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!view, !tile, !tile, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects indices of one type, but got}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %i, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!view, !at, i32, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects a mask of i1 with the shape of the indices, but got}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at, %at, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>} : (!view, !at, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects values of f32 with the shape of the indices, but got}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at, %at) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!view, !at, !at, !at) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects a padding for the elements that it leaves out}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>} : (!view, !at, !at) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects the memory order to be one of: weak, relaxed, acquire, but got: release}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at, %x) {ordering = "release", scope = "device", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op a memory scope is required for a relaxed access}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at, %x) {ordering = "relaxed", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op a weak access must not have a memory scope}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at, %x) {ordering = "weak", scope = "device", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects the memory scope to be one of: tl_blk, device, sys, but got: gpu}}
  %a:2 = "cuda_tile.load_elements_tko"(%v, %at, %at, %x) {ordering = "relaxed", scope = "gpu", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.load_elements_tko' op expects a tensor_view, but got}}
  %a:2 = "cuda_tile.load_elements_tko"(%x, %at, %at, %x) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!tile, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.atomic_elements_tko' op expects mode to be one of: add, addf,}}
  %a:2 = "cuda_tile.atomic_elements_tko"(%v, %at, %at, %x) {mode = "inc", ordering = "relaxed", scope = "device", operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.atomic_elements_tko' op mode max is for i32 or i64, but the array holds f32}}
  %a:2 = "cuda_tile.atomic_elements_tko"(%v, %at, %at, %x) {mode = "max", ordering = "relaxed", scope = "device", operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.atomic_elements_tko' op expects 2 values for mode cas, but got 1}}
  %a:2 = "cuda_tile.atomic_elements_tko"(%v, %at, %at, %x) {mode = "cas", ordering = "relaxed", scope = "device", operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}

// -----

!view = !cuda_tile.tensor_view<memref<64x?xf32, strided<[?, 1]>>>
!at = !cuda_tile.tile<8xi32>
!tile = !cuda_tile.tile<8xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %at = builtin.unrealized_conversion_cast to !at
  %x = builtin.unrealized_conversion_cast to !tile
  // expected-error @below {{'cuda_tile.atomic_elements_tko' op expects the memory order to be one of: relaxed, acquire, release, acq_rel, but got: weak}}
  %a:2 = "cuda_tile.atomic_elements_tko"(%v, %at, %at, %x) {mode = "addf", ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>} : (!view, !at, !at, !tile) -> (!tile, !token)
}
