// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!w = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 1 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<2048xf32, #nv_tileas.layout<"2048|reg:4*(1)|reg:4*(512)|lane:32*(4)|warp:4*(128)">>
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// With `stream_tail`, eight registers are loaded, computed and stored before the next eight.
// CHECK-LABEL: llvm.func @some_vectors_at_a_time(
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT:     llvm.load
// CHECK-COUNT-8: arith.addf
// CHECK-COUNT-2: llvm.store {{.*}} vector<4xf32>
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-8: arith.addf
// CHECK-COUNT-2: llvm.store {{.*}} vector<4xf32>
// CHECK-NOT:     llvm.load
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>, %n: i32, %i: i32, %s: f32):
  %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !v
  %w = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<f32>, i32) -> !w
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i) {in_bounds = array<i1: true>, atom = #ldg} : (!v, i32) -> (!t, !token)
    %a = "nv_tileas.splat"(%s) : (f32) -> !t
    %y = arith.addf %x, %a : !t
    %z = "nv_tileas.tiled_store"(%w, %y, %i) {in_bounds = array<i1: true>, atom = #stg} : (!w, !t, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "some_vectors_at_a_time", function_type = (!nv_tileaa.ptr<f32>, !nv_tileaa.ptr<f32>, i32, i32, f32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1], plan = {stream_tail = true}}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<2048xf32, #nv_tileas.layout<"2048|reg:4*(1)|reg:4*(512)|lane:32*(4)|warp:4*(128)">>
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// A store that must come after the whole load does.
// CHECK-LABEL: llvm.func @a_store_waits_for_the_load(
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-4: llvm.store {{.*}} vector<4xf32>
// CHECK-NOT:     llvm.load
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32, %i: i32, %j: i32):
  %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i) {in_bounds = array<i1: true>, atom = #ldg} : (!v, i32) -> (!t, !token)
    %y = arith.addf %x, %x : !t
    %z = "nv_tileas.tiled_store"(%v, %y, %j, %u) {in_bounds = array<i1: true>, atom = #stg} : (!v, !t, i32, !token) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_store_waits_for_the_load", function_type = (!nv_tileaa.ptr<f32>, i32, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1], plan = {stream_tail = true}}} : () -> ()
