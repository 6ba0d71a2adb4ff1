"""tilec/ir/llvm_ops.py: the same operations as the generated builders make, without those."""

import subprocess
import sys
from pathlib import Path

import pytest

from tilec.ir import llvm_ops
from tilec.ir.bindings import ir, llvm, nvvm
from tilec.ir.context import make_context

ROOT = Path(__file__).resolve().parents[2]
UNDEFINED = -2147483648
SIDE_EFFECT = {"has_side_effects": True}


def _attribute(text):
    return ir.Attribute.parse(text)


def _ours(v):
    llvm_ops.getelementptr(v.pointer, 8, v.i8)
    llvm_ops.getelementptr(v.pointer, v.number, v.f32)
    llvm_ops.load(v.f32, v.pointer)
    vector = llvm_ops.load(v.pair, v.pointer, 8)
    llvm_ops.store(vector, v.pointer, 8)
    llvm_ops.store(v.number, v.pointer)
    llvm_ops.alloca(v.i32, v.number)
    llvm_ops.poison(v.pair)
    llvm_ops.bitcast(v.f32, v.number)
    llvm_ops.integer_to_pointer(v.pointer.type, llvm_ops.pointer_to_integer(v.i32, v.pointer))
    element = llvm_ops.extract_element(vector, v.number)
    llvm_ops.insert_element(vector, element, v.number)
    struct = llvm_ops.inline_asm(
        "x $0;", "=f,=f", [], llvm_ops.struct_type(v.f32, 2), has_side_effects=True
    )
    llvm_ops.extract_value(v.f32, struct, 1)
    llvm_ops.inline_asm("y $0;", "r", [v.number], has_side_effects=False)
    llvm_ops.call(v.f32, "sine", [element])
    llvm_ops.call_intrinsic(v.f32, "llvm.fma.f32", [element] * 3)
    for register in ("tid.x", "ctaid.x", "nctaid.x"):
        llvm_ops.special_register(register)
    llvm_ops.barrier()
    llvm_ops.barrier(v.number, v.number)
    llvm_ops.fence_proxy("async.shared", "cta")
    llvm_ops.fence_proxy("async.global")
    llvm_ops.shuffle("idx", v.number, v.number, v.number, v.number)
    llvm_ops.set_max_register(40, "decrease")
    llvm_ops.store_matrices(v.pointer, [v.number] * 2, "col")
    llvm_ops.tma_load(v.cluster, v.generic, [v.number] * 2, v.pointer)
    llvm_ops.tma_load(
        v.cluster, v.generic, [v.number], v.pointer, multicast_mask=v.mask, predicate=v.flag
    )
    llvm_ops.tma_store(v.generic, v.pointer, [v.number] * 2)
    llvm_ops.tma_store(v.generic, v.pointer, [v.number], v.flag)


def _generated(v):
    llvm.GEPOp(v.pointer.type, v.pointer, [], [8], v.i8, 0)
    llvm.GEPOp(v.pointer.type, v.pointer, [v.number], [UNDEFINED], v.f32, 0)
    llvm.LoadOp(v.f32, v.pointer)
    vector = llvm.LoadOp(v.pair, v.pointer, alignment=8).res
    llvm.StoreOp(vector, v.pointer, alignment=8)
    llvm.StoreOp(v.number, v.pointer)
    llvm.AllocaOp(llvm.PointerType.get(), v.number, ir.TypeAttr.get(v.i32))
    llvm.PoisonOp(v.pair)
    llvm.BitcastOp(v.f32, v.number)
    llvm.IntToPtrOp(v.pointer.type, llvm.PtrToIntOp(v.i32, v.pointer).res)
    element = llvm.ExtractElementOp(vector, v.number).res
    llvm.InsertElementOp(vector, element, v.number)
    dialect = {"asm_dialect": _attribute("0 : i64")}
    fields = llvm.StructType.get_identified("f32x2")
    fields.set_body([v.f32, v.f32])
    struct = llvm.InlineAsmOp(fields, [], "x $0;", "=f,=f", **SIDE_EFFECT, **dialect).res
    llvm.ExtractValueOp(v.f32, struct, [1])
    llvm.InlineAsmOp(None, [v.number], "y $0;", "r", **dialect)
    llvm.CallOp(v.f32, [element], [], [], callee="sine")
    llvm.CallIntrinsicOp(v.f32, "llvm.fma.f32", [element] * 3, [], [])
    for register in (nvvm.ThreadIdXOp, nvvm.BlockIdXOp, nvvm.GridDimXOp):
        register()
    nvvm.BarrierOp()
    nvvm.BarrierOp(barrierId=v.number, numberOfThreads=v.number)
    shared = _attribute("#nvvm.proxy_kind<async.shared>")
    nvvm.FenceProxyOp(shared, space=_attribute("#nvvm.shared_space<cta>"))
    nvvm.FenceProxyOp(_attribute("#nvvm.proxy_kind<async.global>"))
    kind = _attribute("#nvvm<shfl_kind idx>")
    nvvm.ShflOp(v.number, v.number, v.number, v.number, kind, results=[v.i32])
    nvvm.SetMaxRegisterOp(40, _attribute("#nvvm<action decrease>"))
    shape = _attribute("#nvvm.ld_st_matrix_shape<m = 8, n = 8>")
    kind = _attribute("#nvvm.ld_st_matrix_elt_type<b16>")
    nvvm.StMatrixOp(v.pointer, [v.number] * 2, _attribute("#nvvm.mma_layout<col>"), shape, kind)
    load = nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp
    store = nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp
    load(v.cluster, v.generic, [v.number] * 2, v.pointer, [])
    load(v.cluster, v.generic, [v.number], v.pointer, [], multicastMask=v.mask, predicate=v.flag)
    store(v.generic, v.pointer, [v.number] * 2)
    store(v.generic, v.pointer, [v.number], predicate=v.flag)


class _Values:
    """Types, and values of a function's parameters."""

    def __init__(self, block):
        self.i32, self.f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
        self.i8 = ir.IntegerType.get_signless(8)
        self.pair = ir.VectorType.get([2], self.f32)
        self.number, self.mask, self.flag, *pointers = block.arguments
        self.pointer, self.cluster, self.generic = pointers


FUNCTION = """
llvm.func @sine(f32) -> f32
llvm.func @f(%n: i32, %m: i16, %p: i1, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %g: !llvm.ptr) {
  llvm.return
}"""


def _emitted(emit):
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(FUNCTION)
        block = module.body.operations[1].operation.regions[0].blocks[0]
        with ir.InsertionPoint(block.operations[0]):
            emit(_Values(block))
        assert module.operation.verify()
        return module.operation.get_asm(print_generic_op_form=True).splitlines()


def test_builders_make_what_the_generated_ones_make():
    assert _emitted(_ours) == _emitted(_generated)


@pytest.mark.parametrize("hidden", [True, False])
def test_the_command_line_does_without_the_generated_modules(hidden):
    script = (
        "import sys, tilec.ir\n"
        f"tilec.ir.hide_generated_dialects = {hidden}\n"
        "from tilec.cli.main import main\n"
        f"words = ['compile', {str(ROOT / 'examples/matmul.tile')!r}, '--no-ptxas']\n"
        "assert main([*words, '--no-cache', '-o', '/dev/null']) == 0\n"
        "from tilec.ir.bindings import PROVIDER, nvvm\n"
        "names = [name for name in sys.modules if name.endswith('_llvm_ops_gen')]\n"
        "print(len(names), hasattr(nvvm, 'BarrierOp'))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["0" if hidden else "1", "True"], done.stderr
