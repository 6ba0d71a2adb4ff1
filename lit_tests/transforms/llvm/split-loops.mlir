// RUN: tilec opt %s --passes split-loops --split-input-file | FileCheck %s

// A branch that does nothing in the first rounds: these are a loop of their own, without the branch.
// The other loop goes on where that one ends.

// CHECK-LABEL: llvm.func @masked
// CHECK:         %[[FIRST:.*]]:2 = scf.while (%[[I:.*]] = %[[LOWER:.*]], %[[A:.*]] = %[[ZERO:.*]]) : (i32, f32) -> (i32, f32) {
// CHECK-NEXT:      %[[NEXT:.*]] = arith.muli %[[I]], %[[WIDTH:.*]] : i32
// CHECK-NEXT:      %[[FULL:.*]] = arith.cmpi slt, %[[NEXT]], %[[N:.*]] : i32
// CHECK-NEXT:      %[[RUNS:.*]] = arith.cmpi slt, %[[I]], %[[UPPER:.*]] : i32
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[RUNS]], %[[FULL]] : i1
// CHECK-NEXT:      scf.condition(%[[BOTH]]) %[[I]], %[[A]]
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[J:.*]]: i32, %[[B:.*]]: f32):
// CHECK-NOT:       scf.if
// CHECK:           %[[X:.*]] = llvm.fadd %[[B]], %{{.*}}
// CHECK-NEXT:      %[[Y:.*]] = llvm.fmul %[[X]], %[[X]]
// CHECK-NEXT:      %[[STEP:.*]] = arith.addi %[[J]], %[[BY:.*]] : i32
// CHECK-NEXT:      scf.yield %[[STEP]], %[[Y]] : i32, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %{{.*}} = %[[FIRST]]#0 to %[[UPPER]] step %[[BY]] iter_args(%[[C:.*]] = %[[FIRST]]#1)
// CHECK:           scf.if
// CHECK:           llvm.fmul
// CHECK:           scf.yield
llvm.func @masked(%n: i32, %lower: i32, %upper: i32, %by: i32) -> f32 {
  %c8 = arith.constant 8 : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %one = llvm.mlir.constant(1.0 : f32) : f32
  %r = scf.for %i = %lower to %upper step %by iter_args(%a = %zero) -> (f32) : i32 {
    %next = arith.muli %i, %c8 : i32
    %full = arith.cmpi slt, %next, %n : i32
    %x = llvm.fadd %a, %one : f32
    %m = scf.if %full -> (f32) {
      scf.yield %x : f32
    } else {
      %h = llvm.fmul %x, %zero : f32
      scf.yield %h : f32
    } {leading}
    %y = llvm.fmul %m, %m : f32
    scf.yield %y : f32
  }
  llvm.return %r : f32
}

// -----

// Without the attribute, the condition may hold again after it has failed.

