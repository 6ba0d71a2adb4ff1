// RUN: tilec opt %s --passes nv-tileas-debug-waits --split-input-file | FileCheck %s
// RUN: tilec opt %s --passes nv-tileas-debug-waits --split-input-file -o %t
// RUN: tilec opt %t --passes nv-tileas-debug-waits --split-input-file | diff %t -

// The pass numbers the waits of a debug build, and describes each of them in a table.

// Every wait of a kernel that asks for a debug build gets an id, and a row of the table: the role, its
// first thread, the number of the ring, which barrier it waits for, and the source line. The buffer
// for the report is the last parameter. A second run of the pass changes nothing.
// CHECK-LABEL: module @waits_are_numbered
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}: i32, %{{.*}}: !nv_tileaa.ptr<i32>):
// CHECK:         "nv_tileas.ring_acquire"(%[[SECOND:[0-9]+]], %{{.*}}) {nv_tileas.debug_wait = 0 : i64}
// CHECK:         "nv_tileas.ring_wait"(%[[FIRST:[0-9]+]], %{{.*}}) {nv_tileas.debug_wait = 1 : i64}
// CHECK:         "nv_tileas.ring_wait"(%[[SECOND]], %{{.*}}) {nv_tileas.debug_wait = 2 : i64}
// CHECK-NEXT:    "nv_tileas.ring_release"(%[[SECOND]], %{{[^)]*}}) :
// CHECK:       }) {function_type = (i32, !nv_tileaa.ptr<i32>) -> (), sym_name = "k",
// CHECK-SAME:  debug_waits = {limit = 1000 : i64, waits = [
// CHECK-SAME:    {barrier = "empty", first_thread = 0 : i64, line = "{{ *}}\22nv_tileas.ring_acquire\22({{.*}}", ring = 1 : i64, role = "producer", span = ["{{[^"]*}}nv-tileas-debug-waits.mlir", {{[0-9]+}}, 7, {{[0-9]+}}, 8]},
// CHECK-SAME:    {barrier = "full", first_thread = 128 : i64, {{.*}}, ring = 0 : i64, role = "consumer",
// CHECK-SAME:    {barrier = "full", first_thread = 128 : i64, {{.*}}, ring = 1 : i64, role = "consumer",
// CHECK-SAME:  hidden_parameters = [{dtype = "u64", name = "debug_buffer"}]
module @waits_are_numbered {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %f0 = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %first = "nv_tileas.create_ring"(%f0) {stages = 1 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
    %f1 = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %e1 = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 2 : i64} : () -> !nv_tileas.mbarrier
    %second = "nv_tileas.create_ring"(%f1, %e1) {stages = 2 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      %p = "nv_tileas.ring_start"(%second) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      "nv_tileas.ring_acquire"(%second, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }, {
      %p = "nv_tileas.ring_start"(%first) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      "nv_tileas.ring_wait"(%first, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %q = "nv_tileas.ring_start"(%second) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      "nv_tileas.ring_wait"(%second, %q) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.ring_release"(%second, %q) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {debug_waits = {limit = 1000 : i64}}} : () -> ()
}

// -----

// Without a ring nothing can deadlock: the table is empty and there is no buffer.
// CHECK-LABEL: module @no_ring_no_buffer
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}: i32):
// CHECK:       sym_name = "k", tilec.kernel = {debug_waits = {limit = 1000 : i64, waits = []}}
module @no_ring_no_buffer {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {debug_waits = {limit = 1000 : i64}}} : () -> ()
}

// -----

// The wait for the partial sums of a split tile has a row, too, without a ring.
// CHECK-LABEL: module @partial_sums_are_waited_for
// CHECK:         "nv_tileas.await_partials"(%{{.*}}) {nv_tileas.debug_wait = 0 : i64}
// CHECK:         "nv_tileas.arrive_partial"(%{{[^)]*}}) :
// CHECK:       waits = [{barrier = "partials", first_thread = 128 : i64, {{.*}}, ring = -1 : i64, role = "consumer",
module @partial_sums_are_waited_for {
  "nv_tileaa.func"() ({
  ^bb0(%c: !nv_tileaa.ptr<i32>, %n: i32):
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      "nv_tileas.await_partials"(%c, %n, %n) : (!nv_tileaa.ptr<i32>, i32, i32) -> ()
      "nv_tileas.arrive_partial"(%c, %n) : (!nv_tileaa.ptr<i32>, i32) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32) -> (), tilec.kernel = {debug_waits = {limit = 1000 : i64}}} : () -> ()
}

// -----

!t = tensor<4x32xf32>
!tall = tensor<8x32xf32>

// An index of `extract` that is not known to name a slice has a row, too.
// CHECK-LABEL: module @indices_are_checked
// CHECK:         "nv_tileas.extract"(%{{.*}}) {nv_tileas.debug_wait = 0 : i64}
// CHECK:         "nv_tileas.extract"(%{{[^()]*}}) :
// CHECK:       waits = [{barrier = "extract", first_thread = 0 : i64, {{.*}}, ring = -1 : i64, role = "consumer",
module @indices_are_checked {
  "nv_tileaa.func"() ({
  ^bb0(%x: i32):
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %y = arith.remui %x, %c2 : i32
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %tile = builtin.unrealized_conversion_cast %x : i32 to !tall
      %a = "nv_tileas.extract"(%tile, %x, %c0) : (!tall, i32, i32) -> !t
      %b = "nv_tileas.extract"(%tile, %y, %c0) : (!tall, i32, i32) -> !t
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {debug_waits = {limit = 1000 : i64}}} : () -> ()
}

// -----

// A kernel that does not ask for a debug build is left alone.
// CHECK-LABEL: module @others_stay_as_they_are
// CHECK-NEXT:    "nv_tileaa.func"() ({
// CHECK-NEXT:  ^bb0(%{{.*}}: i32):
// CHECK-NOT:   debug_wait
// CHECK:       sym_name = "k", tilec.kernel = {}
module @others_stay_as_they_are {
  "nv_tileaa.func"() ({
  ^bb0(%n: i32):
    %f = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier
    %ring = "nv_tileas.create_ring"(%f) {stages = 1 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
    "nv_tileas.roles"() ({
      "nv_tileas.yield"() : () -> ()
    }, {
      %p = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
      "nv_tileas.ring_wait"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.yield"() : () -> ()
    }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (i32) -> (), tilec.kernel = {}} : () -> ()
}
