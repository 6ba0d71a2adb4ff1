// RUN: tilec opt %s --passes nv-tileas-partition-roles --verify-diagnostics

// The pass refuses loads that a producer cannot run.

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!tile = tensor<32x32xf32>
!token = !nv_tileaa.mem_token
#load = #cute.copy_atom<"sm90_tma_load_2d_f32", "tma_load", 2 : i64, 0 : i64, f32>
#store = #cute.copy_atom<"sm90_tma_store_2d_f32", "tma_store", 2 : i64, 0 : i64, f32>
#slot = #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>

// A producer waits for no stores, so a load that comes after one must not use TMA.
"nv_tileaa.func"() ({
^bb0(%v: !v, %x: !tile, %i: i32):
  %t = "nv_tileas.tiled_store"(%v, %x, %i, %i) {atom = #store, shared_layout = #slot} : (!v, !tile, i32, i32) -> !token
  // expected-error @below {{this load uses TMA, but its memory token orders it after a store of the kernel}}
  %y, %u = "nv_tileas.tiled_load"(%v, %i, %i, %t) {atom = #load, shared_layout = #slot} : (!v, i32, i32, !token) -> (!tile, !token)
  %w = "nv_tileas.tiled_store"(%v, %y, %i, %i, %u) {atom = #store, shared_layout = #slot} : (!v, !tile, i32, i32, !token) -> !token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "load_after_store", function_type = (!v, !tile, i32) -> (), nv_tileaa.kernel_spec = {producer_warps = 4 : i64, consumer_warps = 4 : i64}} : () -> ()
