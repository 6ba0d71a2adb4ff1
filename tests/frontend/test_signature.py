"""Signatures: what the command line and the launcher read from a parameter list."""

import subprocess
import sys

import pytest

from tilec.frontend.semantics.signature import (
    ArrayParam,
    ConstParam,
    Default,
    DTypeParam,
    ScalarParam,
    Signature,
    signature,
)
from tilec.frontend.syntax.parser import kernels, parse_source
from tilec.support.diagnostics import CompileError, SourceFile


def read(text: str) -> Signature:
    module = parse_source(SourceFile("t.tile", text))
    return signature(kernels(module)[0], module)


def errors(text: str) -> list[tuple[str, str]]:
    with pytest.raises(CompileError) as caught:
        read(text)
    return [(item.code, item.message) for item in caught.value.diagnostics]


def test_every_kind_of_parameter():
    found = read(
        "HALF = 32\nKIND = f16\n"
        "@kernel(stages=4, cluster=(2, 1))\n"
        "def f[M, K](A: T[M, K], B: tilec.bf16[K, HALF * 2, _], s: f32, n: i32, BM: const = auto,\n"
        "            BK: const, eps: const = 1e-5, W: KIND[M], *, T: dtype, U: dtype = f32):\n"
        "    '''Docs.'''\n"
        "    m = grid(cdiv(M, BM))\n"
    )
    assert found.name == "f"
    assert found.docstring == "Docs."
    assert found.has_grid
    assert found.hints == {"stages": 4, "cluster": (2, 1)}
    assert found.dims == {"M": (("A", 0), ("W", 0)), "K": (("A", 1), ("B", 0))}
    shown = [
        (item.name, item.dtype, item.dims) for item in found.params if isinstance(item, ArrayParam)
    ]
    assert shown == [
        ("A", "T", ("M", "K")),
        ("B", "bf16", ("K", 64, None)),
        ("W", "f16", ("M",)),
    ]
    assert isinstance(found.find("s"), ScalarParam)
    defaults = [item.default for item in found.params if isinstance(item, ConstParam)]
    assert defaults == [Default.AUTO, Default.REQUIRED, 1e-5]
    types = [item.default for item in found.params if isinstance(item, DTypeParam)]
    assert types == [Default.REQUIRED, "f32"]


def test_a_const_may_be_an_extent():
    found = read("@kernel\ndef f(A: f32[M, N], B: f32[N], N: const, K: const):\n    pass\n")
    assert found.fixed_extents() == ("N",)
    assert found.dims == {"M": (("A", 0),)}


def test_kernel_without_grid():
    assert not read("@kernel\ndef f(A: f32[M]):\n    x = block_id(0)\n").has_grid


@pytest.mark.parametrize(
    ("parameters", "code", "part"),
    [
        ("x", "T0114", "needs a type"),
        ("A: bf15[M]", "T0114", "unknown type 'bf15'"),
        ("A: 3", "T0114", "not a type"),
        ("A: 'f32[M]'", "T0114", "not a type"),
        ("A: f32[()]", "T0114", "array 'A' needs one to 5 axes"),
        ("A: f32[0]", "T0114", "not 0"),
        ("A: f32[1.5]", "T0114", "not 1.5"),
        ("A: f32[a, b, c, d, e, g]", "T0114", "the limit is 5"),
        ("y: f32 = 3", "T0114", "cannot have a default"),
        ("A: f32[M] = 3", "T0114", "cannot have a default"),
        ("A: f32[M], A: f32[M]", "T0203", "two parameters"),
        ("A: f32[n], n: i32", "T0203", "and also a parameter"),
        ("A: f32[BM], BM: const = 3", "T0203", "it has a value of its own"),
        ("A: f32[BM], BM: const = auto", "T0203", "it has a value of its own"),
        ("z: const = 'a'", "T0404", "a number"),
        ("z: const = foo", "T0201", "unknown name 'foo'"),
        ("z: const = 1 // 0", "T0403", "cannot compute"),
        ("z: const = 1 << 4000", "T0403", "too large"),
        ("*, T: dtype = bf15", "T0114", "element type"),
    ],
)
def test_mistakes(parameters: str, code: str, part: str):
    found = errors(f"@kernel\ndef f({parameters}):\n    pass\n")
    assert [item[0] for item in found] == [code]
    assert part in found[0][1]


@pytest.mark.parametrize(("name", "instead"), [("int", "'i32'"), ("float", "'f32'")])
def test_types_of_python_have_a_hint(name: str, instead: str):
    with pytest.raises(CompileError) as caught:
        read(f"@kernel\ndef f(x: {name}):\n    pass\n")
    assert f"write {instead}, or 'const'" in (caught.value.diagnostics[0].hint or "")


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        ("'f32[M]'", "leave out the quotes"),
        ("np.float32[M]", "write 'f32'"),
        ("[f32]", "an array 'f32[M, N]'"),
        ("f32[()]", "write 'A: f32[M, N]'"),
    ],
)
def test_annotations_that_are_no_types_have_a_hint(annotation: str, hint: str):
    with pytest.raises(CompileError) as caught:
        read(f"import numpy as np\n@kernel\ndef f(A: {annotation}):\n    pass\n")
    assert hint in (caught.value.diagnostics[0].hint or "")


def test_hints_are_checked():
    found = errors("@kernel(stages=0, depth=3)\ndef f(A: f32[M]):\n    pass\n")
    assert [item[0] for item in found] == ["T0421", "T0420"]


def test_several_mistakes_at_once():
    found = errors("@kernel\ndef f(x, A: foo[M], z: const = 'a'):\n    pass\n")
    assert [item[0] for item in found] == ["T0114", "T0114", "T0404"]


def test_constant_that_uses_itself():
    assert errors("A = B\nB = A\n@kernel\ndef f(z: const = A):\n    pass\n")[0][0] == "T0403"


def test_signature_needs_no_mlir():
    code = (
        "import sys\nimport tilec.frontend.semantics.signature, tilec.frontend.semantics.analysis\n"
        "assert not any(name.split('.')[0] in ('mlir', 'torch_mlir') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
