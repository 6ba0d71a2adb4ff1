// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa | FileCheck %s

// The pass converts operations that build, reshape and move tiles.

"cuda_tile.entry"() ({
^bb0(%s: f32, %i: i32):
  // CHECK: "nv_tileaa.get_num_programs"() {axis = 0 : i32}
  // CHECK: "nv_tileaa.get_num_programs"() {axis = 1 : i32}
  // CHECK: "nv_tileaa.get_num_programs"() {axis = 2 : i32}
  %nx, %ny, %nz = "cuda_tile.get_num_tile_blocks"() : () -> (i32, i32, i32)
  // CHECK: "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<8xi32>
  %r = "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>
  // CHECK: "nv_tileaa.splat"(%{{.*}}) : (f32) -> tensor<4x8xf32>
  %f = "cuda_tile.splat"(%s) : (f32) -> !cuda_tile.tile<4x8xf32>
  // CHECK: "nv_tileaa.view"(%{{.*}}) : (tensor<8xi32>) -> tensor<1x8xi32>
  %v = "cuda_tile.reshape"(%r) : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<1x8xi32>
  // CHECK: "nv_tileaa.broadcast"(%{{.*}}) : (tensor<1x8xi32>) -> tensor<4x8xi32>
  %b = "cuda_tile.broadcast"(%v) : (!cuda_tile.tile<1x8xi32>) -> !cuda_tile.tile<4x8xi32>
  // CHECK: "nv_tileaa.permute"(%{{.*}}) {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %p = "cuda_tile.permute"(%f) {permutation = array<i64: 1, 0>} : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<8x4xf32>
  // CHECK: "nv_tileaa.cat"(%{{.*}}, %{{.*}}) {dim = 0 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %c = "cuda_tile.cat"(%f, %f) {dim = 0 : i64} : (!cuda_tile.tile<4x8xf32>, !cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<8x8xf32>
  // CHECK: "nv_tileaa.histogram"(%{{.*}}) : (tensor<16xi32>) -> tensor<32xi32>
  %numbers = "cuda_tile.iota"() : () -> !cuda_tile.tile<16xi32>
  %histogram = "cuda_tile.histogram"(%numbers) : (!cuda_tile.tile<16xi32>) -> !cuda_tile.tile<32xi32>
  // CHECK: "nv_tileaa.extract"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<8x8xf32>, i32, i32) -> tensor<4x2xf32>
  %e = "cuda_tile.extract"(%c, %i, %i) : (!cuda_tile.tile<8x8xf32>, i32, i32) -> !cuda_tile.tile<4x2xf32>
  "cuda_tile.return"() : () -> ()
}) {sym_name = "shapes", function_type = (f32, i32) -> ()} : () -> ()
