// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa | FileCheck %s

// The pass converts matrix products; operands and accumulator keep their order.

"cuda_tile.entry"() ({
^bb0(%f: bf16, %s: f32, %i: i8, %k: i32):
  %a = "cuda_tile.splat"(%f) : (bf16) -> !cuda_tile.tile<64x16xbf16>
  %b = "cuda_tile.splat"(%f) : (bf16) -> !cuda_tile.tile<16x32xbf16>
  %c = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<64x32xf32>
  // CHECK: "nv_tileaa.dot"(%{{.*}}, %{{.*}}, %{{.*}}) {a_major = "k", b_major = "n"} : (tensor<64x16xbf16>, tensor<16x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %d = "cuda_tile.mmaf"(%a, %b, %c) : (!cuda_tile.tile<64x16xbf16>, !cuda_tile.tile<16x32xbf16>, !cuda_tile.tile<64x32xf32>) -> !cuda_tile.tile<64x32xf32>
  %u = "cuda_tile.splat"(%i) : (i8) -> !cuda_tile.tile<2x64x32xi8>
  %v = "cuda_tile.splat"(%i) : (i8) -> !cuda_tile.tile<2x32x8xi8>
  %w = "cuda_tile.splat"(%k) : (i32) -> !cuda_tile.tile<2x64x8xi32>
  // CHECK: "nv_tileaa.dot"(%{{.*}}, %{{.*}}, %{{.*}}) {a_major = "k", b_major = "n", signedness_a = "unsigned", signedness_b = "signed"} : (tensor<2x64x32xi8>, tensor<2x32x8xi8>, tensor<2x64x8xi32>) -> tensor<2x64x8xi32>
  %e = "cuda_tile.mmai"(%u, %v, %w) {signedness_lhs = "unsigned", signedness_rhs = "signed"} : (!cuda_tile.tile<2x64x32xi8>, !cuda_tile.tile<2x32x8xi8>, !cuda_tile.tile<2x64x8xi32>) -> !cuda_tile.tile<2x64x8xi32>
  %x = "cuda_tile.splat"(%f) : (bf16) -> !cuda_tile.tile<1x64x16xbf16>
  %y = "cuda_tile.splat"(%f) : (bf16) -> !cuda_tile.tile<1x16x32xbf16>
  %z = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<1x64x32xf32>
  // CHECK: %[[X:.*]] = "nv_tileaa.view"(%{{.*}}) : (tensor<1x64x16xbf16>) -> tensor<64x16xbf16>
  // CHECK: %[[P:.*]] = "nv_tileaa.dot"(%[[X]], %{{.*}}, %{{.*}}) {a_major = "k", b_major = "n"} : (tensor<64x16xbf16>, tensor<16x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
  // CHECK: "nv_tileaa.view"(%[[P]]) : (tensor<64x32xf32>) -> tensor<1x64x32xf32>
  %p = "cuda_tile.mmaf"(%x, %y, %z) : (!cuda_tile.tile<1x64x16xbf16>, !cuda_tile.tile<1x16x32xbf16>, !cuda_tile.tile<1x64x32xf32>) -> !cuda_tile.tile<1x64x32xf32>
  "cuda_tile.return"() : () -> ()
}) {sym_name = "products", function_type = (bf16, f32, i8, i32) -> ()} : () -> ()
