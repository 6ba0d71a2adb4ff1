// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm --split-input-file | FileCheck %s

// The pass lowers loops and branches that carry tiles, and scalar code.

!t = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(128)|lane:32*(1)|warp:4*(32)">>
!token = !nv_tileaa.mem_token

// A loop carries a tile as its registers and a ring position as two integers; tokens are gone.
// CHECK-LABEL: llvm.func @loops_carry_registers
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32, i32, i32)
// CHECK:           %[[C:.*]] = arith.addf %[[A]], %[[A]]
// CHECK:           %[[D:.*]] = arith.addf %[[B]], %[[B]]
// CHECK:           scf.yield %[[C]], %[[D]], %{{.*}}, %{{.*}} : f32, f32, i32, i32
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %token = "nv_tileas.create_mem_token"() : () -> !token
  %full = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 3 : i64, offset = 0 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%full) {stages = 3 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !t
    %start = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero, %tok = %token, %p = %start) -> (!t, !token, !nv_tileas.ring_position) : i32 {
      %y = arith.addf %x, %x : !t
      %q = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
      scf.yield %y, %tok, %q : !t, !token, !nv_tileas.ring_position
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "loops_carry_registers", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!h = tensor<256xbf16, #nv_tileas.layout<"256|reg:2*(128)|lane:32*(1)|warp:4*(32)">>

// Elements of 16 bits are carried in pairs. A pair is divided where an operation needs one element;
// a pair whose elements are not used stays a pair.
// CHECK-LABEL: llvm.func @loops_carry_pairs
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (i32, i32)
// CHECK-NEXT:      %[[C0:.*]] = arith.constant 0 : i32
// CHECK-NEXT:      %[[C1:.*]] = arith.constant 1 : i32
// CHECK-NEXT:      %[[PAIR:.*]] = llvm.bitcast %[[A]] : i32 to vector<2xbf16>
// CHECK-NEXT:      %[[FIRST:.*]] = llvm.extractelement %[[PAIR]][%[[C0]] : i32] : vector<2xbf16>
// CHECK-NEXT:      %[[SECOND:.*]] = llvm.extractelement %[[PAIR]][%[[C1]] : i32] : vector<2xbf16>
// CHECK-NEXT:      arith.divf %[[FIRST]], %[[FIRST]]
// CHECK-NEXT:      arith.divf %[[SECOND]], %[[SECOND]]
// CHECK:           %[[CHANGED:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK-NEXT:      scf.yield %[[CHANGED]], %[[B]] : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !h
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (!h, !h) : i32 {
      %z = arith.divf %x, %x : !h
      scf.yield %z, %y : !h, !h
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "loops_carry_pairs", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!t = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(128)|lane:32*(1)|warp:4*(32)">>

// Branches and while loops pass registers on in the same way.
// CHECK-LABEL: llvm.func @branches_and_while_loops_carry_registers(
// CHECK-SAME:    %[[P:.*]]: i1)
// CHECK:         %[[R:.*]]:2 = scf.if %[[P]] -> (f32, f32) {
// CHECK:           scf.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK:         } else {
// CHECK:           scf.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK:         scf.while (%[[A:.*]] = %[[R]]#0, %[[B:.*]] = %[[R]]#1) : (f32, f32) -> (f32, f32) {
// CHECK:           scf.condition(%[[P]]) %[[A]], %[[B]] : f32, f32
// CHECK:         } do {
// CHECK:         ^bb0(%[[C:.*]]: f32, %[[D:.*]]: f32):
// CHECK:           arith.mulf %[[C]], %[[C]]
// CHECK:           arith.mulf %[[D]], %[[D]]
"nv_tileaa.func"() ({
^bb0(%p: i1):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !t
    %r = scf.if %p -> (!t) {
      %y = arith.addf %zero, %zero : !t
      scf.yield %y : !t
    } else {
      scf.yield %zero : !t
    }
    %w = scf.while (%x = %r) : (!t) -> !t {
      scf.condition(%p) %x : !t
    } do {
    ^bb0(%y: !t):
      %z = arith.mulf %y, %y : !t
      scf.yield %z : !t
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "branches_and_while_loops_carry_registers", function_type = (i1) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!t = tensor<256xf32, #nv_tileas.layout<"256|reg:2*(128)|lane:32*(1)|warp:4*(32)">>

// A branch on whether a loop runs is marked as likely, so that LLVM moves the other case away.
// CHECK-LABEL: llvm.func @loops_are_expected_to_run(
// CHECK-SAME:    %[[N:.*]]: i32)
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK:         %[[EXPECTED:.*]] = llvm.intr.expect %[[RUNS]], %{{.*}} : i1
// CHECK:         scf.if %[[EXPECTED]] -> (f32, f32) {
// CHECK:         %[[LESS:.*]] = arith.cmpi slt, %[[N]], %{{.*}}
// CHECK-NEXT:    scf.if %[[LESS]] -> (f32, f32) {
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zero = arith.constant dense<0.0> : !t
    %runs = arith.cmpi slt, %c0, %n : i32
    %r = scf.if %runs -> (!t) {
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%x = %zero) -> (!t) : i32 {
        %y = arith.addf %x, %x : !t
        scf.yield %y : !t
      }
      scf.yield %l : !t
    } else {
      scf.yield %zero : !t
    }
    %less = arith.cmpi slt, %n, %c1 : i32
    %s = scf.if %less -> (!t) {
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%x = %r) -> (!t) : i32 {
        %y = arith.addf %x, %x : !t
        scf.yield %y : !t
      }
      scf.yield %l : !t
    } else {
      scf.yield %r : !t
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "loops_are_expected_to_run", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!t = tensor<1x256xbf16, #nv_tileas.layout<"1x256|reg:2*(0,1)|lane:32*(0,2)|warp:4*(0,64)">>
!f = tensor<1x128xf32, #nv_tileas.layout<"1x128|lane:32*(0,1)|warp:4*(0,32)">>

// A value that optimizers must not see through passes through empty inline assembly, one word of two
// elements at a time. Arithmetic on it stays in its loop.
// CHECK-LABEL: llvm.func @opaque_tiles
// CHECK:         scf.for
// CHECK:           llvm.inline_asm has_side_effects {{.*}}"", "=r,0" %{{.*}} : (i32) -> i32
// CHECK:           llvm.inline_asm has_side_effects {{.*}}"", "=f,0" %{{.*}} : (f32) -> f32
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<0.0> : !t
    %y = arith.constant dense<0.0> : !f
    scf.for %k = %c0 to %n step %c1 : i32 {
      %v = "nv_tileas.opaque"(%x) : (!t) -> !t
      %w = "nv_tileas.opaque"(%y) : (!f) -> !f
    }
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "opaque_tiles", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
