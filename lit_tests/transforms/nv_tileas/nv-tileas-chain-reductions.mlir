// RUN: tilec opt %s --passes nv-tileas-chain-reductions --split-input-file | FileCheck %s

// The pass lets threads combine rows one after another where other warps fill the gaps.

!acc = tensor<192x128xf32>

// The largest scores and the sums of a softmax are combined in chains. What comes after the loop is not.
// CHECK-LABEL: module @a_softmax_of_three_warpgroups
// CHECK:         arith.maxnumf
// CHECK:         {axis = 1 : i64, row_by_row, serial} : (tensor<192x128xf32>) -> tensor<192xf32>
// CHECK:         arith.addf
// CHECK:         {axis = 1 : i64, serial} : (tensor<192x16x8xf32>) -> tensor<192x8xf32>
// CHECK:         scf.yield
// CHECK:         {axis = 1 : i64} : (tensor<192x8xf32>) -> tensor<192xf32>
module @a_softmax_of_three_warpgroups {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<192x64xf32>, %a: tensor<192x128xbf16>, %s: !acc, %c: f32, %v: !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, %l: i32, %u: i32, %step: i32, %t0: tensor<192x8xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %scale = "nv_tileas.splat"(%c) : (f32) -> !acc
      %x:2 = scf.for %i = %l to %u step %step iter_args(%o = %acc, %t = %t0) -> (tensor<192x64xf32>, tensor<192x8xf32>) : i32 {
        %top = "nv_tileas.reduce"(%s) ({
        ^bb0(%lhs: f32, %rhs: f32):
          %z = arith.maxnumf %lhs, %rhs : f32
          "nv_tileas.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (!acc) -> tensor<192xf32>
        %m = "nv_tileas.view"(%top) : (tensor<192xf32>) -> tensor<192x1xf32>
        %b = "nv_tileas.broadcast"(%m) : (tensor<192x1xf32>) -> !acc
        %e = math.fma %s, %scale, %b : !acc
        %p = math.exp2 %e : !acc
        %q = "nv_tileas.view"(%p) : (!acc) -> tensor<192x16x8xf32>
        %r = "nv_tileas.reduce"(%q) ({
        ^bb0(%lhs: f32, %rhs: f32):
          %z = arith.addf %lhs, %rhs : f32
          "nv_tileas.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (tensor<192x16x8xf32>) -> tensor<192x8xf32>
        %w = arith.truncf %p : !acc to tensor<192x128xbf16>
        %g:2 = "nv_tileas.async_mma"(%w, %v, %o) {a_major = "k", b_major = "n"} : (tensor<192x128xbf16>, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, tensor<192x64xf32>) -> (tensor<192x64xf32>, !nv_tileas.mma_token)
        %d = "nv_tileas.mma_wait"(%g#0, %g#1) {pending = 0 : i64} : (tensor<192x64xf32>, !nv_tileas.mma_token) -> tensor<192x64xf32>
        scf.yield %d, %r : tensor<192x64xf32>, tensor<192x8xf32>
      }
      %y = "nv_tileas.reduce"(%x#1) ({
      ^bb0(%lhs: f32, %rhs: f32):
        %z = arith.addf %lhs, %rhs : f32
        "nv_tileas.yield_values"(%z) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<192x8xf32>) -> tensor<192xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 12 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<192x64xf32>, tensor<192x128xbf16>, !acc, f32, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, i32, i32, i32, tensor<192x8xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 12 : i64}} : () -> ()
}

// -----

!acc = tensor<192x128xf32>

// Two warpgroups leave gaps, so their reductions go in pairs.
// CHECK-LABEL: module @two_warpgroups
// CHECK-NOT:     serial
module @two_warpgroups {
  "nv_tileaa.func"() ({
  ^bb0(%acc: tensor<192x64xf32>, %a: tensor<192x128xbf16>, %s: !acc, %c: f32, %v: !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, %l: i32, %u: i32, %step: i32, %t0: tensor<192x8xf32>):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %scale = "nv_tileas.splat"(%c) : (f32) -> !acc
      %x:2 = scf.for %i = %l to %u step %step iter_args(%o = %acc, %t = %t0) -> (tensor<192x64xf32>, tensor<192x8xf32>) : i32 {
        %top = "nv_tileas.reduce"(%s) ({
        ^bb0(%lhs: f32, %rhs: f32):
          %z = arith.maxnumf %lhs, %rhs : f32
          "nv_tileas.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (!acc) -> tensor<192xf32>
        %m = "nv_tileas.view"(%top) : (tensor<192xf32>) -> tensor<192x1xf32>
        %b = "nv_tileas.broadcast"(%m) : (tensor<192x1xf32>) -> !acc
        %e = math.fma %s, %scale, %b : !acc
        %p = math.exp2 %e : !acc
        %q = "nv_tileas.view"(%p) : (!acc) -> tensor<192x16x8xf32>
        %r = "nv_tileas.reduce"(%q) ({
        ^bb0(%lhs: f32, %rhs: f32):
          %z = arith.addf %lhs, %rhs : f32
          "nv_tileas.yield_values"(%z) : (f32) -> ()
        }) {axis = 1 : i64} : (tensor<192x16x8xf32>) -> tensor<192x8xf32>
        %w = arith.truncf %p : !acc to tensor<192x128xbf16>
        %g:2 = "nv_tileas.async_mma"(%w, %v, %o) {a_major = "k", b_major = "n"} : (tensor<192x128xbf16>, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, tensor<192x64xf32>) -> (tensor<192x64xf32>, !nv_tileas.mma_token)
        %d = "nv_tileas.mma_wait"(%g#0, %g#1) {pending = 0 : i64} : (tensor<192x64xf32>, !nv_tileas.mma_token) -> tensor<192x64xf32>
        scf.yield %d, %r : tensor<192x64xf32>, tensor<192x8xf32>
      }
      %y = "nv_tileas.reduce"(%x#1) ({
      ^bb0(%lhs: f32, %rhs: f32):
        %z = arith.addf %lhs, %rhs : f32
        "nv_tileas.yield_values"(%z) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<192x8xf32>) -> tensor<192xf32>
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<192x64xf32>, tensor<192x128xbf16>, !acc, f32, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>, i32, i32, i32, tensor<192x8xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 8 : i64}} : () -> ()
}
