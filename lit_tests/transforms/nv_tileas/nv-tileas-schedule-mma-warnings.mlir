// RUN: tilec opt %s --passes nv-tileas-schedule-mma --split-input-file --verify-diagnostics

// The pass says why a product does not run on wgmma.

// A batched product has no wgmma, but warps share the products of a batch.
"nv_tileaa.func"() ({
^bb0(%a: tensor<2x64x16xbf16>, %b: tensor<2x16x32xbf16>, %acc: tensor<2x64x32xf32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    // expected-remark @below {{mma runs by mma.sync, one warp at a time, not by wgmma: the product is batched}}
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<2x64x16xbf16>, tensor<2x16x32xbf16>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "batched_products", function_type = (tensor<2x64x16xbf16>, tensor<2x16x32xbf16>, tensor<2x64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()

// -----

// Operands of other types have none.
"nv_tileaa.func"() ({
^bb0(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>, %acc: tensor<64x32xf32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    // expected-warning @below {{mma of 64 x 32 x 16, f32 and f32 into f32, runs on the CUDA cores: wgmma does not multiply f32 and f32 into f32}}
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x16xf32>, tensor<16x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "other_operand_types", function_type = (tensor<64x16xf32>, tensor<16x32xf32>, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()

// -----

// Nor has a product of mixed types.
"nv_tileaa.func"() ({
^bb0(%a: tensor<64x16xbf16>, %b: tensor<16x32xf16>, %acc: tensor<64x32xf32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    // expected-warning @below {{mma of 64 x 32 x 16, bf16 and f16 into f32, runs on the CUDA cores: wgmma does not multiply bf16 and f16 into f32}}
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x16xbf16>, tensor<16x32xf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "mixed_operand_types", function_type = (tensor<64x16xbf16>, tensor<16x32xf16>, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()

// -----

// Rows come in slices of 64 for each warpgroup; warps take slices of 16.
"nv_tileaa.func"() ({
^bb0(%a: tensor<96x16xbf16>, %b: tensor<16x32xbf16>, %acc: tensor<96x32xf32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    // expected-remark @below {{mma runs by mma.sync, one warp at a time, not by wgmma: 96 rows do not split into slices of 64 over 1 warpgroups}}
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<96x16xbf16>, tensor<16x32xbf16>, tensor<96x32xf32>) -> tensor<96x32xf32>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "rows_that_are_no_slices_of_64", function_type = (tensor<96x16xbf16>, tensor<16x32xbf16>, tensor<96x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()

// -----

// Columns come in groups of eight.
"nv_tileaa.func"() ({
^bb0(%a: tensor<64x16xbf16>, %b: tensor<16x20xbf16>, %acc: tensor<64x20xf32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    // expected-warning @below {{mma of 64 x 20 x 16, bf16 and bf16 into f32, runs on the CUDA cores: N = 20 is not a multiple of 8}}
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x16xbf16>, tensor<16x20xbf16>, tensor<64x20xf32>) -> tensor<64x20xf32>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "columns_that_are_no_multiple_of_8", function_type = (tensor<64x16xbf16>, tensor<16x20xbf16>, tensor<64x20xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()

// -----

// The inner extent comes in steps of 16.
"nv_tileaa.func"() ({
^bb0(%a: tensor<64x24xbf16>, %b: tensor<24x32xbf16>, %acc: tensor<64x32xf32>):
  "nv_tileas.roles"() ({
    "nv_tileas.yield"() : () -> ()
  }, {
    // expected-warning @below {{mma of 64 x 32 x 24, bf16 and bf16 into f32, runs on the CUDA cores: K = 24 is not a multiple of 16}}
    %d = "nv_tileas.dot"(%a, %b, %acc) {a_major = "k", b_major = "n"} : (tensor<64x24xbf16>, tensor<24x32xbf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
    "nv_tileas.yield"() : () -> ()
  }) {producer_warps = 0 : i64, consumer_warps = 4 : i64} : () -> ()
  "nv_tileaa.return"() : () -> ()
}) {sym_name = "inner_extents_that_are_no_multiple_of_16", function_type = (tensor<64x24xbf16>, tensor<24x32xbf16>, tensor<64x32xf32>) -> (), nv_tileaa.kernel_spec = {consumer_warps = 4 : i64}} : () -> ()
