// RUN: tilec opt %s --passes nv-tileas-order-memory --split-input-file | FileCheck %s

// The pass replaces memory tokens by synchronisation of the threads.

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// A load that its token orders after a store waits for the whole role.
// CHECK-LABEL: module @loads_after_a_store_are_ordered
// CHECK-NOT:     nv_tileas.order_memory
// CHECK:         "nv_tileas.tiled_store"
// CHECK-NEXT:    "nv_tileas.order_memory"() {by_threads} : () -> ()
// CHECK-NEXT:    "nv_tileas.tiled_load"
// CHECK-NOT:     nv_tileas.order_memory
module @loads_after_a_store_are_ordered {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %x: !tile):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %t = "nv_tileas.create_mem_token"() : () -> !token
      %u = "nv_tileas.tiled_store"(%v, %x, %i, %i, %t) {atom = #stg} : (!v, !tile, i32, i32, !token) -> !token
      %y, %w = "nv_tileas.tiled_load"(%v, %i, %i, %u) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, !tile) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// A store that overwrites what the role has loaded waits, through the join of two tokens.
// CHECK-LABEL: module @stores_after_a_load_are_ordered
// CHECK:         "nv_tileas.tiled_load"
// CHECK:         "nv_tileas.join_mem_token"
// CHECK-NEXT:    "nv_tileas.order_memory"
// CHECK-NEXT:    "nv_tileas.tiled_store"
module @stores_after_a_load_are_ordered {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %t = "nv_tileas.create_mem_token"() : () -> !token
      %y, %u = "nv_tileas.tiled_load"(%v, %i, %i, %t) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      %both = "nv_tileas.join_mem_token"(%t, %u) : (!token, !token) -> !token
      %w = "nv_tileas.tiled_store"(%v, %y, %i, %i, %both) {atom = #stg} : (!v, !tile, i32, i32, !token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// Loads do not wait for loads, and no access waits for a new token or without a token.
// CHECK-LABEL: module @independent_accesses_are_free
// CHECK-NOT:     nv_tileas.order_memory
module @independent_accesses_are_free {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %t = "nv_tileas.create_mem_token"() : () -> !token
      %x, %u = "nv_tileas.tiled_load"(%v, %i, %i, %t) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      %y, %w = "nv_tileas.tiled_load"(%v, %i, %i, %u) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      %s = "nv_tileas.tiled_store"(%v, %y, %i, %i, %t) {atom = #stg} : (!v, !tile, i32, i32, !token) -> !token
      %r = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #stg} : (!v, !tile, i32, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// The store of the last iteration orders the load of the next one; a store after the loop follows.
// CHECK-LABEL: module @loops_carry_the_order
// CHECK:         scf.for
// CHECK-NEXT:      "nv_tileas.order_memory"
// CHECK-NEXT:      "nv_tileas.tiled_load"
// CHECK-NEXT:      "nv_tileas.order_memory"
// CHECK-NEXT:      "nv_tileas.tiled_store"
// CHECK:         "nv_tileas.order_memory"
// CHECK-NEXT:    "nv_tileas.tiled_store"
module @loops_carry_the_order {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %x: !tile):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %t = "nv_tileas.create_mem_token"() : () -> !token
      %last = scf.for %k = %c0 to %i step %c1 iter_args(%before = %t) -> (!token) : i32 {
        %y, %u = "nv_tileas.tiled_load"(%v, %i, %k, %before) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
        %w = "nv_tileas.tiled_store"(%v, %y, %k, %i, %u) {atom = #stg} : (!v, !tile, i32, i32, !token) -> !token
        scf.yield %w : !token
      }
      %r = "nv_tileas.tiled_store"(%v, %x, %i, %i, %last) {atom = #stg} : (!v, !tile, i32, i32, !token) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, !tile) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// A store on one side of a branch orders what follows the branch; so does one in a while loop.
// CHECK-LABEL: module @branches_and_while_loops_carry_the_order
// CHECK:         scf.if
// CHECK-NEXT:      "nv_tileas.tiled_store"
// CHECK:         "nv_tileas.order_memory"
// CHECK-NEXT:    "nv_tileas.tiled_load"
// CHECK:         scf.while
// CHECK:           "nv_tileas.order_memory"
// CHECK-NEXT:      "nv_tileas.tiled_store"
// CHECK:         "nv_tileas.order_memory"
// CHECK-NEXT:    "nv_tileas.tiled_load"
module @branches_and_while_loops_carry_the_order {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %p: i1, %x: !tile):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %t = "nv_tileas.create_mem_token"() : () -> !token
      %b = scf.if %p -> (!token) {
        %u = "nv_tileas.tiled_store"(%v, %x, %i, %i, %t) {atom = #stg} : (!v, !tile, i32, i32, !token) -> !token
        scf.yield %u : !token
      } else {
        scf.yield %t : !token
      }
      %y, %w = "nv_tileas.tiled_load"(%v, %i, %i, %b) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      %last = scf.while (%before = %t) : (!token) -> !token {
        scf.condition(%p) %before : !token
      } do {
      ^bb0(%after: !token):
        %s = "nv_tileas.tiled_store"(%v, %x, %i, %i, %after) {atom = #stg} : (!v, !tile, i32, i32, !token) -> !token
        scf.yield %s : !token
      }
      %z, %q = "nv_tileas.tiled_load"(%v, %i, %i, %last) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i1, !tile) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>

// A load by threads of what TMA has stored waits for the copy, too.
// CHECK-LABEL: module @a_load_after_a_bulk_store
// CHECK:         "nv_tileas.tiled_store"
// CHECK-NEXT:    "nv_tileas.order_memory"() : () -> ()
// CHECK-NEXT:    "nv_tileas.tiled_load"
module @a_load_after_a_bulk_store {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %x: !tile):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %t = "nv_tileas.create_mem_token"() : () -> !token
      %u = "nv_tileas.tiled_store"(%v, %x, %i, %i, %t) {atom = #store} : (!v, !tile, i32, i32, !token) -> !token
      %y, %w = "nv_tileas.tiled_load"(%v, %i, %i, %u) {atom = #ldg} : (!v, i32, i32, !token) -> (!tile, !token)
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, !tile) -> ()} : () -> ()
}
