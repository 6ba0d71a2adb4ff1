// RUN: tilec opt %s --passes convert-cuda-tile-to-nv-tileaa --split-input-file | FileCheck %s

// The pass converts integer divisions so that every operand has a defined result.

// In LLVM, a division by 0 and of the least integer by -1 are undefined behaviour. A divisor that may be
// one of them is replaced by 1, and the quotient by 0 or the negated dividend; a remainder by 1 is 0.

!tile = !cuda_tile.tile<8xi32>

// CHECK-LABEL: module @divisions
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%[[S:.*]]: i32, %[[T:.*]]: i32, %[[N:.*]]: i32):
// CHECK:         %[[UP:.*]] = arith.addi %[[T]], %c1_i32
// CHECK:         %[[SPECIAL:.*]] = arith.cmpi ult, %[[UP]], %c2_i32
// CHECK:         %[[SAFE:.*]] = arith.select %[[SPECIAL]], %c1{{.*}}, %[[T]]
// CHECK-NEXT:    %[[Q:.*]] = arith.divsi %[[S]], %[[SAFE]]
// CHECK:         %[[KEPT:.*]] = arith.andi %[[S]], %[[T]]
// CHECK-NEXT:    %[[OTHER:.*]] = arith.subi %c0{{.*}}, %[[KEPT]]
// CHECK-NEXT:    arith.select %[[SPECIAL]], %[[OTHER]], %[[Q]]
// A dividend that is an extent is not the least integer.
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[T]], %c0{{.*}}
// CHECK:         %[[SAFE:.*]] = arith.select %[[ZERO]], %c1{{.*}}, %[[T]]
// CHECK-NEXT:    %[[Q:.*]] = arith.floordivsi %[[N]], %[[SAFE]]
// CHECK:         arith.select %[[ZERO]], %c0{{.*}}, %[[Q]]
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[T]], %c0{{.*}}
// CHECK:         %[[SAFE:.*]] = arith.select %[[ZERO]], %c1{{.*}}, %[[T]]
// CHECK-NEXT:    %[[R:.*]] = arith.remui %[[S]], %[[SAFE]]
// CHECK-NOT:     arith.select
// An extent is at least 1, and other constants are harmless.
// CHECK:         arith.divsi %[[S]], %[[N]]
// CHECK-NOT:     arith.select
// CHECK:         arith.remsi %[[S]], %c-7{{.*}}
// CHECK-NOT:     arith.select
// CHECK:         %[[X:.*]] = "nv_tileaa.splat"(%[[S]])
// CHECK:         %[[Y:.*]] = "nv_tileaa.splat"(%[[T]])
// CHECK:         %[[Z:.*]] = "nv_tileaa.splat"(%[[N]])
// CHECK:         arith.addi %[[Y]], %cst{{.*}} : tensor<8xi32>
// CHECK:         arith.divsi %[[X]], %{{.*}} : tensor<8xi32>
// CHECK:         arith.select %{{.*}} : tensor<8xi1>, tensor<8xi32>
// CHECK:         arith.divui %[[X]], %[[Z]] : tensor<8xi32>
// CHECK:         arith.remsi %[[X]], %cst{{.*}} : tensor<8xi32>
// CHECK-NOT:     arith.select
// CHECK:         "nv_tileaa.return"
module @divisions {
  "cuda_tile.entry"() ({
  ^bb0(%s: i32, %t: i32, %n: i32):
    %0 = arith.divsi %s, %t : i32
    %1 = arith.floordivsi %n, %t : i32
    %2 = arith.remui %s, %t : i32
    %3 = arith.divsi %s, %n : i32
    %minus = arith.constant -7 : i32
    %4 = arith.remsi %s, %minus : i32
    %x = "cuda_tile.splat"(%s) : (i32) -> !tile
    %y = "cuda_tile.splat"(%t) : (i32) -> !tile
    %z = "cuda_tile.splat"(%n) : (i32) -> !tile
    %c = "cuda_tile.constant"() {value = dense<3> : tensor<8xi32>} : () -> !tile
    %5 = "cuda_tile.divi"(%x, %y) {signedness = "signed"} : (!tile, !tile) -> !tile
    %6 = "cuda_tile.divi"(%x, %z) {signedness = "unsigned"} : (!tile, !tile) -> !tile
    %7 = "cuda_tile.remi"(%x, %c) {signedness = "signed"} : (!tile, !tile) -> !tile
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, i32) -> (), tilec.kernel = {
    params = [{kind = "scalar", name = "s", dtype = "i32"}, {kind = "scalar", name = "t", dtype = "i32"},
              {kind = "dim", name = "N", array = "A", axis = 0 : i64}]}} : () -> ()
}
