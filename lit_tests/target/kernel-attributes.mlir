// Launch bounds, cluster shape and descriptor parameters become PTX directives.
// RUN: tilec compile %s --start-from llvm --emit ptx | FileCheck %s

// CHECK: .version 8.0
// CHECK-NEXT: .target sm_90a
// CHECK-NEXT: .address_size 64
// CHECK: .extern .shared .align 1024 .b8 smem[];
// CHECK: .visible .entry k(
// CHECK-NEXT: .param .align 64 .b8 k_param_0[128],
// CHECK-NEXT: .param .u64 .ptr .global .align 1 k_param_1,
// CHECK-NEXT: .param .u32 k_param_2
// CHECK: .reqntid 384, 1, 1
// CHECK-NEXT: .minnctapersm 1
// CHECK: .reqnctapercluster 2, 1, 1
llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @k(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %out: !llvm.ptr<1>, %a: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32,
      nvvm.cluster_dim = array<i32: 2, 1, 1>, tilec.kernel = {name = "k"}} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %bar = llvm.getelementptr %smem[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  llvm.store %a, %smem : i32, !llvm.ptr<3>
  llvm.return
}
