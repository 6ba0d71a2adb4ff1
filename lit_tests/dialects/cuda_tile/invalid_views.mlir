// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Views.
module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op expected 0 dynamic shape operands, got 1}}
  %r = "cuda_tile.make_tensor_view"(%p, %m) : (!cuda_tile.ptr<f32>, i32) -> !cuda_tile.tensor_view<memref<32xf32, strided<[1]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op expected 0 dynamic stride operands, got 1}}
  %r = "cuda_tile.make_tensor_view"(%p, %s) : (!cuda_tile.ptr<f32>, i64) -> !cuda_tile.tensor_view<memref<32xf32, strided<[1]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op expected 1 dynamic shape operands, got 0}}
  %r = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op expected 1 dynamic stride operands, got 0}}
  %r = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !cuda_tile.tensor_view<memref<32xf32, strided<[?]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i64
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op dynamic shape operands must be i32, but got 'i64'}}
  %r = "cuda_tile.make_tensor_view"(%p, %m) : (!cuda_tile.ptr<f32>, i64) -> !cuda_tile.tensor_view<memref<?xf32, strided<[1]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.make_tensor_view' op dynamic stride operands must be i64, but got 'i32'}}
  %r = "cuda_tile.make_tensor_view"(%p, %m, %s) : (!cuda_tile.ptr<f32>, i32, i32) -> !cuda_tile.tensor_view<memref<?xf32, strided<[?]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op expected pointer to 'f64' to build tensor_view of this type, got 'f32'}}
  %r = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !cuda_tile.tensor_view<memref<32xf64, strided<[1]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op dimensions must have strictly positive constant sizes but got [0, ?]}}
  %r = "cuda_tile.make_tensor_view"(%p, %m) : (!cuda_tile.ptr<f32>, i32) -> !cuda_tile.tensor_view<memref<0x?xf32, strided<[1, 1]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  %m = builtin.unrealized_conversion_cast to i32
  %s = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op dimensions must have strictly positive constant strides but got [?, -5]}}
  %r = "cuda_tile.make_tensor_view"(%p, %s) : (!cuda_tile.ptr<f32>, i64) -> !cuda_tile.tensor_view<memref<4x4xf32, strided<[?, -5]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op operand #0 must be a pointer, but got 'i64'}}
  %r = "cuda_tile.make_tensor_view"(%p) : (i64) -> !cuda_tile.tensor_view<memref<4xf32, strided<[1]>>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.make_tensor_view' op result #0 must be tensor_view, but got 'i64'}}
  %r = "cuda_tile.make_tensor_view"(%p) : (i64) -> i64
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op tile shape dimensions must have power of two length but got [5, 1024]}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 5, 1024>, !t, array<i64: 0, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op tile shape dimensions must have positive length but got [0, 1024]}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 0, 1024>, !t, array<i64: 0, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op tile dimension 0 exceeds i32 limitations (got 1099511627776, expected strictly positive and less than or equal to 2147483647)}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 1099511627776, 1024>, !t, array<i64: 0, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op tile would exceed the maximum of 16777216 elements}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 8192, 8192>, !t, array<i64: 0, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<8192x8192x64xf32, strided<[524288, 64, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op expected tensor_view rank and tile rank to match, got tensor_view of rank 3 and tiles of rank 2}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 1, 1>, !t, array<i64: 0, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<f32, strided<[]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op 0-dimension tile shape is not supported}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64>, !t, array<i64>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op expected dim_map to map exactly all 2 dimensions of the tile, got 1 mappings}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 64, 64>, !t, array<i64: 0>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op target dimension is outside of tensor view dimensions, expected strictly less than 2, got 2}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 64, 64>, !t, array<i64: 2, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op target dimension must not be negative, got -1}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 64, 64>, !t, array<i64: -1, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op target dimension 0 mapped at least twice (for tile dimensions 0 and 1)}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 64, 64>, !t, array<i64: 0, 0>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op invalid padding_value attribute specification. Got "one" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 64, 64>, !t, array<i64: 0, 1>, "one">
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xi32, strided<[64, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op special padding values (nan, pos_inf, neg_inf, neg_zero) only for float-like element types}}
  %r = "cuda_tile.make_partition_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 64, 64>, !t, array<i64: 0, 1>, "nan">
}

// -----

