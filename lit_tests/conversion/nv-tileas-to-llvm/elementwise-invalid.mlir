// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm --verify-diagnostics

// The pass reports element-wise operations that it cannot lower.

// Only tile constants of one value are supported.
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    // expected-error @below {{a tile constant with differing elements cannot be compiled}}
    %x = arith.constant dense<[1, 2]> : tensor<2xi32, #nv_tileas.layout<"2|lane:2*(1),16*(0)|warp:4*(0)">>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "constants_have_one_value", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
