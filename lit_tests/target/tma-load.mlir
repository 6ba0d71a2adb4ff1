// TMA loads of rank 1 to 5 in the shared::cluster form, without address conversions.
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

// CHECK-NOT: cvta.shared
llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @k(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %a: i32, %b: i32, %c: i32, %d: i32, %e: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %address = llvm.ptrtoint %smem : !llvm.ptr<3> to i32
  %dst = llvm.inttoptr %address : i32 to !llvm.ptr<7>
  // CHECK: cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+|smem}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}{{[}]}}], [smem+65536];
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%a] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+|smem}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [smem+65536];
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%a, %b] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+|smem}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [smem+65536];
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%a, %b, %c] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+|smem}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [smem+65536];
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%a, %b, %c, %d] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{{%r[0-9]+|smem}}], [{{%rd[0-9]+}}, {{[{]}}{{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}{{[}]}}], [smem+65536];
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %bar, box[%a, %b, %c, %d, %e] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}
