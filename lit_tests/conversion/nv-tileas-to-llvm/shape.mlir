// RUN: tilec opt %s --passes convert-nv-tileas-to-llvm,canonicalize,cse --split-input-file | FileCheck %s

// The pass lowers operations that build, reshape and move tiles.

!s = !nv_tileas.smem<tensor<4x32xi32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!row = tensor<32xi32, #nv_tileas.layout<"32|lane:32*(1)|warp:4*(0)">>

// A range is the coordinate of each register plus its start; view, permute and broadcast are free.
// CHECK-LABEL: llvm.func @relabelling_is_free
// CHECK:         %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:         %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
// CHECK:         %[[VALUE:.*]] = arith.addi %[[LANE]], %c5
// CHECK:         llvm.store %[[VALUE]], %{{.*}} : i32, !llvm.ptr<3>
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %r = "nv_tileas.make_range"() {start = 5 : i64} : () -> !row
    %c = "nv_tileas.view"(%r) : (!row) -> tensor<32x1xi32, #nv_tileas.layout<"32x1|lane:32*(1,0)|warp:4*(0,0)">>
    %p = "nv_tileas.permute"(%c) {permutation = array<i64: 1, 0>} : (tensor<32x1xi32, #nv_tileas.layout<"32x1|lane:32*(1,0)|warp:4*(0,0)">>) -> tensor<1x32xi32, #nv_tileas.layout<"1x32|lane:32*(0,1)|warp:4*(0,0)">>
    %b = "nv_tileas.broadcast"(%p) : (tensor<1x32xi32, #nv_tileas.layout<"1x32|lane:32*(0,1)|warp:4*(0,0)">>) -> tensor<4x32xi32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>
    "nv_tileas.store_shared"(%b, %s) : (tensor<4x32xi32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "relabelling_is_free", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<4x32xf32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!rows = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>
!columns = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:4*(1,0),8*(0,1)|warp:4*(0,8)">>

// A conversion writes the scratch area, synchronises, reads it in the other layout and synchronises
// again, so that the next user may write it.
// CHECK-LABEL: llvm.func @conversions_meet_twice
// CHECK:         %[[SCRATCH:.*]] = llvm.getelementptr %{{.*}}[1024]
// CHECK-NEXT:    llvm.getelementptr %[[SCRATCH]]
// CHECK-NEXT:    llvm.store
// CHECK-NEXT:    nvvm.barrier
// CHECK:         llvm.getelementptr %[[SCRATCH]]
// CHECK-NEXT:    llvm.load
// CHECK-NEXT:    nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !rows
    %y = "nv_tileas.convert_layout"(%x) {offset = 1024 : i64, id = 0 : i64} : (!rows) -> !columns
    "nv_tileas.store_shared"(%y, %s) : (!columns, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "conversions_meet_twice", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<32x64xi8, #nv_tileas.shared_layout<array<i64: 32, 64>, 64 : i64>>>
!twos = tensor<32x64xi8, #nv_tileas.layout<"32x64|reg:2*(0,1),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(8,0)">>
!fours = tensor<32x64xi8, #nv_tileas.layout<"32x64|reg:4*(0,1),4*(0,16)|lane:4*(0,4),8*(1,0)|warp:4*(8,0)">>

// If every element stays in its warp, lanes exchange words: a word of four bytes has two from each
// of two lanes. Nothing goes through the scratch area, and nobody waits.
// CHECK-LABEL: llvm.func @lanes_exchange_words
// CHECK:         %[[OWN:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK:         %[[FIRST:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[OWN]]
// CHECK:         %[[SECOND:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[OWN]]
// CHECK:         llvm.inline_asm {{.*}}"prmt.b32 $0, $1, $2, $3;", "=r,r,r,r" %[[FIRST]], %[[SECOND]],
// CHECK-COUNT-6: nvvm.shfl.sync idx
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !twos
    %y = "nv_tileas.convert_layout"(%x) : (!twos) -> !fours
    "nv_tileas.store_shared"(%y, %s) : (!fours, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "lanes_exchange_words", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<32x64xbf16, #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>>>
!pairs = tensor<32x64xbf16, #nv_tileas.layout<"32x64|reg:2*(0,1),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(8,0)">>
!fours = tensor<32x64xbf16, #nv_tileas.layout<"32x64|reg:4*(0,1),4*(0,16)|lane:2*(0,8),2*(0,4),8*(1,0)|warp:4*(8,0)">>

// Lanes swap words where each sends another register: of two words, the one that it does not keep.
// CHECK-LABEL: llvm.func @lanes_swap_words
// CHECK:         %[[HIGH:.*]] = arith.cmpi ne,
// CHECK:         %[[SENT:.*]] = arith.select %[[HIGH]], %[[A:.*]], %[[B:.*]] : i32
// CHECK:         %[[GOT:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[SENT]],
// CHECK:         arith.select %[[HIGH]], %[[GOT]], %[[A]] : i32
// CHECK:         arith.select %[[HIGH]], %[[B]], %[[GOT]] : i32
// CHECK-COUNT-3: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !pairs
    %y = "nv_tileas.convert_layout"(%x) : (!pairs) -> !fours
    "nv_tileas.store_shared"(%y, %s) : (!fours, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "lanes_swap_words", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<32x64xbf16, #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>>>
!pairs = tensor<32x64xbf16, #nv_tileas.layout<"32x64|reg:2*(0,1),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(8,0)">>
!singles = tensor<32x64xbf16, #nv_tileas.layout<"32x64|reg:4*(0,16),2*(2,0),2*(4,0)|lane:4*(0,2),2*(1,0),2*(0,8),2*(0,1)|warp:4*(8,0)">>

// Neighbours go to other lanes. Words are made of elements 16 columns apart, which stay together.
// CHECK-LABEL: llvm.func @lanes_swap_single_elements
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !pairs
    %y = "nv_tileas.convert_layout"(%x) : (!pairs) -> !singles
    "nv_tileas.store_shared"(%y, %s) : (!singles, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "lanes_swap_single_elements", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<32x64xf32, #nv_tileas.shared_layout<array<i64: 32, 32>, 128 : i64>>>
!pairs = tensor<32x64xf32, #nv_tileas.layout<"32x64|reg:2*(0,1),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(8,0)">>
!singles = tensor<32x64xf32, #nv_tileas.layout<"32x64|reg:8*(0,8),2*(4,0)|lane:4*(0,2),4*(1,0),2*(0,1)|warp:4*(8,0)">>

// CHECK-LABEL: llvm.func @lanes_swap_elements_of_32_bits
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.return
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !pairs
    %y = "nv_tileas.convert_layout"(%x) : (!pairs) -> !singles
    "nv_tileas.store_shared"(%y, %s) : (!singles, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "lanes_swap_elements_of_32_bits", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<4x32xf32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!t = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>
!tall = tensor<8x32xf32, #nv_tileas.layout<"8x32|reg:2*(1,0)|lane:32*(0,1)|warp:4*(2,0)">>

// Two tiles are joined in scratch memory, the second after the first; a slice is read at its
// run-time place, which stays inside the tile whatever the index is.
// CHECK-LABEL: llvm.func @scratch_joins_and_cuts
// CHECK-SAME:    %[[I:.*]]: i32)
// CHECK:         llvm.store
// CHECK:         %[[SECOND:.*]] = arith.addi %{{.*}}, %c512
// CHECK:         llvm.getelementptr %{{.*}}[%[[SECOND]]]
// CHECK:         llvm.store
// CHECK:         nvvm.barrier
// CHECK-COUNT-2: llvm.load
// CHECK:         nvvm.barrier
// CHECK:         llvm.store
// CHECK:         llvm.store
// CHECK:         nvvm.barrier
// CHECK:         %[[J:.*]] = arith.minui %[[I]], %c1
// CHECK:         %[[ROW:.*]] = arith.muli %[[J]], %c4
// CHECK:         arith.addi %{{.*}}, %[[ROW]]
// CHECK:         llvm.load
// CHECK:         nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%i: i32):
  %c0 = arith.constant 0 : i32
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %y = "nv_tileas.cat"(%x, %x) {dim = 0 : i64, offset = 1024 : i64, id = 0 : i64} : (!t, !t) -> !tall
    %z = "nv_tileas.extract"(%y, %i, %c0) {offset = 1024 : i64, id = 0 : i64} : (!tall, i32, i32) -> !t
    "nv_tileas.store_shared"(%z, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "scratch_joins_and_cuts", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<4x32xf32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!t = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>
!tall = tensor<8x32xf32, #nv_tileas.layout<"8x32|reg:2*(4,0)|lane:32*(0,1)|warp:4*(1,0)">>

// An index that is known to name a slice is taken as it is.
// CHECK-LABEL: llvm.func @remainders_name_slices
// CHECK-NOT:     arith.minui
// CHECK:         %[[J:.*]] = arith.remui
// CHECK-NOT:     arith.minui
// CHECK:         arith.muli %[[J]], %c4
"nv_tileaa.func"() ({
^bb0(%i: i32):
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %j = arith.remui %i, %c2 : i32
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %y = "nv_tileas.cat"(%x, %x) {dim = 0 : i64, offset = 1024 : i64, id = 0 : i64} : (!t, !t) -> !tall
    %z = "nv_tileas.extract"(%y, %j, %c0) {offset = 1024 : i64, id = 0 : i64} : (!tall, i32, i32) -> !t
    "nv_tileas.store_shared"(%z, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "remainders_name_slices", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<4x32xf32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!big = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
!t = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>
!tall = tensor<8x32xf32, #nv_tileas.layout<"8x32|reg:2*(4,0)|lane:32*(0,1)|warp:4*(1,0)">>

// Where each thread has all that it needs of the joined tile, nothing is moved.
// CHECK-LABEL: llvm.func @registers_join
// CHECK:         %[[X:.*]] = llvm.load
// CHECK-NOT:     nvvm.barrier
// CHECK:         %[[N:.*]] = arith.negf %[[X]]
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.store %[[X]]
// CHECK:         llvm.store %[[N]]
"nv_tileaa.func"() ({
^bb0(%i: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  %d = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 1024 : i64} : () -> !big
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !t
    %n = arith.negf %x : !t
    %y = "nv_tileas.cat"(%x, %n) {dim = 0 : i64} : (!t, !t) -> !tall
    "nv_tileas.store_shared"(%y, %d) : (!tall, !big) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "registers_join", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<4x32xf32, #nv_tileas.shared_layout<array<i64: 4, 32>, 128 : i64>>>
!big = !nv_tileas.smem<tensor<8x32xf32, #nv_tileas.shared_layout<array<i64: 8, 32>, 128 : i64>>>
!t = tensor<4x32xf32, #nv_tileas.layout<"4x32|lane:32*(0,1)|warp:4*(1,0)">>
!tall = tensor<8x32xf32, #nv_tileas.layout<"8x32|reg:2*(4,0)|lane:32*(0,1)|warp:4*(1,0)">>

// A slice at a known place that each thread has a part of is a choice of registers; what nobody
// chooses is not loaded.
// CHECK-LABEL: llvm.func @registers_are_cut
// CHECK-NOT:     nvvm.barrier
// CHECK:         %[[LOWER:.*]] = llvm.load
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.store %[[LOWER]]
"nv_tileaa.func"() ({
^bb0(%i: i32):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  %d = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 1024 : i64} : () -> !big
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%d) : (!big) -> !tall
    %y = "nv_tileas.extract"(%x, %c1, %c0) : (!tall, i32, i32) -> !t
    "nv_tileas.store_shared"(%y, %s) : (!t, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "registers_are_cut", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
!acc = tensor<64x64xbf16, #nv_tileas.layout<"64x64|reg:2*(0,1),2*(8,0),8*(0,8)|lane:4*(0,2),8*(1,0)|warp:4*(16,0)">>
!rows = tensor<64x64xbf16, #nv_tileas.layout<"64x64|reg:8*(0,1),4*(16,0)|lane:8*(0,8),4*(1,0)|warp:4*(4,0)">>

// A warp writes eight rows at once, which begin in the same bank. So the tile is swizzled on its way: it
// is written as 8x8 matrices, and read in vectors.
// CHECK-LABEL: llvm.func @the_way_is_swizzled
// CHECK:         arith.xori
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK:         nvvm.barrier
// CHECK:         arith.xori
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-NOT:     llvm.load
// CHECK:         nvvm.barrier
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = arith.constant dense<1.0> : !acc
    %y = "nv_tileas.convert_layout"(%x) {offset = 8192 : i64, id = 0 : i64} : (!acc) -> !rows
    "nv_tileas.store_shared"(%y, %s) : (!rows, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "the_way_is_swizzled", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()

// -----

!s = !nv_tileas.smem<tensor<2xi32, #nv_tileas.shared_layout<array<i64: 2>, 0 : i64>>>
!whole = tensor<2xi32, #nv_tileas.layout<"2|reg:2*(1)|lane:32*(0)|warp:4*(0)">>
!lanes = tensor<2xi32, #nv_tileas.layout<"2|lane:4*(0),2*(1),4*(0)|warp:4*(0)">>

// Every thread holds the whole tile, so one digit of the lane decides which register it takes.
// CHECK-LABEL: llvm.func @threads_pick_registers
// CHECK:         %[[LANE:.*]] = arith.remui %{{.*}}, %c32
// CHECK:         %[[LOW:.*]] = llvm.extractelement %[[PAIR:.*]][%{{.*}} : i32] : vector<2xi32>
// CHECK:         %[[HIGH:.*]] = llvm.extractelement %[[PAIR]][%{{.*}} : i32] : vector<2xi32>
// CHECK-NOT:     nvvm.barrier
// CHECK:         %[[DIGIT:.*]] = arith.andi %[[LANE]], %c4
// CHECK:         %[[IS_ONE:.*]] = arith.cmpi ne, %[[DIGIT]], %c0
// CHECK:         arith.select %[[IS_ONE]], %[[HIGH]], %[[LOW]] : i32
// CHECK-NOT:     nvvm.barrier
// CHECK:         llvm.store
"nv_tileaa.func"() ({
^bb0(%n: i32):
  %s = "nv_tileas.alloc_shared"() {slots = 1 : i64, offset = 0 : i64} : () -> !s
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    %x = "nv_tileas.load_shared"(%s) : (!s) -> !whole
    %y = "nv_tileas.convert_layout"(%x) : (!whole) -> !lanes
    "nv_tileas.store_shared"(%y, %s) : (!lanes, !s) -> ()
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "threads_pick_registers", function_type = (i32) -> (), tilec.kernel = {block_threads = 128 : i64, cluster = [1, 1, 1]}} : () -> ()
