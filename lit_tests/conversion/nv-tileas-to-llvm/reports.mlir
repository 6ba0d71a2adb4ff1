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
  "nv_tileas.assert"(%c, %x, %x, %x) {message = "m", nv_tileas.report = 5 : i64} : (i1, i32, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "checked", function_type = (i1, i32, !nv_tileaa.ptr<i32>) -> (), tilec.kernel = {assertions = [], block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// One thread appends a record for a scalar: the id, how many prints came before, the coordinates.
// CHECK-LABEL: llvm.func @prints
// CHECK-SAME:    %[[X:[^ :]*]]: i32, %[[OUT:[^ :]*]]: !llvm.ptr<1>)
// CHECK:         %[[COUNTER:.*]] = llvm.alloca
// CHECK:         %[[SEQUENCE:.*]] = llvm.load %[[COUNTER]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[SEQUENCE]], %c1
// CHECK:         llvm.store %[[NEXT]], %[[COUNTER]]
// CHECK:         scf.if
// CHECK:           %[[BITS:.*]] = arith.extui %[[X]] : i32 to i64
// CHECK:           %[[FIRST:.*]] = llvm.inline_asm has_side_effects {{.*}}"atom.global.add.u32 $0, [$1], $2;"{{.*}} %[[OUT]],
// CHECK:           llvm.inline_asm has_side_effects {{.*}}"{
// CHECK-SAME:        setp.ge.u32 p, $1, 131072;\0A@p bra DONE;
// CHECK-SAME:        st.global.v4.u32 [at+32], {$2, $3, $4, $5};
// CHECK-SAME:        st.global.v4.u32 [at+48], {$6, $7, low, high};
// CHECK-SAME:        %[[OUT]], %[[FIRST]], %c3{{[^,]*}}, %[[SEQUENCE]], %[[X]], %[[X]], %[[X]], %c0{{[^,]*}}, %[[BITS]]
"nv_tileaa.func"() ({
^bb0(%x: i32, %buffer: !nv_tileaa.ptr<i32>):
  "nv_tileas.print"(%x, %x, %x, %x) {template = "{0}", dtype = "i32", starts = 1 : i64, nv_tileas.report = 3 : i64} : (i32, i32, i32, i32) -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "prints", function_type = (i32, !nv_tileaa.ptr<i32>) -> (), tilec.kernel = {prints = [], block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
