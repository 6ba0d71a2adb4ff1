// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers an epilogue whose warpgroups store their shares on their own.

!part = !nv_tileas.smem<tensor<64x32xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x32xf32>>

// After 4 producer warps, warpgroup w of the consumers owns staging tiles 2w and 2w + 1, synchronises
// its 128 threads at barrier 2 + w, and lets its first thread store, commit and wait. Thread 128 alone
// does what the role does once.
// CHECK-LABEL: llvm.func @warpgroups_store_on_their_own
// CHECK-SAME:    %[[D:[^:]*]]: !llvm.ptr {{{.*}}}, %[[N:.*]]: i32)
// CHECK:         %[[SMEM:.*]] = llvm.mlir.addressof @tilec_shared
// CHECK:         %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[WARP:.*]] = nvvm.shfl.sync
// CHECK:         %[[OWN_WARP:.*]] = arith.addi %[[WARP]], %c-4
// CHECK:         %[[W:.*]] = arith.divui %[[OWN_WARP]], %c4
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c128
// CHECK:         %[[OWN:.*]] = arith.addi %[[THREAD]], %c-128
// CHECK:         %[[REST:.*]] = arith.remui %[[OWN]], %c128
// CHECK:         %[[LEADS:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK:         %[[TILES:.*]] = arith.muli %[[W]], %c2
// CHECK:         %[[TILE:.*]] = arith.addi %[[TILES]], %c1
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[TILE]], %c8192
// CHECK:         %[[STAGING:.*]] = llvm.getelementptr %[[SMEM]][%[[OFFSET]]]
// CHECK:         %[[ID:.*]] = arith.addi %[[W]], %c2
// CHECK:         nvvm.barrier id = %[[ID]] number_of_threads = %c128
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[D]], %[[STAGING]], box[%[[N]], %[[W]]], predicate = %[[LEADS]]
// CHECK:         %[[P:.*]] = arith.extui %[[LEADS]]
// CHECK:         cp.async.bulk.commit_group; }", {{.*}} %[[P]] :
// CHECK:         cp.async.bulk.wait_group.read 1; }", {{.*}} %[[P]] :
// CHECK:         %[[Q:.*]] = arith.extui %[[FIRST]]
// CHECK:         cp.async.bulk.wait_group.read 0; }", {{.*}} %[[Q]] :
"nv_tileaa.func"() ({
^bb0(%d: !desc, %n: i32):
  %buffer = "nv_tileas.alloc_shared"() {slots = 4 : i64, offset = 0 : i64} : () -> !part
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %w = "nv_tileas.warpgroup_id"() : () -> i32
    %own = "nv_tileas.warpgroup_view"(%buffer) {slot = 1 : i64, slots = 2 : i64} : (!part) -> !part
    "nv_tileas.barrier"() {id = 2 : i64, per_warpgroup} : () -> ()
    "nv_tileas.async_tiled_tma_store"(%d, %own, %w, %n) {box_index = 0 : i64, tmaIdx = 0 : i64, per_warpgroup} : (!desc, !part, i32, i32) -> ()
    "nv_tileas.bulk_commit"() {per_warpgroup} : () -> ()
    "nv_tileas.bulk_wait"() {pending = 1 : i64, read = true, per_warpgroup} : () -> ()
    "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "warpgroups_store_on_their_own", function_type = (!desc, i32) -> (), tilec.kernel = {block_threads = 384 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x32xf32, strided<[32, 1]>, 1>, 0 : i64>
!part = !nv_tileas.smem<tensor<64x32xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>

// The 128 threads of a warpgroup copy its tile out. Each starts at its number in the warpgroup.
// CHECK-LABEL: llvm.func @warpgroups_copy_out_on_their_own
// CHECK:         %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[W:.*]] = arith.divui %{{.*}}, %c4
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[W]], %c8192
// CHECK:         %[[STAGING:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// CHECK:         %[[OWN:.*]] = arith.remui %[[THREAD]], %c128
// CHECK:         %[[FIRST:.*]] = llvm.inline_asm has_side_effects {{.*}} "=r,0" %[[OWN]] : (i32) -> i32
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %c2048{{.*}} step %c128
// CHECK:           llvm.getelementptr %[[STAGING]]
// CHECK-NEXT:      llvm.load
// CHECK:           llvm.store %{{.*}} : f32, !llvm.ptr<1>
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %i: i32):
  %v = "nv_tileas.make_memref"(%p, %m) : (!nv_tileaa.ptr<f32>, i32) -> !v
  %buffer = "nv_tileas.alloc_shared"() {slots = 2 : i64, offset = 0 : i64} : () -> !part
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %own = "nv_tileas.warpgroup_view"(%buffer) {slot = 0 : i64, slots = 1 : i64} : (!part) -> !part
    "nv_tileas.copy_out"(%own, %v, %i, %i) {per_warpgroup} : (!part, !v, i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "warpgroups_copy_out_on_their_own", function_type = (!nv_tileaa.ptr<f32>, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!index = tensor<16xi32, #nv_tileas.layout<"16|reg:2*(4)|lane:32*(0)|warp:4*(1)|warpgroup:2*(8)">>
!column = tensor<16x1xi32, #nv_tileas.layout<"16x1|reg:2*(4,0)|lane:32*(0,0)|warp:4*(1,0)|warpgroup:2*(8,0)">>
!numbers = tensor<16x32xi32, #nv_tileas.layout<"16x32|reg:2*(4,0)|lane:32*(0,1)|warp:4*(1,0)|warpgroup:2*(8,0)">>
!part = !nv_tileas.smem<tensor<4x32xf32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!tile = tensor<16x32xf32, #nv_tileas.layout<"16x32|reg:2*(4,0)|lane:32*(0,1)|warp:4*(1,0)|warpgroup:2*(8,0)">>
!piece = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>

// A part selects registers: each thread holds two rows, 4 apart, and the part is the second one. The range starts at 5, so
// that row holds 9 more than the thread's first row number. Only the chosen register is stored.
// CHECK-LABEL: llvm.func @a_part_is_some_of_the_registers
// CHECK-NOT:     nvvm.barrier
// CHECK:         %[[ROWS:.*]] = arith.muli %[[W:.*]], %c8
// CHECK:         %[[ROW:.*]] = arith.addi %{{.*}}, %[[ROWS]]
// CHECK:         %[[SECOND:.*]] = arith.addi %[[ROW]], %c9
// CHECK-NEXT:    %[[VALUE:.*]] = arith.sitofp %[[SECOND]]
// CHECK:         arith.muli %[[W]], %c1024
// CHECK:         llvm.store %[[VALUE]], %{{.*}} : f32, !llvm.ptr<3>
// CHECK-NOT:     llvm.store
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %buffer = "nv_tileas.alloc_shared"() {slots = 2 : i64, offset = 0 : i64} : () -> !part
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %r = "nv_tileas.make_range"() {start = 5 : i64} : () -> !index
    %c = "nv_tileas.view"(%r) : (!index) -> !column
    %b = "nv_tileas.broadcast"(%c) : (!column) -> !numbers
    %f = arith.sitofp %b : !numbers to !tile
    %second = "nv_tileas.tile_part"(%f) {origin = array<i64: 4, 0>, axis = 0 : i64} : (!tile) -> !piece
    %own = "nv_tileas.warpgroup_view"(%buffer) {slot = 0 : i64, slots = 1 : i64} : (!part) -> !part
    "nv_tileas.store_shared"(%second, %own) : (!piece, !part) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_part_is_some_of_the_registers", function_type = (i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()
