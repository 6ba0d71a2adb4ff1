// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Tile extents, constants and arithmetic.
module {
  // expected-error @below {{'cuda_tile.iota' op all dimensions must be powers of two, got 6}}
  %r = "cuda_tile.iota"() : () -> !cuda_tile.tile<6xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.splat' op all dimensions must be powers of two, got 3, 5, 9}}
  %r = "cuda_tile.splat"(%x) : (f32) -> !cuda_tile.tile<3x5x9xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.splat' op all dimensions must be positive constants, got 0, 2}}
  %r = "cuda_tile.splat"(%x) : (f32) -> !cuda_tile.tile<0x2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.splat' op all dimensions must be positive constants, got ?, 2}}
  %r = "cuda_tile.splat"(%x) : (f32) -> !cuda_tile.tile<tensor<?x2xf32>>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.splat' op tile would exceed the maximum of 16777216 elements}}
  %r = "cuda_tile.splat"(%x) : (f32) -> !cuda_tile.tile<1024x1024x1024xf32>
}

// -----

// The attribute lifts the power-of-two rule, not the cap.
module attributes {cuda_tile.any_extent} {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.splat' op tile would exceed the maximum of 16777216 elements}}
  %r = "cuda_tile.splat"(%x) : (f32) -> !cuda_tile.tile<192x131072xf32>
}

// -----

module {
  // expected-error @below {{'cuda_tile.constant' op attribute 'value' must be dense elements, but got 3}}
  %r = "cuda_tile.constant"() {value = 3 : i32} : () -> !cuda_tile.tile<4xi32>
}

// -----

module {
  // expected-error @below {{'cuda_tile.constant' op value has type tensor<4xi32>, but the result is '!cuda_tile.tile<8xi32>'}}
  %r = "cuda_tile.constant"() {value = dense<0> : tensor<4xi32>} : () -> !cuda_tile.tile<8xi32>
}

// -----

module {
  // expected-error @below {{'cuda_tile.constant' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 values, but got '!cuda_tile.tile<4xi28>'}}
  %r = "cuda_tile.constant"() {value = dense<0> : tensor<4xi28>} : () -> !cuda_tile.tile<4xi28>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.splat' op expects a tile of 'f32', the type of the scalar, but got '!cuda_tile.tile<4xf16>'}}
  %r = "cuda_tile.splat"(%x) : (f32) -> !cuda_tile.tile<4xf16>
}

// -----

module {
  // expected-error @below {{'cuda_tile.iota' op expects result type to be 1-d tile}}
  %r = "cuda_tile.iota"() : () -> !cuda_tile.tile<32x64xi64>
}

// -----

module {
  // expected-error @below {{'cuda_tile.iota' op the number of elements 512 exceeds the maximum value of element type 'i8'}}
  %r = "cuda_tile.iota"() : () -> !cuda_tile.tile<512xi8>
}

// -----

