// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse | FileCheck %s

// A thread for which the condition does not hold claims the record, the last parameter, and writes the
// id of the assertion and the coordinates of the block. The kernel goes on.
// CHECK-LABEL: llvm.func @checked
// CHECK-SAME:    %[[CONDITION:[^ :]*]]: i1, %[[X:[^ :]*]]: i32, %[[BUFFER:[^ :]*]]: !llvm.ptr<1>)
// CHECK:         %[[HOLDS:.*]] = arith.extui %[[CONDITION]] : i1 to i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}"{
// CHECK-SAME:      setp.ne.b32 p, $1, 0;\0A@p bra DONE;
// CHECK-SAME:      atom.global.cas.b32 word, [$0], 0, 2;\0Asetp.ne.u32 p, word, 0;\0A@p bra DONE;
// CHECK-SAME:      mov.b32 value, 5;\0Ast.volatile.global.u32 [$0+4], value;
// CHECK-SAME:      st.volatile.global.u32 [$0+8], $2;\0Ast.volatile.global.u32 [$0+12], $3;\0Ast.volatile.global.u32 [$0+16], $4;
// CHECK-SAME:      fence.acq_rel.sys;\0ADONE:
// CHECK-SAME:      %[[BUFFER]], %[[HOLDS]], %[[X]], %[[X]], %[[X]]
"nv_tileaa.func"() ({
^bb0(%c: i1, %x: i32, %buffer: !nv_tileaa.ptr<i32>):
  "nv_tileas.assert"(%c, %x, %x, %x) {message = "m", nv_tileas.assertion = 5 : i64} : (i1, i32, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "checked", function_type = (i1, i32, !nv_tileaa.ptr<i32>) -> (), tilec.kernel = {assertions = [], block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
