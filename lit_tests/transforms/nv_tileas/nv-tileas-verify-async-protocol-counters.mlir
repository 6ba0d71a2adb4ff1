// RUN: tilec opt %s --passes nv-tileas-verify-async-protocol | FileCheck %s
// RUN: sed '/clear_counts/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=CLEAR
// RUN: sed '/read_counts/d' %s | not tilec opt - --passes nv-tileas-verify-async-protocol 2>&1 | FileCheck %s --check-prefix=READ

// Counters are cleared before anything is counted, and read before they are cleared again.

!c = !nv_tileas.smem<tensor<64x16xi32, #nv_tileas.shared_layout<array<i64: 64, 16>, 0 : i64>>>

// CHECK: nv_tileas.read_counts
// CLEAR: a slot is read that does not hold its tile
// READ: a tile is read before the write of 'consumer warps 1..3' has arrived
"nv_tileaa.func"() ({
^bb0(%n: i32, %x: tensor<64xi32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !c
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    scf.for %k = %c0 to %n step %c1 : i32 {
      "nv_tileas.clear_counts"(%c) : (!c) -> ()
      "nv_tileas.count"(%x, %c) : (tensor<64xi32>, !c) -> ()
      %h = "nv_tileas.read_counts"(%c) : (!c) -> tensor<64xi32>
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "counts", function_type = (i32, tensor<64xi32>) -> ()} : () -> ()
