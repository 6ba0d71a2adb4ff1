// RUN: tilec opt %s --passes nv-tileas-split-k --split-input-file | FileCheck %s

// The pass lets several CTAs share the k-tiles of one tile.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// The loop over tiles runs over three items per tile, the loop over k-tiles over a third of them. All
// splits but the last store their partial sum; the last one waits for both of them and adds them to its
// own. Operations that the products do not need run in the last split, also the load before
// them.
// CHECK-LABEL: module @the_last_of_three_splits_adds_them_up
// CHECK:         %[[COUNTERS:.*]] = "nv_tileas.workspace"() {hidden_name = "counters", size = "(cdiv(M, 64)) * (cdiv(N, 64)) * 4", zeroed} : () -> !nv_tileaa.ptr<i32>
// CHECK:         %[[PARTIALS:.*]] = "nv_tileas.workspace"() {hidden_name = "workspace", size = "(cdiv(M, 64)) * (cdiv(N, 64)) * 32768"} : () -> !nv_tileaa.ptr<f32>
// CHECK:         %[[ROUNDS:.*]] = arith.ceildivsi %{{.*}}, %{{c3_i32.*}} : i32
// CHECK:         %[[SHARE:.*]] = arith.muli %[[ROUNDS]], %[[STEP:.*]] : i32
// CHECK:         %[[ITEMS:.*]] = arith.muli %[[TILES:.*]], %{{c3_i32.*}} : i32
// CHECK:         %[[WAITING:.*]] = arith.muli %[[TILES]], %{{c2_i32.*}} : i32
// CHECK:         scf.for %[[ITEM:.*]] = %{{.*}} to %[[ITEMS]] step
// CHECK:           %[[LAST:.*]] = arith.cmpi sge, %[[ITEM]], %[[WAITING]] : i32
// CHECK:           %[[TILE:.*]] = arith.remui %[[ITEM]], %[[TILES]] : i32
// CHECK:           %[[SPLIT:.*]] = arith.divui %[[ITEM]], %[[TILES]] : i32
// CHECK:           %[[ROW:.*]] = arith.muli %[[TILE]], %c64
// CHECK-NOT:       tiled_load
// CHECK:           %[[OWN:.*]] = arith.muli %[[SPLIT]], %[[SHARE]] : i32
// CHECK:           %[[FIRST:.*]] = arith.addi %c0{{[^,]*}}, %[[OWN]] : i32
// CHECK:           %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[SHARE]] : i32
// CHECK:           %[[END:.*]] = arith.minsi %{{.*}}, %[[NEXT]] : i32
// CHECK:           %[[ACC:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %[[STEP]]
// CHECK:             nv_tileas.dot
// CHECK:           scf.if %[[LAST]] {
// CHECK-NEXT:        "nv_tileas.await_partials"(%[[COUNTERS]], %[[TILE]], %[[SPLIT]])
// CHECK-NEXT:        "nv_tileas.barrier"()
// CHECK:             %[[ONE:.*]] = "nv_tileas.add_partial"(%[[ACC]], %[[PARTIALS]], %[[TILE]], %c0{{[^)]*}}) {count = 2 : i64}
// CHECK:             %[[SUM:.*]] = "nv_tileas.add_partial"(%[[ONE]], %[[PARTIALS]], %[[TILE]], %c1{{[^)]*}}) {count = 2 : i64}
// CHECK:             %[[R:.*]]:2 = "nv_tileas.tiled_load"
// CHECK:             %[[D:.*]] = arith.truncf %[[SUM]]
// CHECK:             "nv_tileas.tiled_store"
// CHECK-NEXT:        "nv_tileas.reset_partials"(%[[COUNTERS]], %[[TILE]])
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "nv_tileas.store_partial"(%[[ACC]], %[[PARTIALS]], %[[TILE]], %[[SPLIT]]) {count = 2 : i64}
// CHECK-NEXT:        "nv_tileas.barrier"()
// CHECK-NEXT:        "nv_tileas.arrive_partial"(%[[COUNTERS]], %[[TILE]])
// CHECK-NEXT:      }
// CHECK:       cooperative_launch = true
// CHECK-SAME:  split_k = 3 : i64}}
module @the_last_of_three_splits_adds_them_up {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %tiles: i32, %n: i32, %id: i32, %ids: i32, %t: !token):
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant 64 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %tile = %id to %tiles step %ids : i32 {
      %row = arith.muli %tile, %c64 : i32
      %r, %t0 = "nv_tileas.tiled_load"(%v, %row, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %acc = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
        %a, %t1 = "nv_tileas.tiled_load"(%v, %row, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %b, %t2 = "nv_tileas.tiled_load"(%v, %k, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %p = "nv_tileas.dot"(%a, %b, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %p : tensor<64x64xf32>
      }
      %d = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      %e = arith.addf %d, %r : tensor<64x64xbf16>
      %t3 = "nv_tileas.tiled_store"(%v, %e, %row, %row) {atom = #stg} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32, i32, !token) -> (), nv_tileaa.kernel_spec = {split_k = 3 : i64}, tilec.kernel = {grid = ["cdiv(M, 64)", "cdiv(N, 64)"]}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// Partial sums that registers do not hold together are added in a loop.
// CHECK-LABEL: module @many_are_added_in_a_loop
// CHECK:           %[[SPLIT:.*]] = arith.divui
// CHECK:           %[[ACC:.*]] = scf.for
// CHECK:             nv_tileas.dot
// CHECK:             %[[SUM:.*]] = scf.for %[[BEFORE:.*]] = %{{c0_i32.*}} to %[[SPLIT]] step %{{c1_i32.*}} iter_args(%[[SOFAR:.*]] = %[[ACC]])
// CHECK-NEXT:          %[[ADDED:.*]] = "nv_tileas.add_partial"(%[[SOFAR]], %{{.*}}, %{{.*}}, %[[BEFORE]]) {count = 3 : i64}
// CHECK-NEXT:          scf.yield %[[ADDED]]
// CHECK:             arith.truncf %[[SUM]]
module @many_are_added_in_a_loop {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %tiles: i32, %n: i32, %id: i32, %ids: i32, %t: !token):
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant 64 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %tile = %id to %tiles step %ids : i32 {
      %row = arith.muli %tile, %c64 : i32
      %r, %t0 = "nv_tileas.tiled_load"(%v, %row, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
      %acc = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
        %a, %t1 = "nv_tileas.tiled_load"(%v, %row, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %b, %t2 = "nv_tileas.tiled_load"(%v, %k, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %p = "nv_tileas.dot"(%a, %b, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %p : tensor<64x64xf32>
      }
      %d = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      %e = arith.addf %d, %r : tensor<64x64xbf16>
      %t3 = "nv_tileas.tiled_store"(%v, %e, %row, %row) {atom = #stg} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32, i32, !token) -> (), nv_tileaa.kernel_spec = {split_k = 4 : i64}, tilec.kernel = {grid = ["cdiv(M, 64)", "cdiv(N, 64)"]}} : () -> ()
}

// -----

// A kernel whose tiles stay whole is left alone.
// CHECK-LABEL: module @whole_tiles_are_left_alone
// CHECK-NOT:     nv_tileas.workspace
module @whole_tiles_are_left_alone {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), nv_tileaa.kernel_spec = {split_k = 1 : i64}} : () -> ()
}
