// RUN: not tilec opt %s --passes convert-nv-tileas-to-llvm 2>&1 | FileCheck %s

// The pass reports operations that it has no rule for.

// CHECK: error[T0580]: the IR does not hold what convert-nv-tileas-to-llvm relies on at 'nv_tileas.receive': 'nv_tileas.receive' has no lowering to LLVM
"nv_tileaa.func"() ({
^bb0(%n: i32):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %y = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>} : () -> tensor<64x64xf32>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "operations_without_a_rule_are_named", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
