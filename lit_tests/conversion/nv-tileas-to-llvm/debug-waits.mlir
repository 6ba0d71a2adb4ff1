// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers the waits of a debug build to polling loops with a time limit.

// A wait of a debug build polls. After the limit one thread claims the record, the last parameter, and
// writes wait, CTA, thread, parity, slot and iteration. The phase counts rounds: its lowest bit is
// the parity, and slot + stages * rounds the iteration. All lanes of a warp give up together.
// CHECK-LABEL: llvm.func @waits_have_a_limit
// CHECK-SAME:    %[[BUFFER:[^ :]*]]: !llvm.ptr<1>)
// CHECK:         %[[ASTRAY:.*]] = llvm.alloca %{{.*}} x i32 : (i32) -> !llvm.ptr
// CHECK:         llvm.store %c0{{.*}}, %[[ASTRAY]]
// CHECK:         scf.for {{.*}} iter_args(%[[SLOT:.*]] = %c0{{.*}}, %[[ROUND:.*]] = %c0{{.*}}) -> (i32, i32)
// CHECK:           %[[OTHER:.*]] = arith.xori %[[ROUND]], %c1
// CHECK:           %[[DONE:.*]] = arith.muli %[[ROUND]], %c3
// CHECK:           %[[ITERATION:.*]] = arith.addi %[[DONE]], %[[SLOT]]
// CHECK:           %[[PARITY:.*]] = arith.andi %[[OTHER]], %c1
// CHECK:           %[[BEFORE:.*]] = llvm.load %[[ASTRAY]]
// CHECK:           %[[AFTER:.*]] = llvm.inline_asm has_side_effects {{.*}}"{
// CHECK-SAME:        setp.ne.b32 p, $3, 0;\0A@p bra DONE;
// CHECK-SAME:        POLL:\0Ambarrier.test_wait.parity.shared::cta.b64 p, [$1], $2;\0A@p bra DONE;
// CHECK-SAME:        setp.lt.u64 p, now, 1048576;\0A@p bra SLEEP;
// CHECK-SAME:        ld.volatile.global.u32 word, [$4];\0Asetp.ne.u32 p, word, 0;\0A@p bra GIVE_UP;
// CHECK-SAME:        setp.lt.u64 p, now, 3000000;\0A@p bra SLEEP;
// CHECK-SAME:        atom.global.cas.b32 word, [$4], 0, 1;
// CHECK-SAME:        mov.b32 value, 7;\0Ast.volatile.global.u32 [$4+4], value;
// CHECK-SAME:        %ctaid.x;\0Ast.volatile.global.u32 [$4+8], value;
// CHECK-SAME:        %tid.x;\0Ast.volatile.global.u32 [$4+12], value;
// CHECK-SAME:        $2;\0Ast.volatile.global.u32 [$4+16], value;
// CHECK-SAME:        $5;\0Ast.volatile.global.u32 [$4+20], value;
// CHECK-SAME:        $6;\0Ast.volatile.global.u32 [$4+24], value;
// CHECK-SAME:        fence.acq_rel.sys;
// CHECK-SAME:        GIVE_UP:\0Amov.b32 $0, 1;
// CHECK-SAME:        SLEEP:\0Ananosleep.u32 64;\0Abra POLL;
// CHECK-SAME:        DONE:\0Asetp.ne.b32 p, $0, 0;\0Avote.sync.any.pred p, p, 0xffffffff;
// CHECK-SAME:        "=&r,r,r,r,l,r,r,~{memory}" %{{.*}}, %[[PARITY]], %[[BEFORE]], %[[BUFFER]], %[[SLOT]], %[[ITERATION]]
// CHECK:           llvm.store %[[AFTER]], %[[ASTRAY]]
// CHECK:           llvm.inline_asm {{.*}}mbarrier.test_wait
// CHECK-SAME:        mov.b32 value, 8;
// A thread that has given up arrives no more.
// CHECK:           %[[STATE:.*]] = llvm.load %[[ASTRAY]]
// CHECK:           %[[HERE:.*]] = arith.cmpi eq, %[[STATE]], %c0
// CHECK:           scf.if %[[HERE]] {
// CHECK-NEXT:        nvvm.bar.warp.sync
// CHECK:             mbarrier.arrive.shared
// CHECK:           }
// CHECK:           %[[NEXT:.*]] = arith.addi %[[ROUND]], %c1
// CHECK:           arith.select %{{.*}}, %[[NEXT]], %[[ROUND]]
"nv_tileaa.func"() ({
^bb0(%n: i32, %buffer: !nv_tileaa.ptr<i32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 3 : i64, offset = 24 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 3 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_acquire"(%ring, %p) {nv_tileas.debug_wait = 7 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.ring_wait"(%ring, %p) {nv_tileas.debug_wait = 8 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      "nv_tileas.ring_release"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "waits_have_a_limit", function_type = (i32, !nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1], debug_waits = {limit = 3000000 : i64}}} : () -> ()

// -----

// The producer is one thread, so there is no vote; after it has given up, it announces and copies nothing.
// Advancing by whole rounds counts all of them.
// CHECK-LABEL: llvm.func @the_producer_is_one_thread
// CHECK:         scf.for {{.*}} iter_args(%[[ROUND:.*]] = %c0{{.*}}) -> (i32)
// CHECK:           llvm.inline_asm {{.*}}mbarrier.test_wait
// CHECK-NOT:         vote
// CHECK-SAME:        setp.lt.u64 p, now, 500;{{.*}}setp.lt.u64 p, now, 500;
// CHECK:           scf.if
// CHECK-NEXT:        llvm.inline_asm {{.*}}mbarrier.arrive.expect_tx
// CHECK:           scf.if
// CHECK:             nvvm.cp.async.bulk.tensor
// CHECK:           %[[NEXT:.*]] = arith.addi %[[ROUND]], %c2
// CHECK:           scf.yield %[[NEXT]]
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
"nv_tileaa.func"() ({
^bb0(%n: i32, %d: !desc, %buffer: !nv_tileaa.ptr<i32>):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slot = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !slot
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64, offset = 16384 : i64} : () -> !nv_tileas.mbarrier
  %empty = "nv_tileas.alloc_mbarrier"() {count = 4 : i64, slots = 3 : i64, offset = 16408 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full, %empty) {stages = 3 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%p = %start) -> (!nv_tileas.ring_position) : i32 {
      "nv_tileas.ring_acquire"(%ring, %p) {nv_tileas.debug_wait = 0 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> ()
      %b = "nv_tileas.ring_barrier"(%ring, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.mbarrier
      "nv_tileas.mbarrier_arrive_expect_tx"(%b) {tx_count = 16384 : i64} : (!nv_tileas.mbarrier) -> ()
      "nv_tileas.async_tiled_tma_load"(%d, %slot, %c0, %k, %b) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32, !nv_tileas.mbarrier) -> ()
      %next = "nv_tileas.ring_advance"(%ring, %p) {count = 6 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %next : !nv_tileas.ring_position
    }
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "the_producer_is_one_thread", function_type = (i32, !desc, !nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1], debug_waits = {limit = 500 : i64}}} : () -> ()

// -----

// One thread waits for partial sums, no longer than the limit. If it gives up, its warp gives up, too,
// and still counts its own partial sum.
// CHECK-LABEL: llvm.func @waits_for_partial_sums_have_a_limit
// CHECK:         llvm.inline_asm has_side_effects {{.*}}@p bra DONE;{{.*}}setp.eq.b32 p, $7, 0;{{.*}}ld.acquire.gpu.global.b32 seen, [$1];{{.*}}setp.lt.u64 p, now, 500;{{.*}}mov.b32 value, seen;{{.*}}vote.sync.any{{.*}}"=&r,l,r,r,l,r,r,r,~{memory}"
// CHECK-NOT:     scf.if
// CHECK:         llvm.inline_asm has_side_effects {{.*}}red.release.gpu
"nv_tileaa.func"() ({
^bb0(%c: !nv_tileaa.ptr<i32>, %n: i32, %buffer: !nv_tileaa.ptr<i32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.await_partials"(%c, %n, %n) {nv_tileas.debug_wait = 0 : i64} : (!nv_tileaa.ptr<i32>, i32, i32) -> ()
    "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
    "nv_tileas.arrive_partial"(%c, %n) : (!nv_tileaa.ptr<i32>, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "waits_for_partial_sums_have_a_limit", function_type = (!nv_tileaa.ptr<i32>, i32, !nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1], debug_waits = {limit = 500 : i64}}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<4x32xf32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!t = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>
!tall = tensor<8x32xf32, #nv_tileas.layout<"8x32|reg:2*(4,0)|lane:32*(0,1)|warp:4*(1,0)">>

// A thread whose index names no slice claims the record, writes axis, index and number of slices, and
// goes on with one that does.
// CHECK-LABEL: llvm.func @indices_are_checked
// CHECK-SAME:    %[[I:[^ :]*]]: i32, %[[BUFFER:[^ :]*]]: !llvm.ptr<1>)
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"{
// CHECK-SAME:      setp.lt.u32 p, $1, $2;\0A@p bra DONE;
// CHECK-SAME:      atom.global.cas.b32 word, [$0], 0, 1;\0Asetp.ne.u32 p, word, 0;\0A@p bra DONE;
// CHECK-SAME:      mov.b32 value, 3;\0Ast.volatile.global.u32 [$0+4], value;
// CHECK-SAME:      mov.b32 value, 0;\0Ast.volatile.global.u32 [$0+16], value;
// CHECK-SAME:      mov.b32 value, $1;\0Ast.volatile.global.u32 [$0+20], value;
// CHECK-SAME:      mov.b32 value, $2;\0Ast.volatile.global.u32 [$0+24], value;
// CHECK-SAME:      "l,r,r,~{memory}" %[[BUFFER]], %[[I]], %c2
// CHECK:         arith.minui %[[I]], %c1
"nv_tileaa.func"() ({
^bb0(%i: i32, %buffer: !nv_tileaa.ptr<i32>):
  %c0 = arith.constant 0 : i32
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %y = "nv_tileas.cat"(%x, %x) {dim = 0 : i64, offset = 1024 : i64, id = 0 : i64} : (!t, !t) -> !tall
    %z = "nv_tileas.extract"(%y, %i, %c0) {nv_tileas.debug_wait = 3 : i64, offset = 1024 : i64, id = 0 : i64} : (!tall, i32, i32) -> !t
    "nv_tileas.store_shared"(%z, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "indices_are_checked", function_type = (i32, !nv_tileaa.ptr<i32>) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1], debug_waits = {limit = 3000000 : i64}}} : () -> ()
