// RUN: tilec opt %s --split-input-file --verify-diagnostics

// Every rule of an operation of nv_tileas has a message.

// An mbarrier needs an arrival to complete a phase.
// expected-error @below {{'nv_tileas.alloc_mbarrier' op attribute 'count' must be at least 1, but got 0}}
%b = "nv_tileas.alloc_mbarrier"() {count = 0 : i64, slots = 1 : i64} : () -> !nv_tileas.mbarrier

// -----

// An mbarrier allocation needs a slot.
// expected-error @below {{'nv_tileas.alloc_mbarrier' op attribute 'slots' must be at least 1, but got 0}}
%b = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 0 : i64} : () -> !nv_tileas.mbarrier

// -----

// An mbarrier allocation returns an mbarrier.
// expected-error @below {{'nv_tileas.alloc_mbarrier' op must be mbarrier barrier type, but got i64}}
%b = "nv_tileas.alloc_mbarrier"() {count = 1 : i64, slots = 1 : i64} : () -> i64

// -----

// Bytes are announced to an mbarrier only.
%x = builtin.unrealized_conversion_cast to i64
// expected-error @below {{'nv_tileas.mbarrier_arrive_expect_tx' op must be mbarrier barrier type, but got i64}}
"nv_tileas.mbarrier_arrive_expect_tx"(%x) {tx_count = 16 : i64} : (i64) -> ()

// -----

// A phase that waits for no bytes is no transaction.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{attribute 'tx_count' must be in [1, 1048575], but got 0}}
"nv_tileas.mbarrier_arrive_expect_tx"(%b) {tx_count = 0 : i64} : (!nv_tileas.mbarrier) -> ()

// -----

// A phase counts at most 2^20 - 1 bytes.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{attribute 'tx_count' must be in [1, 1048575], but got 1048576}}
"nv_tileas.mbarrier_arrive_expect_tx"(%b) {tx_count = 1048576 : i64} : (!nv_tileas.mbarrier) -> ()

// -----

// A proxy fence covers shared or global memory.
// expected-error @below {{'nv_tileas.fence_proxy' op attribute 'space' must be shared or global, but got local}}
"nv_tileas.fence_proxy"() {space = "local"} : () -> ()

// -----

// A ring has slots.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.create_ring' op attribute 'stages' must be at least 1, but got 0}}
%r = "nv_tileas.create_ring"(%b) {stages = 0 : i64} : (!nv_tileas.mbarrier) -> !nv_tileas.ring

// -----

// The full barrier of a ring is an mbarrier.
%b = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.create_ring' op must be mbarrier barrier type, but got i32}}
%r = "nv_tileas.create_ring"(%b) {stages = 1 : i64} : (i32) -> !nv_tileas.ring

// -----

// The empty barrier of a ring is an mbarrier.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
%x = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.create_ring' op must be mbarrier barrier type, but got i32}}
%r = "nv_tileas.create_ring"(%b, %x) {stages = 1 : i64} : (!nv_tileas.mbarrier, i32) -> !nv_tileas.ring

// -----

// A ring has two barriers at most.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.create_ring' op expects at most 2 operands, but got 3}}
%r = "nv_tileas.create_ring"(%b, %b, %b) {stages = 1 : i64} : (!nv_tileas.mbarrier, !nv_tileas.mbarrier, !nv_tileas.mbarrier) -> !nv_tileas.ring

// -----

// A position starts in a ring.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.ring_start' op expects a ring, but got !nv_tileas.mbarrier}}
%p = "nv_tileas.ring_start"(%b) : (!nv_tileas.mbarrier) -> !nv_tileas.ring_position

// -----

// The start of a ring is a position.
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
// expected-error @below {{'nv_tileas.ring_start' op expects a ring position, but got i32}}
%p = "nv_tileas.ring_start"(%r) : (!nv_tileas.ring) -> i32

// -----

// A slot is named by a ring and a position (acquire).
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.ring_acquire' op expects a ring position, but got i32}}
"nv_tileas.ring_acquire"(%r, %i) : (!nv_tileas.ring, i32) -> ()

// -----

// A slot is named by a ring and a position (commit).
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.ring_commit' op expects a ring position, but got i32}}
"nv_tileas.ring_commit"(%r, %i) : (!nv_tileas.ring, i32) -> ()

// -----

// A slot is named by a ring and a position (wait).
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.ring_wait' op expects a ring position, but got i32}}
"nv_tileas.ring_wait"(%r, %i) : (!nv_tileas.ring, i32) -> ()

// -----

// A slot is named by a ring and a position (release).
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.ring_release' op expects a ring position, but got i32}}
"nv_tileas.ring_release"(%r, %i) : (!nv_tileas.ring, i32) -> ()

// -----

