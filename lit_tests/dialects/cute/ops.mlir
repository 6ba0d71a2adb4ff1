// RUN: tilec opt %s | tilec opt - | FileCheck %s

// The cute dialect holds attributes only: copy and matrix-multiply atoms.

// CHECK: cute.a = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>
// CHECK-SAME: cute.b = #cute.copy_atom<"sm80_cp_async_16_f32", "cp_async", 1 : i64, 128 : i64, f32>
// CHECK-SAME: cute.c = #cute.mma_atom<"sm90_wgmma_m64n128k16_f32_bf16_bf16", array<i64: 64, 128, 16>>
module attributes {
  cute.a = #cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>,
  cute.b = #cute.copy_atom<"sm80_cp_async_16_f32", "cp_async", 1 : i64, 128 : i64, f32>,
  cute.c = #cute.mma_atom<"sm90_wgmma_m64n128k16_f32_bf16_bf16", array<i64: 64, 128, 16>>
} {
}
