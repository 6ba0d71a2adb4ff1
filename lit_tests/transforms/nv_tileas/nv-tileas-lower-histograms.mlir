// RUN: tilec opt %s --passes nv-tileas-lower-histograms --split-input-file | FileCheck %s

!n = tensor<512xi32>
!h = tensor<256xi32>

// Two loops only add up what they count, so the counters stay as they are until both have ended.
// CHECK:      %[[C:.*]] = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<256x16xi32
// CHECK:        "nv_tileas.clear_counts"(%[[C]])
// CHECK-NEXT:   %[[R:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[INIT:.*]]) -> (tensor<256xi32>)
// CHECK-NEXT:     %[[Q:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %[[S]]) -> (tensor<256xi32>)
// CHECK-NEXT:       "nv_tileas.count"(%{{[^,]*}}, %[[C]])
// CHECK-NEXT:       scf.yield %[[P]]
// CHECK:          arith.addi %[[Q]], %[[ONE:.*]] : tensor<256xi32>
// CHECK-NEXT:     scf.yield
// CHECK:        %[[H:.*]] = "nv_tileas.read_counts"(%[[C]])
// CHECK-NEXT:   arith.addi %[[R]], %[[H]]
"nv_tileaa.func"() ({
^bb0(%n: i32, %x: !n, %init: !h, %one: !h):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> (!h) : i32 {
      %q = scf.for %j = %c0 to %n step %c1 iter_args(%p = %s) -> (!h) : i32 {
        %h = "nv_tileas.histogram"(%x) {copies = 16 : i64} : (!n) -> !h
        %t = arith.addi %p, %h : !h
        scf.yield %t : !h
      }
      %u = arith.addi %q, %one : !h
      scf.yield %u : !h
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "sums", function_type = (i32, !n, !h, !h) -> ()} : () -> ()

// -----

!n = tensor<512xi32>
!h = tensor<256xi32>

// Here each round needs the sum so far, and there the counts themselves: they are read every time.
// CHECK:        scf.for
// CHECK-NEXT:     "nv_tileas.clear_counts"(%[[C:[0-9]+]])
// CHECK-NEXT:     "nv_tileas.count"(%{{[^,]*}}, %[[C]])
// CHECK-NEXT:     "nv_tileas.read_counts"(%[[C]])
// CHECK:        scf.for
// CHECK-NEXT:     "nv_tileas.clear_counts"(%[[D:[0-9]+]])
// CHECK-NEXT:     "nv_tileas.count"(%{{[^,]*}}, %[[D]])
// CHECK-NEXT:     "nv_tileas.read_counts"(%[[D]])
// CHECK:        scf.for
// CHECK-NEXT:     "nv_tileas.clear_counts"(%[[E:[0-9]+]])
// CHECK-NEXT:     "nv_tileas.count"(%{{[^,]*}}, %[[E]])
// CHECK-NEXT:     "nv_tileas.read_counts"(%[[E]])
"nv_tileaa.func"() ({
^bb0(%n: i32, %x: !n, %init: !h):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> (!h) : i32 {
      %h = "nv_tileas.histogram"(%x) : (!n) -> !h
      %t = arith.addi %s, %h : !h
      %u = arith.maxsi %t, %init : !h
      scf.yield %u : !h
    }
    %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %r, %l = %init) -> (!h, !h) : i32 {
      %h = "nv_tileas.histogram"(%x) : (!n) -> !h
      %t = arith.addi %s, %h : !h
      scf.yield %t, %h : !h, !h
    }
    %o:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %r, %l = %init) -> (!h, !h) : i32 {
      %h = "nv_tileas.histogram"(%x) : (!n) -> !h
      %t = arith.addi %s, %h : !h
      scf.yield %l, %t : !h, !h
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "no_sums", function_type = (i32, !n, !h) -> ()} : () -> ()
