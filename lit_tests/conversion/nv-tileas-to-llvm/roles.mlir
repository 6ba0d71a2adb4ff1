// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass gives each role the threads that run it.

// The producer is warpgroup 0: all its threads change registers, and one elected thread of its first
// warp does the work. Consumer threads number themselves from the first consumer warp.
// CHECK-LABEL: llvm.func @one_thread_produces
// CHECK-SAME:    attributes {nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384, 1, 1>, tilec.kernel =
// CHECK:         %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[RAW:.*]] = arith.divui %[[THREAD]], %c32
// CHECK:         %[[WARP:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[RAW]], %c0
// CHECK:         %[[PRODUCES:.*]] = arith.cmpi ult, %[[WARP]], %c4
// CHECK:         scf.if %[[PRODUCES]] {
// CHECK-NEXT:      nvvm.setmaxregister decrease 40
// CHECK-NEXT:      %[[LEADS:.*]] = arith.cmpi eq, %[[WARP]], %c0
// CHECK-NEXT:      scf.if %[[LEADS]] {
// CHECK-NEXT:        %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK-NEXT:        scf.if %[[ELECTED]] {
// CHECK:               mbarrier.arrive.expect_tx
// CHECK:         } else {
// CHECK:           nvvm.setmaxregister increase 232
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  "nv_tileas.roles"() ({
    "nv_tileas.set_registers"() {count = 40 : i64, action = "decrease"} : () -> ()
    "nv_tileas.mbarrier_arrive_expect_tx"(%full) {tx_count = 16 : i64} : (!nv_tileas.mbarrier) -> ()
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.set_registers"() {count = 232 : i64, action = "increase"} : () -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 8 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "one_thread_produces", function_type = (i32) -> (), tilec.kernel = {block_threads = 384 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

// A single role needs no branch; a cluster is declared on the kernel; grid queries read the
// flattened grid.
// CHECK-LABEL: llvm.func @a_single_role_needs_no_branch
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-NOT:     scf.if
// CHECK:         nvvm.read.ptx.sreg.ctaid.x
// CHECK:         nvvm.read.ptx.sreg.nctaid.x
// CHECK:         llvm.store
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<i32>):
  %id = "nv_tileas.cta_id"() : () -> i32
  %count = "nv_tileas.num_ctas"() : () -> i32
  %sum = arith.addi %id, %count : i32
  %v = "nv_tileas.make_memref"(%p) : (!nv_tileaa.ptr<i32>) -> !nv_tileaa.memref<memref<128xi32, strided<[1]>, 1>, 0 : i64>
  %c0 = arith.constant 0 : i32
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%sum) : (i32) -> tensor<128xi32, #nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">>
    %t = "nv_tileas.tiled_store"(%v, %x, %c0) {in_bounds = array<i1: true>, atom = #cute.copy_atom<"sm90_stg_32_i32", "stg", 1 : i64, 32 : i64, i32>} : (!nv_tileaa.memref<memref<128xi32, strided<[1]>, 1>, 0 : i64>, tensor<128xi32, #nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">>, i32) -> !nv_tileaa.mem_token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_single_role_needs_no_branch", function_type = (!nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [2, 1, 1]}} : () -> ()
