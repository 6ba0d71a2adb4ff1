// RUN: tilec opt %s --passes nv-tileaa-skip-rounds --split-input-file | FileCheck %s

// A loop whose branch does something in some rounds runs only these.

// A table says which. Both the number of these rounds and the next one are found before a round.

// CHECK-LABEL: module @table
// CHECK:         %[[N:.*]]:2 = scf.for %[[I:.*]] = %[[LOWER:.*]] to %[[UPPER:.*]] step %[[STEP:.*]] iter_args(%[[COUNT:.*]] = %{{.*}}, %[[START:.*]] = %[[LOWER]]) -> (i32, i32)
// CHECK-NEXT:      %[[E:.*]]:2 = "nv_tileaa.gather"(%{{.*}}, %[[I]],
// CHECK-NEXT:      %[[P:.*]] = arith.cmpi ne, %[[E]]#0,
// CHECK-NEXT:      %[[NONE:.*]] = arith.cmpi eq, %[[COUNT]],
// CHECK-NEXT:      %[[FIRST:.*]] = arith.andi %[[P]], %[[NONE]] : i1
// CHECK-NEXT:      %[[EARLIER:.*]] = scf.if %[[FIRST]] -> (i32) {
// CHECK-NEXT:        scf.yield %[[I]] : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[START]] : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[ONE:.*]] = arith.extui %[[P]] : i1 to i32
// CHECK-NEXT:      %[[MORE:.*]] = arith.addi %[[COUNT]], %[[ONE]] : i32
// CHECK-NEXT:      scf.yield %[[MORE]], %[[EARLIER]] : i32, i32
// CHECK:         %[[LAST:.*]] = arith.subi %[[UPPER]], %[[STEP]] : i32
// CHECK:         %[[R:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[N]]#0 step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[NEXT:.*]] = %[[N]]#1)
// CHECK-NEXT:      %[[FOUND:.*]] = scf.while (%[[J:.*]] = %[[NEXT]]) : (i32) -> i32 {
// CHECK-NEXT:        %[[MAY:.*]] = arith.cmpi slt, %[[J]], %[[LAST]] : i32
// CHECK-NEXT:        "nv_tileaa.gather"(%{{.*}}, %[[J]],
// CHECK-NEXT:        %[[BUSY:.*]] = arith.cmpi ne
// CHECK-NEXT:        %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:        %[[IDLE:.*]] = arith.xori %[[BUSY]], %[[TRUE]] : i1
// CHECK-NEXT:        %[[ON:.*]] = arith.andi %[[IDLE]], %[[MAY]] : i1
// CHECK-NEXT:        scf.condition(%[[ON]]) %[[J]] : i32
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^bb0(%[[K:.*]]: i32):
// CHECK-NEXT:        %[[UP:.*]] = arith.addi %[[K]], %[[STEP]] : i32
// CHECK-NEXT:        scf.yield %[[UP]] : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[FOLLOWING:.*]] = arith.addi %[[FOUND]], %[[STEP]] : i32
// CHECK-NEXT:      %[[SUM:.*]] = "nv_tileaa.dot"(%{{.*}}, %{{.*}}, %[[ACC]])
// CHECK-NEXT:      scf.yield %[[SUM]], %[[FOLLOWING]]
// CHECK-NOT:     scf.if
// CHECK:         math.log %[[R]]#0
!memref = !nv_tileaa.memref<memref<?xi8, strided<[1]>, 1>, 0 : i64>
module @table {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant 0 : i8
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %token = "nv_tileaa.create_mem_token"() : () -> !nv_tileaa.mem_token
    %view = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i8>, i32) -> !memref
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %e:2 = "nv_tileaa.gather"(%view, %i, %none, %token) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>} : (!memref, i32, i8, !nv_tileaa.mem_token) -> (i8, !nv_tileaa.mem_token)
      %seen = arith.cmpi ne, %e#0, %none : i8
      %b = scf.if %seen -> (tensor<128x128xf32>) {
        %s = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %s : tensor<128x128xf32>
      } else {
        scf.yield %acc : tensor<128x128xf32>
      }
      scf.yield %b : tensor<128x128xf32>
    }
    %l = math.log %r : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "array", name = "A"}, {kind = "dim", name = "N"}]}} : () -> ()
}

// -----

