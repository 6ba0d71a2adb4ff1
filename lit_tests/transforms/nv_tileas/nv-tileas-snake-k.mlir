// RUN: tilec opt %s --passes nv-tileas-snake-k --split-input-file | FileCheck %s

// The pass lets every second tile of a CTA begin with the k-tiles that the tile before ended with.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>

// In the second, fourth, ... round of the loop over tiles, the first k-tile is the last one of the loop
// and so on. Every use of the number of the k-tile gets the mirrored number; the loop itself counts as
// before.
// CHECK-LABEL: module @every_second_tile_begins_at_the_end
// CHECK:         ^bb0(%{{.*}}, %[[TILES:.*]]: i32, %[[FROM:.*]]: i32, %[[TO:.*]]: i32, %[[ID:.*]]: i32, %[[IDS:.*]]: i32,
// CHECK:         %[[LENGTH:.*]] = arith.subi %[[TO]], %[[FROM]] : i32
// CHECK-NEXT:    %[[ROUNDS:.*]] = arith.ceildivsi %[[LENGTH]], %[[STEP:.*]] : i32
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[MORE:.*]] = arith.subi %[[ROUNDS]], %[[ONE]] : i32
// CHECK-NEXT:    %[[WAY:.*]] = arith.muli %[[MORE]], %[[STEP]] : i32
// CHECK-NEXT:    %[[LAST:.*]] = arith.addi %[[FROM]], %[[WAY]] : i32
// CHECK-NEXT:    %[[ENDS:.*]] = arith.addi %[[FROM]], %[[LAST]] : i32
// CHECK-NEXT:    scf.for %[[TILE:.*]] = %[[ID]] to %[[TILES]] step %[[IDS]]
// CHECK-NEXT:      %[[ROUND:.*]] = arith.divui %[[TILE]], %[[IDS]] : i32
// CHECK-NEXT:      %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT:      %[[ODD:.*]] = arith.remui %[[ROUND]], %[[TWO]] : i32
// CHECK-NEXT:      %[[SET:.*]] = arith.constant 1 : i32
// CHECK-NEXT:      %[[BACKWARDS:.*]] = arith.cmpi eq, %[[ODD]], %[[SET]] : i32
// CHECK:           scf.for %[[K:.*]] = %[[FROM]] to %[[TO]] step %[[STEP]] iter_args
// CHECK-NEXT:        %[[MIRRORED:.*]] = arith.subi %[[ENDS]], %[[K]] : i32
// CHECK-NEXT:        %[[AT:.*]] = arith.select %[[BACKWARDS]], %[[MIRRORED]], %[[K]] : i32
// CHECK-NEXT:        "nv_tileas.tiled_load"(%{{.*}}, %{{.*}}, %[[AT]])
// CHECK-NEXT:        "nv_tileas.tiled_load"(%{{.*}}, %[[AT]], %{{.*}})
// CHECK-NOT:         %[[K]]
// CHECK:         nv_tileas.tiled_store
module @every_second_tile_begins_at_the_end {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %tiles: i32, %from: i32, %to: i32, %id: i32, %ids: i32, %t: !token):
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c64 = arith.constant 64 : i32
    scf.for %tile = %id to %tiles step %ids : i32 {
      %row = arith.muli %tile, %c64 : i32
      %acc = scf.for %k = %from to %to step %c64 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
        %a, %t1 = "nv_tileas.tiled_load"(%v, %row, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %b, %t2 = "nv_tileas.tiled_load"(%v, %k, %row) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %p = "nv_tileas.dot"(%a, %b, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %p : tensor<64x64xf32>
      }
      %d = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xbf16>
      %t3 = "nv_tileas.tiled_store"(%v, %d, %row, %row) {atom = #stg} : (!v, tensor<64x64xbf16>, i32, i32) -> !token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32, i32, i32, !token) -> (), nv_tileaa.kernel_spec = {snake_k = true}} : () -> ()
}

// -----

// A kernel whose plan does not say so is left alone.
// CHECK-LABEL: module @tiles_begin_at_the_start
// CHECK-NOT:     arith.select
!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#mma = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>
module @tiles_begin_at_the_start {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32, %id: i32):
    %zeros = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c1 = arith.constant 1 : i32
    scf.for %tile = %id to %n step %c1 : i32 {
      %acc = scf.for %k = %id to %n step %c1 iter_args(%sum = %zeros) -> (tensor<64x64xf32>) : i32 {
        %a, %t1 = "nv_tileas.tiled_load"(%v, %tile, %k) {atom = #ldg} : (!v, i32, i32) -> (tensor<64x64xbf16>, !token)
        %p = "nv_tileas.dot"(%a, %a, %sum) {a_major = "k", b_major = "n", atom = #mma} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
        scf.yield %p : tensor<64x64xf32>
      }
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {snake_k = false}} : () -> ()
}
