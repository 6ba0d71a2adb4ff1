// RUN: tilec opt %s --split-input-file | FileCheck %s
// RUN: tilec opt %s --split-input-file | tilec opt - --split-input-file | FileCheck %s

// Every type parses, verifies and prints as it was written.

// A tile type has a short spelling, which is what is printed, and a long one.
// CHECK-LABEL: module @tile
// CHECK: to !cuda_tile.tile<128x64xbf16>
// CHECK: to !cuda_tile.tile<128x64xbf16>
// CHECK: to !cuda_tile.tile<f32>
// CHECK: to !cuda_tile.tile<1x2x4x8x16xi1>
// CHECK: to !cuda_tile.tile<4x!cuda_tile.ptr<f32>>
module @tile {
  %a = builtin.unrealized_conversion_cast to !cuda_tile.tile<128x64xbf16>
  %b = builtin.unrealized_conversion_cast to !cuda_tile.tile<tensor<128x64xbf16>>
  %c = builtin.unrealized_conversion_cast to !cuda_tile.tile<f32>
  %d = builtin.unrealized_conversion_cast to !cuda_tile.tile<1x2x4x8x16xi1>
  %e = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x!cuda_tile.ptr<f32>>
}

// -----

// Every element type.
// CHECK-LABEL: module @elements
// CHECK-SAME: [!cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<2xi16>, !cuda_tile.tile<2xi32>, !cuda_tile.tile<2xi64>, !cuda_tile.tile<2xf16>, !cuda_tile.tile<2xbf16>, !cuda_tile.tile<2xf32>, !cuda_tile.tile<2xf64>, !cuda_tile.tile<2xtf32>, !cuda_tile.tile<2xf8E4M3FN>, !cuda_tile.tile<2xf8E5M2>]
module @elements attributes {cuda_tile.types = [!cuda_tile.tile<2xi1>, !cuda_tile.tile<2xi8>, !cuda_tile.tile<2xi16>, !cuda_tile.tile<2xi32>, !cuda_tile.tile<2xi64>, !cuda_tile.tile<2xf16>, !cuda_tile.tile<2xbf16>, !cuda_tile.tile<2xf32>, !cuda_tile.tile<2xf64>, !cuda_tile.tile<2xtf32>, !cuda_tile.tile<2xf8E4M3FN>, !cuda_tile.tile<2xf8E5M2>]} {
}

// -----

// The spelling is left alone in strings and comments: !cuda_tile.tile<4xf32> "
// CHECK-LABEL: module @strings
// CHECK-SAME: t.long = "!cuda_tile.tile<tensor<4xf32>>", t.quoted = "a \22!cuda_tile.tile<4xf32>", t.short = "!cuda_tile.tile<4xf32>", t.type = !cuda_tile.tile<4xf32>
module @strings attributes {t.short = "!cuda_tile.tile<4xf32>", t.long = "!cuda_tile.tile<tensor<4xf32>>", t.quoted = "a \"!cuda_tile.tile<4xf32>", t.type = !cuda_tile.tile<4xf32>} {
}

// -----

// Pointers, tensor views with known and unknown extents and strides, tokens.
// CHECK-LABEL: module @views
// CHECK: to !cuda_tile.ptr<f8E5M2>
// CHECK: to !cuda_tile.tensor_view<memref<?x8xf32, strided<[?, 1]>>>
// CHECK: to !cuda_tile.tensor_view<memref<4xi64, strided<[3]>>>
// CHECK: to !cuda_tile.tensor_view<memref<f16, strided<[]>>>
// CHECK: to !cuda_tile.token
module @views {
  %a = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f8E5M2>
  %b = builtin.unrealized_conversion_cast to !cuda_tile.tensor_view<memref<?x8xf32, strided<[?, 1]>>>
  %c = builtin.unrealized_conversion_cast to !cuda_tile.tensor_view<memref<4xi64, strided<[3]>>>
  %d = builtin.unrealized_conversion_cast to !cuda_tile.tensor_view<memref<f16, strided<[]>>>
  %e = builtin.unrealized_conversion_cast to !cuda_tile.token
}

// -----

// Partition views with every padding value.
// CHECK-LABEL: module @partitions
// CHECK: array<i64: 2, 4>, !cuda_tile.tensor_view<memref<?x8xf32, strided<[?, 1]>>>, array<i64: 1, 0>, "zero">
// CHECK: "neg_zero">
// CHECK: "nan">
// CHECK: "pos_inf">
// CHECK: "neg_inf">
!tensor = !cuda_tile.tensor_view<memref<?x8xf32, strided<[?, 1]>>>
module @partitions {
  %t = builtin.unrealized_conversion_cast to !tensor
  %a = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !cuda_tile.partition_view<array<i64: 2, 4>, !tensor, array<i64: 1, 0>, "zero">
  %b = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !cuda_tile.partition_view<array<i64: 2, 4>, !tensor, array<i64: 0, 1>, "neg_zero">
  %c = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !cuda_tile.partition_view<array<i64: 2, 4>, !tensor, array<i64: 0, 1>, "nan">
  %d = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !cuda_tile.partition_view<array<i64: 2, 4>, !tensor, array<i64: 0, 1>, "pos_inf">
  %e = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !cuda_tile.partition_view<array<i64: 2, 4>, !tensor, array<i64: 0, 1>, "neg_inf">
}

// -----

// The largest tile, and one whose extents are no powers of two.
// CHECK-LABEL: module @large
// CHECK: !cuda_tile.tile<4096x4096xf32>
module @large {
  %s = builtin.unrealized_conversion_cast to f32
  %a = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<4096x4096xf32>
}

// -----

// CHECK-LABEL: module @any_extent
// CHECK-SAME: cuda_tile.any_extent
// CHECK: !cuda_tile.tile<192x96xf32>
// CHECK: !cuda_tile.partition_view<array<i64: 192>
!tensor = !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>
module @any_extent attributes {cuda_tile.any_extent} {
  %s = builtin.unrealized_conversion_cast to f32
  %t = builtin.unrealized_conversion_cast to !tensor
  %a = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<192x96xf32>
  %b = "cuda_tile.make_partition_view"(%t) : (!tensor) -> !cuda_tile.partition_view<array<i64: 192>, !tensor, array<i64: 0>, "zero">
}
