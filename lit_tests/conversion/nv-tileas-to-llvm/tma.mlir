// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm --split-input-file | FileCheck %s

// The pass lowers TMA copies, with coordinates innermost first.

!a = !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>

// Coordinates turn innermost first; the second box lies after the bytes of the first; descriptors
// are 128-byte grid constants, which one thread prefetches.
// CHECK-LABEL: llvm.func @coordinates_turn_innermost_first(
// CHECK-SAME:    %[[D:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[M:.*]]: i32, %[[K:.*]]: i32)
// CHECK:         %[[SMEM:.*]] = llvm.mlir.addressof @tilec_shared : !llvm.ptr<3>
// CHECK:         %[[BAR:.*]] = llvm.getelementptr %[[SMEM]][32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK:         prefetch.tensormap [$0];{{.*}} %[[D]]
// CHECK:         mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 32768;
// CHECK:         %[[BOX:.*]] = llvm.getelementptr %[[SMEM]][16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK:         %[[NUMBER:.*]] = llvm.ptrtoint %[[BOX]]
// CHECK:         %[[CLUSTER:.*]] = llvm.inttoptr %[[NUMBER]] : i32 to !llvm.ptr<7>
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %[[CLUSTER]], %[[D]], %[[BAR]], box[%[[K]], %[[M]]]
"nv_tileaa.func"() ({
^bb0(%d: !desc, %m: i32, %k: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 32768 : i64} : () -> !nv_tileas.mbarrier
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.mbarrier_arrive_expect_tx"(%full) {tx_count = 32768 : i64} : (!nv_tileas.mbarrier) -> ()
    "nv_tileas.async_tiled_tma_load"(%d, %a, %m, %k, %full) {box_index = 1 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "coordinates_turn_innermost_first", function_type = (!desc, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<2x4x8x32xf32, #nv_tileas.shared_layout<array<i64: 2, 4, 8, 32>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<2x4x8x32xf32>>

// A store of four dims reverses its coordinates too; commit and wait belong to the thread that
// started the copy.
// CHECK-LABEL: llvm.func @stores_reverse_their_coordinates(
// CHECK-SAME:    %[[D:[^:]*]]: !llvm.ptr {{{.*}}}, %[[I:.*]]: i32, %[[J:.*]]: i32, %[[K:.*]]: i32, %[[L:.*]]: i32)
// CHECK:         %[[SMEM:.*]] = llvm.mlir.addressof @tilec_shared
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[D]], %[[SMEM]], box[%[[L]], %[[K]], %[[J]], %[[I]]]
// CHECK:         cp.async.bulk.commit_group
// CHECK:         cp.async.bulk.wait_group.read 0
"nv_tileaa.func"() ({
^bb0(%d: !desc, %i: i32, %j: i32, %k: i32, %l: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.fence_proxy"() {space = "shared"} : () -> ()
    "nv_tileas.async_tiled_tma_store"(%d, %a, %i, %j, %k, %l) {box_index = 0 : i64, tmaIdx = 0 : i64} : (!desc, !a, i32, i32, i32, i32) -> ()
    "nv_tileas.bulk_commit"() : () -> ()
    "nv_tileas.bulk_wait"() {pending = 0 : i64, read = true} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "stores_reverse_their_coordinates", function_type = (!desc, i32, i32, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x64xbf16>>

// A hint becomes a cache policy. One thread makes the copy.
// CHECK-LABEL: llvm.func @a_hint_becomes_a_policy(
// CHECK-SAME:    %[[D:[^:]*]]: !llvm.ptr {{{.*}}}, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK:         %[[SMEM:.*]] = llvm.mlir.addressof @tilec_shared
// CHECK:         %[[POLICY:.*]] = llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"  : () -> i64
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"{{.*}}cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [$0, {$2, $3}], [$1], $4;{{.*}}" %[[D]], %[[SMEM]], %[[J]], %[[I]], %[[POLICY]]
"nv_tileaa.func"() ({
^bb0(%d: !desc, %i: i32, %j: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.async_tiled_tma_store"(%d, %a, %i, %j) {box_index = 0 : i64, tmaIdx = 0 : i64, cache_hint = "evict_first"} : (!desc, !a, i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_hint_becomes_a_policy", function_type = (!desc, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
