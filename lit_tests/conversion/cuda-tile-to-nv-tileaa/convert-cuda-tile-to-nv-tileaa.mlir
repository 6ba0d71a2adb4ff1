// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa | FileCheck %s
// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa | FileCheck %s --check-prefix=GONE

// One tile in, one tile out. Tile indices become element coordinates, the view a memref in storage
// order with the alias scope of its array, tokens memory tokens; the metadata is carried over.

!view = !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>
!part = !cuda_tile.partition_view<array<i64: 128, 64>, !cuda_tile.tensor_view<memref<?x?xbf16, strided<[?, 1]>>>, array<i64: 0, 1>, "zero">

// GONE-NOT: cuda_tile

// CHECK:      "nv_tileaa.func"() ({
// CHECK-NEXT: ^bb0(%[[A:.*]]: !nv_tileaa.ptr<bf16>, %[[SA:.*]]: i64, %[[B:.*]]: !nv_tileaa.ptr<bf16>, %[[SB:.*]]: i64, %[[M:.*]]: i32, %[[K:.*]]: i32):
// CHECK-NEXT: %[[VA:.*]] = "nv_tileaa.make_memref"(%[[A]], %[[M]], %[[K]], %[[SA]]) {{.*}} -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
// CHECK-NEXT: %[[VB:.*]] = "nv_tileaa.make_memref"(%[[B]], %[[M]], %[[K]], %[[SB]]) {{.*}} -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
// CHECK-NEXT: %[[X:.*]] = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
// CHECK-NEXT: %[[Y:.*]] = "nv_tileaa.get_program_id"() {axis = 1 : i32} : () -> i32
// CHECK-NEXT: "nv_tileaa.get_program_id"() {axis = 2 : i32} : () -> i32
// CHECK-NEXT: %[[T0:.*]] = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
// CHECK-NEXT: %[[C128:.*]] = arith.constant 128 : i32
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[X]], %[[C128]] : i32
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : i32
// CHECK-NEXT: %[[COLUMN:.*]] = arith.muli %[[Y]], %[[C64]] : i32
// CHECK-NEXT: %[[TILE:.*]]:2 = "nv_tileaa.tiled_load"(%[[VA]], %[[ROW]], %[[COLUMN]], %[[T0]]) {mem_semantic = "weak", padding = "zero"} : ({{.*}}) -> (tensor<128x64xbf16>, !nv_tileaa.mem_token)
// CHECK:      "nv_tileaa.tiled_store"(%[[VB]], %[[TILE]]#0, %{{.*}}, %{{.*}}) {mem_semantic = "weak"}
// CHECK-NEXT: "nv_tileaa.return"() : () -> ()
// CHECK:      function_type = (!nv_tileaa.ptr<bf16>, i64, !nv_tileaa.ptr<bf16>, i64, i32, i32) -> (), nv_tileaa.compute_capability = 90 : i32, sym_name = "copy", tilec.kernel = {
"cuda_tile.entry"() ({
^bb0(%A: !cuda_tile.ptr<bf16>, %sA: i64, %B: !cuda_tile.ptr<bf16>, %sB: i64, %M: i32, %K: i32):
  %vA = "cuda_tile.make_tensor_view"(%A, %M, %K, %sA) : (!cuda_tile.ptr<bf16>, i32, i32, i64) -> !view
  %vB = "cuda_tile.make_tensor_view"(%B, %M, %K, %sB) : (!cuda_tile.ptr<bf16>, i32, i32, i64) -> !view
  %pA = "cuda_tile.make_partition_view"(%vA) : (!view) -> !part
  %pB = "cuda_tile.make_partition_view"(%vB) : (!view) -> !part
  %x, %y, %z = "cuda_tile.get_tile_block_id"() : () -> (i32, i32, i32)
  %t0 = "cuda_tile.make_token"() : () -> !cuda_tile.token
  %a, %t1 = "cuda_tile.load_view_tko"(%pA, %x, %y, %t0) {ordering = "weak"} : (!part, i32, i32, !cuda_tile.token) -> (!cuda_tile.tile<128x64xbf16>, !cuda_tile.token)
  %t2 = "cuda_tile.store_view_tko"(%a, %pB, %x, %y) {ordering = "weak"} : (!cuda_tile.tile<128x64xbf16>, !part, i32, i32) -> !cuda_tile.token
  "cuda_tile.return"() : () -> ()
}) {sym_name = "copy", function_type = (!cuda_tile.ptr<bf16>, i64, !cuda_tile.ptr<bf16>, i64, i32, i32) -> (), tilec.kernel = {
  grid = ["cdiv(M, 128)", "cdiv(K, 64)"],
  arrays = [{name = "A", dtype = "bf16", rank = 2 : i64, strides = [-1, 1], alias_group = -1 : i64},
            {name = "B", dtype = "bf16", rank = 2 : i64, strides = [-1, 1], alias_group = -1 : i64}],
  params = [{kind = "pointer", array = "A"}, {kind = "stride", array = "A", axis = 0 : i64},
            {kind = "pointer", array = "B"}, {kind = "stride", array = "B", axis = 0 : i64},
            {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64}]}} : () -> ()
