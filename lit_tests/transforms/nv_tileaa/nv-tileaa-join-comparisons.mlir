// RUN: tilec opt %s --passes nv-tileaa-join-comparisons --split-input-file | FileCheck %s

// An index that has two limits is compared with the tighter one. A strict limit of a scalar becomes
// the last number inside of it.

// CHECK-LABEL: module @joined
// CHECK:         "nv_tileaa.func"() ({
// CHECK-NEXT:    ^bb0(%[[COLUMNS:.*]]: tensor<1x128xi32>, %[[ROWS:.*]]: tensor<128x1xi32>, %[[N:.*]]: i32):
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant -1 : i32
// CHECK-NEXT:      %[[LAST:.*]] = arith.addi %[[N]], %[[ONE]] : i32
// CHECK-NEXT:      %[[INSIDE:.*]] = "nv_tileaa.splat"(%[[LAST]]) : (i32) -> tensor<128x1xi32>
// CHECK-NEXT:      %[[LIMIT:.*]] = arith.minsi %[[INSIDE]], %[[ROWS]] : tensor<128x1xi32>
// CHECK-NEXT:      %[[C:.*]] = "nv_tileaa.broadcast"(%[[COLUMNS]])
// CHECK-NEXT:      %[[L:.*]] = "nv_tileaa.broadcast"(%[[LIMIT]])
// CHECK-NEXT:      arith.cmpi sle, %[[C]], %[[L]] : tensor<128x128xi32>
// CHECK-NEXT:      "nv_tileaa.return"
module @joined {
  "nv_tileaa.func"() ({
  ^bb0(%columns: tensor<1x128xi32>, %rows: tensor<128x1xi32>, %n: i32):
    %end = "nv_tileaa.splat"(%n) : (i32) -> tensor<1x128xi32>
    %p = arith.cmpi slt, %columns, %end : tensor<1x128xi32>
    %inside = "nv_tileaa.broadcast"(%p) : (tensor<1x128xi1>) -> tensor<128x128xi1>
    %c = "nv_tileaa.broadcast"(%columns) : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %r = "nv_tileaa.broadcast"(%rows) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %before = arith.cmpi sge, %r, %c : tensor<128x128xi32>
    %mask = arith.andi %inside, %before : tensor<128x128xi1>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<1x128xi32>, tensor<128x1xi32>, i32) -> (), tilec.kernel = {params = [{kind = "tile"}, {kind = "tile"}, {kind = "dim", name = "N"}]}} : () -> ()
}

// -----

// A window has an upper and a lower limit, which stay. So do a limit of which nothing is known, where
// one has to be subtracted from it, and limits of rows and of columns.

// CHECK-LABEL: module @kept
// CHECK-NOT:     arith.minsi
// CHECK-NOT:     arith.maxsi
// CHECK-COUNT-3: arith.andi
module @kept {
  "nv_tileaa.func"() ({
  ^bb0(%columns: tensor<1x128xi32>, %rows: tensor<128x1xi32>, %ends: tensor<1x128xi32>, %x: i32):
    %c = "nv_tileaa.broadcast"(%columns) : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %r = "nv_tileaa.broadcast"(%rows) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %e = "nv_tileaa.broadcast"(%ends) : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %end = "nv_tileaa.splat"(%x) : (i32) -> tensor<128x128xi32>
    %0 = arith.cmpi sle, %c, %r : tensor<128x128xi32>
    %1 = arith.cmpi sge, %c, %end : tensor<128x128xi32>
    %2 = arith.cmpi slt, %c, %end : tensor<128x128xi32>
    %3 = arith.cmpi sle, %c, %e : tensor<128x128xi32>
    %4 = arith.andi %0, %1 : tensor<128x128xi1>
    %5 = arith.andi %0, %2 : tensor<128x128xi1>
    %6 = arith.andi %0, %3 : tensor<128x128xi1>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (tensor<1x128xi32>, tensor<128x1xi32>, tensor<1x128xi32>, i32) -> (), tilec.kernel = {params = [{kind = "tile"}, {kind = "tile"}, {kind = "tile"}, {kind = "number"}]}} : () -> ()
}
