// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa | FileCheck %s

// scf stays; loop-carried tiles and tokens, results and block arguments are converted together.

!tile = !cuda_tile.tile<8xf32>

"cuda_tile.entry"() ({
^bb0(%n: i32, %p: i1, %s: f32):
  %zero = "cuda_tile.splat"(%s) : (f32) -> !tile
  %t0 = "cuda_tile.make_token"() : () -> !cuda_tile.token
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[LOOP:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[TOK:.*]] = %{{.*}}) -> (tensor<8xf32>, !nv_tileaa.mem_token)  : i32 {
  %loop:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %t = %t0) -> (!tile, !cuda_tile.token) : i32 {
    // CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (tensor<8xf32>) {
    %x = scf.if %p -> (!tile) {
      // CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %{{.*}} : tensor<8xf32>
      %y = "cuda_tile.addf"(%acc, %zero) : (!tile, !tile) -> !tile
      // CHECK: scf.yield %[[SUM]] : tensor<8xf32>
      scf.yield %y : !tile
    // CHECK: } else {
    } else {
      // CHECK: scf.yield %[[ACC]] : tensor<8xf32>
      scf.yield %acc : !tile
    }
    // CHECK: scf.yield %[[IF]], %[[TOK]] : tensor<8xf32>, !nv_tileaa.mem_token
    scf.yield %x, %t : !tile, !cuda_tile.token
  }
  // CHECK: scf.while (%[[A:.*]] = %[[LOOP]]#0) : (tensor<8xf32>) -> tensor<8xf32> {
  %w = scf.while (%a = %loop#0) : (!tile) -> !tile {
    // CHECK: scf.condition(%{{.*}}) %[[A]] : tensor<8xf32>
    scf.condition(%p) %a : !tile
  // CHECK: } do {
  // CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<8xf32>):
  } do {
  ^bb0(%b: !tile):
    // CHECK: math.exp %[[B]] : tensor<8xf32>
    %e = "cuda_tile.exp"(%b) : (!tile) -> !tile
    scf.yield %e : !tile
  }
  // An if without results and without else.
  // CHECK: scf.if
  // CHECK-NEXT: arith.addi
  scf.if %p {
    %q = arith.addi %n, %c1 : i32
  }
  "cuda_tile.return"() : () -> ()
}) {sym_name = "control_flow", function_type = (i32, i1, f32) -> ()} : () -> ()
