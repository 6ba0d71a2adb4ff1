// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Loads, stores and tokens.
!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op expected 2 index operands (based on view type), got 1}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op expected tile type to be '!cuda_tile.tile<8x4xf32>' (based on view type), got '!cuda_tile.tile<8xf32>'}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak"} : (!view, i32, i32) -> (!cuda_tile.tile<8xf32>, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op expected tile type to be '!cuda_tile.tile<8x4xf32>' (based on view type), got '!cuda_tile.tile<8x4xf16>'}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak"} : (!view, i32, i32) -> (!cuda_tile.tile<8x4xf16>, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !tile
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op operand #0 must be TileView instance, but got '!cuda_tile.tile<8x4xf32>'}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak"} : (!tile, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.load_view_tko' op index operands must be i32, but got 'i64'}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak"} : (!view, i64, i64) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // What follows the indices is a token.
  // expected-error @below {{'cuda_tile.load_view_tko' op expected 2 index operands (based on view type), got 3}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i, %i) {ordering = "weak"} : (!view, i32, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op expected a token, but got 'i32'}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak"} : (!view, i32, i32) -> (!tile, i32)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op expect one of: weak, relaxed, or acquire, but got: release}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "release", scope = "device"} : (!view, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op weak load must not have memory scope}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak", scope = "device"} : (!view, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op memory scope is required for acquire load}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "acquire"} : (!view, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op expect scope to be one of: tl_blk, device, sys, but got: cta}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "relaxed", scope = "cta"} : (!view, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op boolean value expected for allow_tma, but got 1 : i64}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak", allow_tma = 1 : i64} : (!view, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op integer value in the range [1, 10] is expected for latency, got 11 : i64}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {ordering = "weak", latency = 11 : i64} : (!view, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.load_view_tko' op attribute "ordering" is expected but not provided}}
  %x:2 = "cuda_tile.load_view_tko"(%v, %i, %i) {allow_tma = true} : (!view, i32, i32) -> (!tile, !token)
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %x = builtin.unrealized_conversion_cast to !tile
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.store_view_tko' op expected 2 index operands (based on view type), got 3}}
  %t = "cuda_tile.store_view_tko"(%x, %v, %i, %i, %i) {ordering = "weak"} : (!tile, !view, i32, i32, i32) -> !token
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.store_view_tko' op expected tile type to be '!cuda_tile.tile<8x4xf32>' (based on view type), got '!cuda_tile.tile<4x8xf32>'}}
  %t = "cuda_tile.store_view_tko"(%x, %v, %i, %i) {ordering = "weak"} : (!cuda_tile.tile<4x8xf32>, !view, i32, i32) -> !token
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %x = builtin.unrealized_conversion_cast to !tile
  %v = builtin.unrealized_conversion_cast to !tile
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.store_view_tko' op operand #1 must be TileView instance, but got '!cuda_tile.tile<8x4xf32>'}}
  %t = "cuda_tile.store_view_tko"(%x, %v, %i, %i) {ordering = "weak"} : (!tile, !tile, i32, i32) -> !token
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %x = builtin.unrealized_conversion_cast to !tile
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.store_view_tko' op expect one of: weak, relaxed, or release, but got: acquire}}
  %t = "cuda_tile.store_view_tko"(%x, %v, %i, %i) {ordering = "acquire", scope = "device"} : (!tile, !view, i32, i32) -> !token
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %x = builtin.unrealized_conversion_cast to !tile
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.store_view_tko' op weak store must not have memory scope}}
  %t = "cuda_tile.store_view_tko"(%x, %v, %i, %i) {ordering = "weak", scope = "sys"} : (!tile, !view, i32, i32) -> !token
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %x = builtin.unrealized_conversion_cast to !tile
  %v = builtin.unrealized_conversion_cast to !view
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.store_view_tko' op memory scope is required for release store}}
  %t = "cuda_tile.store_view_tko"(%x, %v, %i, %i) {ordering = "release"} : (!tile, !view, i32, i32) -> !token
}

// -----

!token = !cuda_tile.token
module {
  %t = builtin.unrealized_conversion_cast to !token
  // expected-error @below {{'cuda_tile.join_tokens' op expect two or more tokens, but got: 1}}
  %r = "cuda_tile.join_tokens"(%t) : (!token) -> !token
}

// -----

module {
  %t = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.join_tokens' op operand #0 must be cuda tile token type, but got 'i32'}}
  %r = "cuda_tile.join_tokens"(%t, %t) : (i32, i32) -> !cuda_tile.token
}

// -----

module {
  // expected-error @below {{'cuda_tile.make_token' op result #0 must be cuda tile token type, but got 'i32'}}
  %r = "cuda_tile.make_token"() : () -> i32
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">

module {
  %v, %i = builtin.unrealized_conversion_cast to !view, i32
  // expected-error @below {{'cuda_tile.prefetch_view' op expected 2 index operands (based on view type), got 1}}
  "cuda_tile.prefetch_view"(%v, %i) : (!view, i32) -> ()
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">

module {
  %v, %i = builtin.unrealized_conversion_cast to !view, i64
  // expected-error @below {{'cuda_tile.prefetch_view' op index operands must be i32, but got 'i64'}}
  "cuda_tile.prefetch_view"(%v, %i, %i) : (!view, i64, i64) -> ()
}

// -----

module {
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.prefetch_view' op operand #0 must be TileView instance, but got 'i32'}}
  "cuda_tile.prefetch_view"(%i, %i) : (i32, i32) -> ()
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v, %i, %x = builtin.unrealized_conversion_cast to !view, i32, !tile
  // expected-error @below {{'cuda_tile.atomic_red_view_tko' op expect one of: relaxed, but got: acq_rel}}
  %t = "cuda_tile.atomic_red_view_tko"(%v, %i, %i, %x) {ordering = "acq_rel", scope = "device", mode = "addf"} : (!view, i32, i32, !tile) -> !token
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v, %i, %x = builtin.unrealized_conversion_cast to !view, i32, !tile
  // expected-error @below {{'cuda_tile.atomic_red_view_tko' op mode add is for i32 or i64, but the array holds f32}}
  %t = "cuda_tile.atomic_red_view_tko"(%v, %i, %i, %x) {ordering = "relaxed", scope = "device", mode = "add"} : (!view, i32, i32, !tile) -> !token
}

// -----

!view = !cuda_tile.partition_view<array<i64: 8, 4>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">
!tile = !cuda_tile.tile<8x4xf32>
!token = !cuda_tile.token
module {
  %v, %i, %x = builtin.unrealized_conversion_cast to !view, i32, !tile
  // expected-error @below {{'cuda_tile.atomic_red_view_tko' op expects mode to be one of: add, addf, max, min, umax, umin, and, or, xor, but got: xchg}}
  %t = "cuda_tile.atomic_red_view_tko"(%v, %i, %i, %x) {ordering = "relaxed", scope = "device", mode = "xchg"} : (!view, i32, i32, !tile) -> !token
}
