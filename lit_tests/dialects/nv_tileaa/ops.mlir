// RUN: tilec opt %s | tilec opt - | FileCheck %s

// Every operation parses, verifies and prints as it was written.

!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>

// CHECK-LABEL: module @operations
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[P:.*]]: !nv_tileaa.ptr<bf16>, %[[M:.*]]: i32, %[[K:.*]]: i32, %[[S:.*]]: i64):
module @operations {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %k: i32, %s: i64):
    // CHECK: "nv_tileaa.assume"(%[[P]]) {div_by = 16 : i64} : (!nv_tileaa.ptr<bf16>) -> !nv_tileaa.ptr<bf16>
    %base = "nv_tileaa.assume"(%p) {div_by = 16 : i64} : (!nv_tileaa.ptr<bf16>) -> !nv_tileaa.ptr<bf16>
    // CHECK: "nv_tileaa.make_memref"(%{{.*}}, %[[M]], %[[K]], %[[S]]) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
    %v = "nv_tileaa.make_memref"(%base, %m, %k, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !memref
    // CHECK: "nv_tileaa.prefetch"(%{{.*}}) {atom = #cute.copy_atom<"sm90_tma_prefetch_2d_bf16", "tma_prefetch", 2 : i64, 0 : i64, bf16>, shape = array<i64: 8, 64>}
    "nv_tileaa.prefetch"(%v, %m, %k) {atom = #cute.copy_atom<"sm90_tma_prefetch_2d_bf16", "tma_prefetch", 2 : i64, 0 : i64, bf16>, shape = array<i64: 8, 64>} : (!memref, i32, i32) -> ()
    // CHECK: "nv_tileaa.slice_base"(%{{.*}}, %[[K]]) {dim = 1 : i64} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>, i32) -> !nv_tileaa.ptr<bf16>
    %part = "nv_tileaa.slice_base"(%v, %k) {dim = 1 : i64} : (!memref, i32) -> !nv_tileaa.ptr<bf16>
    // CHECK: "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %t0 = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    // CHECK: "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %i = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    // CHECK: "nv_tileaa.get_num_programs"() {axis = 2 : i32} : () -> i32
    %n = "nv_tileaa.get_num_programs"() {axis = 2 : i32} : () -> i32
    // CHECK: "nv_tileaa.tiled_load"(%{{.*}}) {atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>, in_bounds = array<i1: true, false>, mem_scope = "gpu", mem_semantic = "acquire", padding = "nan"}
    // CHECK-SAME: (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
    %a, %t1 = "nv_tileaa.tiled_load"(%v, %i, %n, %t0) {
      atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>,
      in_bounds = array<i1: true, false>, mem_scope = "gpu", mem_semantic = "acquire", padding = "nan"} : (!memref, i32, i32, !nv_tileaa.mem_token) -> (tensor<64x64xbf16>, !nv_tileaa.mem_token)
    // CHECK: "nv_tileaa.join_mem_token"
    %t2 = "nv_tileaa.join_mem_token"(%t0, %t1) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
    // CHECK: "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<64xi32>
    %r = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<64xi32>
    // CHECK: "nv_tileaa.view"(%{{.*}}) : (tensor<64xi32>) -> tensor<1x64xi32>
    %rr = "nv_tileaa.view"(%r) : (tensor<64xi32>) -> tensor<1x64xi32>
    // CHECK: "nv_tileaa.broadcast"(%{{.*}}) : (tensor<1x64xi32>) -> tensor<64x64xi32>
    %rb = "nv_tileaa.broadcast"(%rr) : (tensor<1x64xi32>) -> tensor<64x64xi32>
    %zero = arith.constant 0.0 : f32
    // CHECK: "nv_tileaa.splat"(%{{.*}}) : (f32) -> tensor<64x64xf32>
    %acc = "nv_tileaa.splat"(%zero) : (f32) -> tensor<64x64xf32>
    // CHECK: "nv_tileaa.permute"(%{{.*}}) {permutation = array<i64: 1, 0>} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    %b = "nv_tileaa.permute"(%a) {permutation = array<i64: 1, 0>} : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    // CHECK: "nv_tileaa.dot"(%{{.*}}) {a_major = "k", b_major = "n"}
    %d = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    // CHECK: "nv_tileaa.cat"(%{{.*}}) {dim = 1 : i64} : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x128xbf16>
    %c = "nv_tileaa.cat"(%a, %b) {dim = 1 : i64} : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x128xbf16>
    // CHECK: "nv_tileaa.histogram"(%{{.*}}) : (tensor<64x128xi64>) -> tensor<32xi32>
    %numbers = builtin.unrealized_conversion_cast to tensor<64x128xi64>
    %histogram = "nv_tileaa.histogram"(%numbers) : (tensor<64x128xi64>) -> tensor<32xi32>
    // CHECK: "nv_tileaa.extract"(%{{.*}}) : (tensor<64x128xbf16>, i32, i32) -> tensor<64x64xbf16>
    %e = "nv_tileaa.extract"(%c, %i, %n) : (tensor<64x128xbf16>, i32, i32) -> tensor<64x64xbf16>
    // CHECK: "nv_tileaa.tiled_store"(%{{.*}}) {atom = #cute.copy_atom<"sm90_stg_128_bf16", "stg", 1 : i64, 128 : i64, bf16>}
    %t3 = "nv_tileaa.tiled_store"(%v, %e, %i, %n, %t2) {
      atom = #cute.copy_atom<"sm90_stg_128_bf16", "stg", 1 : i64, 128 : i64, bf16>} : (!memref, tensor<64x64xbf16>, i32, i32, !nv_tileaa.mem_token) -> !nv_tileaa.mem_token
    // CHECK: "nv_tileaa.return"() : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> ()} : () -> ()
}
