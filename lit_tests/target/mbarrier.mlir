// The mbarrier protocol of a ring: init, arrive with bytes, wait for a parity, arrive.
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @k(%phase: i32, %rank: i32, %first: i1)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %one = llvm.mlir.constant(1 : i32) : i32
  %bytes = llvm.mlir.constant(32768 : i32) : i32
  %ticks = llvm.mlir.constant(10000000 : i32) : i32
  // CHECK: mbarrier.init.shared.b64 [smem+65536], {{%r[0-9]+}};
  nvvm.mbarrier.init %bar, %one : !llvm.ptr<3>, i32
  // CHECK: fence.mbarrier_init.release.cluster;
  nvvm.fence.mbarrier.init
  // CHECK: fence.proxy.async.shared::cta;
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK: @{{%p[0-9]+}} mbarrier.arrive.expect_tx.shared.b64 _, [{{%r[0-9]+}}], 32768;
  nvvm.mbarrier.arrive.expect_tx %bar, %bytes, predicate = %first : !llvm.ptr<3>, i32, i1
  // CHECK: mbarrier.arrive.expect_tx.shared.b64 {{%rd[0-9]+}}, [smem+65536], {{%r[0-9]+}};
  nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
  // CHECK: mbarrier.try_wait.parity.shared.b64 P1, [{{%r[0-9]+}}], {{%r[0-9]+}}, 10000000;
  nvvm.mbarrier.try_wait.parity %bar, %phase, %ticks : !llvm.ptr<3>, i32, i32
  // CHECK: mbarrier.arrive.shared.b64 {{%rd[0-9]+}}, [smem+65536];
  nvvm.mbarrier.arrive %bar : !llvm.ptr<3>
  // CHECK: mapa.shared::cluster.u32
  %remote = nvvm.mapa %bar, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: mbarrier.arrive.shared::cluster.b64 _,
  nvvm.mbarrier.arrive %remote : !llvm.ptr<7>
  llvm.return
}
