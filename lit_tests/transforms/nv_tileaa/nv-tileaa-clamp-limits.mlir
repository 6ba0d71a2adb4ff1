// RUN: tilec opt %s --passes nv-tileaa-clamp-limits --split-input-file | FileCheck %s

// No column is less than 0, so a limit that may be anything is raised to 0, or to -1 if it is itself
// inside or outside: then it can be subtracted from. `x < 0` and `x <= -1` hold for no column, `x >= 0`
// and `x > -1` for all.

// CHECK-LABEL: module @anything
// CHECK:         arith.maxsi %{{.*}}, %[[ZERO:.*]] : i32
// CHECK:         arith.cmpi slt, %[[C:.*]], %{{.*}} {nv_tileaa.exact_difference = array<i64: 0, 1>}
// CHECK:         arith.constant -1 : i32
// CHECK:         arith.maxsi
// CHECK:         arith.cmpi sge, %{{.*}}, %[[C]] {nv_tileaa.exact_difference = array<i64: 0, 1>}
// CHECK:         arith.constant dense<0> : tensor<128x1xi32>
// CHECK:         arith.maxsi %{{.*}} : tensor<128x1xi32>
// CHECK:         "nv_tileaa.broadcast"
// CHECK:         arith.cmpi sge, %{{.*}} {nv_tileaa.exact_difference = array<i64: 0, 1>} : tensor<128x128xi32>
module @anything {
  "nv_tileaa.func"() ({
  ^bb0(%x: i32, %rows: tensor<128x1xi32>):
    %line = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %end = "nv_tileaa.splat"(%x) : (i32) -> tensor<128xi32>
    %0 = arith.cmpi slt, %line, %end : tensor<128xi32>
    %1 = arith.cmpi sge, %end, %line : tensor<128xi32>
    %row = "nv_tileaa.view"(%line) : (tensor<128xi32>) -> tensor<1x128xi32>
    %c = "nv_tileaa.broadcast"(%row) : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %r = "nv_tileaa.broadcast"(%rows) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %2 = arith.cmpi sge, %c, %r : tensor<128x128xi32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, tensor<128x1xi32>) -> (), tilec.kernel = {params = [{kind = "scalar", name = "x", dtype = "i32"}, {kind = "tile"}]}} : () -> ()
}

// -----

// These stay: an extent is at least 1, so nothing is to be gained; a sum with a number that may be
// anything may be negative; unsigned numbers; and limits that differ from column to column.

// CHECK-LABEL: module @kept
// CHECK-NOT:     arith.maxsi
module @kept {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %x: i32, %ends: tensor<128xi32>):
    %line = "nv_tileaa.make_range"() {start = 0 : i64} : () -> tensor<128xi32>
    %extent = "nv_tileaa.splat"(%n) : (i32) -> tensor<128xi32>
    %any = "nv_tileaa.splat"(%x) : (i32) -> tensor<128xi32>
    %moved = arith.addi %line, %any : tensor<128xi32>
    %0 = arith.cmpi slt, %line, %extent {nv_tileaa.exact_difference = array<i64: 0, 1>} : tensor<128xi32>
    %1 = arith.cmpi slt, %moved, %any : tensor<128xi32>
    %2 = arith.cmpi ult, %line, %any : tensor<128xi32>
    %3 = arith.cmpi slt, %line, %ends : tensor<128xi32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32, tensor<128xi32>) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "x", dtype = "i32"}, {kind = "tile"}]}} : () -> ()
}
