// RUN: tilec opt %s --passes nv-tileas-count-ahead --split-input-file | FileCheck %s

// Loops that count rounds move from the loop over tiles to a table, which a CTA fills before its roles.

// Both results share a word. What the loop needs of the tile is computed in the table, too.

// CHECK-LABEL: module @count_and_first
// CHECK:         %[[ID:.*]] = "nv_tileas.cta_id"
// CHECK:         %[[A:.*]] = "nv_tileas.workspace"() {hidden_name = "rounds_0", size = "(cdiv(N, 128)) * 8"}
// CHECK-NEXT:    %[[T:.*]] = "nv_tileas.tabulate"(%[[A]], %[[ID]], %[[END:.*]], %[[STEP:.*]]) ({
// CHECK-NEXT:    ^bb0(%[[ITEM:.*]]: i32):
// CHECK-NEXT:      %[[ROW:.*]] = arith.remui %[[ITEM]],
// CHECK-NEXT:      %[[N:.*]]:2 = scf.for
// CHECK-NEXT:        "nv_tileas.gather"(%{{.*}}, %[[ROW]], %{{.*}}
// CHECK:           %[[LOW:.*]] = arith.extui %[[N]]#0 : i32 to i64
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extui %[[N]]#1 : i32 to i64
// CHECK:           %[[HIGH:.*]] = arith.shli %[[WIDE]],
// CHECK-NEXT:      %[[WORD:.*]] = arith.ori %[[LOW]], %[[HIGH]]
// CHECK-NEXT:      "nv_tileas.yield_values"(%[[WORD]])
// CHECK-NEXT:    })
// CHECK-NEXT:    %[[M:.*]] = "nv_tileas.make_memref"(%[[T]], %[[END]])
// CHECK-NEXT:    scf.for %[[TILE:.*]] = %[[ID]] to %[[END]] step %[[STEP]]
// CHECK-NOT:       scf.for
// CHECK:           %[[G:.*]]:2 = "nv_tileas.gather"(%[[M]], %[[TILE]], %{{.*}})
// CHECK:           %[[COUNT:.*]] = arith.trunci %[[G]]#0 : i64 to i32
// CHECK:           %[[UPPER:.*]] = arith.shrui %[[G]]#0,
// CHECK-NEXT:      %[[FIRST:.*]] = arith.trunci %[[UPPER]] : i64 to i32
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %[[COUNT]], %[[FIRST]]
// CHECK-NEXT:      "nv_tileas.scatter"(%{{.*}}, %[[SUM]],
!table = !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 0 : i64>
!out = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 1 : i64>
module @count_and_first {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %q: !nv_tileaa.ptr<i32>, %n: i32, %w: i64):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant 0 : i8
    %view = "nv_tileas.make_memref"(%p, %n, %n, %w) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !table
    %out = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<i32>, i32) -> !out
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    scf.for %tile = %id to %n step %ids : i32 {
      %row = arith.remui %tile, %n : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0, %start = %c0) -> (i32, i32) : i32 {
        %e:2 = "nv_tileas.gather"(%view, %row, %i, %none) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!table, i32, i32, i8) -> (i8, !nv_tileaa.mem_token)
        %seen = arith.cmpi ne, %e#0, %none : i8
        %is = arith.extui %seen : i1 to i32
        %more = arith.addi %count, %is : i32
        %first = arith.select %seen, %i, %start : i32
        scf.yield %more, %first : i32, i32
      }
      %sum = arith.addi %r#0, %r#1 : i32
      %s = "nv_tileas.scatter"(%out, %sum, %row) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!out, i32, i32) -> !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, !nv_tileaa.ptr<i32>, i32, i64) -> (), nv_tileaa.kernel_spec = {persistent = true}, tilec.kernel = {grid = ["cdiv(N, 128)"]}} : () -> ()
}

// -----

// A single result is the lower half.

// CHECK-LABEL: module @one
// CHECK:         "nv_tileas.tabulate"
// CHECK:           %[[N:.*]] = scf.for
// CHECK:           %[[LOW:.*]] = arith.extui %[[N]] : i32 to i64
// CHECK-NEXT:      "nv_tileas.yield_values"(%[[LOW]])
!table = !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 0 : i64>
!out = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 1 : i64>
module @one {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %q: !nv_tileaa.ptr<i32>, %n: i32, %w: i64):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant 0 : i8
    %view = "nv_tileas.make_memref"(%p, %n, %n, %w) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !table
    %out = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<i32>, i32) -> !out
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    scf.for %tile = %id to %n step %ids : i32 {
      %row = arith.remui %tile, %n : i32
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0) -> (i32) : i32 {
        %e:2 = "nv_tileas.gather"(%view, %row, %i, %none) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!table, i32, i32, i8) -> (i8, !nv_tileaa.mem_token)
        %seen = arith.cmpi ne, %e#0, %none : i8
        %is = arith.extui %seen : i1 to i32
        %more = arith.addi %count, %is : i32
        scf.yield %more : i32
      }
      %s = "nv_tileas.scatter"(%out, %r, %row) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!out, i32, i32) -> !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, !nv_tileaa.ptr<i32>, i32, i64) -> (), nv_tileaa.kernel_spec = {persistent = true}, tilec.kernel = {grid = ["cdiv(N, 128)"]}} : () -> ()
}

// -----

// What the kernel itself may have changed meanwhile is loaded where it is needed.

