// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers loads and stores of global memory that the threads do themselves.

!v = !nv_tileaa.memref<memref<?xf32, strided<[1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<512xf32, #nv_tileas.layout<"512|reg:4*(1)|lane:32*(4)|warp:4*(128)">>
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// Accesses that stay inside the array are plain vectors.
// CHECK-LABEL: llvm.func @accesses_in_bounds_are_plain_vectors(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr<1>, %[[N:.*]]: i32, %[[I:.*]]: i32)
// CHECK-NOT:     arith.cmpi ult
// CHECK:         %[[WIDE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         %[[A:.*]] = llvm.getelementptr %[[P]][%[[WIDE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK:         llvm.load %[[A]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT:     scf.if
// CHECK:         llvm.store %{{.*}}, %[[A]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %n: i32, %i: i32):
  %v = "nv_tileas.make_memref"(%p, %n) : (!nv_tileaa.ptr<f32>, i32) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i) {in_bounds = array<i1: true>, atom = #ldg} : (!v, i32) -> (!t, !token)
    %w = "nv_tileas.tiled_store"(%v, %x, %i) {in_bounds = array<i1: true>, atom = #stg} : (!v, !t, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "accesses_in_bounds_are_plain_vectors", function_type = (!nv_tileaa.ptr<f32>, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xf32, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<4x128xf32, #nv_tileas.layout<"4x128|reg:4*(0,1)|lane:32*(0,4)|warp:4*(1,0)">>
#ldg = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, f32>
#stg = #cute.copy_atom<"sm90_stg_128_f32", "stg", 1 : i64, 128 : i64, f32>

// A load that may leave the array has a predicate, and leaves the padding in its registers outside;
// only the dims that may leave are checked. A store outside is not done.
// CHECK-LABEL: llvm.func @outside_loads_take_the_padding(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr<1>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64, %{{.*}}: i32)
// CHECK-DAG:     %[[PAD:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[ROW:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         arith.muli %[[ROW]], %[[S]]
// CHECK:         %[[A:.*]] = llvm.getelementptr %[[P]]
// CHECK:         %[[OUT:.*]] = llvm.bitcast %[[PAD]] : f32 to i32
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .pred p; setp.lt.u32 p, $9, $10; @p ld.global.v4.b32 {$0, $1, $2, $3}, [$4]; }", "=r,=r,=r,=r,l,0,1,2,3,r,r" %[[A]], %[[OUT]], %[[OUT]], %[[OUT]], %[[OUT]], %[[ROW32:.*]], %[[M]] :
// CHECK-NOT:     arith.cmpi ult, %{{.*}}, %[[N]]
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW32]], %[[M]]
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           llvm.store
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %n: i32, %s: i64, %i: i32):
  %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<f32>, i32, i32, i64) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {in_bounds = array<i1: false, true>, padding = "neg_inf", atom = #ldg} : (!v, i32, i32) -> (!t, !token)
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %i) {in_bounds = array<i1: false, true>, atom = #stg} : (!v, !t, i32, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "outside_loads_take_the_padding", function_type = (!nv_tileaa.ptr<f32>, i32, i32, i64, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<4x64xbf16, #nv_tileas.layout<"4x64|reg:2*(0,32)|lane:32*(0,1)|warp:4*(1,0)">>
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// A tile that never begins before the array is compared with what the extent leaves for a register,
// which is the same for all threads. Other coordinates may be negative: they count as large.
// CHECK-LABEL: llvm.func @coordinates_are_compared_with_what_is_left(
// CHECK-SAME:    %{{.*}}: !llvm.ptr<1>, %[[M:.*]]: i32, %[[N:.*]]: i32, %{{.*}}: i64, %{{.*}}: i32)
// CHECK-DAG:     %[[STEP:.*]] = arith.constant -32 : i32
// CHECK:         "{ .reg .pred p; setp.lt.u32 p, $3, $4; setp.lt.and.s32 p, $5, $6, p; @p ld.global.b16 $0, [$1]; }", "=h,l,0,r,r,r,r" %{{.*}}, %{{.*}}, %[[ROW:.*]], %[[M]], %[[COLUMN:.*]], %[[N]] :
// CHECK:         %[[LEFT:.*]] = arith.addi %[[N]], %[[STEP]]
// CHECK:         "{ .reg .pred p; setp.lt.u32 p, $3, $4; setp.lt.and.s32 p, $5, $6, p; @p ld.global.b16 $0, [$1]; }", "=h,l,0,r,r,r,r" %{{.*}}, %{{.*}}, %[[ROW]], %[[M]], %[[COLUMN]], %[[LEFT]] :
// CHECK:         %[[ABOVE:.*]] = arith.cmpi ult, %[[ROW]], %[[M]]
// CHECK:         %[[BESIDE:.*]] = arith.cmpi slt, %[[COLUMN]], %[[LEFT]]
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %i: i32):
  %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i, %i) {never_before = array<i1: false, true>, atom = #ldg} : (!v, i32, i32) -> (!t, !token)
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %i) {never_before = array<i1: false, true>, atom = #stg} : (!v, !t, i32, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "coordinates_are_compared_with_what_is_left", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x8xf32, strided<[8, 1]>, 1>, 0 : i64>
!s = !nv_tileas.smem<tensor<4x8xf32, #nv_tileas.shared_layout<array<i64: 4, 8>, 32 : i64>>>

// Threads copy a tile out one element each at a time, and leave out what lies outside. The thread and
// the coordinates are opaque: no address of this rare loop is computed before it.
// CHECK-LABEL: llvm.func @tiles_are_copied_out_by_elements
// CHECK:         %[[TOTAL:.*]] = arith.constant 32 : i32
// CHECK:         %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[COORD:.*]] = llvm.inline_asm has_side_effects {{.*}} "=r,0" %{{.*}} : (i32) -> i32
// CHECK:         %[[FIRST:.*]] = llvm.inline_asm has_side_effects {{.*}} "=r,0" %[[THREAD]] : (i32) -> i32
// CHECK:         scf.for %[[E:.*]] = %[[FIRST]] to %{{.*}} step %c128
// CHECK:           arith.addi %[[COORD]]
// CHECK:           arith.cmpi ult
// CHECK:           scf.if
// CHECK:             llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK:             llvm.store %{{.*}} : f32, !llvm.ptr<1>
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<f32>, %m: i32, %i: i32):
  %v = "nv_tileas.make_memref"(%p, %m) : (!nv_tileaa.ptr<f32>, i32) -> !v
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.copy_out"(%s, %v, %i, %i) : (!s, !v, i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "tiles_are_copied_out_by_elements", function_type = (!nv_tileaa.ptr<f32>, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
