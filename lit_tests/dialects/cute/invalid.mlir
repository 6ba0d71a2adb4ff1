// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Copy and matrix-multiply atoms of a wrong form are refused.

// A name instead of the rank.
// expected-error@+1 {{expected base attribute 'builtin.integer' but got 'builtin.string'}}
module attributes {cute.a = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", "1", 128 : i64, f32>} {
}

// -----

// expected-error@+1 {{expected base attribute 'builtin.type' but got 'builtin.string'}}
module attributes {cute.a = #cute.copy_atom<"sm90_ldg_128_f32", "ldg", 1 : i64, 128 : i64, "f32">} {
}

// -----

// expected-error@+1 {{expected base attribute 'builtin.string' but got 'builtin.integer'}}
module attributes {cute.a = #cute.mma_atom<64 : i64, array<i64: 64, 128, 16>>} {
}
