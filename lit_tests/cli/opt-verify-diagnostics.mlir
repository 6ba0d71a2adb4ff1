// RUN: tilec opt %s --split-input-file --verify-diagnostics

// `--verify-diagnostics` compares the diagnostics of a module with the comments that expect them.

func.func @fine() {
  return
}

// -----

func.func @next_line() -> i32 {
  // expected-error@+1 {{use of undeclared SSA value name}}
  return %missing : i32
}

// -----

func.func @line_above() -> i32 {
  return %missing : i32
  // expected-error@above {{use of undeclared}}
}

// -----

func.func @regular_expression() -> i32 {
  // expected-error-re@below {{use of {{un[a-z]+}} SSA value}}
  return %missing : i32
}

// -----

func.func @same_line() -> i32 {
  return %missing : i32 // expected-error {{undeclared SSA value}}
}