// CHECK-LABEL: llvm.func @not_leading
// CHECK-NOT:     scf.while
llvm.func @not_leading(%n: i32, %upper: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %r = scf.for %i = %c0 to %upper step %c1 iter_args(%a = %zero) -> (f32) : i32 {
    %full = arith.cmpi slt, %n, %i : i32
    %m = scf.if %full -> (f32) {
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
    scf.yield %m : f32
  }
  llvm.return %r : f32
}

// -----

// The condition is not known before the round.

// CHECK-LABEL: llvm.func @computed_in_the_round
// CHECK-NOT:     scf.while
llvm.func @computed_in_the_round(%p: !llvm.ptr, %upper: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %r = scf.for %i = %c0 to %upper step %c1 iter_args(%a = %zero) -> (f32) : i32 {
    %n = llvm.load %p : !llvm.ptr -> i32
    %full = arith.cmpi slt, %i, %n : i32
    %m = scf.if %full -> (f32) {
      scf.yield %a : f32
    } else {
      %h = llvm.fmul %a, %zero : f32
      scf.yield %h : f32
    } {leading}
    scf.yield %m : f32
  }
  llvm.return %r : f32
}

// -----

// What a round, and what follows the loop, begins with is computed at the end of the round before: here
// the sum so far times a factor.

// CHECK-LABEL: llvm.func @begins_with_a_product
// CHECK:         %[[M:.*]] = arith.mulf %[[ZERO:.*]], %[[G:.*]] : f32
// CHECK:         %[[FIRST:.*]]:3 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[M]], %{{.*}} = %[[G]])
// CHECK:         } do {
// CHECK-NEXT:    ^bb0(%{{.*}}: i32, %[[X:.*]]: f32, %[[F:.*]]: f32):
// CHECK:           %[[B:.*]] = llvm.fadd %[[X]], %{{.*}}
// CHECK:           %[[N:.*]] = arith.mulf %[[B]], %[[F]]
// CHECK:           scf.yield %{{.*}}, %[[N]], %[[F]]
// CHECK:         %[[R:.*]]:2 = scf.for
// CHECK:         llvm.return %[[R]]#0
llvm.func @begins_with_a_product(%n: i32, %upper: i32, %g: f32) -> f32 attributes {tilec.kernel = {plan = {turns = true}}} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %one = llvm.mlir.constant(1.0 : f32) : f32
  %r:2 = scf.for %i = %c0 to %upper step %c1 iter_args(%a = %zero, %f = %g) -> (f32, f32) : i32 {
    %full = arith.cmpi slt, %i, %n : i32
    %x = arith.mulf %a, %f : f32
    %m = scf.if %full -> (f32) {
      scf.yield %x : f32
    } else {
      %h = llvm.fmul %x, %zero : f32
      scf.yield %h : f32
    } {leading}
    %b = llvm.fadd %m, %one : f32
    scf.yield %b, %f : f32, f32
  }
  %y = arith.mulf %r#0, %r#1 : f32
  llvm.return %y : f32
}

// -----

// The sum is needed as it is, too.

// CHECK-LABEL: llvm.func @keeps_the_sum
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %arg2)
// CHECK:         do {
// CHECK:           arith.mulf
// CHECK:         scf.for
// CHECK:           arith.mulf
// CHECK:         arith.mulf
// CHECK:         llvm.fadd
llvm.func @keeps_the_sum(%n: i32, %upper: i32, %g: f32) -> f32 attributes {tilec.kernel = {plan = {turns = true}}} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %r:2 = scf.for %i = %c0 to %upper step %c1 iter_args(%a = %zero, %f = %g) -> (f32, f32) : i32 {
    %full = arith.cmpi slt, %i, %n : i32
    %x = arith.mulf %a, %f : f32
    %m = scf.if %full -> (f32) {
      scf.yield %x : f32
    } else {
      %h = llvm.fmul %x, %zero : f32
      scf.yield %h : f32
    } {leading}
    scf.yield %m, %f : f32, f32
  }
  %y = arith.mulf %r#0, %r#1 : f32
  %z = llvm.fadd %y, %r#0 : f32
  llvm.return %z : f32
}

// -----

// The side that does nothing is the second one: the first loop runs while the condition does not hold.

// CHECK-LABEL: llvm.func @idle_otherwise
// CHECK:         scf.while
// CHECK:           %[[LATE:.*]] = arith.cmpi sge
// CHECK:           %[[RUNS:.*]] = arith.cmpi slt
// CHECK:           %[[EARLY:.*]] = arith.xori %[[LATE]], %{{.*}} : i1
// CHECK:           arith.andi %[[RUNS]], %[[EARLY]] : i1
// CHECK:         } do {
// CHECK-NOT:       scf.if
// CHECK:           scf.yield
// CHECK:         scf.for
// CHECK:           scf.if
llvm.func @idle_otherwise(%n: i32, %upper: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %r = scf.for %i = %c0 to %upper step %c1 iter_args(%a = %zero) -> (f32) : i32 {
    %late = arith.cmpi sge, %i, %n : i32
    %m = scf.if %late -> (f32) {
      %h = llvm.fmul %a, %zero : f32
      scf.yield %h : f32
    } else {
      scf.yield %a : f32
    } {leading}
    scf.yield %m : f32
  }
  llvm.return %r : f32
}
