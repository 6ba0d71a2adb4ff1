// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers reads and writes of shared memory to vector accesses at swizzled addresses.

!s = !nv_tileas.smem<tensor<32x32xf32, #nv_tileas.shared_layout<array<i64: 32, 32>, 0 : i64>>>
!t = tensor<32x32xf32, #nv_tileas.layout<"32x32|reg:4*(0,1),2*(16,0)|lane:8*(0,4),4*(1,0)|warp:4*(4,0)">>

// Registers along the contiguous dim move as one vector of 16 bytes. A thread's address is computed
// once; each vector adds a constant.
// CHECK-LABEL: llvm.func @rows_move_as_vectors
// CHECK:         %[[P:.*]] = llvm.getelementptr %[[SMEM:.*]][%[[OFFSET:.*]]]
// CHECK-NEXT:    llvm.load %[[P]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:         %[[SECOND:.*]] = arith.addi %[[OFFSET]], %c2048
// CHECK-NEXT:    %[[Q:.*]] = llvm.getelementptr %[[SMEM]][%[[SECOND]]]
// CHECK-NEXT:    llvm.load %[[Q]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:         llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK:         llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  %d = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 4096 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    "nv_tileas.store_shared"(%x, %d) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "rows_move_as_vectors", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>
!t = tensor<8x64xbf16, #nv_tileas.layout<"8x64|reg:4*(0,1)|lane:16*(0,4),2*(1,0)|warp:4*(2,0)">>

// In a swizzled slot the row number is XORed into the 16-byte chunk of the address.
// CHECK-LABEL: llvm.func @swizzled_addresses_xor_the_row
// CHECK:         %[[ROW:.*]] = arith.shrui %[[LINEAR:.*]], %c7
// CHECK:         %[[MASKED:.*]] = arith.andi %[[ROW]], %c7
// CHECK:         %[[CHUNK:.*]] = arith.shli %[[MASKED]], %c4
// CHECK:         %[[ADDRESS:.*]] = arith.xori %[[LINEAR]], %[[CHUNK]]
// CHECK:         llvm.getelementptr %{{.*}}[%[[ADDRESS]]]
// CHECK:         llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<3>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<0.0> : !t
    "nv_tileas.store_shared"(%x, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "swizzled_addresses_xor_the_row", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<128xi1, #nv_tileas.shared_layout<array<i64: 128>, 0 : i64>>>
!t = tensor<128xi1, #nv_tileas.layout<"128|lane:32*(1)|warp:4*(32)">>

// A slot's address is a multiple of the slot size after the buffer; a bool takes a byte in memory.
// CHECK-LABEL: llvm.func @bools_take_a_byte
// CHECK:         %[[BYTES:.*]] = arith.muli %{{.*}}, %c128
// CHECK:         llvm.getelementptr %{{.*}}[%[[BYTES]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i8
// CHECK:         %[[B:.*]] = arith.cmpi ne, %[[X]], %c0_i8
// CHECK:         %[[Y:.*]] = arith.extui %[[B]] : i1 to i8
// CHECK:         llvm.store %[[Y]], %{{.*}} : i8, !llvm.ptr<3>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 2 : i64, offset = 0 : i64} : () -> !s
  %f = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 2 : i64, offset = 256 : i64} : () -> !nv_tileas.mbarrier
  %ring = "nv_tileas.create_ring"(%f) {stages = 2 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %p = "nv_tileas.ring_start"(%ring) : (!nv_tileas.ring) -> !nv_tileas.ring_position
    %q = "nv_tileas.ring_advance"(%ring, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position
    %slot = "nv_tileas.slot_view"(%s, %q) : (!s, !nv_tileas.ring_position) -> !s
    %x = "nv_tileas.load_shared"(%slot) : (!s) -> !t
    "nv_tileas.store_shared"(%x, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "bools_take_a_byte", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 8, 64>, 128 : i64>>>
!t = tensor<8x16xbf16, #nv_tileas.layout<"8x16|reg:2*(0,1)|lane:8*(0,2),4*(1,0)|warp:2*(4,0),2*(0,0)">>

// A box of a swizzled tile begins some chunks after the first column of the tile: they are part of the
// XOR, and the thread's part of the address is the same for all boxes.
// CHECK-LABEL: llvm.func @boxes_of_a_tile
// CHECK:         %[[ADDRESS:.*]] = arith.xori
// CHECK:         %[[FIRST:.*]] = arith.xori %[[ADDRESS]], %c32
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[FIRST]]]
// CHECK-NEXT:    llvm.load %[[P]]
// CHECK:         %[[SECOND:.*]] = arith.xori %[[ADDRESS]], %c96
// CHECK-NEXT:    %[[Q:.*]] = llvm.getelementptr %{{.*}}[%[[SECOND]]]
// CHECK:         llvm.store %{{.*}}, %[[Q]]
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) {origin = array<i64: 0, 16>} : (!s) -> !t
    "nv_tileas.store_shared"(%x, %s) {origin = array<i64: 0, 48>} : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "boxes_of_a_tile", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
