// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Operands, results and attributes that are missing.
module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.store_view_tko' op expects at least 2 operands, but got 1}}
  %t = "cuda_tile.store_view_tko"(%x) {ordering = "weak"} : (!cuda_tile.tile<4xf32>) -> !cuda_tile.token
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{op expects exactly 2 operands, but got 1}}
  %r = "cuda_tile.addf"(%x) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{op expects exactly 1 results, but got 0}}
  "cuda_tile.addf"(%x, %x) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> ()
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xf32>
  // expected-error @below {{'cuda_tile.cmpf' op attribute "predicate" is expected but not provided}}
  %r = "cuda_tile.cmpf"(%x, %x) {ordering = "ordered"} : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x2xf32>
  // expected-error @below {{'cuda_tile.permute' op attribute "permutation" is expected but not provided}}
  %r = "cuda_tile.permute"(%x) : (!cuda_tile.tile<4x2xf32>) -> !cuda_tile.tile<2x4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4xi32>
  // expected-error @below {{attribute "signedness" is expected}}
  %r = "cuda_tile.maxi"(%x, %x) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}
