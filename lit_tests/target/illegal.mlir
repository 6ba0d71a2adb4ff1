// What would end the process inside LLVM is reported at its source line instead.
// RUN: tilec opt %s --passes verify-llvm-legality --split-input-file --verify-diagnostics

func.func @unlowered_function() { // expected-error {{'func.func' op is not lowered to the llvm or nvvm dialect}}
  return // expected-error {{'func.return' op is not lowered to the llvm or nvvm dialect}}
}

// -----

llvm.func @unlowered_arith(%x: f32) {
  %0 = arith.addf %x, %x : f32 // expected-error {{'arith.addf' op is not lowered}}
  llvm.return
}

// -----

llvm.func @live_cast(%x: f32) {
  // expected-error @+1 {{a conversion from f32 to i32 is still needed}}
  %0 = builtin.unrealized_conversion_cast %x : f32 to i32
  llvm.return
}

// -----

llvm.func @predicate_would_be_lost(%bar: !llvm.ptr<3>, %n: i32, %p: i1) {
  // expected-error @+1 {{'nvvm.mbarrier.init' op has to be lowered by convert-nvvm-to-llvm}}
  nvvm.mbarrier.init %bar, %n, predicate = %p : !llvm.ptr<3>, i32, i1
  llvm.return
}

// -----

llvm.func @no_instruction(%x: f32) {
  // expected-error @+1 {{'llvm.intr.sin' op on f32 has no PTX instruction}}
  %0 = llvm.intr.sin(%x) : (f32) -> f32
  // expected-error @+1 {{'llvm.intr.tanh' op on f32 has no PTX instruction}}
  %1 = llvm.intr.tanh(%x) : (f32) -> f32
  // expected-error @+1 {{'llvm.intr.pow' op on f32 has no PTX instruction}}
  %2 = llvm.intr.pow(%x, %x) : (f32, f32) -> f32
  llvm.return
}

// -----

llvm.func @no_instruction_for_the_type(%x: f64) {
  // expected-error @+1 {{'llvm.intr.exp2' op on f64 has no PTX instruction}}
  %0 = llvm.intr.exp2(%x) : (f64) -> f64
  llvm.return
}

// -----

llvm.func @needs_newer_ptx(%dst: !llvm.ptr<3>, %map: !llvm.ptr, %i: i32) {
  // expected-error @+1 {{op with isCTAOnly needs PTX 8.6}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %dst, box[%i] {isCTAOnly = true, mode = #nvvm.tma_load_mode<tile>} : !llvm.ptr<3>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @unknown_intrinsic() {
  // expected-error @+1 {{intrinsic 'llvm.nvvm.foo' is not known to compile for sm_90a}}
  llvm.call_intrinsic "llvm.nvvm.foo"() : () -> ()
  llvm.return
}

// -----

llvm.func @bad_operand_of_assembly(%x: f32) {
  // expected-error @+1 {{inline assembly: '$1' names no operand: there are 1}}
  llvm.inline_asm asm_dialect = att "foo $1;", "f" %x : (f32) -> ()
  llvm.return
}

// -----

// expected-error @+1 {{a global in shared memory cannot have an initial value}}
llvm.mlir.global internal @initialised(1 : i32) {addr_space = 3 : i32} : i32

// -----

// expected-error @+1 {{'llvm.func' op has a number below 1 in 'nvvm.reqntid'}}
llvm.func @no_threads() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, -2, 1>} {
  llvm.return
}

// -----

llvm.func @alignment(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'llvm.load' op has an alignment of -1 bytes}}
  %0 = llvm.load %p {alignment = -1 : i64} : !llvm.ptr<1> -> i32
  llvm.return
}

// -----

llvm.func @long_vector(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'llvm.load' op has a value of type vector<65536xf32>, which PTX does not have}}
  %0 = llvm.load %p : !llvm.ptr<1> -> vector<65536xf32>
  llvm.return
}

// -----

llvm.func @wide_integer(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'llvm.load' op has a value of type i16777215, which PTX does not have}}
  %0 = llvm.load %p : !llvm.ptr<1> -> i16777215
  llvm.return
}
