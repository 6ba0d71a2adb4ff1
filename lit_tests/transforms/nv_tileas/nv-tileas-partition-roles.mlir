// RUN: tilec opt %s --passes nv-tileas-partition-roles --split-input-file | FileCheck %s

// The pass divides a kernel into a producer that loads and consumers that compute and store.

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// The producer keeps the loads and the scalars that they need, and drops tiles and tokens.
// CHECK-LABEL: module @producer_drops_tiles_and_tokens
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[V:.*]]: !nv_tileaa.memref<{{.*}}>, %[[I:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NEXT:      scf.for %[[K:.*]] = %{{.*}} to %[[N]] step %{{.*}} : i32 {
// CHECK-NEXT:        %[[C:.*]] = arith.muli %[[K]]
// CHECK-NEXT:        %[[X:.*]]:2 = "nv_tileas.tiled_load"(%[[V]], %[[I]], %[[C]]) {{.*}} : (!nv_tileaa.memref<{{.*}}>, i32, i32) ->
// CHECK-NEXT:        "nv_tileas.send"(%[[X]]#0) {channel = 0 : i64}
// CHECK-NEXT:      }
// CHECK-NEXT:      "nv_tileas.yield"() : () -> ()
// The consumer receives the tile where it was loaded; the rest of the kernel is its own.
// CHECK-NEXT:    }, {
// CHECK:           %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<32x32xf32>, !nv_tileaa.mem_token)
// CHECK-NOT:         nv_tileas.tiled_load
// CHECK:             %[[Y:.*]] = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>}
// CHECK:             arith.addf %[[ACC]], %[[Y]]
// CHECK:           "nv_tileas.tiled_store"(%[[V]], %[[R]]#0, %[[I]], %[[I]], %[[R]]#1)
// CHECK:         }) {consumer_warps = 4 : i64, producer_warps = 4 : i64}
module @producer_drops_tiles_and_tokens {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %t = "nv_tileas.create_mem_token"() : () -> !token
    %zero = arith.constant dense<0.0> : !tile
    %r, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %before = %t) -> (!tile, !token) : i32 {
      %c = arith.muli %k, %c32 : i32
      %x, %u = "nv_tileas.tiled_load"(%v, %i, %c, %before) {atom = #load, shared_layout = #slot} : (!v, i32, i32, !token) -> (!tile, !token)
      %y = arith.addf %acc, %x : !tile
      scf.yield %y, %u : !tile, !token
    }
    %w = "nv_tileas.tiled_store"(%v, %r, %i, %i, %last) {atom = #store, shared_layout = #slot} : (!v, !tile, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Scalars and handles that every thread can compute stay above the roles, once.
// CHECK-LABEL: module @uniform_scalars_stay_above
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         %[[C:.*]] = arith.muli %[[ID]]
// CHECK:         %[[V:.*]] = "nv_tileas.make_memref"
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NEXT:      "nv_tileas.tiled_load"(%[[V]], %[[C]], %[[C]])
// CHECK:         }, {
// CHECK-NOT:       arith.muli
// CHECK-NOT:       nv_tileas.make_memref
// CHECK:           "nv_tileas.tiled_store"(%[[V]], %{{.*}}, %[[C]], %[[C]])
module @uniform_scalars_stay_above {
  "nv_tileaa.func"() ({
  ^bb0(%a: !nv_tileaa.ptr<f32>, %m: i32, %n: i32, %s: i64):
    %id = "nv_tileas.cta_id"() : () -> i32
    %c32 = arith.constant 32 : i32
    %c = arith.muli %id, %c32 : i32
    %v = "nv_tileas.make_memref"(%a, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
    %x, %t = "nv_tileas.tiled_load"(%v, %c, %c) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
    %u = "nv_tileas.tiled_store"(%v, %x, %c, %c) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i32, i32, i64) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A scalar that a loop over tiles carries out goes into the roles with everything computed from it.
// CHECK-LABEL: module @scalars_from_tile_loops_are_split
// CHECK-NOT:     arith.addi
// CHECK:         "nv_tileas.roles"() ({
// CHECK:           scf.for {{.*}} iter_args(%[[J:.*]] = %{{.*}}) -> (i32)
// CHECK:             "nv_tileas.tiled_load"(%{{.*}}, %{{.*}}, %[[J]])
// CHECK:             arith.addi %[[J]]
// CHECK:         }, {
// CHECK:           %[[R:.*]]:2 = scf.for {{.*}} -> (i32, tensor<32x32xf32>)
// CHECK:           %[[NEXT:.*]] = arith.addi %[[R]]#0
// CHECK-NEXT:      "nv_tileas.tiled_store"(%{{.*}}, %[[R]]#1, %{{.*}}, %[[NEXT]])
module @scalars_from_tile_loops_are_split {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %s, %r = scf.for %k = %c0 to %n step %c1 iter_args(%j = %c0, %acc = %zero) -> (i32, tensor<32x32xf32>) : i32 {
      %x, %t = "nv_tileas.tiled_load"(%v, %i, %j) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      %y = arith.addf %x, %acc : tensor<32x32xf32>
      %next = arith.addi %j, %k : i32
      scf.yield %next, %y : i32, tensor<32x32xf32>
    }
    %q = arith.addi %s, %c1 : i32
    %u = "nv_tileas.tiled_store"(%v, %r, %i, %q) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A token that joins the tokens of loads follows them into the consumer role.
// CHECK-LABEL: module @joined_tokens_follow_their_loads
// CHECK-NOT:     nv_tileas.join_mem_token
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NOT:       nv_tileas.join_mem_token
// CHECK:         }, {
// CHECK:           %[[JOINED:.*]] = "nv_tileas.join_mem_token"
// CHECK:           "nv_tileas.tiled_store"({{.*}}, %[[JOINED]])
module @joined_tokens_follow_their_loads {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    %t = "nv_tileas.create_mem_token"() : () -> !token
    %x, %t1 = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
    %both = "nv_tileas.join_mem_token"(%t, %t1) : (!token, !token) -> !token
    %u = "nv_tileas.tiled_store"(%v, %x, %i, %i, %both) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Without a producer role the consumers send to themselves, and the producer region stays empty.
// CHECK-LABEL: module @consumers_send_to_themselves
// CHECK:       "nv_tileas.roles"() ({
// CHECK-NEXT:    "nv_tileas.yield"
// CHECK-NEXT:  }, {
// CHECK-NEXT:    %[[X:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:    "nv_tileas.send"(%[[X]]#0) {channel = 0 : i64}
// CHECK-NEXT:    %[[Y:.*]] = "nv_tileas.receive"() {channel = 0 : i64,
// CHECK:         "nv_tileas.tiled_store"(%{{.*}}, %[[Y]],
// CHECK:       }) {consumer_warps = 2 : i64, producer_warps = 0 : i64}
module @consumers_send_to_themselves {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    %x, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
    %u = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 0 : i64, consumer_warps = 2 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A load under a branch is sent under the same branch, without the branch's tile result.
// CHECK-LABEL: module @loads_stay_under_their_branch
// CHECK:       "nv_tileas.roles"() ({
// CHECK-NEXT:    scf.if %[[P:.*]] {
// CHECK-NEXT:      %[[X:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:      "nv_tileas.send"(%[[X]]#0)
// CHECK-NOT:     scf.yield %
// CHECK:       }, {
// CHECK:         %[[R:.*]] = scf.if %[[P]] -> (tensor<32x32xf32>) {
// CHECK:           %[[Y:.*]] = "nv_tileas.receive"
// CHECK:           scf.yield %[[Y]]
// CHECK:         } else {
// CHECK:         "nv_tileas.tiled_store"(%{{.*}}, %[[R]],
module @loads_stay_under_their_branch {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %p: i1):
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %r = scf.if %p -> tensor<32x32xf32> {
      %x, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      scf.yield %x : tensor<32x32xf32>
    } else {
      scf.yield %zero : tensor<32x32xf32>
    }
    %u = "nv_tileas.tiled_store"(%v, %r, %i, %i) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i1) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Nested loops are replayed by the producer; a load without TMA stays with the consumers.
// CHECK-LABEL: module @nested_loops_are_replayed
// CHECK:       "nv_tileas.roles"() ({
// CHECK:         scf.for %[[J:.*]] =
// CHECK-NEXT:      scf.for %[[K:.*]] =
// CHECK-NEXT:        "nv_tileas.tiled_load"(%{{.*}}, %[[J]], %[[K]]) {{.*}}tma_load
// CHECK-NEXT:        "nv_tileas.send"
// CHECK-NOT:     ldg
// CHECK:       }, {
// CHECK:         scf.for
// CHECK:           "nv_tileas.tiled_load"{{.*}}"ldg"
// CHECK:           scf.for
// CHECK:             "nv_tileas.receive"
module @nested_loops_are_replayed {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %s, %ts = "nv_tileas.tiled_load"(%v, %j, %i) {atom = #ldg} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %s) -> (tensor<32x32xf32>) : i32 {
        %x, %t = "nv_tileas.tiled_load"(%v, %j, %k) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        %y = arith.addf %x, %acc : tensor<32x32xf32>
        scf.yield %y : tensor<32x32xf32>
      }
      %u = "nv_tileas.tiled_store"(%v, %r, %i, %j) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A load that no store needs is not sent.
// CHECK-LABEL: module @dead_loads_are_dropped
// CHECK:       "nv_tileas.roles"() ({
// CHECK-NOT:     nv_tileas.tiled_load
// CHECK:       }, {
// CHECK-NOT:     nv_tileas.receive
// CHECK:         "nv_tileas.tiled_store"
module @dead_loads_are_dropped {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32):
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %x, %t = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
    %u = "nv_tileas.tiled_store"(%v, %zero, %i, %i) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// The producer replays a while loop for the scalar that bounds its own loop, but not its stores.
// CHECK-LABEL: module @while_loops_are_replayed_without_effects
// CHECK:       "nv_tileas.roles"() ({
// CHECK-NEXT:    %[[J:.*]] = scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
// CHECK-NOT:     nv_tileas.tiled_store
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[J]] step
// CHECK:           "nv_tileas.send"
// CHECK:       }, {
// CHECK:         scf.while ({{.*}}) : (i32, !nv_tileaa.mem_token) -> (i32, !nv_tileaa.mem_token)
// CHECK:           "nv_tileas.tiled_store"
// CHECK:         scf.for
// CHECK:           "nv_tileas.receive"
module @while_loops_are_replayed_without_effects {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = "nv_tileas.create_mem_token"() : () -> !token
    %j:2 = scf.while (%a = %c0, %b = %t) : (i32, !token) -> (i32, !token) {
      %more = arith.cmpi slt, %a, %n : i32
      scf.condition(%more) %a, %b : i32, !token
    } do {
    ^bb0(%a: i32, %b: !token):
      %zero = arith.constant dense<0.0> : tensor<32x32xf32>
      %u = "nv_tileas.tiled_store"(%v, %zero, %a, %a, %b) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32, !token) -> !token
      %next = arith.addi %a, %c1 : i32
      scf.yield %next, %u : i32, !token
    }
    scf.for %k = %c0 to %j#0 step %c1 : i32 {
      %x, %w = "nv_tileas.tiled_load"(%v, %k, %k) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      %s = "nv_tileas.tiled_store"(%v, %x, %k, %n, %j#1) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32, !token) -> !token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Slices and what is loaded with them get a producer warp of their own, which nothing else waits
// for. Both ends of a channel know the slice.
// CHECK-LABEL: module @slices_have_a_producer_warp
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NEXT:      scf.for
// CHECK:             "nv_tileas.send"(%{{.*}}) {channel = 0 : i64}
// CHECK-NEXT:      }
// CHECK-NEXT:      "nv_tileas.producer_warp"() ({
// CHECK-NEXT:        %[[X:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:        "nv_tileas.send"(%[[X]]#0) {channel = 1 : i64}
// CHECK-NEXT:        %[[Y:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:        "nv_tileas.send"(%[[Y]]#0) {channel = 2 : i64, slice = 0 : i64, slice_group = 0 : i64}
// CHECK-NEXT:        "nv_tileas.yield"() : () -> ()
// CHECK-NEXT:      }) {warp = 1 : i64}
// CHECK-NEXT:      "nv_tileas.yield"() : () -> ()
// CHECK-NEXT:    }, {
// CHECK:           "nv_tileas.receive"() {channel = 2 : i64, {{.*}}, slice = 0 : i64, slice_group = 0 : i64}
module @slices_have_a_producer_warp {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %i: i32, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !tile
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
      %x, %u = "nv_tileas.tiled_load"(%v, %i, %k) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (!tile, !token)
      %y = arith.addf %acc, %x : !tile
      scf.yield %y : !tile
    }
    %p, %pt = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (!tile, !token)
    %q, %qt = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #load, shared_layout = #slot, slice = 0 : i64, slice_group = 0 : i64} : (!v, i32, i32) -> (!tile, !token)
    %s = arith.addf %r, %p : !tile
    %z = arith.addf %s, %q : !tile
    %w = "nv_tileas.tiled_store"(%v, %z, %i, %i) {atom = #store, shared_layout = #slot} : (!v, !tile, i32, i32) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64, producer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#ldg = #cute.copy_atom<"sm90_ldg_32_f32", "ldg", 1 : i64, 32 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// The receive returns the token of its load, where a store comes after it; the token operand of the
// load is kept. A load that no store comes after has no token.
// CHECK-LABEL: module @receives_return_tokens
// CHECK:         }, {
// CHECK:           %[[X:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:      %[[Y:.*]] = "nv_tileas.receive"
// CHECK-NEXT:      %[[OWN:.*]] = "nv_tileas.receive_token"(%[[Y]])
// CHECK-NEXT:      %[[T:.*]] = "nv_tileas.join_mem_token"(%[[OWN]], %[[X]]#1)
// CHECK-NEXT:      "nv_tileas.receive"
// CHECK-NOT:       nv_tileas.receive_token
// CHECK:           "nv_tileas.tiled_store"({{.*}}, %[[T]])
module @receives_return_tokens {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !v, %i: i32):
    %x, %t1 = "nv_tileas.tiled_load"(%v, %i, %i) {atom = #ldg} : (!v, i32, i32) -> (!tile, !token)
    %y, %t2 = "nv_tileas.tiled_load"(%v, %i, %i, %t1) {atom = #load, shared_layout = #slot} : (!v, i32, i32, !token) -> (!tile, !token)
    %z, %t3 = "nv_tileas.tiled_load"(%w, %i, %i) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (!tile, !token)
    %a = arith.addf %x, %y : !tile
    %b = arith.addf %a, %z : !tile
    %u = "nv_tileas.tiled_store"(%v, %b, %i, %i, %t2) {atom = #store, shared_layout = #slot} : (!v, !tile, i32, i32, !token) -> !token
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !v, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// Where a CTA loops over tiles, what a tile loads before a loop that loads more has a producer warp.
// CHECK-LABEL: module @opening_loads_have_a_producer_warp
// CHECK:         "nv_tileas.roles"() ({
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          "nv_tileas.tiled_load"
// CHECK-NEXT:          "nv_tileas.send"(%{{.*}}) {channel = 1 : i64}
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      "nv_tileas.producer_warp"() ({
// CHECK-NEXT:        scf.for
// CHECK-NEXT:          "nv_tileas.tiled_load"
// CHECK-NEXT:          "nv_tileas.send"(%{{.*}}) {channel = 0 : i64}
// CHECK-NEXT:        }
// CHECK-NEXT:        "nv_tileas.yield"() : () -> ()
// CHECK-NEXT:      }) {warp = 1 : i64}
module @opening_loads_have_a_producer_warp {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %n: i32, %tiles: i32, %c0: i32, %c1: i32):
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %q, %t = "nv_tileas.tiled_load"(%v, %tile, %c0) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %q) -> (tensor<32x32xf32>) : i32 {
        %x, %u = "nv_tileas.tiled_load"(%v, %c0, %k) {atom = #load, shared_layout = #slot} : (!v, i32, i32) -> (tensor<32x32xf32>, !token)
        %y = arith.addf %acc, %x : tensor<32x32xf32>
        scf.yield %y : tensor<32x32xf32>
      }
      %w = "nv_tileas.tiled_store"(%v, %r, %tile, %c0) {atom = #store, shared_layout = #slot} : (!v, tensor<32x32xf32>, i32, i32) -> !token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, i32, i32, i32, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}, tilec.kernel = {persistent = true}} : () -> ()
}