// The full barrier of a slot is an mbarrier.
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
%p = builtin.unrealized_conversion_cast to !nv_tileas.ring_position
// expected-error @below {{'nv_tileas.ring_barrier' op must be mbarrier barrier type, but got i64}}
%b = "nv_tileas.ring_barrier"(%r, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> i64

// -----

// An advance moves on.
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
%p = builtin.unrealized_conversion_cast to !nv_tileas.ring_position
// expected-error @below {{'nv_tileas.ring_advance' op attribute 'count' must be at least 1, but got 0}}
%n = "nv_tileas.ring_advance"(%r, %p) {count = 0 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> !nv_tileas.ring_position

// -----

// An advance returns a position.
%r = builtin.unrealized_conversion_cast to !nv_tileas.ring
%p = builtin.unrealized_conversion_cast to !nv_tileas.ring_position
// expected-error @below {{'nv_tileas.ring_advance' op expects a ring position, but got i32}}
%n = "nv_tileas.ring_advance"(%r, %p) {count = 1 : i64} : (!nv_tileas.ring, !nv_tileas.ring_position) -> i32

// -----

// A channel carries tiles.
%x = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.send' op expects a register tile, but got i32}}
"nv_tileas.send"(%x) {channel = 0 : i64} : (i32) -> ()

// -----

// A tile comes out of a channel.
// expected-error @below {{'nv_tileas.receive' op expects a register tile, but got i32}}
%x = "nv_tileas.receive"() {channel = 0 : i64, shared_layout = #nv_tileas.shared_layout<array<i64: 4>, 0 : i64>} : () -> i32

// -----

// A slot has the shape of the tile that fills it.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%x = builtin.unrealized_conversion_cast to tensor<64x64xbf16>
%s = builtin.unrealized_conversion_cast to !slot
// expected-error @below {{'nv_tileas.ring_fill' op requires the same shape for tileSize and tensor value}}
"nv_tileas.ring_fill"(%x, %s) : (tensor<64x64xbf16>, !slot) -> ()

// -----

// Roles end with a yield.
// expected-error @below {{'nv_tileas.roles' op expects regions to end with 'nv_tileas.yield'}}
"nv_tileas.roles"() ({
  "nv_tileas.yield"() : () -> ()
}, {
}) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()

// -----

// A role has at least 24 registers.
// expected-error @below {{'nv_tileas.set_registers' op attribute 'count' must be a multiple of 8 in [24, 256], but got 16}}
"nv_tileas.set_registers"() {count = 16 : i64, action = "decrease"} : () -> ()

// -----

// A role has at most 256 registers.
// expected-error @below {{attribute 'count' must be a multiple of 8 in [24, 256], but got 264}}
"nv_tileas.set_registers"() {count = 264 : i64, action = "increase"} : () -> ()

// -----

// Registers move in groups of eight.
// expected-error @below {{attribute 'count' must be a multiple of 8 in [24, 256], but got 44}}
"nv_tileas.set_registers"() {count = 44 : i64, action = "decrease"} : () -> ()

// -----

// Register counts go up or down.
// expected-error @below {{'nv_tileas.set_registers' op attribute 'action' must be increase or decrease, but got keep}}
"nv_tileas.set_registers"() {count = 40 : i64, action = "keep"} : () -> ()

// -----

// A buffer has slots.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
// expected-error @below {{'nv_tileas.alloc_shared' op attribute 'slots' must be at least 1, but got 0}}
%s = "nv_tileas.alloc_shared"() {slots = 0 : i64} : () -> !slot

// -----

// A buffer holds shared-memory tiles.
// expected-error @below {{'nv_tileas.alloc_shared' op expects a shared-memory tile, but got tensor<4xf32>}}
%s = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> tensor<4xf32>

// -----

// Boxes have the rank of the tile.
// expected-error @below {{'nv_tileas.alloc_shared' op expects boxes of rank 2, but got 1}}
%s = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<tensor<8x64xbf16, #nv_tileas.shared_layout<array<i64: 64>, 0 : i64>>>

// -----

// A shared-memory tile is a tensor with a layout.
// expected-error @below {{'nv_tileas.alloc_shared' op has a malformed type or attribute}}
%s = "nv_tileas.alloc_shared"() {slots = 1 : i64} : () -> !nv_tileas.smem<i32>

// -----

// A slot has the type of its buffer.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%s = builtin.unrealized_conversion_cast to !slot
%p = builtin.unrealized_conversion_cast to !nv_tileas.ring_position
// expected-error-re @below {{'nv_tileas.slot_view' op expects a result of type !nv_tileas.smem<tensor<128x64xbf16, {{.*}} but got !nv_tileas.smem<tensor<64x64xbf16}}
%t = "nv_tileas.slot_view"(%s, %p) : (!slot, !nv_tileas.ring_position) -> !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// -----

// A load reads shared memory.
%s = builtin.unrealized_conversion_cast to tensor<128x64xbf16>
// expected-error @below {{'nv_tileas.load_shared' op expects a shared-memory tile, but got tensor<128x64xbf16>}}
%t = "nv_tileas.load_shared"(%s) : (tensor<128x64xbf16>) -> tensor<128x64xbf16>

// -----

// A load returns the whole tile.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%s = builtin.unrealized_conversion_cast to !slot
// expected-error @below {{'nv_tileas.load_shared' op requires the same shape for tileSize and tensor value}}
%t = "nv_tileas.load_shared"(%s) : (!slot) -> tensor<64x64xbf16>

// -----

// A load does not change elements.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%s = builtin.unrealized_conversion_cast to !slot
// expected-error @below {{'nv_tileas.load_shared' op view elementType not equal with tensor element type: bf16 != f16}}
%t = "nv_tileas.load_shared"(%s) : (!slot) -> tensor<128x64xf16>

// -----

// A box that a load reads begins at a multiple of its extents.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%s = builtin.unrealized_conversion_cast to !slot
// expected-error @below {{'nv_tileas.load_shared' op expects a multiple of 16 within 64 as origin, but got 8}}
%t = "nv_tileas.load_shared"(%s) {origin = array<i64: 0, 8>} : (!slot) -> tensor<128x16xbf16>

// -----

// A box that a store writes lies within the tile.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%s = builtin.unrealized_conversion_cast to !slot
%x = builtin.unrealized_conversion_cast to tensor<128x16xbf16>
// expected-error @below {{'nv_tileas.store_shared' op expects a multiple of 16 within 64 as origin, but got 64}}
"nv_tileas.store_shared"(%x, %s) {origin = array<i64: 0, 64>} : (tensor<128x16xbf16>, !slot) -> ()

// -----

// An opaque tile keeps its type.
%x = builtin.unrealized_conversion_cast to tensor<128x16xbf16>
// expected-error @below {{'nv_tileas.opaque' op the result must be tensor<128x16xbf16>, but is tensor<128x16xf32>}}
%y = "nv_tileas.opaque"(%x) : (tensor<128x16xbf16>) -> tensor<128x16xf32>

// -----

// A store fills the whole tile.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%x = builtin.unrealized_conversion_cast to tensor<128x32xbf16>
%s = builtin.unrealized_conversion_cast to !slot
// expected-error @below {{'nv_tileas.store_shared' op requires the same shape for tileSize and tensor value}}
"nv_tileas.store_shared"(%x, %s) : (tensor<128x32xbf16>, !slot) -> ()

// -----

// A store does not change elements.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%x = builtin.unrealized_conversion_cast to tensor<128x64xf32>
%s = builtin.unrealized_conversion_cast to !slot
// expected-error @below {{'nv_tileas.store_shared' op view elementType not equal with tensor element type: bf16 != f32}}
"nv_tileas.store_shared"(%x, %s) : (tensor<128x64xf32>, !slot) -> ()

// -----

// A conversion of layouts keeps the elements.
%x = builtin.unrealized_conversion_cast to tensor<8x4xf32>
// expected-error @below {{'nv_tileas.convert_layout' op cannot convert tensor<8x4xf32> to tensor<4x4xf32>}}
%y = "nv_tileas.convert_layout"(%x) : (tensor<8x4xf32>) -> tensor<4x4xf32>

// -----

// A tile that is copied out has a coordinate for each dim.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%s = builtin.unrealized_conversion_cast to !slot
%v = builtin.unrealized_conversion_cast to !memref
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.copy_out' op expects 2 coordinates, but got 1}}
"nv_tileas.copy_out"(%s, %v, %i) : (!slot, !memref, i32) -> ()

// -----

// What is added has the type that the mode is for.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%s = builtin.unrealized_conversion_cast to !slot
%v = builtin.unrealized_conversion_cast to !memref
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.copy_out' op mode add is for i32 or i64, but the array holds bf16}}
"nv_tileas.copy_out"(%s, %v, %i, %i) {combine = "add"} : (!slot, !memref, i32, i32) -> ()

// -----

// Threads copy a tile out of shared memory.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%s = builtin.unrealized_conversion_cast to tensor<128x64xbf16>
%v = builtin.unrealized_conversion_cast to !memref
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.copy_out' op expects a shared-memory tile, but got tensor<128x64xbf16>}}
"nv_tileas.copy_out"(%s, %v, %i, %i) : (tensor<128x64xbf16>, !memref, i32, i32) -> ()

// -----

// B lies in shared memory.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to tensor<16x32xbf16>
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op expects a shared-memory tile, but got tensor<16x32xbf16>}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "k", b_major = "n"} : (!a, tensor<16x32xbf16>, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// A lies in shared memory or in registers.
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op expects a tile in shared memory or in registers, but got i32}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "k", b_major = "n"} : (i32, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// In registers, A has no other order than that of the fragment.
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to tensor<16x64xbf16>
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op expects 'a_major' to be k for an operand in registers}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "m", b_major = "n"} : (tensor<16x64xbf16>, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// Whether a product adds to its accumulator is a predicate.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c, %p = builtin.unrealized_conversion_cast to tensor<64x32xf32>, i32
// expected-error @below {{'nv_tileas.async_mma' op expects 'accumulate' to be an i1, but got i32}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c, %p) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x32xf32>, i32) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// An undefined tile is an accumulator in registers.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
// expected-error @below {{'nv_tileas.undefined' op expects a register tile, but got !nv_tileas.smem}}
%u = "nv_tileas.undefined"() : () -> !a

// -----

// Zeros are those of an accumulator.
// expected-error @below {{'nv_tileas.zeros' op expects a tile of f32, f16 or i32, but got bf16}}
%z = "nv_tileas.zeros"() : () -> tensor<64x32xbf16>

// -----

// A group in flight is named by an mma token.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op expects an mma token, but got !nv_tileaa.mem_token}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileaa.mem_token)

// -----

// The inner extents agree under the majors that are given.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op expects the shape of operand #A and #B to be compatible}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "m", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// The same holds for B.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op expects the shape of operand #A and #B to be compatible}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "k", b_major = "k"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// A is contiguous along K or M.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op attribute 'a_major' must be k or m, but got n}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "n", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// B is contiguous along K or N.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.async_mma' op attribute 'b_major' must be k or n, but got m}}
%r:2 = "nv_tileas.async_mma"(%a, %b, %c) {a_major = "k", b_major = "m"} : (!a, !b, tensor<64x32xf32>) -> (tensor<64x32xf32>, !nv_tileas.mma_token)

// -----

// A product returns its accumulator.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
// expected-error @below {{'nv_tileas.simt_mma' op expects the shape of operand #C is compatible with operands #A and #B}}
%r = "nv_tileas.simt_mma"(%a, %b, %c) {a_major = "k", b_major = "n"} : (!a, !b, tensor<64x32xf32>) -> tensor<32x64xf32>

// -----

// Operands of a batched product are batched.
!a = !nv_tileas.smem<tensor<64x16xbf16, #nv_tileas.shared_layout<array<i64: 64, 16>, 32 : i64>>>
!b = !nv_tileas.smem<tensor<16x32xbf16, #nv_tileas.shared_layout<array<i64: 16, 32>, 64 : i64>>>
%a = builtin.unrealized_conversion_cast to !a
%b = builtin.unrealized_conversion_cast to !b
%c = builtin.unrealized_conversion_cast to tensor<2x64x32xf32>
// expected-error @below {{'nv_tileas.simt_mma' op expects the shape of operand #A and #B to be compatible}}
%r = "nv_tileas.simt_mma"(%a, %b, %c) {a_major = "k", b_major = "n"} : (!a, !b, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>

// -----

// A wait retires an asynchronous group.
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
%t = builtin.unrealized_conversion_cast to !nv_tileaa.mem_token
// expected-error @below {{'nv_tileas.mma_wait' op expects an mma token, but got !nv_tileaa.mem_token}}
%r = "nv_tileas.mma_wait"(%c, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileaa.mem_token) -> tensor<64x32xf32>

// -----

// A wait passes the accumulator on.
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
%t = builtin.unrealized_conversion_cast to !nv_tileas.mma_token
// expected-error @below {{'nv_tileas.mma_wait' op expects a result of type tensor<64x32xf32>, but got tensor<64x32xf16>}}
%r = "nv_tileas.mma_wait"(%c, %t) {pending = 0 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf16>

// -----

// No fewer than zero groups stay in flight.
%c = builtin.unrealized_conversion_cast to tensor<64x32xf32>
%t = builtin.unrealized_conversion_cast to !nv_tileas.mma_token
// expected-error @below {{'nv_tileas.mma_wait' op attribute 'pending' must be at least 0, but got -1}}
%r = "nv_tileas.mma_wait"(%c, %t) {pending = -1 : i64} : (tensor<64x32xf32>, !nv_tileas.mma_token) -> tensor<64x32xf32>

// -----

// A descriptor describes a memref.
%v = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op expects a memref, but got i32}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (i32) -> !nv_tileas.tma_desc<tensor<8x64xbf16>>

// -----

// The box of a descriptor is that of its type.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op tmaBoxDim and atomBoxDim mismatch}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !nv_tileas.tma_desc<tensor<16x64xbf16>>

// -----

// A box has the rank of the array.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op expects a box of rank 2, but got 1}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !nv_tileas.tma_desc<tensor<64xbf16>>

// -----

// Tensor maps have up to five dims.
!memref = !nv_tileaa.memref<memref<?x?x?x?x?x?xbf16, strided<[?, ?, ?, ?, ?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op expects a rank in [1, 5], but got 6}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 1, 1, 1, 1, 1, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !nv_tileas.tma_desc<tensor<1x1x1x1x1x64xbf16>>

// -----

// A box has at most 256 elements along a dim.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op tma box extents must be in [1, 256], but got 512}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 512, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !nv_tileas.tma_desc<tensor<512x64xbf16>>

// -----

// A row of a box has whole 16-byte chunks.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op tma boxDims[0] * elemTypeBitWidth is not a multiple of 16 bytes}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 4>, swizzle = 0 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !nv_tileas.tma_desc<tensor<8x4xbf16>>

// -----

// Swizzle spans are 32, 64 or 128 bytes.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op unsupported swizzle, got 16}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 8>, swizzle = 16 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !nv_tileas.tma_desc<tensor<8x8xbf16>>

// -----

// A row of a box fits the swizzle span.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op smem layout is not TMA compatible: 128 bytes of the innermost box extent exceed the swizzle span 64}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 64>, swizzle = 64 : i64, tmaIdx = 0 : i64, mode = "load"} : (!memref) -> !nv_tileas.tma_desc<tensor<8x64xbf16>>

// -----

// A descriptor is for loads or for stores.
!memref = !nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>
%v = builtin.unrealized_conversion_cast to !memref
// expected-error @below {{'nv_tileas.make_tiled_tma_desc' op attribute 'mode' must be load or store or combine, but got reduce}}
%d = "nv_tileas.make_tiled_tma_desc"(%v) {box = array<i64: 8, 64>, swizzle = 128 : i64, tmaIdx = 0 : i64, mode = "reduce"} : (!memref) -> !nv_tileas.tma_desc<tensor<8x64xbf16>>

// -----

// A copy completes on an mbarrier.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op must be mbarrier barrier type, but got i32}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %i) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32, i32) -> ()

// -----

// A copy goes through a descriptor.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.ring
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op expects a TMA descriptor, but got !nv_tileas.ring}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!nv_tileas.ring, !slot, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// A copy fills shared memory.
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to tensor<128x64xbf16>
%i = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op expects a shared-memory tile, but got tensor<128x64xbf16>}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, tensor<128x64xbf16>, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// A box has a coordinate for each dim.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op expects 2 coordinates, but got 1}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %b) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, !nv_tileas.mbarrier) -> ()

