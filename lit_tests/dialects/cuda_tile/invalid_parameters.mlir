// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Types and attributes of another kind than declared.
!t = !cuda_tile.tile<memref<4xf32>>
module {
  %x = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.negf' op has a malformed type or attribute: Cannot cast type to RankedTensorType}}
  %y = "cuda_tile.negf"(%x) : (!t) -> !t
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  // expected-error @below {{'cuda_tile.make_tensor_view' op has a malformed type or attribute: Cannot cast type to MemRefType}}
  %v = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !cuda_tile.tensor_view<i32>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<f32>
  // expected-error @below {{'cuda_tile.make_tensor_view' op expected the strides to be given, as in strided<[1]>}}
  %v = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<f32>) -> !cuda_tile.tensor_view<memref<4xf32>>
}

// -----

module {
  %p = builtin.unrealized_conversion_cast to !cuda_tile.ptr<index>
  // expected-error @below {{'cuda_tile.make_tensor_view' op failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or i1 or i8 or i16 or i32 or i64}}
  %v = "cuda_tile.make_tensor_view"(%p) : (!cuda_tile.ptr<index>) -> !cuda_tile.tensor_view<memref<4xindex, strided<[1]>>>
}

// -----

!t = !cuda_tile.tensor_view<memref<4xf32, strided<[1]>>>
module {
  %t = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op has a malformed type or attribute: Cannot cast attribute to DenseI64ArrayAttr}}
  %v = "cuda_tile.make_partition_view"(%t) : (!t) -> !cuda_tile.partition_view<i32, !t, array<i64: 0>, "zero">
}

// -----

!t = !cuda_tile.tensor_view<memref<4xf32, strided<[1]>>>
module {
  %t = builtin.unrealized_conversion_cast to !t
  // expected-error @below {{'cuda_tile.make_partition_view' op expected a tensor_view to partition, got}}
  %v = "cuda_tile.make_partition_view"(%t) : (!t) -> !cuda_tile.partition_view<array<i64: 4>, i32, array<i64: 0>, "zero">
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.assume' op has a malformed type or attribute: Cannot cast attribute to StringAttr}}
  %y = "cuda_tile.assume"(%x) {predicate = 3 : i32} : (i32) -> i32
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xindex>
  // expected-error @below {{'cuda_tile.reshape' op operand #0 must be tile of number or pointer values, but got '!cuda_tile.tile<4xindex>'}}
  %y = "cuda_tile.reshape"(%x) : (!cuda_tile.tile<4xindex>) -> !cuda_tile.tile<2x2xindex>
}

// -----

// A single-word generic form with a custom spelling is not understood.
// expected-error @unknown {{not a module: operations are written in the generic form "dialect.op"(...)}}
cuda_tile.make_token
