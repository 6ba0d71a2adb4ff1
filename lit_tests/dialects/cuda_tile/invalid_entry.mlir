// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Kernels and what only a kernel may hold.
module {
  // expected-error @below {{'cuda_tile.entry' op entry op must not return values}}
  "cuda_tile.entry"() ({
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "kernels_return_nothing", function_type = () -> i32} : () -> ()
}

// -----

module {
  // expected-error @below {{'cuda_tile.entry' op argument #1 must be a scalar or a pointer, but got '!cuda_tile.tile<4xf32>'}}
  "cuda_tile.entry"() ({
  ^bb0(%a: i32, %b: !cuda_tile.tile<4xf32>):
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "kernels_take_scalars_and_pointers", function_type = (i32, !cuda_tile.tile<4xf32>) -> ()} : () -> ()
}

// -----

module {
  // expected-error @below {{'cuda_tile.entry' op attribute 'function_type' must be a function type, but got 'i32'}}
  "cuda_tile.entry"() ({
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "the_function_type_is_a_function_type", function_type = i32} : () -> ()
}

// -----

module {
  // expected-error @below {{'cuda_tile.entry' op body has arguments (i32), but the signature has (i64)}}
  "cuda_tile.entry"() ({
  ^bb0(%a: i32):
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "the_body_has_the_arguments_of_the_signature", function_type = (i64) -> ()} : () -> ()
}

// -----

module {
  // expected-error @below {{'cuda_tile.entry' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "cuda_tile.entry"() ({

  }) {sym_name = "kernels_have_one_block", function_type = () -> ()} : () -> ()
}

// -----

module {
  "cuda_tile.entry"() ({
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = () -> ()} : () -> ()
  // expected-error @below {{redefinition of symbol named 'k'}}
  "cuda_tile.entry"() ({
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = () -> ()} : () -> ()
}

// -----

%n = "arith.constant"() {value = 4 : i32} : () -> i32
"cuda_tile.entry"() ({
  // expected-error @below {{using value defined outside the region}}
  %t = "cuda_tile.splat"(%n) : (i32) -> !cuda_tile.tile<4xi32>
  "cuda_tile.return"() : () -> ()
}) {sym_name = "values_come_from_inside_the_kernel", function_type = () -> ()} : () -> ()

// -----

module {
  "cuda_tile.entry"() ({
  ^bb0(%c: i1):
    "scf.if"(%c) ({
      // expected-error @below {{'cuda_tile.return' op expects parent op 'cuda_tile.entry'}}
      "cuda_tile.return"() : () -> ()
    }, {
    }) : (i1) -> ()
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "only_kernels_return", function_type = (i1) -> ()} : () -> ()
}

// -----

module {
  // expected-error @below {{'cuda_tile.get_tile_block_id' op expects i32 results, but got 'i64'}}
  %x, %y, %z = "cuda_tile.get_tile_block_id"() : () -> (i32, i64, i32)
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.assume' op failed to verify that all of {value, result} have same type}}
  %r = "cuda_tile.assume"(%x) {predicate = "div_by<8>"} : (i32) -> i64
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.assume' op expected the divisor of div_by to be a power of two, got 12}}
  %r = "cuda_tile.assume"(%x) {predicate = "div_by<12>"} : (i32) -> i32
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.assume' op expected predicate 'div_by<divisor>' or 'bounded<low, high>', got 'positive'}}
  %r = "cuda_tile.assume"(%x) {predicate = "positive"} : (i32) -> i32
}

// -----

module {
  %x = builtin.unrealized_conversion_cast to i32
  // expected-error @below {{'cuda_tile.assume' op expected the low bound not to be above the high bound, got 'bounded<4, 2>'}}
  %r = "cuda_tile.assume"(%x) {predicate = "bounded<4, 2>"} : (i32) -> i32
}

// -----

module {
  // expected-error @below {{unregistered operation 'cuda_tile.mmaf_scaled' found in dialect ('cuda_tile') that does not allow unknown operations}}
  "cuda_tile.mmaf_scaled"() : () -> ()
}
