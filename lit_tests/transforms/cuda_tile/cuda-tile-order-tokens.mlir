// RUN: tilec opt %s --passes cuda-tile-order-tokens --split-input-file | FileCheck %s
// RUN: tilec opt %s --passes cuda-tile-order-tokens,cuda-tile-order-tokens --split-input-file | FileCheck %s

// The pass adds the tokens that keep accesses of one array in program order.

// One array is only read, the other only written: every access waits for the first token only.
// CHECK-LABEL: module @separate_arrays
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK-NOT: "cuda_tile.make_token"
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: "cuda_tile.store_view_tko"(%{{.*}}, %{{.*}}, %{{.*}}, %[[START]])
// CHECK-NOT: "cuda_tile.join_tokens"
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @separate_arrays {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %vb, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A kernel without accesses needs no token.
// CHECK-LABEL: module @no_access
// CHECK-NOT: "cuda_tile.make_token"
// CHECK: "cuda_tile.return"
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @no_access {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A load waits for the last store of its array.
// CHECK-LABEL: module @read_after_write
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[START]])
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[S]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @read_after_write {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %vb, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    %y:2 = "cuda_tile.load_view_tko"(%vb, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// In place: the store waits for the load of the same array, and keeps its attributes.
// CHECK-LABEL: module @write_after_read
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]]) {allow_tma = false, latency = 4 : i64,
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @write_after_read {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak", allow_tma = false, latency = 4 : i64} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A store waits for every load since the last store; loads do not wait for loads.
// CHECK-LABEL: module @write_after_reads
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: %[[Y:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: %[[BOTH:.*]] = "cuda_tile.join_tokens"(%[[X]]#1, %[[Y]]#1)
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[BOTH]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @write_after_reads {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A store waits for the store before it; the load after both waits for the last one.
// CHECK-LABEL: module @write_after_write
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: %[[S0:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
// CHECK: %[[S1:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[S0]])
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[S1]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @write_after_write {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    %u = "cuda_tile.store_view_tko"(%x#0, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// Arrays that may overlap are one set.
// CHECK-LABEL: module @one_alias_group
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @one_alias_group {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %vb, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> (), tilec.kernel = {arrays = [{alias_group = 0 : i64, name = "A"}, {alias_group = 0 : i64, name = "B"}], params = [{array = "A", kind = "pointer"}, {array = "B", kind = "pointer"}, {kind = "grid"}]}} : () -> ()
}

// -----

// Arrays outside every alias group do not overlap.
// CHECK-LABEL: module @no_alias_group
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[START]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @no_alias_group {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %vb, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> (), tilec.kernel = {arrays = [{alias_group = -1 : i64, name = "A"}, {alias_group = -1 : i64, name = "B"}], params = [{array = "A", kind = "pointer"}, {array = "B", kind = "pointer"}, {kind = "grid"}]}} : () -> ()
}

// -----

// A pointer of unknown origin may point into any array.
// CHECK-LABEL: module @unknown_array
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @unknown_array {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32, %c: i1):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %p = "arith.select"(%c, %a, %b) : (i1, !ptr, !ptr) -> !ptr
    %tvp = "cuda_tile.make_tensor_view"(%p) : (!ptr) -> !tensor
    %vp = "cuda_tile.make_partition_view"(%tvp) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %vp, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32, i1) -> ()} : () -> ()
}

// -----

// An assumption does not hide the array.
// CHECK-LABEL: module @assumed_pointer
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @assumed_pointer {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %p = "cuda_tile.assume"(%a) {predicate = "div_by<16>"} : (!ptr) -> !ptr
    %tvp = "cuda_tile.make_tensor_view"(%p) : (!ptr) -> !tensor
    %vp = "cuda_tile.make_partition_view"(%tvp) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %vp, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// Loads in a loop need nothing carried when no store of the array follows.
// CHECK-LABEL: module @loop_over_reads
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: "cuda_tile.store_view_tko"(%{{.*}}, %{{.*}}, %{{.*}}, %[[START]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @loop_over_reads {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    scf.for %k = %i to %n step %one : i32 {
      %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    }
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%y#0, %vb, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// The store after the loop waits for the loads of every iteration; they do not wait for each other.
// CHECK-LABEL: module @loop_of_reads_before_store
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[C:.*]] = %[[START]])
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: %[[ALL:.*]] = "cuda_tile.join_tokens"(%[[C]], %[[X]]#1)
// CHECK: scf.yield %[[ALL]]
// CHECK: "cuda_tile.store_view_tko"(%{{.*}}, %{{.*}}, %{{.*}}, %[[LOOP]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @loop_of_reads_before_store {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    %z = "cuda_tile.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> !tile
    scf.for %k = %i to %n step %one : i32 {
      %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    }
    %s = "cuda_tile.store_view_tko"(%z, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A loop with a store orders its iterations, and what follows the loop.
// CHECK-LABEL: module @loop_with_store
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[C:.*]] = %[[START]])
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[C]])
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
// CHECK: scf.yield %[[S]]
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[LOOP]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @loop_with_store {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    scf.for %k = %i to %n step %one : i32 {
      %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      %s = "cuda_tile.store_view_tko"(%x#0, %va, %k) {ordering = "weak"} : (!tile, !view, i32) -> !token
    }
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// The carried token comes after the values that the loop carries already.
// CHECK-LABEL: module @loop_keeps_values
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[C:.*]] = %[[START]]) -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[ACC]], %{{.*}}, %{{.*}}, %[[C]])
// CHECK: %[[SUM:.*]] = "cuda_tile.addf"(%[[ACC]], %[[ACC]])
// CHECK: scf.yield %[[SUM]], %[[S]]
// CHECK: "cuda_tile.store_view_tko"(%[[LOOP]]#0, %{{.*}}, %{{.*}}, %[[LOOP]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @loop_keeps_values {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    %z = "cuda_tile.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> !tile
    %r = scf.for %k = %i to %n step %one iter_args(%acc = %z) -> (!tile) : i32 {
      %s = "cuda_tile.store_view_tko"(%acc, %va, %k) {ordering = "weak"} : (!tile, !view, i32) -> !token
      %sum = "cuda_tile.addf"(%acc, %acc) : (!tile, !tile) -> !tile
      scf.yield %sum : !tile
    }
    %u = "cuda_tile.store_view_tko"(%r, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// Both loops carry the token.
// CHECK-LABEL: module @nested_loops
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: scf.for {{.*}} iter_args(%[[C0:.*]] = %[[START]])
// CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[C1:.*]] = %[[C0]])
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[C1]])
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
// CHECK: scf.yield %[[S]]
// CHECK: scf.yield %[[INNER]]
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @nested_loops {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    scf.for %j = %i to %n step %one : i32 {
      scf.for %k = %i to %n step %one : i32 {
        %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
        %s = "cuda_tile.store_view_tko"(%x#0, %va, %j) {ordering = "weak"} : (!tile, !view, i32) -> !token
      }
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// The store of an outer iteration waits for the loads of the inner loop, which wait for the store of the iteration before.
// CHECK-LABEL: module @inner_reads_outer_store
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: scf.for {{.*}} iter_args(%[[C0:.*]] = %[[START]])
// CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[C1:.*]] = %[[C0]])
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[C0]])
// CHECK: %[[ALL:.*]] = "cuda_tile.join_tokens"(%[[C1]], %[[X]]#1)
// CHECK: scf.yield %[[ALL]]
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%{{.*}}, %{{.*}}, %{{.*}}, %[[INNER]])
// CHECK: scf.yield %[[S]]
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @inner_reads_outer_store {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    %z = "cuda_tile.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> !tile
    scf.for %j = %i to %n step %one : i32 {
      scf.for %k = %i to %n step %one : i32 {
        %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      }
      %s = "cuda_tile.store_view_tko"(%z, %va, %j) {ordering = "weak"} : (!tile, !view, i32) -> !token
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// Every alias set with a store has a token of its own.
// CHECK-LABEL: module @two_sets_in_one_loop
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: scf.for {{.*}} iter_args(%[[CA:.*]] = %[[START]], %[[CB:.*]] = %[[START]])
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[CA]])
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
// CHECK: %[[U:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[CB]])
// CHECK: scf.yield %[[S]], %[[U]]
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @two_sets_in_one_loop {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %tvb = "cuda_tile.make_tensor_view"(%b) : (!ptr) -> !tensor
    %vb = "cuda_tile.make_partition_view"(%tvb) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    scf.for %k = %i to %n step %one : i32 {
      %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      %s = "cuda_tile.store_view_tko"(%x#0, %va, %k) {ordering = "weak"} : (!tile, !view, i32) -> !token
      %u = "cuda_tile.store_view_tko"(%x#0, %vb, %k) {ordering = "weak"} : (!tile, !view, i32) -> !token
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A branch that is missing passes the token on.
// CHECK-LABEL: module @store_in_branch
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"
// CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (!cuda_tile.token)
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[X]]#1)
// CHECK: scf.yield %[[S]]
// CHECK: else
// CHECK: scf.yield %[[X]]#1
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[IF]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @store_in_branch {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %i: i32, %c: i1):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    scf.if %c {
      %s = "cuda_tile.store_view_tko"(%x#0, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    }
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, i32, i1) -> ()} : () -> ()
}

// -----

// A store after the branches waits for the load in one of them.
// CHECK-LABEL: module @read_in_branch
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[IF:.*]]:2 = scf.if %{{.*}} -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: scf.yield %[[X]]#0, %[[X]]#1
// CHECK: else
// CHECK: scf.yield %{{.*}}, %[[START]]
// CHECK: "cuda_tile.store_view_tko"(%[[IF]]#0, %{{.*}}, %{{.*}}, %[[IF]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @read_in_branch {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %i: i32, %c: i1):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %z = "cuda_tile.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> !tile
    %r = scf.if %c -> (!tile) {
      %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      scf.yield %x#0 : !tile
    } else {
      scf.yield %z : !tile
    }
    %s = "cuda_tile.store_view_tko"(%r, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, i32, i1) -> ()} : () -> ()
}

// -----

// Loads in a branch need nothing when no store follows.
// CHECK-LABEL: module @branch_of_reads
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: scf.if %{{[^ ]+}} {
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @branch_of_reads {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %i: i32, %c: i1):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    scf.if %c {
      %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    }
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, i32, i1) -> ()} : () -> ()
}

