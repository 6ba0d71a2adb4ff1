// RUN: not tilec opt %s --passes lower-tma-load-store-to-async 2>&1 | FileCheck %s

// The pass refuses a kernel that the planner has not seen.

// CHECK: error[T0580]: the IR does not hold what lower-tma-load-store-to-async relies on at 'nv_tileaa.func': LowerTMALoadStoreToAsync: missing or invalid KernelSpecAttr on function
"nv_tileaa.func"() ({
^bb0(%m: i32):
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "unplanned_kernels_are_refused", function_type = (i32) -> ()} : () -> ()
