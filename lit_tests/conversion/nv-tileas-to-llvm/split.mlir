// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers partial sums of split tiles, and the counters that order them.

!f32 = !nv_tileaa.ptr<f32>
!i32 = !nv_tileaa.ptr<i32>
!acc = tensor<64x8xf32, #nv_tileas.layout<"64x8|reg:2*(0,1),2*(8,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// Each thread stores its 16 bytes after those of earlier splits and earlier tiles; one thread counts,
// after the barrier of the role.
// CHECK-LABEL: llvm.func @a_split_leaves_its_partial_sum
// CHECK-SAME:    (%[[PARTIALS:.*]]: !llvm.ptr<1>, %[[COUNTERS:.*]]: !llvm.ptr<1>, %[[TILE:.*]]: i32, %[[SPLIT:.*]]: i32)
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 2048 : i64
// CHECK-DAG:     %[[COUNT:.*]] = arith.constant 3 : i64
// CHECK:         %[[T:.*]] = arith.extui %[[TILE]] : i32 to i64
// CHECK:         %[[S:.*]] = arith.extui %[[SPLIT]] : i32 to i64
// CHECK:         %[[BEFORE:.*]] = arith.muli %[[T]], %[[COUNT]] : i64
// CHECK:         %[[NUMBER:.*]] = arith.addi %[[BEFORE]], %[[S]] : i64
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[NUMBER]], %[[BYTES]] : i64
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[PARTIALS]][%[[OFFSET]]]
// CHECK:         %[[OWN:.*]] = llvm.getelementptr %[[PLACE]][%{{.*}}]
// CHECK:         llvm.store %{{.*}}, %[[OWN]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:         nvvm.barrier
// CHECK:         %[[COUNTER:.*]] = llvm.getelementptr %[[COUNTERS]][%[[T]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}@p red.release.gpu.global.add.u32 [$0], 1;{{.*}}%[[COUNTER]]
"nv_tileaa.func"() ({
^bb0(%p: !f32, %c: !i32, %tile: i32, %split: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zeros = arith.constant dense<0.000000e+00> : !acc
    "nv_tileas.store_partial"(%zeros, %p, %tile, %split) {count = 3 : i64} : (!acc, !f32, i32, i32) -> ()
    "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
    "nv_tileas.arrive_partial"(%c, %tile) : (!i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_split_leaves_its_partial_sum", function_type = (!f32, !i32, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!f32 = !nv_tileaa.ptr<f32>
!i32 = !nv_tileaa.ptr<i32>
!acc = tensor<64x8xf32, #nv_tileas.layout<"64x8|reg:2*(0,1),2*(8,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// One thread polls the counter and acquires; the role's barrier extends that to the other threads. Then
// each thread adds, in a loop, the 16 bytes that the same thread of every other split has stored. One
// thread resets the counter; the next launch is ordered after this one as a whole.
// CHECK-LABEL: llvm.func @the_last_split_adds_them_up
// CHECK-SAME:    (%[[PARTIALS:.*]]: !llvm.ptr<1>, %[[COUNTERS:.*]]: !llvm.ptr<1>, %[[TILE:.*]]: i32)
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : i32
// CHECK:         %[[COUNTER:.*]] = llvm.getelementptr %[[COUNTERS]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}ld.acquire.gpu.global.b32 seen, [$0];{{.*}}nanosleep{{.*}}"l,r,r,~{memory}" %[[COUNTER]], %[[THREE]], %{{.*}}
// CHECK:         nvvm.barrier
// CHECK:         scf.for %[[SPLIT:.*]] = %{{.*}} to %[[THREE]] step %{{.*}} iter_args(
// CHECK:           %[[S:.*]] = arith.extui %[[SPLIT]] : i32 to i64
// CHECK:           %[[NUMBER:.*]] = arith.addi %{{.*}}, %[[S]] : i64
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[NUMBER]], %{{.*}} : i64
// CHECK:           llvm.getelementptr %[[PARTIALS]][%[[OFFSET]]]
// CHECK:           llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4:   arith.addf
// CHECK:           scf.yield
// CHECK:         llvm.inline_asm has_side_effects {{.*}}@p st.relaxed.gpu.global.u32 [$0], 0;{{.*}}%[[COUNTER]]
"nv_tileaa.func"() ({
^bb0(%p: !f32, %c: !i32, %tile: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zeros = arith.constant dense<0.000000e+00> : !acc
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    "nv_tileas.await_partials"(%c, %tile, %c3) : (!i32, i32, i32) -> ()
    "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
    %total = scf.for %split = %c0 to %c3 step %c1 iter_args(%acc = %zeros) -> (!acc) : i32 {
      %sum = "nv_tileas.add_partial"(%acc, %p, %tile, %split) {count = 3 : i64} : (!acc, !f32, i32, i32) -> !acc
      scf.yield %sum : !acc
    }
    "nv_tileas.store_partial"(%total, %p, %tile, %c0) {count = 3 : i64} : (!acc, !f32, i32, i32) -> ()
    "nv_tileas.reset_partials"(%c, %tile) : (!i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "the_last_split_adds_them_up", function_type = (!f32, !i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!f32 = !nv_tileaa.ptr<f32>
!acc = tensor<64x16xf32, #nv_tileas.layout<"64x16|reg:2*(0,1),2*(8,0),2*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// The vectors of a thread lie as many bytes apart as those of all threads of the role take: 128 * 16.
// CHECK-LABEL: llvm.func @threads_are_innermost
// CHECK:         %[[BYTES:.*]] = arith.constant 4096 : i64
// CHECK:         arith.muli %{{.*}}, %[[BYTES]] : i64
// CHECK:         llvm.store %{{.*}}, %[[START:.*]] {alignment = 16 : i64}
// CHECK:         %[[NEXT:.*]] = llvm.getelementptr %[[START]][2048]
// CHECK:         llvm.store %{{.*}}, %[[NEXT]] {alignment = 16 : i64}
"nv_tileaa.func"() ({
^bb0(%p: !f32, %tile: i32, %split: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zeros = arith.constant dense<0.000000e+00> : !acc
    "nv_tileas.store_partial"(%zeros, %p, %tile, %split) {count = 3 : i64} : (!acc, !f32, i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "threads_are_innermost", function_type = (!f32, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()