// -----

// Coordinates are i32.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i64
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op expects CoordType is same as memref index type, but got i64}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i64, i64, !nv_tileas.mbarrier) -> ()

// -----

// The boxes of the tile are those of the descriptor.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.tma_desc<tensor<64x64xbf16>>
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op tma box-dim and copy atom box-dim mismatch}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!nv_tileas.tma_desc<tensor<64x64xbf16>>, !slot, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// A copy announces the bytes of its box.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op attribute 'tx_count' must be 16384, but got 8192}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// A tile of two boxes has no third.
!wide = !nv_tileas.smem<tensor<128x128xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !wide
%i = builtin.unrealized_conversion_cast to i32
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op attribute 'box_index' must be in [0, 1], but got 2}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 2 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !wide, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// A copy needs a descriptor, a slot and a barrier.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op expects at least 3 operands, but got 2}}
"nv_tileas.async_tiled_tma_load"(%d, %s) {box_index = 0 : i64, tx_count = 16384 : i64, tmaIdx = 0 : i64} : (!desc, !slot) -> ()

// -----

// A store goes through a descriptor.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.ring
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_store' op expects a TMA descriptor, but got !nv_tileas.ring}}
"nv_tileas.async_tiled_tma_store"(%d, %s, %i, %i) {box_index = 0 : i64, tmaIdx = 0 : i64} : (!nv_tileas.ring, !slot, i32, i32) -> ()

