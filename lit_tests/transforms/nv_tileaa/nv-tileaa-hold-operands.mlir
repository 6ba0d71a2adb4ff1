// RUN: tilec opt %s --passes nv-tileaa-hold-operands --split-input-file | FileCheck %s

// A computed A with M along its rows is transposed where registers can hold it.

// Threads read the bytes that TMA loads in any order, also that of the fragments of A.
// CHECK-LABEL: module @computed_from_tma
// CHECK:         %[[F:.*]] = arith.sitofp %{{.*}} : tensor<32x64xi8> to tensor<32x64xbf16>
// CHECK-NEXT:    %[[P:.*]] = "nv_tileaa.permute"(%[[F]]) {permutation = array<i64: 1, 0>} : (tensor<32x64xbf16>) -> tensor<64x32xbf16>
// CHECK-NEXT:    "nv_tileaa.dot"(%[[P]], %{{.*}}, %{{.*}}) {a_major = "k", b_major = "k"} : (tensor<64x32xbf16>,
module @computed_from_tma {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %n: i32, %stride: i64, %x: tensor<128x32xbf16>, %acc: tensor<64x128xf32>):
    %zero = arith.constant 0 : i32
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 1 : i64>
    %w:2 = "nv_tileaa.tiled_load"(%m, %zero, %zero, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_tma_load_2d_i8", "tma_load", 2 : i64, 0 : i64, i8>} : (!nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<32x64xi8>, !nv_tileaa.mem_token)
    %f = arith.sitofp %w#0 : tensor<32x64xi8> to tensor<32x64xbf16>
    %d = "nv_tileaa.dot"(%f, %x, %acc) {a_major = "m", b_major = "k"} : (tensor<32x64xbf16>, tensor<128x32xbf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, i32, i64, tensor<128x32xbf16>, tensor<64x128xf32>) -> ()} : () -> ()
}

// -----

// These stay: threads load the first from global memory, along its rows; the second is no computed
// tile; two fragments of the third take 128 registers next to 128 of sums.
// CHECK-LABEL: module @others_stay
// CHECK-NOT:     permute
module @others_stay {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<bf16>, %n: i32, %stride: i64, %x: tensor<128x32xbf16>, %acc: tensor<64x128xf32>, %y: tensor<256x256xbf16>, %sum: tensor<64x256xf32>):
    %zero = arith.constant 0 : i32
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %m = "nv_tileaa.make_memref"(%p, %n, %n, %stride) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>
    %w0:2 = "nv_tileaa.tiled_load"(%m, %zero, %zero, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<32x64xbf16>, !nv_tileaa.mem_token)
    %w1:2 = "nv_tileaa.tiled_load"(%m, %zero, %zero, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<32x64xbf16>, !nv_tileaa.mem_token)
    %w2:2 = "nv_tileaa.tiled_load"(%m, %zero, %zero, %token) {padding = "zero", mem_semantic = "weak", atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>} : (!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 1 : i64>, i32, i32, !nv_tileaa.mem_token) -> (tensor<256x64xbf16>, !nv_tileaa.mem_token)
    %f0 = arith.negf %w0#0 : tensor<32x64xbf16>
    %f2 = arith.negf %w2#0 : tensor<256x64xbf16>
    %d0 = "nv_tileaa.dot"(%f0, %x, %acc) {a_major = "m", b_major = "k"} : (tensor<32x64xbf16>, tensor<128x32xbf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    %d1 = "nv_tileaa.dot"(%w1#0, %x, %acc) {a_major = "m", b_major = "k"} : (tensor<32x64xbf16>, tensor<128x32xbf16>, tensor<64x128xf32>) -> tensor<64x128xf32>
    %d2 = "nv_tileaa.dot"(%f2, %y, %sum) {a_major = "m", b_major = "k"} : (tensor<256x64xbf16>, tensor<256x256xbf16>, tensor<64x256xf32>) -> tensor<64x256xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<bf16>, i32, i64, tensor<128x32xbf16>, tensor<64x128xf32>, tensor<256x256xbf16>, tensor<64x256xf32>) -> ()} : () -> ()
}
