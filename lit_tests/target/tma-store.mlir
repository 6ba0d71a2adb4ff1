// TMA stores of rank 1 to 5 and their bulk groups.
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @k(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %a: i32, %b: i32, %c: i32, %d: i32, %e: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{.*}}], [smem];
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %smem, box[%a] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{.*}}], [smem];
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %smem, box[%a, %b] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{.*}}], [smem];
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %smem, box[%a, %b, %c] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{.*}}], [smem];
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %smem, box[%a, %b, %c, %d] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [{{%rd[0-9]+}}, {{.*}}], [smem];
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %smem, box[%a, %b, %c, %d, %e] : !llvm.ptr, !llvm.ptr<3>
  // CHECK: cp.async.bulk.commit_group;
  nvvm.cp.async.bulk.commit.group
  // CHECK: cp.async.bulk.wait_group.read {{1}};
  nvvm.cp.async.bulk.wait_group 1 {read}
  // CHECK: cp.async.bulk.wait_group 0;
  nvvm.cp.async.bulk.wait_group 0
  llvm.return
}
