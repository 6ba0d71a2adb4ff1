// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa | FileCheck %s

// Indices take the storage order of the memref: that of the contiguous axis 0 comes last. Tiles stay
// as they are. Scopes get the names of PTX. Element offsets are coordinates already.

!view = !cuda_tile.tensor_view<memref<?x?xf32, strided<[1, ?]>>>
!part = !cuda_tile.partition_view<array<i64: 32, 8>, !cuda_tile.tensor_view<memref<?x?xf32, strided<[1, ?]>>>, array<i64: 0, 1>, "zero">
!at = !cuda_tile.tile<16xi32>
!mask = !cuda_tile.tile<16xi1>
!tile = !cuda_tile.tile<16xf32>
!token = !cuda_tile.token

// CHECK:      ^bb0(%{{.*}}: !nv_tileaa.ptr<f32>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64, %[[I:.*]]: i32, %[[J:.*]]: i32):
// CHECK-DAG:  %[[A:.*]] = "nv_tileaa.make_range"()
// CHECK-DAG:  %[[B:.*]] = "nv_tileaa.splat"(%[[I]])
// CHECK:      %[[X:.*]]:2 = "nv_tileaa.gather"(%[[V:.*]], %[[B]], %[[A]], %[[M:.*]], %[[P:.*]]) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>}
// CHECK:      %[[S:.*]] = "nv_tileaa.scatter"(%[[V]], %[[X]]#0, %[[B]], %[[A]], %[[X]]#1) {mem_scope = "sys", mem_semantic = "release", {{.*}}unchecked}
// CHECK:      "nv_tileaa.atomic"(%[[V]], %[[J]], %[[I]], %{{.*}}, %[[S]]) {mem_scope = "cta", mem_semantic = "acq_rel", mode = "addf",
// CHECK:      "nv_tileaa.tiled_load"(%[[V]], %[[J]], %[[I]], %{{.*}})
"cuda_tile.entry"() ({
^bb0(%p: !cuda_tile.ptr<f32>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32):
  %v = "cuda_tile.make_tensor_view"(%p, %m, %n, %s) : (!cuda_tile.ptr<f32>, i32, i32, i64) -> !view
  %a = "cuda_tile.iota"() : () -> !at
  %b = "cuda_tile.splat"(%i) : (i32) -> !at
  %mask = "cuda_tile.constant"() {value = dense<true> : tensor<16xi1>} : () -> !mask
  %pad = "cuda_tile.constant"() {value = dense<0.0> : tensor<16xf32>} : () -> !tile
  %one = arith.constant 1.0 : f32
  %x, %t = "cuda_tile.load_elements_tko"(%v, %a, %b, %mask, %pad) {ordering = "weak", operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>} : (!view, !at, !at, !mask, !tile) -> (!tile, !token)
  %u = "cuda_tile.store_elements_tko"(%v, %x, %a, %b, %t) {ordering = "release", scope = "sys", unchecked, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>} : (!view, !tile, !at, !at, !token) -> !token
  %y, %w = "cuda_tile.atomic_elements_tko"(%v, %i, %j, %one, %u) {mode = "addf", ordering = "acq_rel", scope = "tl_blk", operandSegmentSizes = array<i32: 1, 2, 1, 0, 1>} : (!view, i32, i32, f32, !token) -> (f32, !token)
  %part = "cuda_tile.make_partition_view"(%v) : (!view) -> !part
  %z, %r = "cuda_tile.load_view_tko"(%part, %i, %j, %w) {ordering = "weak", element_offsets, operandSegmentSizes = array<i32: 1, 2, 1>} : (!part, i32, i32, !token) -> (!cuda_tile.tile<32x8xf32>, !token)
  "cuda_tile.return"() : () -> ()
}) {sym_name = "elements", function_type = (!cuda_tile.ptr<f32>, i32, i32, i64, i32, i32) -> ()} : () -> ()
