// RUN: tilec opt %s --split-input-file --verify-diagnostics

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xf32>
  // expected-error @below {{'nv_tileas.histogram' op expects numbers of i32 or i64, but got f32}}
  %h = "nv_tileas.histogram"(%x) : (tensor<4xf32>) -> tensor<8xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xi16>
  // expected-error @below {{'nv_tileas.histogram' op expects numbers of i32 or i64, but got i16}}
  %h = "nv_tileas.histogram"(%x) : (tensor<4xi16>) -> tensor<8xi32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xi32>
  // expected-error @below {{'nv_tileas.histogram' op expects a 1-D tile of i32 as its result}}
  %h = "nv_tileas.histogram"(%x) : (tensor<4xi32>) -> tensor<8xi64>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to tensor<4xi32>
  // expected-error @below {{'nv_tileas.histogram' op expects a 1-D tile of i32 as its result}}
  %h = "nv_tileas.histogram"(%x) : (tensor<4xi32>) -> tensor<2x4xi32>
}

// -----

module {
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<8x2xf32, #nv_tileas.shared_layout<array<i64: 8, 2>, 0 : i64>>>
  // expected-error @below {{'nv_tileas.clear_counts' op expects counters, an NxC tile of i32 without a swizzle, but got !nv_tileas.smem<tensor<8x2xf32, #nv_tileas.shared_layout<array<i64: 8, 2>, 0 : i64>>>}}
  "nv_tileas.clear_counts"(%c) : (!nv_tileas.smem<tensor<8x2xf32, #nv_tileas.shared_layout<array<i64: 8, 2>, 0 : i64>>>) -> ()
}

// -----

module {
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<16xi32, #nv_tileas.shared_layout<array<i64: 16>, 0 : i64>>>
  // expected-error @below {{'nv_tileas.clear_counts' op expects counters, an NxC tile of i32 without a swizzle, but got !nv_tileas.smem<tensor<16xi32, #nv_tileas.shared_layout<array<i64: 16>, 0 : i64>>>}}
  "nv_tileas.clear_counts"(%c) : (!nv_tileas.smem<tensor<16xi32, #nv_tileas.shared_layout<array<i64: 16>, 0 : i64>>>) -> ()
}

// -----

module {
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<8x32xi32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
  // expected-error @below {{'nv_tileas.clear_counts' op expects counters, an NxC tile of i32 without a swizzle, but got !nv_tileas.smem<tensor<8x32xi32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>}}
  "nv_tileas.clear_counts"(%c) : (!nv_tileas.smem<tensor<8x32xi32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>) -> ()
}

// -----

module {
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<8x2xi32, #nv_tileas.shared_layout<array<i64: 8, 2>, 0 : i64>>>
  %x = builtin.unrealized_conversion_cast to tensor<4xf32>
  // expected-error @below {{'nv_tileas.count' op expects numbers of i32 or i64, but got f32}}
  "nv_tileas.count"(%x, %c) : (tensor<4xf32>, !nv_tileas.smem<tensor<8x2xi32, #nv_tileas.shared_layout<array<i64: 8, 2>, 0 : i64>>>) -> ()
}

// -----

module {
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<8x2xi32, #nv_tileas.shared_layout<array<i64: 8, 2>, 0 : i64>>>
  // expected-error @below {{'nv_tileas.read_counts' op expects a tile of 8 counts, but got tensor<16xi32>}}
  %h = "nv_tileas.read_counts"(%c) : (!nv_tileas.smem<tensor<8x2xi32, #nv_tileas.shared_layout<array<i64: 8, 2>, 0 : i64>>>) -> tensor<16xi32>
}
