// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Rules of `order_items` and `deal_items`; the name of a kernel says the rule.

"nv_tileaa.func"() ({
^bb0(%t: !nv_tileaa.ptr<i32>, %n: i32):
  // expected-error@+1 {{'nv_tileas.order_items' op expects i32 -> i32, but got i32 -> ['i64']}}
  %x = "nv_tileas.order_items"(%t, %n) ({
  ^bb0(%i: i32):
    %w = arith.extui %i : i32 to i64
    "nv_tileas.yield_values"(%w) : (i64) -> ()
  }) : (!nv_tileaa.ptr<i32>, i32) -> !nv_tileaa.ptr<i32>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "costs_are_words", function_type = (!nv_tileaa.ptr<i32>, i32) -> ()} : () -> ()

// -----

"nv_tileaa.func"() ({
^bb0(%t: !nv_tileaa.ptr<i64>, %o: !nv_tileaa.ptr<i32>, %n: i32):
  // expected-error@+1 {{expects the table of an 'nv_tileas.order_items'}}
  %x = "nv_tileas.deal_items"(%t, %o, %n, %n, %n) {balanced = 1 : i64} : (!nv_tileaa.ptr<i64>, !nv_tileaa.ptr<i32>, i32, i32, i32) -> !nv_tileaa.ptr<i64>
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "items_are_sorted", function_type = (!nv_tileaa.ptr<i64>, !nv_tileaa.ptr<i32>, i32) -> ()} : () -> ()
