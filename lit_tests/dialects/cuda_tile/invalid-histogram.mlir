// RUN: tilec opt %s --split-input-file --verify-diagnostics

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.histogram' op expects numbers of i32 or i64, but got f32}}
  %h = "cuda_tile.histogram"(%x) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<8xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi16>
  // expected-error @below {{'cuda_tile.histogram' op expects numbers of i32 or i64, but got i16}}
  %h = "cuda_tile.histogram"(%x) : (!cuda_tile.tile<4xi16>) -> !cuda_tile.tile<8xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.histogram' op expects a 1-D tile of i32 as its result}}
  %h = "cuda_tile.histogram"(%x) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<8xi64>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{'cuda_tile.histogram' op expects a 1-D tile of i32 as its result}}
  %h = "cuda_tile.histogram"(%x) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<2x4xi32>
}
