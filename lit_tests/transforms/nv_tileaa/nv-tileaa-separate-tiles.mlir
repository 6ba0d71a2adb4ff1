// RUN: tilec opt %s --passes nv-tileaa-separate-tiles --split-input-file | FileCheck %s

// The pass drops the order between accesses of one array whose tiles share no element.

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!tile = tensor<32xf32>
!token = !nv_tileaa.mem_token

// Two stores 32 elements apart wait for what the first one waits for. What comes after the second one
// comes after both.
// CHECK-LABEL: module @neighbours
// CHECK:       %[[START:.*]] = "nv_tileaa.create_mem_token"
// CHECK:       %[[ONE:.*]] = "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[START]])
// CHECK:       %[[TWO:.*]] = "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[START]])
// CHECK-NEXT:  %[[BOTH:.*]] = "nv_tileaa.join_mem_token"(%[[ONE]], %[[TWO]])
// CHECK:       "nv_tileaa.tiled_load"(%{{.*}}, %{{.*}}, %[[BOTH]]) : {{.*}} -> (tensor<64xf32>
module @neighbours {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %x: !tile, %i: i32):
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %t = "nv_tileaa.create_mem_token"() : () -> !token
    %p = arith.muli %i, %c64 : i32
    %q = arith.addi %p, %c32 : i32
    %s = "nv_tileaa.tiled_store"(%v, %x, %p, %t) : (!v, !tile, i32, !token) -> !token
    %u = "nv_tileaa.tiled_store"(%v, %x, %q, %s) : (!v, !tile, i32, !token) -> !token
    %y, %w = "nv_tileaa.tiled_load"(%v, %p, %u) : (!v, i32, !token) -> (tensor<64xf32>, !token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !tile, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!tile = tensor<32xf32>
!token = !nv_tileaa.mem_token

// A third store may reach the second tile, but not the first one. The number of a tile counts tiles.
// CHECK-LABEL: module @one_of_two
// CHECK:       %[[START:.*]] = "nv_tileaa.create_mem_token"
// CHECK:       "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[START]])
// CHECK:       %[[TWO:.*]] = "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[START]])
// CHECK:       %[[WAITS:.*]] = "nv_tileaa.join_mem_token"(%[[START]], %[[TWO]])
// CHECK:       "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[WAITS]])
module @one_of_two {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %x: !tile, %i: i32):
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c40 = arith.constant 40 : i32
    %t = "nv_tileaa.create_mem_token"() : () -> !token
    %p = arith.muli %i, %c32 : i32
    %j = arith.addi %i, %c1 : i32
    %q = arith.muli %j, %c32 : i32
    %r = arith.addi %p, %c40 : i32
    %s = "nv_tileaa.tiled_store"(%v, %x, %p, %t) : (!v, !tile, i32, !token) -> !token
    %u = "nv_tileaa.tiled_store"(%v, %x, %q, %s) : (!v, !tile, i32, !token) -> !token
    %w = "nv_tileaa.tiled_store"(%v, %x, %r, %u) : (!v, !tile, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !tile, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!tile = tensor<32xf32>
!token = !nv_tileaa.mem_token

// Rounds of a loop stay in order, at an unknown distance too, and so does what other blocks may see.
// CHECK-LABEL: module @what_stays
// CHECK:       %[[START:.*]] = "nv_tileaa.create_mem_token"
// CHECK:       scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[START]])
// CHECK:         %[[ONE:.*]] = "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[BEFORE]])
// CHECK:         %[[TWO:.*]] = "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[BEFORE]])
// CHECK-NEXT:    %[[BOTH:.*]] = "nv_tileaa.join_mem_token"(%[[ONE]], %[[TWO]])
// CHECK:         scf.yield %[[BOTH]]
// CHECK:       %[[THIRD:.*]] = "nv_tileaa.tiled_store"
// CHECK:       %[[FOURTH:.*]] = "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[THIRD]])
// CHECK:       "nv_tileaa.tiled_store"(%{{.*}}, %{{.*}}, %{{.*}}, %[[FOURTH]])
module @what_stays {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %x: !tile, %i: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %t = "nv_tileaa.create_mem_token"() : () -> !token
    %all = scf.for %k = %c0 to %i step %c1 iter_args(%b = %t) -> (!token) : i32 {
      %q = arith.addi %k, %c32 : i32
      %s = "nv_tileaa.tiled_store"(%v, %x, %k, %b) : (!v, !tile, i32, !token) -> !token
      %u = "nv_tileaa.tiled_store"(%v, %x, %q, %s) : (!v, !tile, i32, !token) -> !token
      scf.yield %u : !token
    }
    %far = arith.addi %i, %c32 : i32
    %w = "nv_tileaa.tiled_store"(%v, %x, %i, %all) : (!v, !tile, i32, !token) -> !token
    %y = "nv_tileaa.tiled_store"(%v, %x, %c0, %w) : (!v, !tile, i32, !token) -> !token
    %z = "nv_tileaa.tiled_store"(%v, %x, %far, %y) {mem_semantic = "release", mem_scope = "gpu"} : (!v, !tile, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !tile, i32) -> ()} : () -> ()
}