// -----

// A store reads shared memory.
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to tensor<128x64xbf16>
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_store' op expects a shared-memory tile, but got tensor<128x64xbf16>}}
"nv_tileas.async_tiled_tma_store"(%d, %s, %i, %i) {box_index = 0 : i64, tmaIdx = 0 : i64} : (!desc, tensor<128x64xbf16>, i32, i32) -> ()

// -----

// A box is not exchanged with the array.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_store' op expects combine to be one of: add, addf, max, min, umax, umin, and, or, xor, but got: xchg}}
"nv_tileas.async_tiled_tma_store"(%d, %s, %i, %i) {box_index = 0 : i64, tmaIdx = 0 : i64, combine = "xchg"} : (!desc, !slot, i32, i32) -> ()

// -----

// A stored box has a coordinate for each dim.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_store' op expects 2 coordinates, but got 3}}
"nv_tileas.async_tiled_tma_store"(%d, %s, %i, %i, %i) {box_index = 0 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32, i32) -> ()

// -----

// The boxes of a stored tile are those of the descriptor.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.tma_desc<tensor<64x64xbf16>>
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_store' op tma box-dim and copy atom box-dim mismatch}}
"nv_tileas.async_tiled_tma_store"(%d, %s, %i, %i) {box_index = 0 : i64, tmaIdx = 0 : i64} : (!nv_tileas.tma_desc<tensor<64x64xbf16>>, !slot, i32, i32) -> ()

