// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!i = tensor<256xi32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>
!x = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>

// An element outside is not read: the access has a predicate, and the register is padded before.
// CHECK-LABEL: llvm.func @a_gather_is_a_load_for_each_register(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr<1>, %[[N:.*]]: i32)
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[I:.*]] : i32 to i64
// CHECK-NEXT:    %[[A:.*]] = llvm.getelementptr %[[P]][%[[WIDE]]]
// CHECK:         setp.lt.u32 p, $3, $4; @p ld.global.b32 $0, [$1]; {{.*}} %[[A]], %{{.*}}, %[[I]], %[[N]]
// CHECK:         setp.lt.u32 p, $3, $4; @p ld.global.b32 $0, [$1];
// CHECK-NOT:     ld.global
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32):
  %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %at = "nv_tileas.make_range"() {start = 3 : i64} : () -> !i
    %pad = arith.constant dense<1.0> : !x
    %x, %t = "nv_tileas.gather"(%v, %at, %pad) {operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>} : (!v, !i, !x) -> (!x, !token)
    %u = "nv_tileas.scatter"(%v, %x, %at) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!v, !x, !i) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_gather_is_a_load_for_each_register", function_type = (!nv_tileaa.ptr<f32>, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!i = tensor<256xi32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>
!x = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(1)|lane:32*(2)|warp:4*(64)">>

// A result that nobody uses makes reductions. One fence before them and one after them have the
// order of all of them.
// CHECK-LABEL: llvm.func @unused_results_make_reductions
// CHECK:         fence.acq_rel.gpu;
// CHECK-COUNT-2: @p red.relaxed.gpu.global.add.f32 [$0], $1;
// CHECK:         fence.acq_rel.gpu;
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32):
  %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %at = "nv_tileas.make_range"() {start = 0 : i64} : () -> !i
    %one = arith.constant dense<1.0> : !x
    %x, %t = "nv_tileas.atomic"(%v, %at, %one) {mode = "addf", mem_semantic = "acq_rel", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!v, !i, !x) -> (!x, !token)
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "unused_results_make_reductions", function_type = (!nv_tileaa.ptr<f32>, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!h = !nv_tileaa.memref<memref<?xbf16, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!i = tensor<1024xi32, #nv_tileas.layout<"1024|reg:8*(1)|lane:32*(8)|warp:4*(256)">>
!x = tensor<1024xf32, #nv_tileas.layout<"1024|reg:8*(1)|lane:32*(8)|warp:4*(256)">>
!y = tensor<1024xbf16, #nv_tileas.layout<"1024|reg:8*(1)|lane:32*(8)|warp:4*(256)">>

// Neighbouring floats are added by one instruction; where the array may end among them, one by one.
// CHECK-LABEL: llvm.func @neighbours_are_added_at_once
// CHECK-COUNT-2: red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};
// CHECK:         scf.if
// CHECK:           red.relaxed.gpu.global.add.noftz.v8.bf16 [$0], {$1, $2, $3, $4, $5, $6, $7, $8};
// CHECK-COUNT-8:   red.relaxed.gpu.global.add.noftz.bf16 [$0], $1;
// CHECK-NOT:     red.
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<bf16>, %n: i32):
  %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !v
  %w = "nv_tileas.make_memref"(%q, %n) : (!nv_tileaa.ptr<bf16>, i32) -> !h
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %at = "nv_tileas.make_range"() {start = 0 : i64} : () -> !i
    %one = arith.constant dense<1.0> : !x
    %two = arith.constant dense<2.0> : !y
    %x, %t = "nv_tileas.atomic"(%v, %at, %one) {run = 4 : i64, mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!v, !i, !x) -> (!x, !token)
    %y, %u = "nv_tileas.atomic"(%w, %at, %two) {run = 8 : i64, ragged, mode = "addf", mem_semantic = "relaxed", mem_scope = "gpu", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!h, !i, !y) -> (!y, !token)
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "neighbours_are_added_at_once", function_type = (!nv_tileaa.ptr<f32>, !nv_tileaa.ptr<bf16>, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token

// One thread changes a scalar, and passes what it was on through shared memory.
// CHECK-LABEL: llvm.func @a_scalar_is_changed_by_one_thread
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK:         %[[OLD:.*]] = llvm.inline_asm {{.*}}@p atom.acquire.sys.global.cas.b32 $0, [$1], $2, $3;
// CHECK:         scf.if %[[FIRST]] {
// CHECK-NEXT:      llvm.store %[[OLD]], %[[AREA:.*]] : i32, !llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK:         llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK:         nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %i: i32):
  %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %c0 = arith.constant 0 : i32
    %old, %t = "nv_tileas.atomic"(%v, %i, %c0, %n) {mode = "cas", mem_semantic = "acquire", mem_scope = "sys", operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, offset = 0 : i64, id = 0 : i64} : (!v, i32, i32, i32) -> (i32, !token)
    %u = "nv_tileas.scatter"(%v, %old, %i) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!v, i32, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_scalar_is_changed_by_one_thread", function_type = (!nv_tileaa.ptr<i32>, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
