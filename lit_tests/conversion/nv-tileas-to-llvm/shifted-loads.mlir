// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// Runs of eight 16-bit elements that begin anywhere come from two aligned vectors.

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<4x256xbf16, #nv_tileas.layout<"4x256|reg:8*(0,1)|lane:32*(0,8)|warp:4*(1,0)">>
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// The second vector is the first one again where the run ends in that; what lies beyond the row is
// masked.
// CHECK-LABEL: llvm.func @a_run_is_shifted(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: !llvm.ptr<1>, %{{[a-z0-9]+}}: i32, %[[N:[a-z0-9]+]]: i32,
// CHECK:         %[[LEFT:.*]] = arith.subi %[[N]], %{{.*}} : i32
// CHECK:         %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c8_i32
// CHECK:         %[[FOUND:.*]] = arith.cmpi sgt, %[[COUNT]], %c0_i32
// CHECK:         %[[OFFSET:.*]] = arith.select %[[FOUND]], %{{.*}}, %c0_i64
// CHECK:         %[[A:.*]] = llvm.getelementptr %[[P]][%[[OFFSET]]]
// CHECK:         %[[N16:.*]] = llvm.ptrtoint %[[A]]
// CHECK:         %[[LOW32:.*]] = arith.trunci %[[N16]]
// CHECK:         %[[SHIFT:.*]] = arith.andi %[[LOW32]], %c15_i32
// CHECK:         %[[CROSSES:.*]] = arith.cmpi ugt, %{{.*}}, %c16_i32
// CHECK:         %[[BACK:.*]] = arith.subi %c0_i32, %[[SHIFT]]
// CHECK:         %[[LOW:.*]] = llvm.getelementptr %[[A]][%[[BACK]]]
// CHECK:         %[[STEP:.*]] = arith.select %[[CROSSES]], %c16_i32, %c0_i32
// CHECK:         %[[HIGH:.*]] = llvm.getelementptr %[[LOW]][%[[STEP]]]
// CHECK:         llvm.load %[[LOW]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:         llvm.load %[[HIGH]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-4: shf.r.wrap.b32
// CHECK-COUNT-4: llvm.bitcast %{{.*}} : i32 to vector<2xbf16>
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32):
  %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i, %j) {in_bounds = array<i1: true, false>, never_before = array<i1: true, true>, atom = #ldg} : (!v, i32, i32) -> (!t, !token)
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j) {in_bounds = array<i1: true, true>, atom = #stg} : (!v, !t, i32, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_run_is_shifted", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<4x256xbf16, #nv_tileas.layout<"4x256|reg:8*(0,1)|lane:32*(0,8)|warp:4*(1,0)">>
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// A tile that may begin before its row is loaded element by element.
// CHECK-LABEL: llvm.func @before_the_row(
// CHECK-NOT:     shf.r
// CHECK-COUNT-8: @p ld.global.b16 $0, [$1];
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32):
  %v = "nv_tileas.make_memref"(%p, %m, %n, %s) : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i, %j) {in_bounds = array<i1: true, false>, atom = #ldg} : (!v, i32, i32) -> (!t, !token)
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j) {in_bounds = array<i1: true, true>, atom = #stg} : (!v, !t, i32, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "before_the_row", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!v = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
!token = !nv_tileaa.mem_token
!t = tensor<4x256xbf16, #nv_tileas.layout<"4x256|reg:8*(0,1)|lane:32*(0,8)|warp:4*(1,0)">>
#ldg = #cute.copy_atom<"sm90_ldg_16_bf16", "ldg", 1 : i64, 16 : i64, bf16>
#stg = #cute.copy_atom<"sm90_stg_16_bf16", "stg", 1 : i64, 16 : i64, bf16>

// A run that begins at a multiple of 16 bytes is one vector; what lies beyond the row is masked.
// CHECK-LABEL: llvm.func @an_aligned_run(
// CHECK-NOT:     shf.r
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT:     llvm.load
// CHECK-COUNT-4: llvm.bitcast %{{.*}} : i32 to vector<2xbf16>
"nv_tileaa.func"() ({
^bb0(%p: !nv_tileaa.ptr<bf16>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32):
  %v = "nv_tileas.make_memref"(%p, %m, %n, %s) {base_div_by = 16 : i64, size_div_by = array<i64: 1, 1>, stride_div_by = array<i64: 16, 2>} : (!nv_tileaa.ptr<bf16>, i32, i32, i64) -> !v
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x, %u = "nv_tileas.tiled_load"(%v, %i, %j) {coord_div_by = array<i64: 1, 256>, in_bounds = array<i1: true, false>, never_before = array<i1: true, true>, atom = #ldg} : (!v, i32, i32) -> (!t, !token)
    %w = "nv_tileas.tiled_store"(%v, %x, %i, %j) {in_bounds = array<i1: true, true>, atom = #stg} : (!v, !t, i32, i32) -> !token
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "an_aligned_run", function_type = (!nv_tileaa.ptr<bf16>, i32, i32, i64, i32, i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
