// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers kernels of clusters: ranks, addresses in other CTAs, multicast, the common start
// and end.

!a = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x64xbf16>>

// Two CTAs in a column: bits 0 and 1. Each starts with its own box, which has the same place in both
// CTAs. All barriers of the cluster are ready before a CTA accesses another one, and no CTA ends before
// all are done.
// CHECK-LABEL: llvm.func @a_column_of_two
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK:         nvvm.mbarrier.init
// CHECK:         nvvm.fence.mbarrier.init
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}"barrier.cluster.arrive;\0Abarrier.cluster.wait;"
// CHECK-NOT:     nvvm.barrier
// CHECK:         nvvm.elect.sync
// CHECK:         %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:         %[[RANK:.*]] = arith.remui %[[BLOCK]], %c2{{.*}} : i32
// CHECK:         %[[MASK:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK:         %[[BYTES:.*]] = arith.muli %{{.*}}, %c8192
// CHECK:         llvm.getelementptr %{{.*}}[%[[BYTES]]]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
// CHECK:         barrier.cluster.arrive;\0Abarrier.cluster.wait;
// CHECK:         } else {
// CHECK:         barrier.cluster.arrive;\0Abarrier.cluster.wait;
"nv_tileaa.func"() ({
^bb0(%d: !desc, %m: i32, %k: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 16384 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 1 : i64, offset = 16392 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 1 : i64, cluster = array<i64: 2, 1>, multicast_axes = array<i64: 0>} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.async_tiled_tma_load"(%d, %a, %m, %k, %full) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 1>, multicast_axis = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.cluster_sync"() : () -> ()
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.cluster_sync"() : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_column_of_two", function_type = (!desc, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [2, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x64xbf16>>

// In a cluster of 2x2, rank = row + 2 * column. A column is two adjacent bits, shifted by twice
// the column; a row is every second bit (5 = 0b0101), shifted by the row.
// CHECK-LABEL: llvm.func @masks_of_two_by_two
// CHECK:         %[[RANK:.*]] = arith.remui %{{.*}}, %c4{{.*}} : i32
// CHECK:         %[[COLUMN:.*]] = arith.divui %[[RANK]], %c2{{.*}} : i32
// CHECK:         %[[SHIFT:.*]] = arith.muli %[[COLUMN]], %c2{{.*}} : i32
// CHECK:         %[[PAIR:.*]] = arith.shli %c3{{.*}}, %[[SHIFT]] : i32
// CHECK:         %[[DOWN:.*]] = arith.trunci %[[PAIR]] : i32 to i16
// CHECK:         %[[ROW:.*]] = arith.remui %[[RANK]], %c2{{.*}} : i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[DOWN]]
// CHECK:         %[[EVERY:.*]] = arith.shli %c5{{.*}}, %[[ROW]] : i32
// CHECK:         %[[ACROSS:.*]] = arith.trunci %[[EVERY]] : i32 to i16
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[ACROSS]]
"nv_tileaa.func"() ({
^bb0(%d: !desc, %m: i32, %k: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %b = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 16384 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 32768 : i64} : () -> !nv_tileas.mbarrier
  "nv_tileas.roles"() ({
    "nv_tileas.async_tiled_tma_load"(%d, %a, %m, %k, %full) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 2>, multicast_axis = 0 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.async_tiled_tma_load"(%d, %b, %m, %k, %full) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 2>, multicast_axis = 1 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "masks_of_two_by_two", function_type = (!desc, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [4, 1, 1]}} : () -> ()

// -----

!a = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<64x64xbf16>>

// A row of two: rank = column, and the mask has both bits for both CTAs.
// CHECK-LABEL: llvm.func @a_row_of_two
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK:         %[[MASK:.*]] = arith.constant 3 : i16
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
"nv_tileaa.func"() ({
^bb0(%d: !desc, %m: i32, %k: i32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !a
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 16384 : i64} : () -> !nv_tileas.mbarrier
  "nv_tileas.roles"() ({
    "nv_tileas.async_tiled_tma_load"(%d, %a, %m, %k, %full) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 1, 2>, multicast_axis = 1 : i64} : (!desc, !a, i32, i32, !nv_tileas.mbarrier) -> ()
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_row_of_two", function_type = (!desc, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [2, 1, 1]}} : () -> ()

// -----

// A warp that releases a slot arrives in every CTA that fills it: lane n in the n-th peer.
// CHECK-LABEL: llvm.func @lanes_release_at_the_peers
// CHECK:         nvvm.bar.warp.sync
// CHECK:         %[[COLUMN:.*]] = arith.divui %{{.*}}, %c2{{.*}} : i32
// CHECK:         %[[FIRST:.*]] = arith.muli %[[COLUMN]], %c2{{.*}} : i32
// CHECK:         %[[RANK:.*]] = arith.addi %[[LANE:.*]], %[[FIRST]] : i32
// CHECK:         %[[ARRIVES:.*]] = arith.cmpi slt, %[[LANE]], %c2{{.*}} : i32
// CHECK-DAG:     %[[FLAG:.*]] = arith.extui %[[ARRIVES]] : i1 to i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}mapa.shared::cluster.u32 a, $0, $1; @p mbarrier.arrive.shared::cluster.b64 _, [a];{{.*}} %{{.*}}, %[[RANK]], %[[FLAG]]
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 8 : i64, slots = 1 : i64, offset = 8 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 1 : i64, cluster = array<i64: 2, 2>, multicast_axes = array<i64: 0>} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    "nv_tileas.ring_release"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "lanes_release_at_the_peers", function_type = (i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [4, 1, 1]}} : () -> ()

// -----

// Shared along both axes of 2x4 CTAs: five peers. Lanes 0 and 1 arrive in the column of the CTA, the
// next three in the other columns of its row.
// CHECK-LABEL: llvm.func @peers_of_both_axes
// CHECK:         %[[DOWN:.*]] = arith.addi %[[LANE:.*]], %{{.*}} : i32
// CHECK:         %[[OTHER:.*]] = arith.remui %{{.*}}, %c4{{.*}} : i32
// CHECK:         %[[ACROSS:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:         %[[OWN:.*]] = arith.cmpi slt, %[[LANE]], %c2{{.*}} : i32
// CHECK:         %[[RANK:.*]] = arith.select %[[OWN]], %[[DOWN]], %[[ACROSS]] : i32
// CHECK:         arith.cmpi slt, %[[LANE]], %c5{{.*}} : i32
// CHECK:         mapa.shared::cluster.u32
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 20 : i64, slots = 1 : i64, offset = 8 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 1 : i64, cluster = array<i64: 2, 4>, multicast_axes = array<i64: 0, 1>} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %at = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    "nv_tileas.ring_release"(%ring, %at) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "peers_of_both_axes", function_type = (i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [8, 1, 1]}} : () -> ()

// -----

// The place of a CTA comes from the flattened block index: the CTAs of a cluster are adjacent there.
// CHECK-LABEL: llvm.func @places_in_the_flattened_grid
// CHECK:         %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:         %[[ID:.*]] = arith.divui %[[BLOCK]], %c8{{.*}} : i32
// CHECK:         %[[BLOCKS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK:         %[[COUNT:.*]] = arith.divui %[[BLOCKS]], %c8{{.*}} : i32
// CHECK:         %[[RANK:.*]] = arith.remui %{{.*}}, %c8{{.*}} : i32
// CHECK:         %[[ROW:.*]] = arith.remui %[[RANK]], %c2{{.*}} : i32
// CHECK:         %[[COLUMN:.*]] = arith.divui %{{.*}}, %c2{{.*}} : i32
// CHECK:         llvm.store
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<i32>):
  %id = "nv_tileas.cluster_id"() {cluster = array<i64: 2, 4>} : () -> i32
  %count = "nv_tileas.num_clusters"() {cluster = array<i64: 2, 4>} : () -> i32
  %row = "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 2, 4>} : () -> i32
  %column = "nv_tileas.cluster_coord"() {axis = 1 : i64, cluster = array<i64: 2, 4>} : () -> i32
  %left = arith.addi %id, %count : i32
  %right = arith.muli %row, %column : i32
  %sum = arith.addi %left, %right : i32
  %v = "nv_tileas.make_memref"(%p) : (!nv_tileaa.ptr<i32>) -> !nv_tileaa.memref<memref<128xi32, strided<[1]>, 1>, 0 : i64>
  %c0 = arith.constant 0 : i32
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%sum) : (i32) -> tensor<128xi32, #nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">>
    %t = "nv_tileas.tiled_store"(%v, %x, %c0) {in_bounds = array<i1: true>, atom = #cute.copy_atom<"sm90_stg_32_i32", "stg", 1 : i64, 32 : i64, i32>} : (!nv_tileaa.memref<memref<128xi32, strided<[1]>, 1>, 0 : i64>, tensor<128xi32, #nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">>, i32) -> !nv_tileaa.mem_token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "places_in_the_flattened_grid", function_type = (!nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [8, 1, 1]}} : () -> ()

// -----

!t = tensor<1x4xf32, #nv_tileas.layout<"1x4|lane:32*(0,0)|warp:4*(0,0)|cta:4*(0,1)">>
!s = !nv_tileas.smem<tensor<1x4xf32, #nv_tileas.shared_layout<array<i64: 1, 4>, 0 : i64>>>

// CTAs that compute a block together: lane n of the first warp sends to CTA n, to the place of the own
// part. The CTAs say that their barriers are ready as soon as they are, and wait for that later.
// CHECK-LABEL: llvm.func @parts_for_all
// CHECK:         nvvm.fence.mbarrier.init
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.inline_asm has_side_effects {{.*}}"barrier.cluster.arrive.relaxed;"
// CHECK:         griddepcontrol.wait
// CHECK:         barrier.cluster.wait
// CHECK-DAG:     %[[BYTES:.*]] = arith.muli %{{.*}}, %c4{{.*}} : i32
// CHECK-DAG:     %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[BYTES]]]
// CHECK-DAG:     %[[TO:.*]] = arith.cmpi slt, %[[LANE:.*]], %c4{{.*}} : i32
// CHECK-DAG:     %[[SENDS:.*]] = arith.andi %[[TO]], %{{.*}} : i1
// CHECK-DAG:     %[[FLAG:.*]] = arith.extui %[[SENDS]] : i1 to i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}@p mapa.shared::cluster.u32 a, $0, $3; @p mapa.shared::cluster.u32 b, $1, $3; @p st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], $2, [b]; {{.*}} %[[PLACE]], %{{.*}}, %{{.*}}, %[[LANE]], %[[FLAG]]
"nv_tileaa.func"() ({
^bb0(%x: f32):
  %a = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 128 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full) {stages = 1 : i64, cluster = array<i64: 4, 1>, multicast_axes = array<i64: 0>} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %t = "nv_tileas.splat"(%x) : (f32) -> !t
    "nv_tileas.await_cluster"() : () -> ()
    "nv_tileas.cluster_send"(%t, %a, %full) {cluster = array<i64: 4, 1>, multicast_axis = 0 : i64, tx_count = 4 : i64} : (!t, !s, !nv_tileas.mbarrier) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "parts_for_all", function_type = (f32) -> (), nv_tileaa.kernel_spec = {spread = 4 : i64}, tilec.kernel = {block_threads = 128 : i64, cluster = [4, 1, 1]}} : () -> ()
