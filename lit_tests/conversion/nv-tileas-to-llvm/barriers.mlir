// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers barriers and fences to instructions for the threads of one role.

// The barrier of a role with a producer counts the threads of that role only.
// CHECK-LABEL: llvm.func @role_barriers_count_their_threads
// CHECK:         nvvm.barrier id = %c1{{.*}} number_of_threads = %c256
// CHECK:         llvm.inline_asm {{.*}} "cp.async.bulk.wait_group 0;", "~{memory}"  : () -> ()
// CHECK-NEXT:    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
// CHECK-NEXT:    nvvm.barrier id = %c1{{.*}} number_of_threads = %c256
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
    "nv_tileas.order_memory"() {id = 1 : i64} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "role_barriers_count_their_threads", function_type = (i32) -> (), tilec.kernel = {block_threads = 384 : i64, cluster = [1, 1, 1], tensor_maps = [{array = "A"}]}} : () -> ()

// -----

// A kernel without tensor maps has no accesses of TMA to wait for.
// CHECK-LABEL: llvm.func @threads_alone_meet
// CHECK:         griddepcontrol.wait
// CHECK-NOT:     wait_group
// CHECK-NOT:     nvvm.fence.proxy
// CHECK:         nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.order_memory"() {id = 0 : i64} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "threads_alone_meet", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// Neither has one whose order is one of threads only.
// CHECK-LABEL: llvm.func @only_threads_are_ordered
// CHECK-NOT:     wait_group
// CHECK-NOT:     nvvm.fence.proxy
// CHECK:         nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.order_memory"() {by_threads, id = 0 : i64} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "only_threads_are_ordered", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1], tensor_maps = [{array = "A"}]}} : () -> ()

// -----

// A single role uses the barrier of the whole CTA; the fence of global memory names no space.
// CHECK-LABEL: llvm.func @a_single_role_uses_the_barrier_of_the_cta
// CHECK:         nvvm.barrier
// CHECK-NOT:     number_of_threads
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.barrier"() {id = 0 : i64} : () -> ()
    "nv_tileas.fence_proxy"() {space = "global"} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_single_role_uses_the_barrier_of_the_cta", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// Warpgroups that take turns wait at barriers of their own, from id 4 on. The one before arrives without
// waiting, and the last one begins. 256 threads come to each: those that wait and those that arrive.
// CHECK-LABEL: llvm.func @warpgroups_take_turns
// CHECK:         llvm.inline_asm has_side_effects {{.*}}@p bar.arrive $0, 256;
// CHECK:         nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"bar.arrive $0, 256;"
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.turn_start"() {id = 4 : i64} : () -> ()
    "nv_tileas.turn_take"() {id = 4 : i64} : () -> ()
    "nv_tileas.turn_pass"() {id = 4 : i64} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "warpgroups_take_turns", function_type = (i32) -> (), tilec.kernel = {block_threads = 384 : i64, cluster = [1, 1, 1]}} : () -> ()
