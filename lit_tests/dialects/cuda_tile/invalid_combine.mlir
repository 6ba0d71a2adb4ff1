// RUN: tilec opt %s --split-input-file --verify-diagnostics

// What the verifiers of reductions and scans refuse.

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x8xf32>
  // expected-error @below {{expect dim to be [0, 2), but got: 2}}
  %y = "cuda_tile.reduce"(%x) ({
  ^bb0(%a: f32, %b: f32):
    "cuda_tile.yield"(%a) : (f32) -> ()
  }) {dim = 2 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x8xf32>
  // expected-error @below {{expected result type '!cuda_tile.tile<4xf32>', but got}}
  %y = "cuda_tile.reduce"(%x) ({
  ^bb0(%a: f32, %b: f32):
    "cuda_tile.yield"(%a) : (f32) -> ()
  }) {dim = 1 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<8xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x8xf32>
  // expected-error @below {{expects an identity of the element type for each operand}}
  %y = "cuda_tile.reduce"(%x) ({
  ^bb0(%a: f32, %b: f32):
    "cuda_tile.yield"(%a) : (f32) -> ()
  }) {dim = 1 : i64, identities = [0 : i32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x8xf32>
  // expected-error @below {{expects a body of one block with two scalars for each operand}}
  %y = "cuda_tile.reduce"(%x) ({
  ^bb0(%a: f32):
    "cuda_tile.yield"(%a) : (f32) -> ()
  }) {dim = 1 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x8xf32>
  // expected-error @below {{expects its body to yield one scalar for each operand}}
  %y = "cuda_tile.reduce"(%x) ({
  ^bb0(%a: f32, %b: f32):
    "cuda_tile.yield"(%a, %b) : (f32, f32) -> ()
  }) {dim = 1 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x8xf32>
  // expected-error @below {{failed to verify that all operands have same shape}}
  %y:2 = "cuda_tile.reduce"(%x, %z) ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    "cuda_tile.yield"(%a, %c) : (f32, f32) -> ()
  }) {dim = 1 : i64, identities = [0.0 : f32, 0.0 : f32]} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<8x8xf32>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<8xf32>)
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to !cuda_tile.tile<4x8xf32>
  %z = builtin.unrealized_conversion_cast to !cuda_tile.tile<8x8xf32>
  // expected-error @below {{expected result type '!cuda_tile.tile<4x8xf32>', but got}}
  %y = "cuda_tile.scan"(%x) ({
  ^bb0(%a: f32, %b: f32):
    "cuda_tile.yield"(%a) : (f32) -> ()
  }) {dim = 1 : i64, identities = [0.0 : f32]} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4xf32>
}