!t = !cuda_tile.tensor_view<memref<4096x4096xf32, strided<[4096, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>
  // expected-error @below {{'cuda_tile.make_partition_view' op expected a partition of '!cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>', the type of the operand, but got}}
  %r = "cuda_tile.make_partition_view"(%v) : (!cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>) -> !cuda_tile.partition_view<array<i64: 64, 64>, !t, array<i64: 0, 1>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.get_tensor_shape' op expected 2 results due to view rank, but got 1}}
  %r = "cuda_tile.get_tensor_shape"(%v) : (!t) -> i32
}

// -----

!t = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.get_tensor_shape' op expects i32 results, but got 'i64'}}
  %r = "cuda_tile.get_tensor_shape"(%v) : (!t) -> i64
}

// -----

!t = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.get_index_space_shape' op operand #0 must be TileView instance, but got '!cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>'}}
  %r = "cuda_tile.get_index_space_shape"(%v) : (!t) -> i32
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>

module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_strided_view' op expected 2 traversal strides, got 1}}
  %r = "cuda_tile.make_strided_view"(%v) : (!t) -> !cuda_tile.strided_view<array<i64: 8, 8>, !t, array<i64: 0, 1>, "zero", array<i64: 1>>
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>

module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_strided_view' op traversal strides must be strictly positive i32 values, got [1, 0]}}
  %r = "cuda_tile.make_strided_view"(%v) : (!t) -> !cuda_tile.strided_view<array<i64: 8, 8>, !t, array<i64: 0, 1>, "zero", array<i64: 1, 0>>
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>

module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_strided_view' op tile shape dimensions must have power of two length but got [8, 5]}}
  %r = "cuda_tile.make_strided_view"(%v) : (!t) -> !cuda_tile.strided_view<array<i64: 8, 5>, !t, array<i64: 0, 1>, "zero", array<i64: 1, 1>>
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>
!other = !cuda_tile.tensor_view<memref<32x64xf32, strided<[64, 1]>>>

module {
  %v = builtin.unrealized_conversion_cast to !other
  // expected-error @below {{'cuda_tile.make_strided_view' op expected tiles of '!cuda_tile.tensor_view<memref<32x64xf32, strided<[64, 1]>>>', the type of the operand, but got '!cuda_tile.strided_view<array<i64: 8, 8>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero", array<i64: 1, 1>>'}}
  %r = "cuda_tile.make_strided_view"(%v) : (!other) -> !cuda_tile.strided_view<array<i64: 8, 8>, !t, array<i64: 0, 1>, "zero", array<i64: 1, 1>>
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>

module {
  %v = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_strided_view' op result #0 must be strided_view, but got '!cuda_tile.partition_view<array<i64: 8, 8>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero">'}}
  %r = "cuda_tile.make_strided_view"(%v) : (!t) -> !cuda_tile.partition_view<array<i64: 8, 8>, !t, array<i64: 0, 1>, "zero">
}

// -----

module {
  %v = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.make_strided_view' op operand #0 must be tensor_view, but got 'i32'}}
  %r = "cuda_tile.make_strided_view"(%v) : (i32) -> !cuda_tile.strided_view<array<i64: 8, 8>, !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>, array<i64: 0, 1>, "zero", array<i64: 1, 1>>
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>

module {
  %v, %i = builtin.unrealized_conversion_cast to !t, i32
  // expected-error @below {{'cuda_tile.slice_view' op expected a dim less than the rank 2, got 2}}
  %r = "cuda_tile.slice_view"(%v, %i, %i) {dim = 2 : i64} : (!t, i32, i32) -> !t
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>

module {
  %v, %i = builtin.unrealized_conversion_cast to !t, i32
  // expected-error @below {{'cuda_tile.slice_view' op expected the result '!cuda_tile.tensor_view<memref<?x64xf32, strided<[64, 1]>>>', got '!cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>'}}
  %r = "cuda_tile.slice_view"(%v, %i, %i) {dim = 0 : i64} : (!t, i32, i32) -> !t
}

// -----

!t = !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>

module {
  %v, %i = builtin.unrealized_conversion_cast to !t, i64
  // expected-error @below {{'cuda_tile.slice_view' op dynamic slice operands must be i32, but got 'i64'}}
  %r = "cuda_tile.slice_view"(%v, %i, %i) {dim = 0 : i64} : (!t, i64, i64) -> !t
}

// -----

module {
  %v = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.slice_view' op operand #0 must be tensor_view, but got 'i32'}}
  %r = "cuda_tile.slice_view"(%v, %v, %v) {dim = 0 : i64} : (i32, i32, i32) -> !cuda_tile.tensor_view<memref<64x64xf32, strided<[64, 1]>>>
}
