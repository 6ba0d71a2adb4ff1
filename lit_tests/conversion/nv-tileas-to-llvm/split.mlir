// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

!f32 = !nv_tileaa.ptr<f32>
!i32 = !nv_tileaa.ptr<i32>
!acc = tensor<64x8xf32, #nv_tileas.layout<"64x8|reg:2*(0,1),2*(8,0)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>

// One thread polls the counter and acquires; the role's barrier extends that to the other threads, each
// of which then adds the 16 bytes that the same thread of the split before has left.
// CHECK-LABEL: llvm.func @a_split_takes_its_turn
// CHECK-SAME:    (%[[PARTIALS:.*]]: !llvm.ptr<1>, %[[COUNTERS:.*]]: !llvm.ptr<1>, %[[TILE:.*]]: i32, %[[SPLIT:.*]]: i32)
// CHECK:         %[[COUNTER:.*]] = llvm.getelementptr %[[COUNTERS]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}ld.acquire.gpu.global.b32 seen, [$0];{{.*}}nanosleep{{.*}}"l,r,r,~{memory}" %[[COUNTER]], %[[SPLIT]], %{{.*}}
// CHECK:         nvvm.barrier
// CHECK:         %[[OWN:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK:         llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:         nvvm.barrier
// CHECK:         llvm.inline_asm has_side_effects {{.*}}red.release.gpu.global.add.u32 [$0], 1;{{.*}}%[[COUNTER]]
"nv_tileaa.func"() ({
^bb0(%p: !f32, %c: !i32, %tile: i32, %split: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zeros = arith.constant dense<0.000000e+00> : !acc
    "nv_tileas.await_turn"(%c, %tile, %split) : (!i32, i32, i32) -> ()
    "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
    %sum = "nv_tileas.add_partial"(%zeros, %p, %tile) : (!acc, !f32, i32) -> !acc
    "nv_tileas.store_partial"(%sum, %p, %tile) : (!acc, !f32, i32) -> ()
    "nv_tileas.barrier"() {id = 1 : i64} : () -> ()
    "nv_tileas.pass_turn"(%c, %tile) : (!i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "a_split_takes_its_turn", function_type = (!f32, !i32, i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!i32 = !nv_tileaa.ptr<i32>

// One thread sets the counter back; the next launch is ordered behind this one as a whole.
// CHECK-LABEL: llvm.func @the_last_split_resets_the_counter
// CHECK:         llvm.inline_asm has_side_effects {{.*}}@p st.relaxed.gpu.global.u32 [$0], 0;
"nv_tileaa.func"() ({
^bb0(%c: !i32, %tile: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    "nv_tileas.reset_turn"(%c, %tile) : (!i32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "the_last_split_resets_the_counter", function_type = (!i32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()

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
^bb0(%p: !f32, %tile: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %zeros = arith.constant dense<0.000000e+00> : !acc
    "nv_tileas.store_partial"(%zeros, %p, %tile) : (!acc, !f32, i32) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 4 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "threads_are_innermost", function_type = (!f32, i32) -> (), tilec.kernel = {block_threads = 256 : i64, cluster = [1, 1, 1]}} : () -> ()
