// RUN: tilec opt %s --passes nv-tileaa-skip-hidden-tiles --split-input-file --verify-diagnostics | FileCheck %s

// Rounds whose scores a mask of loaded numbers hides get a branch around them, if they change nothing.

// Equal numbers. The table is made at the start, from an array of its own. A round reads both ends of its tile
// before anything else, and does nothing where the intervals do not meet.

// CHECK-LABEL: module @documents
// CHECK:         %[[A:.*]] = "nv_tileaa.make_memref"(%[[P:.*]], %[[N:.*]])
// CHECK-NEXT:    %[[S:.*]] = "nv_tileaa.workspace"() {hidden_name = "tile_ends_0", size = "cdiv(N, 128) * 8"}
// CHECK-NEXT:    %[[D:.*]] = "nv_tileaa.measure_tiles"(%[[S]], %[[A]]) {tile = array<i64: 128>}
// CHECK:         %[[E:.*]] = "nv_tileaa.make_memref"(%[[D]], %{{.*}}) {{.*}}memref<?x1xi64, strided<[?, 1]>, 1>, 1 : i64>
// CHECK:         %[[M:.*]] = "nv_tileaa.get_program_id"
// CHECK:         %[[QB:.*]]:2 = "nv_tileaa.gather"(%[[E]], %[[M]], %c0{{.*}}, %{{.*}})
// CHECK:         %[[QU:.*]] = arith.shrui %[[QB]]#0, %c32_i64
// CHECK-NEXT:    %[[QL:.*]] = arith.trunci %[[QB]]#0 : i64 to i32
// CHECK-NEXT:    %[[QH:.*]] = arith.trunci %[[QU]] : i64 to i32
// CHECK:         %[[Q:.*]]:2 = "nv_tileaa.tiled_load"
// CHECK-NEXT:    "nv_tileaa.bounded"(%[[Q]]#0, %[[QL]], %[[QH]])
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[OLD:.*]] = %{{.*}}, %[[TOTAL:.*]] = %{{.*}})
// CHECK:           %[[KB:.*]]:2 = "nv_tileaa.gather"(%[[E]], %[[I]], %c0{{.*}}, %{{.*}})
// CHECK:           %[[KU:.*]] = arith.shrui %[[KB]]#0, %c32_i64
// CHECK-NEXT:      %[[KL:.*]] = arith.trunci %[[KB]]#0 : i64 to i32
// CHECK-NEXT:      %[[KH:.*]] = arith.trunci %[[KU]] : i64 to i32
// CHECK-NEXT:      %[[BELOW:.*]] = arith.cmpi slt, %[[QH]], %[[KL]]
// CHECK-NEXT:      %[[ABOVE:.*]] = arith.cmpi slt, %[[KH]], %[[QL]]
// CHECK-NEXT:      %[[HIDDEN:.*]] = arith.ori %[[BELOW]], %[[ABOVE]]
// CHECK-NEXT:      %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      %[[BUSY:.*]] = arith.xori %[[HIDDEN]], %[[TRUE]]
// CHECK-NEXT:      %[[R:.*]]:3 = scf.if %[[BUSY]]
// CHECK:             %[[K:.*]]:2 = "nv_tileaa.tiled_load"
// CHECK-NEXT:        "nv_tileaa.bounded"(%[[K]]#0, %[[KL]], %[[KH]])
// CHECK:             arith.cmpi eq
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[ACC]], %[[OLD]], %[[TOTAL]]
// CHECK:           scf.yield %[[R]]#0, %[[R]]#1, %[[R]]#2
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @documents {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{rounds of the loop are left out where this mask hides everything}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Any comparison: what a query sees are numbers that are not above its own.

// CHECK-LABEL: module @order
// CHECK:         scf.for
// CHECK:           %[[H:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:      arith.constant true
// CHECK-NEXT:      %[[B:.*]] = arith.xori %[[H]]
// CHECK-NEXT:      scf.if %[[B]]
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @order {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{rounds of the loop are left out where this mask hides everything}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Where differences of scores are scaled, the scalar must be positive: that is tested.

// CHECK-LABEL: module @scaled
// CHECK:         %[[L:.*]] = arith.constant 9.53674316E-7 : f32
// CHECK-NEXT:    %[[G:.*]] = arith.constant {{.*}} : f32
// CHECK-NEXT:    %[[X:.*]] = arith.cmpf oge, %[[S:.*]], %[[L]]
// CHECK-NEXT:    %[[Y:.*]] = arith.cmpf ole, %[[S]], %[[G]]
// CHECK-NEXT:    %[[USUAL:.*]] = arith.andi %[[X]], %[[Y]]
// CHECK:         scf.for
// CHECK:           arith.andi %{{.*}}, %[[USUAL]]
// CHECK:           scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @scaled {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{rounds of the loop are left out where this mask hides everything}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %c = "nv_tileaa.splat"(%scale) : (f32) -> tensor<128x128xf32>
      %dc = arith.mulf %d, %c : tensor<128x128xf32>
      %g = "nv_tileaa.splat"(%scale) : (f32) -> tensor<128xf32>
      %fc = arith.mulf %f, %g : tensor<128xf32>
      %e = math.exp2 %dc : tensor<128x128xf32>
      %fade = math.exp2 %fc : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// A maximum may begin with -inf, if the distance from it is guarded.

// CHECK-LABEL: module @guarded
// CHECK:         nv_tileaa.measure_tiles
// CHECK:         scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @guarded {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %empty, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{rounds of the loop are left out where this mask hides everything}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %never = arith.cmpf oeq, %new, %empty : tensor<128xf32>
      %safe = arith.select %never, %nothing, %new : tensor<128xi1>, tensor<128xf32>
      %v = "nv_tileaa.view"(%safe) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %safe : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Without a maximum, hidden weights are 0, and add nothing.

// CHECK-LABEL: module @weights
// CHECK:         nv_tileaa.measure_tiles
// CHECK:         scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @weights {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:1 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %s = arith.select %seen, %x, %zeros : tensor<128x128xi1>, tensor<128x128xf32>
      %y = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %s, %y : tensor<128x128xf32>
      %q = arith.truncf %z : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %acc) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o : tensor<128x128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Without a guard, a row that has seen nothing yet is NaN after such a round.

// CHECK-LABEL: module @not_guarded
// CHECK-NOT:     nv_tileaa.measure_tiles
// CHECK-NOT:     scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @not_guarded {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %empty, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{all rounds of the loop are computed, also where this mask hides everything: a tile of scores that are all hidden changes a number of a row that has seen nothing yet}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Scores that are hidden by a finite number count, where nothing larger has been seen yet.

// CHECK-LABEL: module @finite
// CHECK-NOT:     nv_tileaa.measure_tiles
// CHECK-NOT:     scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @finite {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %few = arith.constant dense<-1.0e6> : tensor<128x128xf32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{all rounds of the loop are computed, also where this mask hides everything: a tile of scores that are all hidden changes a number of a row}}
      %s = arith.select %seen, %x, %few : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// A round that counts does something.

// CHECK-LABEL: module @counting
// CHECK-NOT:     nv_tileaa.measure_tiles
// CHECK-NOT:     scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @counting {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:4 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing, %count = %c0) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, i32) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{all rounds of the loop are computed, also where this mask hides everything: a tile of scores that are all hidden changes a number of a row}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %count2 = arith.addi %count, %c1 : i32
      scf.yield %o, %new, %sum, %count2 : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, i32
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// The table would have the numbers of before.

// CHECK-LABEL: module @written
// CHECK-NOT:     nv_tileaa.measure_tiles
// CHECK-NOT:     scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @written {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{all rounds of the loop are computed, also where this mask hides everything: the kernel writes its numbers}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "readwrite"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Only the ends of a tile are known: nothing is left in the kernel where they do not help.

// CHECK-LABEL: module @no_test
// CHECK-NOT:     nv_tileaa.measure_tiles
// CHECK-NOT:     scf.if
// CHECK-NOT:     nv_tileaa.gather
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @no_test {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %rest = arith.remsi %columns, %rows : tensor<128x128xi32>
      %seen = arith.cmpi eq, %rest, %rows : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{all rounds of the loop are computed, also where this mask hides everything: an index is divided by a number that is not a positive constant}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// A round that stores does more than to compute.

// CHECK-LABEL: module @stores
// CHECK-NOT:     nv_tileaa.measure_tiles
// CHECK-NOT:     scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @stores {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %first) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{all rounds of the loop are computed, also where this mask hides everything: a round does more than to compute}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %stored = "nv_tileaa.tiled_store"(%array, %other#0, %first) : (!array, tensor<128xi32>, i32) -> !nv_tileaa.mem_token
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}

// -----

// Only tiles of a partition are in the table.

// CHECK-LABEL: module @anywhere
// CHECK-NOT:     nv_tileaa.measure_tiles
// CHECK-NOT:     scf.if
!array = !nv_tileaa.memref<memref<?xi32, strided<[1]>, 1>, 0 : i64>
module @anywhere {
  "nv_tileaa.func"() ({
  ^bb0(%p: !nv_tileaa.ptr<i32>, %n: i32, %w: i32, %scale: f32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %ones = arith.constant dense<1.0> : tensor<128x128xbf16>
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %nothing = arith.constant dense<0.0> : tensor<128xf32>
    %hide = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %least = arith.constant dense<-1.0e30> : tensor<128xf32>
    %empty = arith.constant dense<0xFF800000> : tensor<128xf32>
    %m = "nv_tileaa.get_program_id"() {axis = 0 : i32} : () -> i32
    %array = "nv_tileaa.make_memref"(%p, %n) : (!nv_tileaa.ptr<i32>, i32) -> !array
    %top = arith.muli %m, %c128 : i32
    %own:2 = "nv_tileaa.tiled_load"(%array, %top) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
    %column = "nv_tileaa.view"(%own#0) : (tensor<128xi32>) -> tensor<128x1xi32>
    %rows = "nv_tileaa.broadcast"(%column) : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %r:3 = scf.for %i = %c0 to %w step %c1 iter_args(%acc = %zeros, %old = %least, %total = %nothing) -> (tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>) : i32 {
      %first = arith.muli %i, %c128 : i32
      %other:2 = "nv_tileaa.tiled_load"(%array, %w) : (!array, i32) -> (tensor<128xi32>, !nv_tileaa.mem_token)
      %line = "nv_tileaa.view"(%other#0) : (tensor<128xi32>) -> tensor<1x128xi32>
      %columns = "nv_tileaa.broadcast"(%line) : (tensor<1x128xi32>) -> tensor<128x128xi32>
      %seen = arith.cmpi eq, %rows, %columns : tensor<128x128xi32>
      %x = "nv_tileaa.dot"(%ones, %ones, %zeros) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      // expected-remark@+1 {{all rounds of the loop are computed, also where this mask hides everything: its tiles begin anywhere}}
      %s = arith.select %seen, %x, %hide : tensor<128x128xi1>, tensor<128x128xf32>
      %t = "nv_tileaa.reduce"(%s) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.maxnumf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %new = arith.maxnumf %old, %t : tensor<128xf32>
      %v = "nv_tileaa.view"(%new) : (tensor<128xf32>) -> tensor<128x1xf32>
      %vs = "nv_tileaa.broadcast"(%v) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %d = arith.subf %s, %vs : tensor<128x128xf32>
      %f = arith.subf %old, %new : tensor<128xf32>
      %e = math.exp2 %d : tensor<128x128xf32>
      %fade = math.exp2 %f : tensor<128xf32>
      %u = "nv_tileaa.reduce"(%e) ({
      ^bb0(%a: f32, %b: f32):
        %y = arith.addf %a, %b : f32
        "nv_tileaa.yield_values"(%y) : (f32) -> ()
      }) {axis = 1 : i64} : (tensor<128x128xf32>) -> tensor<128xf32>
      %sum = math.fma %total, %fade, %u : tensor<128xf32>
      %h = "nv_tileaa.view"(%fade) : (tensor<128xf32>) -> tensor<128x1xf32>
      %hs = "nv_tileaa.broadcast"(%h) : (tensor<128x1xf32>) -> tensor<128x128xf32>
      %z = arith.mulf %acc, %hs : tensor<128x128xf32>
      %q = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %o = "nv_tileaa.dot"(%q, %ones, %z) {a_major = "k", b_major = "n"} : (tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>) -> tensor<128x128xf32>
      scf.yield %o, %new, %sum : tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>
    }
    %l = math.log %r#0 : tensor<128x128xf32>
    "nv_tileaa.return"() : () -> ()
  }) {sym_name = "k", function_type = (!nv_tileaa.ptr<i32>, i32, i32, f32) -> (), tilec.kernel = {grid = ["cdiv(N, 128)"], arrays = [{name = "D", access = "read"}], params = [{kind = "pointer", array = "D"}, {kind = "dim", name = "N"}, {kind = "scalar", name = "W", dtype = "i32"}, {kind = "scalar", name = "S", dtype = "f32"}]}} : () -> ()
}