// -----

// A while loop carries the token through its condition and its body.
// CHECK-LABEL: module @while_loop
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[LOOP:.*]]:2 = scf.while (%[[K0:.*]] = %{{.*}}, %[[C0:.*]] = %[[START]]) : (i32, !cuda_tile.token) -> (i32, !cuda_tile.token)
// CHECK: scf.condition(%{{.*}}) %[[K0]], %[[C0]]
// CHECK: ^bb0(%[[K1:.*]]: i32, %[[C1:.*]]: !cuda_tile.token)
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %[[K1]], %[[C1]])
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %[[K1]], %[[X]]#1)
// CHECK: scf.yield %{{.*}}, %[[S]]
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[LOOP]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @while_loop {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    %r = scf.while (%k0 = %i) : (i32) -> i32 {
      %more = arith.cmpi slt, %k0, %n : i32
      scf.condition(%more) %k0 : i32
    } do {
    ^bb0(%k: i32):
      %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      %s = "cuda_tile.store_view_tko"(%x#0, %va, %k) {ordering = "weak"} : (!tile, !view, i32) -> !token
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A while loop of loads before a store carries their tokens.
// CHECK-LABEL: module @while_of_reads
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[LOOP:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[START]])
// CHECK: ^bb0(%[[K1:.*]]: i32, %[[C1:.*]]: !cuda_tile.token)
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %[[K1]], %[[START]])
// CHECK: %[[ALL:.*]] = "cuda_tile.join_tokens"(%[[C1]], %[[X]]#1)
// CHECK: scf.yield %{{.*}}, %[[ALL]]
// CHECK: "cuda_tile.store_view_tko"(%{{.*}}, %{{.*}}, %{{.*}}, %[[LOOP]]#1)
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @while_of_reads {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %n = "arith.constant"() {value = 4 : i32} : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    %z = "cuda_tile.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> !tile
    %r = scf.while (%k0 = %i) : (i32) -> i32 {
      %more = arith.cmpi slt, %k0, %n : i32
      scf.condition(%more) %k0 : i32
    } do {
    ^bb0(%k: i32):
      %x:2 = "cuda_tile.load_view_tko"(%va, %k) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
    %s = "cuda_tile.store_view_tko"(%z, %va, %i) {ordering = "weak"} : (!tile, !view, i32) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// Accesses that have tokens keep them, even where program order would say more.
// CHECK-LABEL: module @given_order
// CHECK: %[[MINE:.*]] = "cuda_tile.make_token"()
// CHECK-NOT: "cuda_tile.make_token"
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[MINE]])
// CHECK: "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[MINE]])
// CHECK-NOT: "cuda_tile.join_tokens"
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @given_order {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %m = "cuda_tile.make_token"() : () -> !token
    %x:2 = "cuda_tile.load_view_tko"(%va, %i, %m) {ordering = "weak"} : (!view, i32, !token) -> (!tile, !token)
    %s = "cuda_tile.store_view_tko"(%x#0, %va, %i, %m) {ordering = "weak"} : (!tile, !view, i32, !token) -> !token
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// A given token stays; what comes after waits for that access too.
// CHECK-LABEL: module @partly_given_order
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[X:.*]]:2 = "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[START]])
// CHECK: %[[MINE:.*]] = "cuda_tile.make_token"()
// CHECK: %[[S:.*]] = "cuda_tile.store_view_tko"(%[[X]]#0, %{{.*}}, %{{.*}}, %[[MINE]])
// CHECK: %[[ALL:.*]] = "cuda_tile.join_tokens"(%[[X]]#1, %[[START]], %[[S]])
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[ALL]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @partly_given_order {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %b: !ptr, %i: i32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %x:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    %m = "cuda_tile.make_token"() : () -> !token
    %s = "cuda_tile.store_view_tko"(%x#0, %va, %i, %m) {ordering = "weak"} : (!tile, !view, i32, !token) -> !token
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, !ptr, i32) -> ()} : () -> ()
}

// -----

// Additions of a loop are not ordered among themselves; the loop passes on a token of all of them, for
// which the load after it waits.
// CHECK-LABEL: module @additions_commute
// CHECK: %[[START:.*]] = "cuda_tile.make_token"()
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[START]])
// CHECK-NEXT: %[[S:.*]] = "cuda_tile.atomic_red_view_tko"(%{{.*}}, %{{.*}}, %{{.*}}, %[[BEFORE_ALL:.*]]) {{.*}}
// CHECK-NEXT: %[[T:.*]] = "cuda_tile.atomic_red_view_tko"(%{{.*}}, %{{.*}}, %{{.*}}, %[[BEFORE_ALL]])
// CHECK-NEXT: %[[ALL:.*]] = "cuda_tile.join_tokens"(%[[BEFORE]], %[[S]], %[[T]])
// CHECK-NEXT: scf.yield %[[ALL]]
// CHECK: "cuda_tile.load_view_tko"(%{{.*}}, %{{.*}}, %[[LOOP]])
!ptr = !cuda_tile.ptr<f32>
!token = !cuda_tile.token
!tensor = !cuda_tile.tensor_view<memref<64xf32, strided<[1]>>>
!view = !cuda_tile.partition_view<array<i64: 8>, !tensor, array<i64: 0>, "zero">
!tile = !cuda_tile.tile<8xf32>
module @additions_commute {
  "cuda_tile.entry"() ({
  ^bb0(%a: !ptr, %i: i32, %x: f32):
    %tva = "cuda_tile.make_tensor_view"(%a) : (!ptr) -> !tensor
    %va = "cuda_tile.make_partition_view"(%tva) : (!tensor) -> !view
    %c = "cuda_tile.constant"() {value = dense<1.0> : tensor<8xf32>} : () -> !tile
    scf.for %k = %i to %i step %i : i32 {
      %s = "cuda_tile.atomic_red_view_tko"(%va, %k, %c) {ordering = "relaxed", scope = "device", mode = "addf"} : (!view, i32, !tile) -> !token
      %t = "cuda_tile.atomic_red_view_tko"(%va, %i, %c) {ordering = "relaxed", scope = "device", mode = "addf"} : (!view, i32, !tile) -> !token
    }
    %y:2 = "cuda_tile.load_view_tko"(%va, %i) {ordering = "weak"} : (!view, i32) -> (!tile, !token)
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!ptr, i32, f32) -> ()} : () -> ()
}
