// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa --split-input-file --verify-diagnostics

// The pass reports what it cannot convert at its source line.

!tile = !cuda_tile.tile<8xf32>

"cuda_tile.entry"() ({
^bb0(%s: f32):
  %f = "cuda_tile.splat"(%s) : (f32) -> !tile
  // expected-error@+1 {{addf: rounding positive_inf is not supported yet}}
  %x = "cuda_tile.addf"(%f, %f) {rounding = "positive_inf"} : (!tile, !tile) -> !tile
  "cuda_tile.return"() : () -> ()
}) {sym_name = "rounding", function_type = (f32) -> ()} : () -> ()

// -----

!tile = !cuda_tile.tile<8xf32>

"cuda_tile.entry"() ({
^bb0(%s: f32):
  %f = "cuda_tile.splat"(%s) : (f32) -> !tile
  // expected-error@+1 {{mulf: flush_to_zero is not supported yet}}
  %x = "cuda_tile.mulf"(%f, %f) {flush_to_zero} : (!tile, !tile) -> !tile
  "cuda_tile.return"() : () -> ()
}) {sym_name = "flush", function_type = (f32) -> ()} : () -> ()

// -----

!tile = !cuda_tile.tile<8xf32>

"cuda_tile.entry"() ({
^bb0(%s: f32):
  %f = "cuda_tile.splat"(%s) : (f32) -> !tile
  %c2 = arith.constant 2 : i32
  // expected-error@+1 {{extract: index 2 along axis 0 is outside 0 to 1}}
  %x = "cuda_tile.extract"(%f, %c2) : (!tile, i32) -> !cuda_tile.tile<4xf32>
  "cuda_tile.return"() : () -> ()
}) {sym_name = "slices", function_type = (f32) -> ()} : () -> ()

// -----

// A cuda_tile operation outside of a kernel is never reached.
// expected-error@+1 {{failed to convert cuda_tile to nv_tileaa: 'cuda_tile.make_token' was not converted}}
%t = "cuda_tile.make_token"() : () -> !cuda_tile.token