module {
  // expected-error @below {{'cuda_tile.iota' op result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<8xf32>'}}
  %r = "cuda_tile.iota"() : () -> !cuda_tile.tile<8xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.addf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<4xi32>'}}
  %r = "cuda_tile.addf"(%x, %y) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf8E5M2>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf8E5M2>
  // expected-error @below {{'cuda_tile.addf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<4xf8E5M2>'}}
  %r = "cuda_tile.addf"(%x, %y) : (!cuda_tile.tile<4xf8E5M2>, !cuda_tile.tile<4xf8E5M2>) -> !cuda_tile.tile<4xf8E5M2>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to f32
  // expected-error @below {{'cuda_tile.addf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got 'f32'}}
  %r = "cuda_tile.addf"(%x, %x) : (f32, f32) -> f32
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xf32>
  // expected-error @below {{'cuda_tile.addf' op failed to verify that all of {lhs, rhs, result} have same type}}
  %r = "cuda_tile.addf"(%x, %y) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  // expected-error @below {{'cuda_tile.mulf' op failed to verify that all of {lhs, rhs, result} have same type}}
  %r = "cuda_tile.mulf"(%x, %y) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.subf' op failed to verify that all of {lhs, rhs, result} have same type}}
  %r = "cuda_tile.subf"(%x, %y) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4x1xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  // expected-error @below {{'cuda_tile.fma' op failed to verify that all of {lhs, rhs, acc, result} have same type}}
  %r = "cuda_tile.fma"(%x, %y, %z) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.exp2' op failed to verify that all of {source, result} have same type}}
  %r = "cuda_tile.exp2"(%x) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  // expected-error @below {{'cuda_tile.addf' op flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
  %r = "cuda_tile.addf"(%x, %y) {flush_to_zero} : (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.addf' op invalid rounding error specified, expect one of [nearest_even, zero, negative_inf, positive_inf]}}
  %r = "cuda_tile.addf"(%x, %y) {rounding = "approx"} : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf64>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf64>
  // expected-error @below {{'cuda_tile.divf' op approx modifier only supported for f32 data type, but got: 'f64'}}
  %r = "cuda_tile.divf"(%x, %y) {rounding = "approx"} : (!cuda_tile.tile<4xf64>, !cuda_tile.tile<4xf64>) -> !cuda_tile.tile<4xf64>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  // expected-error @below {{'cuda_tile.divf' op full modifier only supported for f32 data type, but got: 'f16'}}
  %r = "cuda_tile.divf"(%x, %y) {rounding = "full"} : (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xbf16>
  // expected-error @below {{'cuda_tile.sqrt' op approx modifier only supported for f32 data type, but got: 'bf16'}}
  %r = "cuda_tile.sqrt"(%x) {rounding = "approx"} : (!cuda_tile.tile<4xbf16>) -> !cuda_tile.tile<4xbf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.sqrt' op invalid rounding error specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]}}
  %r = "cuda_tile.sqrt"(%x) {rounding = "full"} : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  // expected-error @below {{'cuda_tile.tanh' op approx modifier only supported for f32 data type, but got: 'f16'}}
  %r = "cuda_tile.tanh"(%x) {rounding = "approx"} : (!cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.sin' op flush_to_zero modifier is not supported}}
  %r = "cuda_tile.sin"(%x) {flush_to_zero} : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.addf' op propagate_nan modifier is not supported}}
  %r = "cuda_tile.addf"(%x, %y) {propagate_nan} : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.negf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<4xi32>'}}
  %r = "cuda_tile.negf"(%x) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.addi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xf32>'}}
  %r = "cuda_tile.addi"(%x, %y) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi64>
  // expected-error @below {{'cuda_tile.addi' op failed to verify that all of {lhs, rhs, result} have same type}}
  %r = "cuda_tile.addi"(%x, %y) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.addi' op expected overflow to be one of: {'none', 'no_signed_wrap', 'no_unsigned_wrap', 'no_wrap'}, got: 'wrap'}}
  %r = "cuda_tile.addi"(%x, %y) {overflow = "wrap"} : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.negi' op expected overflow to be one of: {'none', 'no_signed_wrap'}, got: 'no_unsigned_wrap'}}
  %r = "cuda_tile.negi"(%x) {overflow = "no_unsigned_wrap"} : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.maxi' op expected signedness to be one of: {'signed', 'unsigned'}, got: 'both'}}
  %r = "cuda_tile.maxi"(%x, %y) {signedness = "both"} : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.maxi' op attribute "signedness" is expected but not provided}}
  %r = "cuda_tile.maxi"(%x, %y) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.divi' op rounding mode 'negative_inf' is only allowed with 'signed' flag}}
  %r = "cuda_tile.divi"(%x, %y) {rounding = "negative_inf", signedness = "unsigned"} : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.divi' op expected rounding to be one of: {'zero', 'negative_inf', 'positive_inf'}, got: 'nearest_even'}}
  %r = "cuda_tile.divi"(%x, %y) {rounding = "nearest_even", signedness = "signed"} : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.absi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xf32>'}}
  %r = "cuda_tile.absi"(%x) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}
