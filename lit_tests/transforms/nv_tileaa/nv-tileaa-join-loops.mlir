// RUN: tilec opt %s --passes nv-tileaa-join-loops --split-input-file | FileCheck %s

// Loops that go on where others end are joined, with a branch around what differs.

// What only the second loop computes is the other side of a branch; values of both meet after it.

// CHECK-LABEL: module @mask_in_the_second
// CHECK:         %[[MIDDLE:.*]] = arith.muli
// CHECK:         %[[LAST:.*]] = arith.muli
// CHECK:         %[[END:.*]] = arith.maxsi %[[MIDDLE]], %[[LAST]] : i32
// CHECK:         %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args(%[[ACC:.*]] = 
// CHECK:           %[[X:.*]] = "nv_tileaa.dot"
// CHECK-NEXT:      %[[EARLY:.*]] = arith.cmpi slt, %[[I]], %[[MIDDLE]] : i32
// CHECK-NEXT:      %[[Y:.*]] = scf.if %[[EARLY]] -> (tensor<128x128xf32>) {
// CHECK-NEXT:        scf.yield %[[X]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        "nv_tileaa.splat"(%[[I]])
// CHECK:             %[[M:.*]] = arith.mulf %[[X]],
// CHECK-NEXT:        scf.yield %[[M]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[Z:.*]] = math.exp2 %[[Y]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[ACC]], %[[Z]]
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK:         math.log %[[R]]
// CHECK-NOT:     scf.for
module @mask_in_the_second {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %middle = arith.muli %m, %c128 : i32
    %first = scf.for %i = %c0 to %middle step %c64 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %e = math.exp2 %x : tensor<128x128xf32>
      %s = arith.addf %acc, %e : tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %next = arith.addi %m, %c1 : i32
    %last = arith.muli %next, %c128 : i32
    %second = scf.for %i = %middle to %last step %c64 iter_args(%acc = %first) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %zeros) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %f = "nv_tileaa.splat"(%i) : (i32) -> tensor<128x128xi32>
      %g = arith.sitofp %f : tensor<128x128xi32> to tensor<128x128xf32>
      %y = arith.mulf %x, %g : tensor<128x128xf32>
      %e = math.exp2 %y : tensor<128x128xf32>
      %s = arith.addf %acc, %e : tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %l = math.log %second : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], params = [{kind = "dim", name = "N"}]}} : () -> ()
}

// -----

// Loops that do the same need no branch.

// CHECK-LABEL: module @equal
// CHECK:         scf.for
// CHECK-NOT:     scf.if
// CHECK-NOT:     scf.for
// CHECK:         nv_tileaa.return
module @equal {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %first = scf.for %i = %c0 to %c128 step %c64 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %second = scf.for %i = %c128 to %n step %c64 iter_args(%acc = %first) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %l = math.log %second : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}]}} : () -> ()
}

// -----

// The first loop may end between two rounds of the joined one: its bound is no multiple of the step.

// CHECK-LABEL: module @between_rounds
// CHECK-COUNT-2: scf.for
module @between_rounds {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %first = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %second = scf.for %i = %n to %w step %c64 iter_args(%acc = %first) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %l = math.log %second : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "dim", name = "W"}]}} : () -> ()
}

// -----

// The second loop may begin before the first one: its bound may be negative.

// CHECK-LABEL: module @begins_before
// CHECK-COUNT-2: scf.for
module @begins_before {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %middle = arith.muli %w, %c64 : i32
    %first = scf.for %i = %c0 to %middle step %c64 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %second = scf.for %i = %middle to %n step %c64 iter_args(%acc = %first) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %l = math.log %second : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The first loop begins at the block, and the second one a constant later: a sum that does not wrap, as dims
// leave room for a tile.

// CHECK-LABEL: module @begins_at_a_block
// CHECK:         %[[MIDDLE:.*]] = arith.addi %[[START:.*]], %c64
// CHECK:         %[[END:.*]] = arith.maxsi %[[MIDDLE]], %{{.*}}
// CHECK:         scf.for %{{.*}} = %[[START]] to %[[END]]
// CHECK-NOT:     scf.for
module @begins_at_a_block {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %start = arith.muli %m, %c64 : i32
    %middle = arith.addi %start, %c64 : i32
    %first = scf.for %i = %start to %middle step %c64 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %second = scf.for %i = %middle to %n step %c64 iter_args(%acc = %first) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %l = math.log %second : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 64)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// A scalar may be so large that the sum wraps around.

// CHECK-LABEL: module @may_wrap
// CHECK-COUNT-2: scf.for
module @may_wrap {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32, %w: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %start = arith.muli %w, %c64 : i32
    %middle = arith.addi %start, %c64 : i32
    %first = scf.for %i = %start to %middle step %c64 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %second = scf.for %i = %middle to %n step %c64 iter_args(%acc = %first) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %l = math.log %second : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32, i32) -> (), tilec.kernel = {grid = ["cdiv(N, 64)"], params = [{kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}]}} : () -> ()
}

// -----

// The sum of the first loop is read after it, and the products of the second one are others.

// CHECK-LABEL: module @read_and_others
// CHECK-COUNT-4: scf.for
module @read_and_others {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %a = arith.constant dense<1.0> : tensor<128x128xbf16>
    %b = arith.constant dense<2.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %first = scf.for %i = %c0 to %c128 step %c64 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %second = scf.for %i = %c128 to %n step %c64 iter_args(%acc = %first) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %sum = arith.addf %first, %second : tensor<128x128xf32>
    %third = scf.for %i = %c0 to %c128 step %c64 iter_args(%acc = %sum) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %a, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %fourth = scf.for %i = %c128 to %n step %c64 iter_args(%acc = %third) -> (tensor<128x128xf32>) : i32 {
      %x = "nv_tileaa.dot"(%a, %b, %acc) {a_major = "k", b_major = "k"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %x : tensor<128x128xf32>
    }
    %l = math.log %fourth : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {params = [{kind = "dim", name = "N"}]}} : () -> ()
}
