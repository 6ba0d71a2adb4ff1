// RUN: tilec opt %s | tilec opt - | FileCheck %s

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!w = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 1 : i64>
!token = !nv_tileaa.mem_token

// CHECK-LABEL: "nv_tileaa.func"() ({
"nv_tileaa.func"() ({
^bb0(%v: !v, %w: !w, %i: i32, %at: tensor<8xi64>, %mask: tensor<8xi1>, %x: tensor<8xf32>):
  %t = "nv_tileaa.create_mem_token"() : () -> !token
  // CHECK: "nv_tileaa.gather"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 2, 1, 1, 1>, ragged, run = 4 : i64}
  // CHECK-SAME: -> (tensor<8xf32>, !nv_tileaa.mem_token)
  %a, %ta = "nv_tileaa.gather"(%v, %at, %at, %mask, %x, %t) {run = 4 : i64, ragged, operandSegmentSizes = array<i32: 1, 2, 1, 1, 1>} : (!v, tensor<8xi64>, tensor<8xi64>, tensor<8xi1>, tensor<8xf32>, !token) -> (tensor<8xf32>, !token)
  // CHECK: "nv_tileaa.gather"(%{{.*}}) {mem_scope = "gpu", mem_semantic = "acquire", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}
  // CHECK-SAME: -> (i32, !nv_tileaa.mem_token)
  %b, %tb = "nv_tileaa.gather"(%w, %i, %i) {mem_semantic = "acquire", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!w, i32, i32) -> (i32, !token)
  // CHECK: "nv_tileaa.scatter"(%{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, unchecked}
  %tc = "nv_tileaa.scatter"(%v, %x, %at, %at, %ta) {unchecked, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>} : (!v, tensor<8xf32>, tensor<8xi64>, tensor<8xi64>, !token) -> !token
  // CHECK: "nv_tileaa.atomic"(%{{.*}}) {mem_scope = "cta", mem_semantic = "acq_rel", mode = "cas", operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>}
  %d, %td = "nv_tileaa.atomic"(%w, %i, %i, %i) {mode = "cas", mem_semantic = "acq_rel", mem_scope = "cta", operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>} : (!w, i32, i32, i32) -> (i32, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, !w, i32, tensor<8xi64>, tensor<8xi1>, tensor<8xf32>) -> ()} : () -> ()
