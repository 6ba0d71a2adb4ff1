"""What LLVM's NVPTX backend can take: operations, intrinsics and their element types.

Every row was tried with LLVM 22.1 (llvmlite 0.50) for sm_90a at PTX 8.0: each operation and
intrinsic on each element type was taken to PTX in a process of its own, because a miss ends the
process ("Cannot select", "no libcall available"). What is not listed is not known to work, and is
rejected before LLVM sees it.
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


FLOAT_SUFFIXES = ("f16", "bf16", "f32", "f64")

LIBDEVICE_FUNCTIONS = {
    "acos": "acos", "asin": "asin", "atan": "atan", "atan2": "atan2", "cos": "cos",
    "cosh": "cosh", "exp": "exp", "exp10": "exp10", "log": "log", "log10": "log10",
    "log2": "log2", "pow": "pow", "powi": "powi", "sin": "sin", "sinh": "sinh",
    "sincos": "sincos", "tan": "tan", "tanh": "tanh", "lrint": "llrint", "llrint": "llrint",
    "lround": "llround", "llround": "llround",
}  # fmt: skip
"""LLVM intrinsics that NVPTX cannot select for any element type, and the libdevice function that
computes the same (`__nv_` is put before it, `f` after it for f32)."""

UNSELECTABLE_TYPES = {"exp2": frozenset({"f64"}), "canonicalize": frozenset({"bf16"})}
"""LLVM intrinsics that NVPTX selects for some element types only, with those that it does not."""

FLOAT_INTRINSICS = _names(
    """
    arithmetic.fence ceil copysign exp2 fabs floor fma fmuladd is.fpclass maximum
    maxnum minimum minnum nearbyint rint round roundeven sqrt trunc
    vector.reduce.fadd vector.reduce.fmax vector.reduce.fmaximum vector.reduce.fmin
    vector.reduce.fminimum vector.reduce.fmul
    """
)
CALLABLE_INTRINSICS = {
    **dict.fromkeys(("ceil", "exp2", "fabs", "floor", "nearbyint", "rint", "round"), 1),
    **dict.fromkeys(("roundeven", "sqrt", "trunc"), 1),
    **dict.fromkeys(("copysign", "maximum", "maxnum"), 2),
    **dict.fromkeys(("minimum", "minnum"), 2),
    **dict.fromkeys(("fma", "fmuladd"), 3),
}
"""Float intrinsics that `llvm.call_intrinsic` may name, with their number of operands; operands
and result have one type."""
INTEGER_INTRINSICS = _names(
    """
    abs bitreverse ctlz ctpop cttz fshl fshr sadd.sat sadd.with.overflow smax smin
    smul.with.overflow sshl.sat ssub.sat ssub.with.overflow uadd.sat uadd.with.overflow
    umax umin umul.with.overflow ushl.sat usub.sat usub.with.overflow vector.reduce.add
    vector.reduce.and vector.reduce.mul vector.reduce.or vector.reduce.smax vector.reduce.smin
    vector.reduce.umax vector.reduce.umin vector.reduce.xor
    """
)
OTHER_INTRINSICS = _names(
    """
    assume debugtrap expect experimental.noalias.scope.decl is.constant memcpy memcpy.inline
    memmove memset memset.inline prefetch trap
    """
)

LLVM_OPERATIONS = _names(
    """
    func mlir.global mlir.constant mlir.addressof mlir.undef mlir.poison mlir.zero return br
    cond_br switch unreachable call call_intrinsic inline_asm select freeze load store alloca
    getelementptr fence cmpxchg atomicrmw add sub mul sdiv udiv srem urem shl lshr ashr and or
    xor icmp fadd fsub fmul fdiv frem fneg fcmp trunc zext sext fptrunc fpext fptosi fptoui
    sitofp uitofp bitcast ptrtoint inttoptr addrspacecast extractelement insertelement
    shufflevector extractvalue insertvalue
    """
)
"""Operations of the llvm dialect, apart from `llvm.intr.*`, without their prefix."""

GLOBAL_INITIALIZER_OPERATIONS = _names(
    """
    mlir.constant mlir.addressof mlir.undef mlir.poison mlir.zero getelementptr bitcast
    addrspacecast ptrtoint inttoptr insertvalue insertelement return add sub
    """
)
"""Operations of the llvm dialect that may compute the initial value of a global."""

NVVM_OPERATIONS = _names(
    """
    bar.warp.sync barrier barrier.arrive breakpoint cluster.arrive cluster.arrive.relaxed
    cluster.wait convert.f32x2.to.bf16x2 convert.f32x2.to.f16x2 convert.f32x2.to.f8x2
    cp.async.bulk.commit.group cp.async.bulk.global.shared.cta
    cp.async.bulk.shared.cluster.global cp.async.bulk.tensor.global.shared.cta
    cp.async.bulk.tensor.prefetch cp.async.bulk.tensor.shared.cluster.global
    cp.async.bulk.wait_group cp.async.commit.group cp.async.mbarrier.arrive
    cp.async.shared.global cp.async.wait.group elect.sync ex2 exit fence.mbarrier.init
    fence.proxy fence.sc.cluster griddepcontrol ldmatrix mapa match.sync mbarrier.arrive
    mbarrier.arrive.expect_tx mbarrier.expect_tx mbarrier.init mbarrier.inval mbarrier.test.wait
    mbarrier.try_wait memory.barrier nanosleep prefetch rcp.approx.ftz.f redux.sync
    setmaxregister shfl.sync stmatrix vote.sync wgmma.commit.group.sync.aligned
    wgmma.fence.aligned wgmma.wait.group.sync.aligned
    """
)
"""Operations of the nvvm dialect that may be left when translation starts, without their prefix;
`read.ptx.sreg.*` are allowed, too."""
NVVM_REGISTER_PREFIX = "read.ptx.sreg."

NVVM_INTRINSICS = _names(
    """
    bar.warp.sync barrier.cluster.arrive barrier.cluster.arrive.aligned
    barrier.cluster.arrive.relaxed barrier.cluster.arrive.relaxed.aligned barrier.cluster.wait
    barrier.cluster.wait.aligned barrier.cta.arrive.aligned.count barrier.cta.sync.aligned.all
    barrier.cta.sync.aligned.count barrier.cta.sync.all barrier.cta.sync.count
    cp.async.bulk.commit.group cp.async.bulk.global.to.shared.cluster
    cp.async.bulk.shared.cta.to.global cp.async.bulk.tensor.g2s.tile.1d
    cp.async.bulk.tensor.g2s.tile.2d cp.async.bulk.tensor.g2s.tile.3d
    cp.async.bulk.tensor.g2s.tile.4d cp.async.bulk.tensor.g2s.tile.5d
    cp.async.bulk.tensor.prefetch.tile.1d cp.async.bulk.tensor.prefetch.tile.2d
    cp.async.bulk.tensor.prefetch.tile.3d cp.async.bulk.tensor.prefetch.tile.4d
    cp.async.bulk.tensor.prefetch.tile.5d cp.async.bulk.tensor.s2g.tile.1d
    cp.async.bulk.tensor.s2g.tile.2d cp.async.bulk.tensor.s2g.tile.3d
    cp.async.bulk.tensor.s2g.tile.4d cp.async.bulk.tensor.s2g.tile.5d cp.async.bulk.wait.group
    cp.async.bulk.wait.group.read cp.async.ca.shared.global.4 cp.async.ca.shared.global.4.s
    cp.async.ca.shared.global.8 cp.async.ca.shared.global.8.s cp.async.ca.shared.global.16
    cp.async.ca.shared.global.16.s cp.async.cg.shared.global.16 cp.async.cg.shared.global.16.s
    cp.async.commit.group cp.async.mbarrier.arrive.shared cp.async.mbarrier.arrive.noinc.shared
    cp.async.wait.group elect.sync ex2.approx.f32 ex2.approx.ftz.f32 exit
    fence.mbarrier_init.release.cluster fence.proxy.async fence.proxy.async.global
    fence.proxy.async.shared_cta fence.sc.cluster ff.to.e4m3x2.rn ff.to.e5m2x2.rn ff2bf16x2.rn
    ff2f16x2.rn griddepcontrol.launch.dependents griddepcontrol.wait mapa.shared.cluster
    match.any.sync.i32 mbarrier.arrive.expect.tx.scope.cta.space.cta
    mbarrier.arrive.scope.cta.space.cluster mbarrier.arrive.scope.cta.space.cta
    mbarrier.arrive.shared mbarrier.expect.tx.scope.cta.space.cta mbarrier.init.shared
    mbarrier.inval.shared mbarrier.test.wait.parity.scope.cta.space.cta
    mbarrier.test.wait.scope.cta.space.cta mbarrier.try.wait.parity.scope.cta.space.cta
    mbarrier.try.wait.parity.tl.scope.cta.space.cta membar.cta membar.gl membar.sys nanosleep
    prefetch.tensormap.p0 rcp.approx.ftz.f redux.sync.add redux.sync.and redux.sync.max
    redux.sync.min redux.sync.or redux.sync.umax redux.sync.umin redux.sync.xor
    setmaxnreg.dec.sync.aligned.u32 setmaxnreg.inc.sync.aligned.u32 vote.all.sync vote.any.sync
    vote.ballot.sync vote.uni.sync wgmma.commit_group.sync.aligned wgmma.fence.sync.aligned
    wgmma.wait_group.sync.aligned
    """
)
"""NVVM intrinsics (without `llvm.nvvm.`) that NVPTX selects; the families below come on top."""
NVVM_INTRINSIC_FAMILIES = (
    "read.ptx.sreg.",
    "shfl.sync.",
    "ldmatrix.sync.aligned.m8n8.",
    "stmatrix.sync.aligned.m8n8.",
)


def is_known_intrinsic(name: str) -> bool:
    """Tell whether NVPTX is known to select LLVM intrinsic `name` (with its type suffixes)."""
    if name.startswith("llvm.nvvm."):
        rest = name.removeprefix("llvm.nvvm.")
        return rest in NVVM_INTRINSICS or rest.startswith(NVVM_INTRINSIC_FAMILIES)
    base, types = split_intrinsic(name)
    if base in UNSELECTABLE_TYPES:
        return not UNSELECTABLE_TYPES[base] & set(types) and base in FLOAT_INTRINSICS
    return base in FLOAT_INTRINSICS | INTEGER_INTRINSICS | OTHER_INTRINSICS


def split_intrinsic(name: str) -> tuple[str, tuple[str, ...]]:
    """Split `llvm.fma.v2f32` into its base (`fma`) and the element types of its suffixes."""
    parts = name.removeprefix("llvm.").split(".")
    types: list[str] = []
    while len(parts) > 1 and _element_type(parts[-1]):
        types.append(_element_type(parts.pop()))
    return ".".join(parts), tuple(reversed(types))


def _element_type(suffix: str) -> str:
    """Return the element type that suffix `v4f32`, `i64` or `p3` names, or an empty string."""
    text = suffix
    if text.startswith("v") and text[1:2].isdigit():
        text = text[1:].lstrip("0123456789")
    if text in FLOAT_SUFFIXES:
        return text
    return text if text[:1] in ("i", "p") and text[1:].isdigit() else ""
