// RUN: tilec opt %s --split-input-file --verify-diagnostics

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xf32>
  // expected-error @below {{'nv_tileaa.histogram' op expects numbers of i32 or i64, but got f32}}
  %h = "nv_tileaa.histogram"(%x) : (tensor<4xf32>) -> tensor<8xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xi16>
  // expected-error @below {{'nv_tileaa.histogram' op expects numbers of i32 or i64, but got i16}}
  %h = "nv_tileaa.histogram"(%x) : (tensor<4xi16>) -> tensor<8xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xi32>
  // expected-error @below {{'nv_tileaa.histogram' op expects a 1-D tile of i32 as its result}}
  %h = "nv_tileaa.histogram"(%x) : (tensor<4xi32>) -> tensor<8xi64>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xi32>
  // expected-error @below {{'nv_tileaa.histogram' op expects a 1-D tile of i32 as its result}}
  %h = "nv_tileaa.histogram"(%x) : (tensor<4xi32>) -> tensor<2x4xi32>
}
