// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Operations that move elements.
module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.broadcast' op requires the same element type for all operands and results}}
  %r = "cuda_tile.broadcast"(%x) : (!cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x2xf64>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xf32>
  // expected-error @below {{'cuda_tile.broadcast' op failed to verify that all of {source, result} have same rank}}
  %r = "cuda_tile.broadcast"(%x) : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<2x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x4xf32>
  // expected-error @below {{'cuda_tile.broadcast' op expects the shape of source tile to be compatible with that of the result tile, but got: 4, 4 and 2, 4}}
  %r = "cuda_tile.broadcast"(%x) : (!cuda_tile.tile<4x4xf32>) -> !cuda_tile.tile<2x4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.broadcast' op operand #0 must be tile of number or pointer values, but got 'f32'}}
  %r = "cuda_tile.broadcast"(%x) : (f32) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<1xi16>
  // expected-error @below {{'cuda_tile.reshape' op requires the same element type for all operands and results}}
  %r = "cuda_tile.reshape"(%x) : (!cuda_tile.tile<1xi16>) -> !cuda_tile.tile<1xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.reshape' op expected source tile and result tile to have the same number of elements}}
  %r = "cuda_tile.reshape"(%x) : (!cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<8xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x4xf32>
  // expected-error @below {{'cuda_tile.permute' op expected a permutation of the 2 dimensions of the source, but got [0, 0]}}
  %r = "cuda_tile.permute"(%x) {permutation = array<i64: 0, 0>} : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<4x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x4xf32>
  // expected-error @below {{'cuda_tile.permute' op expected a permutation of the 2 dimensions of the source, but got [1]}}
  %r = "cuda_tile.permute"(%x) {permutation = array<i64: 1>} : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<4x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x4xf32>
  // expected-error @below {{'cuda_tile.permute' op expected result type '!cuda_tile.tile<4x2xf32>', but got '!cuda_tile.tile<2x4xf32>'}}
  %r = "cuda_tile.permute"(%x) {permutation = array<i64: 1, 0>} : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<2x4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x4xf32>
  // expected-error @below {{'cuda_tile.permute' op attribute 'permutation' must be an i64 array, but got [1, 0]}}
  %r = "cuda_tile.permute"(%x) {permutation = [1, 0]} : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<4x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf64>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.cat' op failed to verify that all of {lhs, rhs, result} have the same element type}}
  %r = "cuda_tile.cat"(%x, %y) {dim = 1 : i64} : (!cuda_tile.tile<2x2xf64>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.cat' op failed to verify that all of {lhs, rhs, result} have same rank}}
  %r = "cuda_tile.cat"(%x, %y) {dim = 1 : i64} : (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x4x1xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.cat' op expect dim to be [0, 2), but got: 2}}
  %r = "cuda_tile.cat"(%x, %y) {dim = 2 : i64} : (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.cat' op expect dim to be [0, 2), but got: -1}}
  %r = "cuda_tile.cat"(%x, %y) {dim = -1 : i64} : (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.cat' op invalid concat at position 1, expected: 4 but got: 16}}
  %r = "cuda_tile.cat"(%x, %y) {dim = 1 : i64} : (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x16xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.cat' op expect {lhs, rhs, and result} shape to match at non-concat position 0, expected: 2 but got: 4}}
  %r = "cuda_tile.cat"(%x, %y) {dim = 1 : i64} : (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<4x4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xf32>
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.extract' op source and result element type do not match}}
  %r = "cuda_tile.extract"(%x, %i) : (!cuda_tile.tile<8xf32>, i32) -> !cuda_tile.tile<2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xf32>
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.extract' op failed to verify that all of {source, result} have same rank}}
  %r = "cuda_tile.extract"(%x, %i) : (!cuda_tile.tile<8xf32>, i32) -> !cuda_tile.tile<2x1xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xf32>
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.extract' op incorrect number of indices, expected 1, but found 2}}
  %r = "cuda_tile.extract"(%x, %i, %i) : (!cuda_tile.tile<8xf32>, i32, i32) -> !cuda_tile.tile<2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xf32>
  %i = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.extract' op result dim size must divide source dim size evenly}}
  %r = "cuda_tile.extract"(%x, %i) : (!cuda_tile.tile<8xf32>, i32) -> !cuda_tile.tile<16xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xf32>
  %i = builtin.unrealized_conversion_cast to i64
  // expected-error @below {{'cuda_tile.extract' op expects i32 indices, but got 'i64'}}
  %r = "cuda_tile.extract"(%x, %i) : (!cuda_tile.tile<8xf32>, i64) -> !cuda_tile.tile<2xf32>
}
