// One lane of a warp, named barriers, register reallocation, shuffles.
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

llvm.func @k(%out: !llvm.ptr<1>, %a: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32, tilec.kernel = {name = "k"}} {
  // CHECK-DAG: elect.sync {{%r[0-9]+}}|{{%p[0-9]+}}, -1;
  %leader = nvvm.elect.sync -> i1
  %id = llvm.mlir.constant(1 : i32) : i32
  %threads = llvm.mlir.constant(128 : i32) : i32
  %all = llvm.mlir.constant(-1 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %clamp = llvm.mlir.constant(31 : i32) : i32
  // CHECK: setmaxnreg.dec.sync.aligned.u32 40;
  nvvm.setmaxregister decrease 40
  // CHECK: bar.sync 0;
  nvvm.barrier
  // CHECK: bar.sync 1, 128;
  nvvm.barrier id = %id number_of_threads = %threads
  // CHECK: bar.arrive 1, 128;
  nvvm.barrier.arrive id = %id number_of_threads = %threads
  // CHECK: bar.warp.sync -1;
  nvvm.bar.warp.sync %all : i32
  // CHECK: shfl.sync.idx.b32 {{%r[0-9]+}}, {{%r[0-9]+}}, 0, 31, -1;
  %uniform = nvvm.shfl.sync idx %all, %a, %zero, %clamp : i32 -> i32
  %value = llvm.select %leader, %uniform, %a : i1, i32
  llvm.store %value, %out : i32, !llvm.ptr<1>
  llvm.return
}
