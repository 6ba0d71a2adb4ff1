// RUN: tilec opt %s --split-input-file --verify-diagnostics

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %at: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<4xf32>):
  // expected-error @below {{'nv_tileas.gather' op expects 2 indices, one per axis, but got 1}}
  %a, %t = "nv_tileas.gather"(%v, %at, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!v, tensor<8xi32>, tensor<8xf32>) -> (tensor<8xf32>, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, i32, tensor<8xi32>, tensor<8xf32>, tensor<4xf32>) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %at: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<4xf32>):
  // expected-error @below {{'nv_tileas.gather' op expects a padding for the elements that it leaves out}}
  %a, %t = "nv_tileas.gather"(%v, %at, %at) {operandSegmentSizes = array<i32: 1, 2, 0, 0, 0>} : (!v, tensor<8xi32>, tensor<8xi32>) -> (tensor<8xf32>, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, i32, tensor<8xi32>, tensor<8xf32>, tensor<4xf32>) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %at: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<4xf32>):
  // expected-error @below {{'nv_tileas.gather' op expects a strided memref, but got}}
  %a, %t = "nv_tileas.gather"(%x, %at, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (tensor<8xf32>, tensor<8xi32>, tensor<8xf32>) -> (tensor<8xf32>, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, i32, tensor<8xi32>, tensor<8xf32>, tensor<4xf32>) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %at: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<4xf32>):
  // expected-error @below {{'nv_tileas.scatter' op expects values of f32 with the shape of the indices, but got}}
  %t = "nv_tileas.scatter"(%v, %y, %at, %at) {operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>} : (!v, tensor<4xf32>, tensor<8xi32>, tensor<8xi32>) -> !token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, i32, tensor<8xi32>, tensor<8xf32>, tensor<4xf32>) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %at: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<4xf32>):
  // expected-error @below {{'nv_tileas.scatter' op expects the memory order to be one of: weak, relaxed, release, but got: acquire}}
  %t = "nv_tileas.scatter"(%v, %x, %at, %at) {mem_semantic = "acquire", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>} : (!v, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>) -> !token
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, i32, tensor<8xi32>, tensor<8xf32>, tensor<4xf32>) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %at: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<4xf32>):
  // expected-error @below {{'nv_tileas.atomic' op mode xor is for i32 or i64, but the array holds f32}}
  %a, %t = "nv_tileas.atomic"(%v, %at, %at, %x) {mode = "xor", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 2, 1, 0, 0>} : (!v, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>) -> (tensor<8xf32>, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, i32, tensor<8xi32>, tensor<8xf32>, tensor<4xf32>) -> ()} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
"nv_tileaa.func"() ({
^bb0(%v: !v, %i: i32, %at: tensor<8xi32>, %x: tensor<8xf32>, %y: tensor<4xf32>):
  // expected-error @below {{'nv_tileas.atomic' op expects 2 indices, one per axis, but got 3}}
  %a, %t = "nv_tileas.atomic"(%v, %at, %at, %x) {mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu"} : (!v, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>) -> (tensor<8xf32>, !token)
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "k", function_type = (!v, i32, tensor<8xi32>, tensor<8xf32>, tensor<4xf32>) -> ()} : () -> ()
