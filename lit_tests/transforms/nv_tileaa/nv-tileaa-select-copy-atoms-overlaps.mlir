// RUN: tilec opt %s --passes nv-tileaa-infer-facts,nv-tileaa-select-copy-atoms --verify-diagnostics | FileCheck %s

// Tiles of a stencil overlap: four of them are loaded by threads. One that lies elsewhere is not.

!x = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// CHECK-LABEL: module @overlapping_tiles
// CHECK-COUNT-4: {atom = #cute.copy_atom<"sm90_ldg_128_f32"
// CHECK:         {atom = #cute.copy_atom<"sm90_tma_load_2d_f32"
module @overlapping_tiles {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<f32>, %s: i64, %m: i32, %n: i32):
    %x = "nv_tileaa.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !x
    %j = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    %above = arith.subi %m, %c1 : i32
    %below = arith.addi %m, %c1 : i32
    %last = arith.addi %c2, %m : i32
    %far = arith.addi %m, %c64 : i32
    // expected-remark@+1 {{4 tiles of its array overlap: threads find in the L1 cache what they load again}}
    %a, %ta = "nv_tileaa.tiled_load"(%x, %above, %j) : (!x, i32, i32) -> (tensor<16x64xf32>, !token)
    // expected-remark@+1 {{4 tiles of its array overlap}}
    %b, %tb = "nv_tileaa.tiled_load"(%x, %m, %j) : (!x, i32, i32) -> (tensor<16x64xf32>, !token)
    // expected-remark@+1 {{4 tiles of its array overlap}}
    %c, %tc = "nv_tileaa.tiled_load"(%x, %below, %j) : (!x, i32, i32) -> (tensor<16x64xf32>, !token)
    // expected-remark@+1 {{4 tiles of its array overlap}}
    %d, %td = "nv_tileaa.tiled_load"(%x, %last, %j) : (!x, i32, i32) -> (tensor<16x64xf32>, !token)
    %e, %te = "nv_tileaa.tiled_load"(%x, %far, %j) : (!x, i32, i32) -> (tensor<16x64xf32>, !token)
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<f32>, i64, i32, i32) -> (), tilec.kernel = {
    arrays = [{name = "A", dtype = "f32", rank = 2 : i64, strides = [-1, 1]}],
    params = [{kind = "pointer", array = "A", div_by = 16 : i64}, {kind = "stride", array = "A", axis = 0 : i64, div_by = 4 : i64},
              {kind = "dim", name = "M", array = "A", axis = 0 : i64}, {kind = "dim", name = "K", array = "A", axis = 1 : i64, div_by = 4 : i64}]}} : () -> ()
}
