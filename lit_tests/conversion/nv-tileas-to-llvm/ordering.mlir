// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm --split-input-file | FileCheck %s

// Work items are sorted and dealt out by the threads of a CTA, once the kernel before has ended and before the
// roles start.

// The class of a cost is its exponent and the highest bit of its mantissa. Votes tell the lane of a class which
// items it has; warps meet between counting and placing.
// CHECK-LABEL: llvm.func @sorts
// CHECK:         griddepcontrol.wait
// CHECK:         scf.for %{{.*}} iter_args(%[[COUNTED:.*]] = %{{.*}}) -> (i32)
// CHECK:           %[[COST:.*]] = arith.minsi
// CHECK:           %[[FLOAT:.*]] = arith.uitofp %[[COST]] : i32 to f32
// CHECK-NEXT:      %[[BITS:.*]] = arith.bitcast %[[FLOAT]] : f32 to i32
// CHECK:           arith.shrui %[[BITS]],
// CHECK-COUNT-6:   nvvm.vote.sync ballot
// CHECK:           nvvm.shfl.sync idx %{{.*}}, %[[COUNTED]]
// CHECK:           llvm.intr.ctpop
// CHECK:           scf.yield
// CHECK:         nvvm.barrier
// CHECK-COUNT-5: nvvm.shfl.sync down
// CHECK:         scf.for
// CHECK:           nvvm.shfl.sync idx
// CHECK:         nvvm.barrier
module @sort {
  "nv_tileaa.func"() ({
  ^bb0(%t: !nv_tileaa.ptr<i32>, %n: i32):
    %o = "nv_tileas.order_items"(%t, %n) ({
    ^bb0(%i: i32):
      "nv_tileas.yield_values"(%i) : (i32) -> ()
    }) : (!nv_tileaa.ptr<i32>, i32) -> !nv_tileaa.ptr<i32>
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "sorts", function_type = (!nv_tileaa.ptr<i32>, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

// One warp deals out row after row, with five CTAs in each lane: five votes for each bit of a class and for whether
// there is such a CTA. The lane that has its own CTA writes the list.
// CHECK-LABEL: llvm.func @deals
// CHECK:         griddepcontrol.wait
// CHECK:         nvvm.barrier
// CHECK:         nvvm.read.ptx.sreg.nctaid.x
// CHECK:         arith.minui
// CHECK:         scf.if %{{.*}} {
// CHECK:           scf.if
// CHECK:             scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) ->
// CHECK:               scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) ->
// CHECK:                 redux.sync.min.s32
// CHECK:                 llvm.intr.ctlz
// CHECK-COUNT-30:        nvvm.vote.sync ballot
// CHECK-COUNT-5:         nvvm.shfl.sync up
// CHECK-COUNT-10:        nvvm.shfl.sync idx
// CHECK:                 llvm.store %{{.*}} : i64
// CHECK:         nvvm.barrier
module @deal {
  "nv_tileaa.func"() ({
  ^bb0(%t: !nv_tileaa.ptr<i64>, %o: !nv_tileaa.ptr<i32>, %n: i32, %f: i32, %w: i32):
    %order = "nv_tileas.order_items"(%o, %n) ({
    ^bb0(%i: i32):
      "nv_tileas.yield_values"(%i) : (i32) -> ()
    }) : (!nv_tileaa.ptr<i32>, i32) -> !nv_tileaa.ptr<i32>
    %d = "nv_tileas.deal_items"(%t, %order, %n, %f, %w) {balanced = 1 : i64} : (!nv_tileaa.ptr<i64>, !nv_tileaa.ptr<i32>, i32, i32, i32) -> !nv_tileaa.ptr<i64>
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "deals", function_type = (!nv_tileaa.ptr<i64>, !nv_tileaa.ptr<i32>, i32, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()
}

// -----

// Where all tiles cost the same, CTAs take them row by row.
// CHECK-LABEL: llvm.func @takes_turns
// CHECK-NOT:     redux.sync
// CHECK:         llvm.return
module @turns {
  "nv_tileaa.func"() ({
  ^bb0(%t: !nv_tileaa.ptr<i64>, %o: !nv_tileaa.ptr<i32>, %n: i32, %f: i32, %w: i32):
    %order = "nv_tileas.order_items"(%o, %n) ({
    ^bb0(%i: i32):
      "nv_tileas.yield_values"(%i) : (i32) -> ()
    }) : (!nv_tileaa.ptr<i32>, i32) -> !nv_tileaa.ptr<i32>
    %d = "nv_tileas.deal_items"(%t, %order, %n, %f, %w) {balanced = 0 : i64} : (!nv_tileaa.ptr<i64>, !nv_tileaa.ptr<i32>, i32, i32, i32) -> !nv_tileaa.ptr<i64>
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "takes_turns", function_type = (!nv_tileaa.ptr<i64>, !nv_tileaa.ptr<i32>, i32, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()
}