// CHECK-LABEL: module @changed
// CHECK-NOT:     nv_tileas.tabulate
// CHECK:         nv_tileaa.return
!table = !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 0 : i64>
!out = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 1 : i64>
module @changed {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %q: !nv_tileaa.ptr<i32>, %n: i32, %w: i64):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant 0 : i8
    %view = "nv_tileas.make_memref"(%p, %n, %n, %w) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !table
    %out = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<i32>, i32) -> !out
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    scf.for %tile = %id to %n step %ids : i32 {
      %row = arith.remui %tile, %n : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0, %start = %c0) -> (i32, i32) : i32 {
        %e:2 = "nv_tileas.gather"(%view, %row, %i, %none) {mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!table, i32, i32, i8) -> (i8, !nv_tileaa.mem_token)
        %seen = arith.cmpi ne, %e#0, %none : i8
        %is = arith.extui %seen : i1 to i32
        %more = arith.addi %count, %is : i32
        %first = arith.select %seen, %i, %start : i32
        scf.yield %more, %first : i32, i32
      }
      %sum = arith.addi %r#0, %r#1 : i32
      %s = "nv_tileas.scatter"(%out, %sum, %row) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!out, i32, i32) -> !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, !nv_tileaa.ptr<i32>, i32, i64) -> (), nv_tileaa.kernel_spec = {persistent = true}, tilec.kernel = {grid = ["cdiv(N, 128)"]}} : () -> ()
}

// -----

// Loops that load nothing take little time.

// CHECK-LABEL: module @computes
// CHECK-NOT:     nv_tileas.tabulate
// CHECK:         nv_tileaa.return
!table = !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 0 : i64>
!out = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 1 : i64>
module @computes {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %q: !nv_tileaa.ptr<i32>, %n: i32, %w: i64):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant 0 : i8
    %view = "nv_tileas.make_memref"(%p, %n, %n, %w) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !table
    %out = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<i32>, i32) -> !out
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    scf.for %tile = %id to %n step %ids : i32 {
      %row = arith.remui %tile, %n : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0, %start = %c0) -> (i32, i32) : i32 {
        %seen = arith.cmpi ne, %i, %row : i32
        %is = arith.extui %seen : i1 to i32
        %more = arith.addi %count, %is : i32
        %first = arith.select %seen, %i, %start : i32
        scf.yield %more, %first : i32, i32
      }
      %sum = arith.addi %r#0, %r#1 : i32
      %s = "nv_tileas.scatter"(%out, %sum, %row) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!out, i32, i32) -> !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, !nv_tileaa.ptr<i32>, i32, i64) -> (), nv_tileaa.kernel_spec = {persistent = true}, tilec.kernel = {grid = ["cdiv(N, 128)"]}} : () -> ()
}

// -----

// A tile of a cluster has no number of its own.

// CHECK-LABEL: module @clusters
// CHECK-NOT:     nv_tileas.tabulate
// CHECK:         nv_tileaa.return
!table = !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 0 : i64>
!out = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 1 : i64>
module @clusters {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %q: !nv_tileaa.ptr<i32>, %n: i32, %w: i64):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant 0 : i8
    %view = "nv_tileas.make_memref"(%p, %n, %n, %w) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !table
    %out = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<i32>, i32) -> !out
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    scf.for %tile = %id to %n step %ids : i32 {
      %row = arith.remui %tile, %n : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0, %start = %c0) -> (i32, i32) : i32 {
        %e:2 = "nv_tileas.gather"(%view, %row, %i, %none) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!table, i32, i32, i8) -> (i8, !nv_tileaa.mem_token)
        %seen = arith.cmpi ne, %e#0, %none : i8
        %is = arith.extui %seen : i1 to i32
        %more = arith.addi %count, %is : i32
        %first = arith.select %seen, %i, %start : i32
        scf.yield %more, %first : i32, i32
      }
      %sum = arith.addi %r#0, %r#1 : i32
      %s = "nv_tileas.scatter"(%out, %sum, %row) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!out, i32, i32) -> !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, !nv_tileaa.ptr<i32>, i32, i64) -> (), nv_tileaa.kernel_spec = {persistent = true, cluster = [2, 1]}, tilec.kernel = {grid = ["cdiv(N, 128)"]}} : () -> ()
}

// -----

// A CTA with one tile gains nothing.

// CHECK-LABEL: module @one_tile
// CHECK-NOT:     nv_tileas.tabulate
// CHECK:         nv_tileaa.return
!table = !nv_tileaa.memref<memref<?x?xi8, strided<[?, 1]>, 1>, 0 : i64>
!out = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 1 : i64>
module @one_tile {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i8>, %q: !nv_tileaa.ptr<i32>, %n: i32, %w: i64):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant 0 : i8
    %view = "nv_tileas.make_memref"(%p, %n, %n, %w) : (!nv_tileaa.ptr<i8>, i32, i32, i64) -> !table
    %out = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<i32>, i32) -> !out
    %id = "nv_tileas.cta_id"() : () -> i32
    %ids = "nv_tileas.num_ctas"() : () -> i32
    scf.for %tile = %id to %n step %ids : i32 {
      %row = arith.remui %tile, %n : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %c0, %start = %c0) -> (i32, i32) : i32 {
        %e:2 = "nv_tileas.gather"(%view, %row, %i, %none) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 2, 0, 1, 0>} : (!table, i32, i32, i8) -> (i8, !nv_tileaa.mem_token)
        %seen = arith.cmpi ne, %e#0, %none : i8
        %is = arith.extui %seen : i1 to i32
        %more = arith.addi %count, %is : i32
        %first = arith.select %seen, %i, %start : i32
        scf.yield %more, %first : i32, i32
      }
      %sum = arith.addi %r#0, %r#1 : i32
      %s = "nv_tileas.scatter"(%out, %sum, %row) {mem_semantic = "weak", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!out, i32, i32) -> !nv_tileaa.mem_token
    }
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i8>, !nv_tileaa.ptr<i32>, i32, i64) -> (), nv_tileaa.kernel_spec = {persistent = false}, tilec.kernel = {grid = ["cdiv(N, 128)"]}} : () -> ()
}
