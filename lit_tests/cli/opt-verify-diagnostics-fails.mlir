// RUN: not tilec opt %s --split-input-file --verify-diagnostics 2>&1 | FileCheck %s

// `--verify-diagnostics` fails when a diagnostic is missing, unexpected or different.

// CHECK: fails.mlir: line 8: expected error was not reported: nothing is wrong
// CHECK: fails.mlir: line 15: unexpected error: use of undeclared SSA value name
func.func @not_reported() {
  // expected-error@+1 {{nothing is wrong}}
  return
}

// -----

func.func @not_expected() -> i32 {
  return %missing : i32
}
