// RUN: tilec opt %s --passes convert-nv-tileaa-to-nv-tileas | FileCheck %s

// Operations are renamed, the copy atom and the facts are kept; func and return stay.

!memref = !nv_tileaa.memref<memref<?x64xbf16, strided<[64, 1]>, 1>, 0 : i64>

// CHECK:      "nv_tileaa.func"() ({
// CHECK-NEXT: ^bb0(%[[P:.*]]: !nv_tileaa.ptr<bf16>, %[[M:.*]]: i32):
// CHECK-NEXT: %[[V:.*]] = "nv_tileas.make_memref"(%[[P]], %[[M]]) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 64>, stride_div_by = array<i64: 128, 2>}
// CHECK-NEXT: %[[T:.*]] = "nv_tileas.create_mem_token"()
// CHECK-NEXT: %[[I:.*]] = "nv_tileas.get_program_id"() {axis = 0 : i32}
// CHECK-NEXT: %[[A:.*]]:2 = "nv_tileas.tiled_load"(%[[V]], %[[I]], %[[I]], %[[T]]) {atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>, coord_div_by = array<i64: 1, 1>, in_bounds = array<i1: false, true>, legal_atoms = [#cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>], mem_semantic = "weak", padding = "zero"} : (!nv_tileaa.memref<memref<?x64xbf16, strided<[64, 1]>, 1>, 0 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
// CHECK:      %[[Z:.*]] = "nv_tileas.splat"
// CHECK-NEXT: "nv_tileas.dot"(%[[A]]#0, %[[A]]#0, %[[Z]]) {a_major = "k", atom = #cute.mma_atom<"sm90_wgmma_m64n64k16_f32_bf16_bf16", array<i64: 64, 64, 16>>, b_major = "k"}
// CHECK-NEXT: "nv_tileas.dot"(%{{.*}}) {a_major = "k", atom = #cute.mma_atom<"universal_fma_f32_f32_f32", array<i64: 1, 1, 1>>, b_major = "n"}
// CHECK-NEXT: "nv_tileas.tiled_store"(%[[V]], %[[A]]#0, %[[I]], %[[I]], %[[A]]#1) {atom = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>
// CHECK-NEXT: "nv_tileaa.return"() : () -> ()
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32):
  %q = "nv_tileaa.assume"(%p) {div_by = 16 : i64} : (!nv_tileaa.ptr<bf16>) -> !nv_tileaa.ptr<bf16>
  %v = "nv_tileaa.make_memref"(%q, %m) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 64>, stride_div_by = array<i64: 128, 2>} : (!nv_tileaa.ptr<bf16>, i32) -> !memref
  %t = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
  %i = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
  %a, %u = "nv_tileaa.tiled_load"(%v, %i, %i, %t) {
    atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>,
    legal_atoms = [#cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>],
    coord_div_by = array<i64: 1, 1>, in_bounds = array<i1: false, true>, mem_semantic = "weak", padding = "zero"} : (!memref, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
  %zero = arith.constant 0.0 : f32
  %acc = "nv_tileaa.splat"(%zero) : (f32) -> tensor<64x64xf32>
  %d = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = "nv_tileaa.dot"(%acc, %acc, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w = "nv_tileaa.tiled_store"(%v, %a, %i, %i, %u) {
    atom = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>} : (!memref, tensor<64x64xbf16>, i32, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32) -> ()} : () -> ()
