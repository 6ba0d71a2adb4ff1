// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Matrix multiply-accumulate.
module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x16xf16>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x16xf32>
  // expected-error @below {{'cuda_tile.mmaf' op failed to verify that all of {lhs, rhs} have the same element type}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<8x16xf16>, !cuda_tile.tile<4x16xf32>) -> !cuda_tile.tile<4x16xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x16xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x16xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x16xf32>
  // expected-error @below {{'cuda_tile.mmaf' op dim 1 of lhs (16) and dim 0 of rhs (8) must match, but got lhs shape (4, 16) and rhs shape (8, 16)}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<4x16xf32>, !cuda_tile.tile<8x16xf32>, !cuda_tile.tile<4x16xf32>) -> !cuda_tile.tile<4x16xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<16x8xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x16xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x16xf32>
  // expected-error @below {{'cuda_tile.mmaf' op dim 0 of lhs (16) and dim 0 of acc (4) must match, but got lhs shape (16, 8) and acc shape (4, 16)}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<16x8xf32>, !cuda_tile.tile<8x16xf32>, !cuda_tile.tile<4x16xf32>) -> !cuda_tile.tile<4x16xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x16xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x32xf32>
  // expected-error @below {{'cuda_tile.mmaf' op dim 1 of rhs (16) and dim 1 of acc (32) must match, but got rhs shape (8, 16) and acc shape (4, 32)}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<8x16xf32>, !cuda_tile.tile<4x32xf32>) -> !cuda_tile.tile<4x32xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x4x8xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x8x16xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x4x16xf32>
  // expected-error @below {{'cuda_tile.mmaf' op dim 0 of lhs (2) and dim 0 of acc (4) must match, but got lhs shape (2, 4, 8) and acc shape (4, 4, 16)}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<2x4x8xf32>, !cuda_tile.tile<2x8x16xf32>, !cuda_tile.tile<4x4x16xf32>) -> !cuda_tile.tile<4x4x16xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x16xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x16xf32>
  // expected-error @below {{'cuda_tile.mmaf' op failed to verify that all of {lhs, rhs, acc} have same rank}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<8x16xf32>, !cuda_tile.tile<4x16xf32>) -> !cuda_tile.tile<4x16xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.mmaf' op expects 2-d or batched 3-d tiles, but got tiles of rank 1}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi8>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi8>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi32>
  // expected-error @below {{'cuda_tile.mmaf' op operand #0 must be mmaf operand tile type of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 values, but got '!cuda_tile.tile<2x2xi8>'}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<2x2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xbf16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xbf16>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xbf16>
  // expected-error @below {{'cuda_tile.mmaf' op operand #2 must be mmaf acc/result tile type of f16 or f32 or f64 values, but got '!cuda_tile.tile<2x2xbf16>'}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<2x2xbf16>, !cuda_tile.tile<2x2xbf16>, !cuda_tile.tile<2x2xbf16>) -> !cuda_tile.tile<2x2xbf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xbf16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xbf16>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf16>
  // expected-error @below {{'cuda_tile.mmaf' op unsupported combination of element types. Input type 'bf16' expects accumulator/result type to be one of {'f32'}, but got 'f16'}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<2x2xbf16>, !cuda_tile.tile<2x2xbf16>, !cuda_tile.tile<2x2xf16>) -> !cuda_tile.tile<2x2xf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf8E4M3FN>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf8E4M3FN>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf64>
  // expected-error @below {{'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f8E4M3FN' expects accumulator/result type to be one of {'f16', 'f32'}, but got 'f64'}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<2x2xf8E4M3FN>, !cuda_tile.tile<2x2xf8E4M3FN>, !cuda_tile.tile<2x2xf64>) -> !cuda_tile.tile<2x2xf64>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf8E4M3FN>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf16>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.mmaf' op failed to verify that all of {lhs, rhs} have the same element type}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<2x2xf8E4M3FN>, !cuda_tile.tile<2x2xf16>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf16>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.mmaf' op failed to verify that all of {acc, result} have same type}}
  %r = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<2x2xf16>, !cuda_tile.tile<2x2xf16>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x2xf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi32>
  // expected-error @below {{'cuda_tile.mmai' op operand #0 must be mmai operand tile type of i8 values, but got '!cuda_tile.tile<2x2xf32>'}}
  %r = "cuda_tile.mmai"(%x, %y, %z) {signedness_lhs = "signed", signedness_rhs = "signed"} : (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<2x2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi8>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi8>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi64>
  // expected-error @below {{'cuda_tile.mmai' op operand #2 must be mmai acc/result tile type of i32 values, but got '!cuda_tile.tile<2x2xi64>'}}
  %r = "cuda_tile.mmai"(%x, %y, %z) {signedness_lhs = "signed", signedness_rhs = "signed"} : (!cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi64>) -> !cuda_tile.tile<2x2xi64>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi8>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi8>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xi32>
  // expected-error @below {{'cuda_tile.mmai' op expected signedness_rhs to be one of: {'signed', 'unsigned'}, got: 'i8'}}
  %r = "cuda_tile.mmai"(%x, %y, %z) {signedness_lhs = "signed", signedness_rhs = "i8"} : (!cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<2x2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xbf16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{'cuda_tile.mmaf' op precision is for operands of f32, but got bf16}}
  %r = "cuda_tile.mmaf"(%x, %x, %y) {precision = "tf32"} : (!cuda_tile.tile<2x2xbf16>, !cuda_tile.tile<2x2xbf16>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf32>
  // expected-error @below {{expected precision to be one of: {'tf32', 'tf32x3', 'bf16x3'}, got: 'f16x3'}}
  %r = "cuda_tile.mmaf"(%x, %x, %x) {precision = "f16x3"} : (!cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2x2xf16>
  // expected-error @below {{'cuda_tile.mmaf' op promote must be positive, with f32 sums, but got 32 with f16}}
  %r = "cuda_tile.mmaf"(%x, %x, %x) {promote = 32 : i64} : (!cuda_tile.tile<2x2xf16>, !cuda_tile.tile<2x2xf16>, !cuda_tile.tile<2x2xf16>) -> !cuda_tile.tile<2x2xf16>
}
