// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Conversions, comparisons and selection.
module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xf16>
  // expected-error @below {{'cuda_tile.ftof' op converting tiles must not be a no-op}}
  %r = "cuda_tile.ftof"(%x) : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xf16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xf16>
  // expected-error @below {{'cuda_tile.ftof' op failed to verify that all of {from, to} have same shape}}
  %r = "cuda_tile.ftof"(%x) : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xf16>
  // expected-error @below {{'cuda_tile.ftof' op result #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 values, but got '!cuda_tile.tile<2xi32>'}}
  %r = "cuda_tile.ftof"(%x) : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xi16>
  // expected-error @below {{'cuda_tile.ftoi' op operand #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 values, but got '!cuda_tile.tile<2xi16>'}}
  %r = "cuda_tile.ftoi"(%x) {signedness = "signed"} : (!cuda_tile.tile<2xi16>) -> !cuda_tile.tile<2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xf16>
  // expected-error @below {{'cuda_tile.ftoi' op attribute "signedness" is expected but not provided}}
  %r = "cuda_tile.ftoi"(%x) : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xf16>
  // expected-error @below {{'cuda_tile.itof' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<2xf16>'}}
  %r = "cuda_tile.itof"(%x) {signedness = "signed"} : (!cuda_tile.tile<2xf16>) -> !cuda_tile.tile<2xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xi16>
  // expected-error @below {{'cuda_tile.itof' op failed to verify that all of {from, to} have same shape}}
  %r = "cuda_tile.itof"(%x) {signedness = "signed"} : (!cuda_tile.tile<2xi16>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xi8>
  // expected-error @below {{'cuda_tile.exti' op extending to smaller or identical integer}}
  %r = "cuda_tile.exti"(%x) {signedness = "signed"} : (!cuda_tile.tile<2xi8>) -> !cuda_tile.tile<2xi8>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xi16>
  // expected-error @below {{'cuda_tile.exti' op extending to smaller or identical integer}}
  %r = "cuda_tile.exti"(%x) {signedness = "signed"} : (!cuda_tile.tile<2xi16>) -> !cuda_tile.tile<2xi8>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xi8>
  // expected-error @below {{'cuda_tile.trunci' op truncating to larger or identical integer}}
  %r = "cuda_tile.trunci"(%x) : (!cuda_tile.tile<2xi8>) -> !cuda_tile.tile<2xi16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<2xi32>
  // expected-error @below {{'cuda_tile.bitcast' op types must be equal width}}
  %r = "cuda_tile.bitcast"(%x) : (!cuda_tile.tile<2xi32>) -> !cuda_tile.tile<2xi16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  // expected-error @below {{'cuda_tile.bitcast' op failed to verify that all of {source, result} have same shape}}
  %r = "cuda_tile.bitcast"(%x) : (!cuda_tile.tile<4xi16>) -> !cuda_tile.tile<2xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.cmpi' op operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<4xf32>'}}
  %r = "cuda_tile.cmpi"(%x, %y) {predicate = "equal", signedness = "signed"} : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.cmpi' op failed to verify that all of {lhs, rhs} have same type}}
  %r = "cuda_tile.cmpi"(%x, %y) {predicate = "less_than", signedness = "signed"} : (!cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi1>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  // expected-error @below {{'cuda_tile.cmpi' op result #0 must be tile of i1 values, but got '!cuda_tile.tile<4xi16>'}}
  %r = "cuda_tile.cmpi"(%x, %y) {predicate = "less_than", signedness = "signed"} : (!cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi16>) -> !cuda_tile.tile<4xi16>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  // expected-error @below {{'cuda_tile.cmpi' op failed to verify that Result type has i1 element type and same shape as operands}}
  %r = "cuda_tile.cmpi"(%x, %y) {predicate = "less_than", signedness = "signed"} : (!cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi16>) -> !cuda_tile.tile<8xi1>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  // expected-error @below {{'cuda_tile.cmpi' op expected predicate to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}, got: 'slt'}}
  %r = "cuda_tile.cmpi"(%x, %y) {predicate = "slt", signedness = "signed"} : (!cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi16>) -> !cuda_tile.tile<4xi1>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  // expected-error @below {{'cuda_tile.cmpf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<4xi16>'}}
  %r = "cuda_tile.cmpf"(%x, %y) {predicate = "equal", ordering = "ordered"} : (!cuda_tile.tile<4xi16>, !cuda_tile.tile<4xi16>) -> !cuda_tile.tile<4xi1>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.cmpf' op expected ordering to be one of: {'ordered', 'unordered'}, got: 'signed'}}
  %r = "cuda_tile.cmpf"(%x, %y) {predicate = "equal", ordering = "signed"} : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi8>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.select' op operand #0 must be tile of i1 values, but got '!cuda_tile.tile<4xi8>'}}
  %r = "cuda_tile.select"(%x, %y, %z) : (!cuda_tile.tile<4xi8>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi1>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf16>
  // expected-error @below {{'cuda_tile.select' op failed to verify that all of {lhs, rhs, result} have same type}}
  %r = "cuda_tile.select"(%x, %y, %z) : (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<8xi1>
  %y = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.select' op failed to verify that all of {cond, result} have same shape}}
  %r = "cuda_tile.select"(%x, %y, %z) : (!cuda_tile.tile<8xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}