// -----

// A tile of one box has no second.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_store' op attribute 'box_index' must be in [0, 0], but got 1}}
"nv_tileas.async_tiled_tma_store"(%d, %s, %i, %i) {box_index = 1 : i64, tmaIdx = 0 : i64} : (!desc, !slot, i32, i32) -> ()

// -----

// There is one cache hint.
!slot = !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 128, 64>, 128 : i64>>>
!desc = !nv_tileas.tma_desc<tensor<128x64xbf16>>
%d = builtin.unrealized_conversion_cast to !desc
%s = builtin.unrealized_conversion_cast to !slot
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_store' op attribute 'cache_hint' must be evict_first, but got forever}}
"nv_tileas.async_tiled_tma_store"(%d, %s, %i, %i) {box_index = 0 : i64, cache_hint = "forever", tmaIdx = 0 : i64} : (!desc, !slot, i32, i32) -> ()

// -----

// No fewer than zero bulk groups stay in flight.
// expected-error @below {{'nv_tileas.bulk_wait' op attribute 'pending' must be at least 0, but got -1}}
"nv_tileas.bulk_wait"() {pending = -1 : i64, read = true} : () -> ()

// -----

!slot = !nv_tileas.smem<tensor<2x64x64xbf16, #nv_tileas.shared_layout<array<i64: 1, 64, 64>, 128 : i64>>>
!flat = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// A view has as many elements.
"nv_tileaa.func"() ({
^bb0(%s: !slot):
  // expected-error @below {{'nv_tileas.shared_view' op expects as many elements, but got (2, 64, 64) and (64, 64)}}
  %v = "nv_tileas.shared_view"(%s) : (!slot) -> !flat
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "views_have_as_many_elements", function_type = (!slot) -> ()} : () -> ()

// -----

!slot = !nv_tileas.smem<tensor<1x64x64xbf16, #nv_tileas.shared_layout<array<i64: 1, 64, 64>, 128 : i64>>>
!flat = !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 32>, 64 : i64>>>

// A view keeps the place of every element.
"nv_tileaa.func"() ({
^bb0(%s: !slot):
  // expected-error @below {{'nv_tileas.shared_view' op expects the layout of the source}}
  %v = "nv_tileas.shared_view"(%s) : (!slot) -> !flat
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "views_keep_the_place_of_elements", function_type = (!slot) -> ()} : () -> ()

// -----

// Parts are taken from registers.
%x = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
// expected-error @below {{'nv_tileas.tile_part' op expects a register tile, but got !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: 0, 0>, axis = 0 : i64} : (!nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>) -> tensor<64x64xbf16>

// -----

// An origin has a coordinate for each dim.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_part' op expects a part and an origin of rank 2}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: 0>, axis = 0 : i64} : (tensor<128x256xbf16>) -> tensor<64x64xbf16>

// -----

// A part has the rank of its tile.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_part' op expects a part and an origin of rank 2}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: 0, 0>, axis = 0 : i64} : (tensor<128x256xbf16>) -> tensor<64xbf16>

// -----

// A part has the element type of its tile.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_part' op expects a part of bf16, but got f32}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: 0, 0>, axis = 0 : i64} : (tensor<128x256xbf16>) -> tensor<64x64xf32>

// -----

// Warpgroups share an axis that the tile has.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_part' op attribute 'axis' must be in [0, 1], but got 2}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: 0, 0>, axis = 2 : i64} : (tensor<128x256xbf16>) -> tensor<64x64xbf16>

// -----

// Parts do not overlap.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_part' op expects a multiple of 64 within 256 as origin, but got 32}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: 0, 32>, axis = 0 : i64} : (tensor<128x256xbf16>) -> tensor<64x64xbf16>

// -----

// A part stays inside its tile.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_part' op expects a multiple of 64 within 256 as origin, but got 256}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: 0, 256>, axis = 0 : i64} : (tensor<128x256xbf16>) -> tensor<64x64xbf16>

// -----

// A part does not begin before its tile.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_part' op expects a multiple of 64 within 128 as origin, but got -64}}
%y = "nv_tileas.tile_part"(%x) {origin = array<i64: -64, 0>, axis = 0 : i64} : (tensor<128x256xbf16>) -> tensor<64x64xbf16>

// -----

// A warpgroup's tile lies in shared memory.
%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.warpgroup_view' op expects a shared-memory tile, but got tensor<128x256xbf16>}}
%y = "nv_tileas.warpgroup_view"(%x) {slot = 0 : i64, slots = 2 : i64} : (tensor<128x256xbf16>) -> !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// -----

// A warpgroup's tile fits a tile of the buffer.
%x = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<32x64xbf16, #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>>>
// expected-error @below {{'nv_tileas.warpgroup_view' op expects a tile of at most 4096 bytes, but got !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>}}
%y = "nv_tileas.warpgroup_view"(%x) {slot = 0 : i64, slots = 2 : i64} : (!nv_tileas.smem<tensor<32x64xbf16, #nv_tileas.shared_layout<array<i64: 32, 64>, 128 : i64>>>) -> !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// -----

// Elements of another type may be larger.
%x = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
// expected-error @below {{'nv_tileas.warpgroup_view' op expects a tile of at most 8192 bytes, but got !nv_tileas.smem<tensor<64x64xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>}}
%y = "nv_tileas.warpgroup_view"(%x) {slot = 0 : i64, slots = 2 : i64} : (!nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>) -> !nv_tileas.smem<tensor<64x64xf32, #nv_tileas.shared_layout<array<i64: 64, 32>, 128 : i64>>>

// -----

// A warpgroup with two slots has no third.
%x = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
// expected-error @below {{'nv_tileas.warpgroup_view' op attribute 'slot' must be in [0, 1], but got 2}}
%y = "nv_tileas.warpgroup_view"(%x) {slot = 2 : i64, slots = 2 : i64} : (!nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>) -> !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>

// -----

// A cluster has rows and columns (its index).
// expected-error @below {{'nv_tileas.cluster_id' op attribute 'cluster' must hold two positive extents, but got [2]}}
%i = "nv_tileas.cluster_id"() {cluster = array<i64: 2>} : () -> i32

// -----

// A cluster has rows and columns (their number).
// expected-error @below {{'nv_tileas.num_clusters' op attribute 'cluster' must hold two positive extents, but got [2, 0]}}
%i = "nv_tileas.num_clusters"() {cluster = array<i64: 2, 0>} : () -> i32

// -----

// A cluster has rows and columns (a coordinate).
// expected-error @below {{'nv_tileas.cluster_coord' op attribute 'cluster' must hold two positive extents, but got [2, 1, 1]}}
%i = "nv_tileas.cluster_coord"() {axis = 0 : i64, cluster = array<i64: 2, 1, 1>} : () -> i32

// -----

// A cluster has two axes.
// expected-error @below {{'nv_tileas.cluster_coord' op attribute 'axis' must be 0 or 1, but got 2}}
%i = "nv_tileas.cluster_coord"() {axis = 2 : i64, cluster = array<i64: 2, 1>} : () -> i32

// -----

// Slots are shared in a cluster only.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.create_ring' op expects both or none of the attributes 'cluster' and 'multicast_axes'}}
%r = "nv_tileas.create_ring"(%b) {stages = 1 : i64, multicast_axes = array<i64: 0>} : (!nv_tileas.mbarrier) -> !nv_tileas.ring

// -----

// A ring in a cluster says along which axes slots are shared.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.create_ring' op expects both or none of the attributes 'cluster' and 'multicast_axes'}}
%r = "nv_tileas.create_ring"(%b) {stages = 1 : i64, cluster = array<i64: 2, 1>} : (!nv_tileas.mbarrier) -> !nv_tileas.ring

// -----

// The axes of a ring are those of its cluster.
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.create_ring' op attribute 'multicast_axes' must hold 0, 1 or both, but got [0, 2]}}
%r = "nv_tileas.create_ring"(%b) {stages = 1 : i64, cluster = array<i64: 2, 1>, multicast_axes = array<i64: 0, 2>} : (!nv_tileas.mbarrier) -> !nv_tileas.ring

// -----

// CTAs divide the boxes of a tile that they share: one box is none for two.
%s = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.tma_desc<tensor<64x64xbf16>>
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op expects a number of boxes that 2 CTAs can divide, but got 1}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 1>, multicast_axis = 0 : i64} : (!nv_tileas.tma_desc<tensor<64x64xbf16>>, !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// Boxes are numbered from the first of a CTA's own share.
%s = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.tma_desc<tensor<64x64xbf16>>
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op attribute 'box_index' must be in [0, 0], but got 1}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 1 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 1>, multicast_axis = 0 : i64} : (!nv_tileas.tma_desc<tensor<64x64xbf16>>, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// A tile is shared in a cluster only.
%s = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.tma_desc<tensor<64x64xbf16>>
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op expects both or none of the attributes 'cluster' and 'multicast_axis'}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, multicast_axis = 0 : i64} : (!nv_tileas.tma_desc<tensor<64x64xbf16>>, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// A tile is shared along one axis of its cluster.
%s = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.tma_desc<tensor<64x64xbf16>>
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op attribute 'multicast_axis' must be 0 or 1, but got 2}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2, 1>, multicast_axis = 2 : i64} : (!nv_tileas.tma_desc<tensor<64x64xbf16>>, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

// The cluster of a copy has two extents.
%s = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>
%d = builtin.unrealized_conversion_cast to !nv_tileas.tma_desc<tensor<64x64xbf16>>
%b = builtin.unrealized_conversion_cast to !nv_tileas.mbarrier
%i = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.async_tiled_tma_load' op attribute 'cluster' must hold two positive extents, but got [2]}}
"nv_tileas.async_tiled_tma_load"(%d, %s, %i, %i, %b) {box_index = 0 : i64, tx_count = 8192 : i64, tmaIdx = 0 : i64, cluster = array<i64: 2>, multicast_axis = 0 : i64} : (!nv_tileas.tma_desc<tensor<64x64xbf16>>, !nv_tileas.smem<tensor<128x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, i32, i32, !nv_tileas.mbarrier) -> ()

// -----

%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_slice' op expects a slice of bf16, but got f32}}
%y = "nv_tileas.tile_slice"(%x) {origin = array<i64: 0, 0>} : (tensor<128x256xbf16>) -> tensor<128x64xf32>

// -----

%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_slice' op expects a slice and an origin of rank 2}}
%y = "nv_tileas.tile_slice"(%x) {origin = array<i64: 0>} : (tensor<128x256xbf16>) -> tensor<128x64xbf16>

// -----

%x = builtin.unrealized_conversion_cast to tensor<128x256xbf16>
// expected-error @below {{'nv_tileas.tile_slice' op expects room for 64 within 256 as origin, but got 200}}
%y = "nv_tileas.tile_slice"(%x) {origin = array<i64: 0, 200>} : (tensor<128x256xbf16>) -> tensor<128x64xbf16>

// -----

"nv_tileas.roles"() ({
  // expected-error @below {{'nv_tileas.producer_warp' op expects a warp in [1, 3], but got 4}}
  "nv_tileas.producer_warp"() ({
    "nv_tileas.yield"() : () -> ()
  }) {warp = 4 : i64} : () -> ()
  "nv_tileas.yield"() : () -> ()
}, {
  "nv_tileas.yield"() : () -> ()
}) {consumer_warps = 8 : i64, producer_warps = 4 : i64} : () -> ()

// -----

// expected-error @below {{'nv_tileas.producer_warp' op expects to be in a region of 'nv_tileas.roles'}}
"nv_tileas.producer_warp"() ({
  "nv_tileas.yield"() : () -> ()
}) {warp = 1 : i64} : () -> ()

// -----

"nv_tileas.roles"() ({
  // expected-error @below {{'nv_tileas.producer_warp' op expects its region to end with 'nv_tileas.yield'}}
  "nv_tileas.producer_warp"() ({
  }) {warp = 1 : i64} : () -> ()
  "nv_tileas.yield"() : () -> ()
}, {
  "nv_tileas.yield"() : () -> ()
}) {consumer_warps = 8 : i64, producer_warps = 4 : i64} : () -> ()

// -----

// A workspace is an address.
// expected-error @below {{'nv_tileas.workspace' op expects an address in global memory, but got i64}}
%w = "nv_tileas.workspace"() {hidden_name = "counters", size = "4"} : () -> i64

// -----

// Partial sums have 32 bits.
%x, %p, %i = builtin.unrealized_conversion_cast to tensor<64x64xbf16>, !nv_tileaa.ptr<f32>, i32
// expected-error @below {{'nv_tileas.store_partial' op expects a tile of f32 or i32, but got bf16}}
"nv_tileas.store_partial"(%x, %p, %i, %i) {count = 3 : i64} : (tensor<64x64xbf16>, !nv_tileaa.ptr<f32>, i32, i32) -> ()

// -----

// Adding a partial sum does not change the type of an accumulator.
%x, %p, %i = builtin.unrealized_conversion_cast to tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32
// expected-error @below {{'nv_tileas.add_partial' op expects a sum of type tensor<64x64xf32>, but got tensor<64x32xf32>}}
%s = "nv_tileas.add_partial"(%x, %p, %i, %i) {count = 3 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> tensor<64x32xf32>

// -----

// Partial sums that are added have 32 bits, too.
%x, %p, %i = builtin.unrealized_conversion_cast to tensor<64x64xf16>, !nv_tileaa.ptr<f32>, i32
// expected-error @below {{'nv_tileas.add_partial' op expects a tile of f32 or i32, but got f16}}
%s = "nv_tileas.add_partial"(%x, %p, %i, %i) {count = 3 : i64} : (tensor<64x64xf16>, !nv_tileaa.ptr<f32>, i32, i32) -> tensor<64x64xf16>

// -----

// A tile that is split has partial sums.
%x, %p, %i = builtin.unrealized_conversion_cast to tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32
// expected-error @below {{'nv_tileas.add_partial' op attribute 'count' must be at least 1, but got 0}}
%s = "nv_tileas.add_partial"(%x, %p, %i, %i) {count = 0 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> tensor<64x64xf32>

// -----

// A tile that is split has room for them.
%x, %p, %i = builtin.unrealized_conversion_cast to tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32
// expected-error @below {{'nv_tileas.store_partial' op attribute 'count' must be at least 1, but got 0}}
"nv_tileas.store_partial"(%x, %p, %i, %i) {count = 0 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, i32) -> ()

// -----

// The number of a split is known.
%x, %p, %i, %s = builtin.unrealized_conversion_cast to tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, f32
// expected-error @below {{'nv_tileas.store_partial' op expects an i32, but got f32}}
"nv_tileas.store_partial"(%x, %p, %i, %s) {count = 3 : i64} : (tensor<64x64xf32>, !nv_tileaa.ptr<f32>, i32, f32) -> ()

// -----

// Counters are kept in global memory.
%c, %i = builtin.unrealized_conversion_cast to i64, i32
// expected-error @below {{'nv_tileas.await_partials' op expects an address in global memory, but got i64}}
"nv_tileas.await_partials"(%c, %i, %i) : (i64, i32, i32) -> ()

// -----

// A partial sum is that of a tile of a known number.
%c, %i = builtin.unrealized_conversion_cast to !nv_tileaa.ptr<i32>, f32
// expected-error @below {{'nv_tileas.arrive_partial' op expects an i32, but got f32}}
"nv_tileas.arrive_partial"(%c, %i) : (!nv_tileaa.ptr<i32>, f32) -> ()

// -----

// The token of a received tile needs a tile.
%x = builtin.unrealized_conversion_cast to i32
// expected-error @below {{'nv_tileas.receive_token' op expects a register tile, but got i32}}
%t = "nv_tileas.receive_token"(%x) : (i32) -> !nv_tileaa.mem_token

// -----

// The token of loads through a ring is a memory token.
%r, %p = builtin.unrealized_conversion_cast to !nv_tileas.ring, !nv_tileas.ring_position
// expected-error @below {{'nv_tileas.ring_token' op expects a memory token, but got i32}}
%t = "nv_tileas.ring_token"(%r, %p) : (!nv_tileas.ring, !nv_tileas.ring_position) -> i32

// -----

// Bulk stores come after memory tokens.
%x = builtin.unrealized_conversion_cast to !nv_tileas.mma_token
// expected-error @below {{'nv_tileas.store_token' op expects a memory token, but got !nv_tileas.mma_token}}
%t = "nv_tileas.store_token"(%x) : (!nv_tileas.mma_token) -> !nv_tileaa.mem_token

// -----

// A part of K lies in K.
%a, %c = builtin.unrealized_conversion_cast to !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, tensor<64x64xf32>
// expected-error @below {{'nv_tileas.simt_mma' op k_part must lie in the 64 elements of K}}
%d = "nv_tileas.simt_mma"(%a, %a, %c) {a_major = "k", b_major = "n", k_part = array<i64: -16, 32>} : (!nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, !nv_tileas.smem<tensor<64x64xbf16, #nv_tileas.shared_layout<array<i64: 64, 64>, 128 : i64>>>, tensor<64x64xf32>) -> tensor<64x64xf32>

// -----

// CTAs send words.
!s = !nv_tileas.smem<tensor<8xbf16, #nv_tileas.shared_layout<array<i64: 8>, 0 : i64>>>
%t, %s, %b = builtin.unrealized_conversion_cast to tensor<8xbf16>, !s, !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.cluster_send' op expects elements of 32 or 64 bits, but got bf16}}
"nv_tileas.cluster_send"(%t, %s, %b) {cluster = array<i64: 8, 1>, multicast_axis = 0 : i64, tx_count = 4 : i64} : (tensor<8xbf16>, !s, !nv_tileas.mbarrier) -> ()

// -----

// CTAs send a tile to where such a tile is expected.
!s = !nv_tileas.smem<tensor<8xf32, #nv_tileas.shared_layout<array<i64: 8>, 0 : i64>>>
%t, %s, %b = builtin.unrealized_conversion_cast to tensor<4xf32>, !s, !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.cluster_send' op requires the same shape for tileSize and tensor value}}
"nv_tileas.cluster_send"(%t, %s, %b) {cluster = array<i64: 8, 1>, multicast_axis = 0 : i64, tx_count = 4 : i64} : (tensor<4xf32>, !s, !nv_tileas.mbarrier) -> ()

// -----

// CTAs send something.
!s = !nv_tileas.smem<tensor<8xf32, #nv_tileas.shared_layout<array<i64: 8>, 0 : i64>>>
%t, %s, %b = builtin.unrealized_conversion_cast to tensor<8xf32>, !s, !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.cluster_send' op attribute 'tx_count' must be at least 1, but got 0}}
"nv_tileas.cluster_send"(%t, %s, %b) {cluster = array<i64: 8, 1>, multicast_axis = 0 : i64, tx_count = 0 : i64} : (tensor<8xf32>, !s, !nv_tileas.mbarrier) -> ()

// -----

// CTAs send to each other along an axis of their cluster.
!s = !nv_tileas.smem<tensor<8xf32, #nv_tileas.shared_layout<array<i64: 8>, 0 : i64>>>
%t, %s, %b = builtin.unrealized_conversion_cast to tensor<8xf32>, !s, !nv_tileas.mbarrier
// expected-error @below {{'nv_tileas.cluster_send' op attribute 'multicast_axis' must be 0 or 1, but got 2}}
"nv_tileas.cluster_send"(%t, %s, %b) {cluster = array<i64: 8, 1>, multicast_axis = 2 : i64, tx_count = 4 : i64} : (tensor<8xf32>, !s, !nv_tileas.mbarrier) -> ()

// -----

%x, %d = builtin.unrealized_conversion_cast to tensor<128x1xf32>, tensor<128x128xf32>
// expected-error @below {{'nv_tileas.hold' op expects a result of type tensor<128x1xf32>, but got tensor<128x2xf32>}}
%y = "nv_tileas.hold"(%x, %d) : (tensor<128x1xf32>, tensor<128x128xf32>) -> tensor<128x2xf32>

// -----

%x, %d = builtin.unrealized_conversion_cast to tensor<128x1xbf16>, tensor<128x128xf32>
// expected-error @below {{'nv_tileas.hold' op expects a tile of i32 or f32, but got bf16}}
%y = "nv_tileas.hold"(%x, %d) : (tensor<128x1xbf16>, tensor<128x128xf32>) -> tensor<128x1xbf16>

// -----

// Parts have no axis of the elements of a part.
%x, %p = builtin.unrealized_conversion_cast to tensor<1x8x4xf32>, tensor<1x4xf32>
// expected-error @below {{'nv_tileas.combine_before' op expects parts of 1x8 and f32, but got tensor<1x4xf32>}}
%y = "nv_tileas.combine_before"(%x, %p) ({
^bb0(%a: f32, %b: f32):
  "nv_tileas.yield_values"(%a) : (f32) -> ()
}) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1, 0, 0, 0>} : (tensor<1x8x4xf32>, tensor<1x4xf32>) -> tensor<1x8x4xf32>

// -----

// The elements of a part follow along the next axis.
%x, %p = builtin.unrealized_conversion_cast to tensor<8x4xf32>, tensor<8xf32>
// expected-error @below {{'nv_tileas.combine_before' op expects an axis after axis 1 of rank 2}}
%y = "nv_tileas.combine_before"(%x, %p) ({
^bb0(%a: f32, %b: f32):
  "nv_tileas.yield_values"(%a) : (f32) -> ()
}) {axis = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1, 0, 0, 0>} : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>

// -----

// Each tile has its parts.
%x = builtin.unrealized_conversion_cast to tensor<8x4xf32>
// expected-error @below {{'nv_tileas.combine_before' op has 1 tiles, but 0 of parts}}
%y = "nv_tileas.combine_before"(%x) ({
^bb0(%a: f32, %b: f32):
  "nv_tileas.yield_values"(%a) : (f32) -> ()
}) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
