// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm | FileCheck %s

!c = !nv_tileas.smem<tensor<64x16xi32, #nv_tileas.shared_layout<array<i64: 64, 16>, 0 : i64>>>
!x = tensor<64xi32, #nv_tileas.layout<"64|reg:1*(1)|lane:32*(1)|warp:2*(32),2*(0)">>
!h = tensor<64xi32, #nv_tileas.layout<"64|lane:32*(1)|warp:2*(32),2*(0)">>

// 256 vectors of zeros, two for each thread; then the threads meet.
// CHECK-LABEL: llvm.func @counts(
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK:         nvvm.barrier
// Of two warps that hold the same numbers the first counts them, in the copy of the lane.
// CHECK:         %[[COUNTED:.*]] = arith.andi
// CHECK:         llvm.inline_asm has_side_effects {{.*}}@p red.relaxed.cta.shared.add.u32 [$0], $1;
// CHECK-NOT:     red.
// CHECK:         nvvm.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-15: arith.addi
// CHECK:         nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %c = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !c
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.splat"(%n) : (i32) -> !x
    "nv_tileas.clear_counts"(%c) {id = 0 : i64} : (!c) -> ()
    "nv_tileas.count"(%x, %c) : (!x, !c) -> ()
    %h = "nv_tileas.read_counts"(%c) {id = 0 : i64} : (!c) -> !h
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "counts", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
