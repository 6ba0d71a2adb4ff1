// RUN: tilec opt %s --passes nv-tileas-order-memory --split-input-file | FileCheck %s

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// Weak loads of elements need no order among themselves; a scatter after them waits for the role.
// CHECK-LABEL: "nv_tileaa.func"() ({
// CHECK-NOT:     nv_tileas.order_memory
// CHECK:         "nv_tileas.gather"
// CHECK-NEXT:    "nv_tileas.gather"
// CHECK-NEXT:    "nv_tileas.order_memory"() {by_threads} : () -> ()
// CHECK-NEXT:    "nv_tileas.scatter"
// CHECK-NEXT:    "nv_tileas.order_memory"() {by_threads} : () -> ()
// CHECK-NEXT:    "nv_tileas.atomic"
// CHECK-NOT:     nv_tileas.order_memory
// CHECK:       sym_name = "a_scatter_follows_gathers"
"nv_tileaa.func"() ({
^bb0(%v: !v, %at: tensor<128xi32>, %x: tensor<128xf32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %t = "nv_tileas.create_mem_token"() : () -> !token
    %a, %ta = "nv_tileas.gather"(%v, %at, %x, %t) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>} : (!v, tensor<128xi32>, tensor<128xf32>, !token) -> (tensor<128xf32>, !token)
    %b, %tb = "nv_tileas.gather"(%v, %at, %x, %ta) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>} : (!v, tensor<128xi32>, tensor<128xf32>, !token) -> (tensor<128xf32>, !token)
    %tc = "nv_tileas.scatter"(%v, %b, %at, %tb) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (!v, tensor<128xf32>, tensor<128xi32>, !token) -> !token
    %d, %td = "nv_tileas.atomic"(%v, %at, %x, %tc) {mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (!v, tensor<128xi32>, tensor<128xf32>, !token) -> (tensor<128xf32>, !token)
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_scatter_follows_gathers", function_type = (!v, tensor<128xi32>, tensor<128xf32>) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// A load after an acquire waits for the role, as one thread may have acquired for all.
// CHECK:         "nv_tileas.gather"
// CHECK-NEXT:    "nv_tileas.order_memory"() {by_threads} : () -> ()
// CHECK-NEXT:    "nv_tileas.gather"
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %x: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %a, %ta = "nv_tileas.gather"(%v, %i, %x) {mem_semantic = "acquire", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!v, i32, f32) -> (f32, !token)
    %b, %tb = "nv_tileas.gather"(%v, %i, %x, %ta) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>} : (!v, i32, f32, !token) -> (f32, !token)
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_load_follows_an_acquire", function_type = (!v, i32, f32) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!w = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 1 : i64>
!token = !nv_tileaa.mem_token

// One point orders the loads of two arrays after an acquire. A load after a store needs its own.
// CHECK:         "nv_tileas.gather"
// CHECK-NEXT:    "nv_tileas.order_memory"() {by_threads} : () -> ()
// CHECK-NEXT:    "nv_tileas.gather"
// CHECK-NEXT:    "nv_tileas.gather"
// CHECK-NEXT:    "nv_tileas.scatter"
// CHECK-NEXT:    "nv_tileas.order_memory"() {by_threads} : () -> ()
// CHECK-NEXT:    "nv_tileas.gather"
"nv_tileaa.func"() ({
^bb0(%v: !v, %w: !w, %i: i32, %x: f32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %a, %ta = "nv_tileas.gather"(%v, %i, %x) {mem_semantic = "acquire", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!v, i32, f32) -> (f32, !token)
    %b, %tb = "nv_tileas.gather"(%v, %i, %x, %ta) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>} : (!v, i32, f32, !token) -> (f32, !token)
    %c, %tc = "nv_tileas.gather"(%w, %i, %x, %ta) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>} : (!w, i32, f32, !token) -> (f32, !token)
    %td = "nv_tileas.scatter"(%v, %b, %i, %ta) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (!v, f32, i32, !token) -> !token
    %e, %te = "nv_tileas.gather"(%v, %i, %x, %td) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>} : (!v, i32, f32, !token) -> (f32, !token)
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "loads_follow_one_acquire", function_type = (!v, !w, i32, f32) -> ()} : () -> ()