// The first side may be the one that does nothing. What a round computes beside its branch, and
// what it carries unchanged, stay.

// CHECK-LABEL: module @other_side
// CHECK:         scf.for
// CHECK:           %[[ODD:.*]] = arith.cmpi eq
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      %[[BUSY:.*]] = arith.xori %[[ODD]], %[[TRUE]] : i1
// CHECK:           arith.extui %[[BUSY]]
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-NEXT:      %[[FOUND:.*]] = scf.while
// CHECK:           %[[X:.*]] = arith.muli %[[FOUND]],
// CHECK-NEXT:      %[[T:.*]] = "nv_tileaa.splat"(%[[X]])
// CHECK-NEXT:      %[[F:.*]] = arith.sitofp %[[T]]
// CHECK-NEXT:      %[[D:.*]] = "nv_tileaa.dot"
// CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[D]], %[[F]]
// CHECK-NEXT:      scf.yield %[[S]], %[[OLD]], %{{.*}}
module @other_side {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %r:2 = scf.for %i = %c0 to %n step %c2 iter_args(%acc = %zeros, %old = %n) -> (tensor<128x128xf32>, i32) : i32 {
      %rest = arith.remsi %i, %c3 : i32
      %skip = arith.cmpi eq, %rest, %c0 : i32
      %x = arith.muli %i, %c3 : i32
      %t = "nv_tileaa.splat"(%x) : (i32) -> tensor<128x128xi32>
      %b = scf.if %skip -> (tensor<128x128xf32>) {
        scf.yield %acc : tensor<128x128xf32>
      } else {
        %f = arith.sitofp %t : tensor<128x128xi32> to tensor<128x128xf32>
        %d = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %s = arith.mulf %d, %f : tensor<128x128xf32>
        scf.yield %s : tensor<128x128xf32>
      }
      scf.yield %b, %old : tensor<128x128xf32>, i32
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}]}} : () -> ()
}

// -----

// A round that needs what the one before it computed to know whether it does anything, one that
// changes what it carries in each case, one whose condition is the same in all rounds, and one
// that is asked by a tile.

// CHECK-LABEL: module @others
// CHECK-NOT:     scf.while
// CHECK-COUNT-4: scf.if
// CHECK:         nv_tileaa.return
module @others {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %flag: i1):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %old = %n) -> (tensor<128x128xf32>, i32) : i32 {
      %seen = arith.cmpi slt, %i, %old : i32
      %b:2 = scf.if %seen -> (tensor<128x128xf32>, i32) {
        %d = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        %less = arith.subi %old, %c1 : i32
        scf.yield %d, %less : tensor<128x128xf32>, i32
      } else {
        scf.yield %acc, %old : tensor<128x128xf32>, i32
      }
      scf.yield %b#0, %b#1 : tensor<128x128xf32>, i32
    }
    %r2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %seen = arith.cmpi ne, %i, %c1 : i32
      %b = scf.if %seen -> (tensor<128x128xf32>) {
        %d = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %d : tensor<128x128xf32>
      } else {
        scf.yield %zeros : tensor<128x128xf32>
      }
      scf.yield %b : tensor<128x128xf32>
    }
    %r3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %b = scf.if %flag -> (tensor<128x128xf32>) {
        %d = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %d : tensor<128x128xf32>
      } else {
        scf.yield %acc : tensor<128x128xf32>
      }
      scf.yield %b : tensor<128x128xf32>
    }
    %r4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %t = "nv_tileaa.splat"(%i) : (i32) -> tensor<128xi32>
      %sum = "nv_tileaa.reduce"(%t) ({
      ^bb0(%x: i32, %y: i32):
        %z = arith.addi %x, %y : i32
        "nv_tileaa.yield_values"(%z) : (i32) -> ()
      }) {axis = 0 : i64} : (tensor<128xi32>) -> i32
      %seen = arith.cmpi ne, %sum, %c0 : i32
      %b = scf.if %seen -> (tensor<128x128xf32>) {
        %d = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %d : tensor<128x128xf32>
      } else {
        scf.yield %acc : tensor<128x128xf32>
      }
      scf.yield %b : tensor<128x128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    %l2 = math.log %r2 : tensor<128x128xf32>
    %l3 = math.log %r3 : tensor<128x128xf32>
    %l4 = math.log %r4 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i1) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "f"}]}} : () -> ()
}
