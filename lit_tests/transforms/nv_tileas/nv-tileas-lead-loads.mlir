// RUN: tilec opt %s --passes nv-tileas-lead-loads --split-input-file | FileCheck %s

// The pass lets consumers request all tiles that they load for themselves first.

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!tile = tensor<32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_1d_f32", "tma_load", 1 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32>, 0 : i64>

// The second load comes before the first tile is used, but after its place is known.
// CHECK-LABEL: module @the_second_load_comes_early
// CHECK:       }, {
// CHECK-NEXT:    %[[A:.*]]:2 = "nv_tileas.tiled_load"
// CHECK-NEXT:    "nv_tileas.send"(%[[A]]#0) {channel = 0 : i64}
// CHECK-NEXT:    %[[J:.*]] = arith.muli
// CHECK-NEXT:    %[[B:.*]]:2 = "nv_tileas.tiled_load"(%{{.*}}, %[[J]])
// CHECK-NEXT:    "nv_tileas.send"(%[[B]]#0) {channel = 1 : i64}
// CHECK-NEXT:    "nv_tileas.receive"() {channel = 0 : i64
// CHECK:         "nv_tileas.tiled_store"
// CHECK-NEXT:    "nv_tileas.receive"() {channel = 1 : i64
module @the_second_load_comes_early {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !v, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %i) {atom = #load} : (!v, i32) -> (!tile, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (!tile) -> ()
      %j = arith.muli %i, %i : i32
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> !tile
      %d = arith.addf %x, %x : !tile
      %s = "nv_tileas.tiled_store"(%w, %d, %i) {atom = #store} : (!v, !tile, i32) -> !token
      %b, %u = "nv_tileas.tiled_load"(%v, %j) {atom = #load} : (!v, i32) -> (!tile, !token)
      "nv_tileas.send"(%b) {channel = 1 : i64} : (!tile) -> ()
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> !tile
      %e = "nv_tileas.tiled_store"(%w, %y, %j) {atom = #store} : (!v, !tile, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !v, i32) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!tile = tensor<32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_1d_f32", "tma_load", 1 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32>, 0 : i64>

// So does that of a branch, as after an early return, which it does not leave.
// CHECK-LABEL: module @a_branch
// CHECK:       }, {
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      "nv_tileas.tiled_load"
// CHECK-NEXT:      "nv_tileas.send"{{.*}}channel = 0
// CHECK-NEXT:      "nv_tileas.tiled_load"
// CHECK-NEXT:      "nv_tileas.send"{{.*}}channel = 1
// CHECK-NEXT:      "nv_tileas.receive"
module @a_branch {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !v, %i: i32, %c: i1):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      scf.if %c {
        %a, %t = "nv_tileas.tiled_load"(%v, %i) {atom = #load} : (!v, i32) -> (!tile, !token)
        "nv_tileas.send"(%a) {channel = 0 : i64} : (!tile) -> ()
        %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> !tile
        %s = "nv_tileas.tiled_store"(%w, %x, %i) {atom = #store} : (!v, !tile, i32) -> !token
        %b, %u = "nv_tileas.tiled_load"(%v, %i) {atom = #load} : (!v, i32) -> (!tile, !token)
        "nv_tileas.send"(%b) {channel = 1 : i64} : (!tile) -> ()
        %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> !tile
        %e = "nv_tileas.tiled_store"(%w, %y, %i) {atom = #store} : (!v, !tile, i32) -> !token
      }
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !v, i32, i1) -> ()} : () -> ()
}

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!tile = tensor<32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_1d_f32", "tma_load", 1 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32>, 0 : i64>

#words = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>

// Where threads load another tile, everything stays.
// CHECK-LABEL: module @threads_load_another_tile
// CHECK:         "nv_tileas.receive"() {channel = 0 : i64
// CHECK:         "nv_tileas.tiled_store"
// CHECK:         "nv_tileas.send"{{.*}}channel = 1
module @threads_load_another_tile {
  "nv_tileaa.func"() ({
  ^bb0(%v: !v, %w: !v, %i: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %a, %t = "nv_tileas.tiled_load"(%v, %i) {atom = #load} : (!v, i32) -> (!tile, !token)
      "nv_tileas.send"(%a) {channel = 0 : i64} : (!tile) -> ()
      %j = arith.muli %i, %i : i32
      %x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #slot} : () -> !tile
      %z, %q = "nv_tileas.tiled_load"(%v, %j) {atom = #words} : (!v, i32) -> (!tile, !token)
      %d = arith.addf %x, %z : !tile
      %s = "nv_tileas.tiled_store"(%w, %d, %i) {atom = #store} : (!v, !tile, i32) -> !token
      %b, %u = "nv_tileas.tiled_load"(%v, %j) {atom = #load} : (!v, i32) -> (!tile, !token)
      "nv_tileas.send"(%b) {channel = 1 : i64} : (!tile) -> ()
      %y = "nv_tileas.receive"() {channel = 1 : i64, shared_layout = #slot} : () -> !tile
      %e = "nv_tileas.tiled_store"(%w, %y, %j) {atom = #store} : (!v, !tile, i32) -> !token
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!v, !v, i32) -> ()} : () -> ()
}
