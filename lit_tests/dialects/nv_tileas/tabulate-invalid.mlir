// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Rules of `tabulate`; the name of a kernel says the rule.

"nv_tileaa.func"() ({
^bb0(%t: !nv_tileaa.ptr<i64>, %n: i32):
  // expected-error@+1 {{'nv_tileas.tabulate' op expects i32 -> i64, but got i32 -> ['i32']}}
  %x = "nv_tileas.tabulate"(%t, %n, %n, %n) ({
  ^bb0(%i: i32):
    "nv_tileas.yield_values"(%i) : (i32) -> ()
  }) : (!nv_tileaa.ptr<i64>, i32, i32, i32) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "yields_a_word", function_type = (!nv_tileaa.ptr<i64>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%t: !nv_tileaa.ptr<i64>, %n: i32):
  // expected-error@+1 {{expects its region to end with 'nv_tileas.yield_values'}}
  %x = "nv_tileas.tabulate"(%t, %n, %n, %n) ({
  ^bb0(%i: i32):
    "nv_tileas.yield"() : () -> ()
  }) : (!nv_tileaa.ptr<i64>, i32, i32, i32) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "ends_with_values", function_type = (!nv_tileaa.ptr<i64>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%t: !nv_tileaa.ptr<i64>, %n: f32):
  // expected-error@+1 {{expects an i32, but got f32}}
  %x = "nv_tileas.tabulate"(%t, %n, %n, %n) ({
  ^bb0(%i: i32):
    %w = arith.extui %i : i32 to i64
    "nv_tileas.yield_values"(%w) : (i64) -> ()
  }) : (!nv_tileaa.ptr<i64>, f32, f32, f32) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "items_are_i32", function_type = (!nv_tileaa.ptr<i64>, f32) -> ()} : () -> ()
