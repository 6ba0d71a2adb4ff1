"""Only tilec's own names and modules mean tilec; other Python values say what they are."""

# A kernel is Python by its syntax only.
# pyright: reportInvalidTypeForm=false, reportUndefinedVariable=false, reportMissingImports=false

from __future__ import annotations

import functools
import math
from typing import TypeVar

import numpy as np
import pytest

from tilec.frontend.semantics.analysis import analyze_kernel
from tilec.frontend.syntax.parser import parse_source
from tilec.frontend.syntax.python_source import parse_function
from tilec.language import const, minimum, store
from tilec.language import load as fetch
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError
from tilec.support.dtypes import DTYPES

M = TypeVar("M")
f32 = DTYPES["f32"]
SIZES = [4, 8]
NESTED = (1, (np.int32(3), np.arange(2)))
maximum = np.maximum
least = minimum
UNIT = 8


class _Decorated:
    """Stands for what `@tilec.kernel` returns."""

    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        raise NotImplementedError(arguments)


kernel = _Decorated


def relu(x):
    return where(x > 0.0, x, 0.0)  # noqa: F821


act = relu


def _analyze(function):
    return analyze_kernel(parse_function(function), None, Specialization())


def _operations(function):
    return [op.name for op in _analyze(function).body.operations]


def _error(function):
    with pytest.raises(CompileError) as caught:
        _analyze(function)
    (item,) = caught.value.diagnostics
    return item


@pytest.mark.parametrize(
    ("imports", "call", "name"),
    [
        ("import numpy as np\n", "np.maximum(1.0, 2.0)", "numpy.maximum"),
        ("import torch\n", "torch.exp(1.0)", "torch.exp"),
        ("import jax.numpy as jnp\n", "jnp.where(True, 1.0, 2.0)", "jax.numpy.where"),
        ("from torch import maximum\n", "maximum(1.0, 2.0)", "torch.maximum"),
        ("import triton.language as tl\n", "tl.load(A, (0, 0), (4, 4))", "triton.language.load"),
        ("import numpy as np\n", "np.linalg.norm(1.0)", "numpy.linalg"),
    ],
)
def test_other_modules_mean_nothing(frontend, imports, call, name):
    (item,) = frontend.diagnostics(f"x = {call}", imports + frontend.header)
    assert (item.code, item.message) == ("T0214", f"'{name}' is not part of tilec")
    assert item.hint


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\n@kernel\ndef f[M](A: f32[M]):\n    i = np.grid(4)\n",
        "import numpy as np\n@kernel\ndef f[M](A: f32[M]):\n"
        "    for i in np.range(4):\n        pass\n",
        "import numpy as np\n@np.kernel\ndef f[M](A: f32[M]):\n    pass\n",
        "import numpy as np\n@kernel\ndef f[M](A: np.f32[M]):\n    pass\n",
        "import numpy as np\n@kernel\ndef f[M](A: f32[M], B: const = np.auto):\n    pass\n",
        "import numpy as np\nS = 3\n@kernel\ndef f[M](A: f32[M], B: const = np.S):\n    pass\n",
        "import numpy as np\n@kernel\ndef f[M](A: f32[M]):\n    i = grid(np.cdiv(M, 4))\n",
    ],
)
def test_other_modules_have_no_statements_types_or_decorators(frontend, text):
    assert frontend.failure(text).diagnostics


@pytest.mark.parametrize(
    "text",
    [
        "import tilec as ct\n@ct.kernel\ndef f[M](A: ct.f32[M]):\n    i = ct.grid(ct.cdiv(M, 4))\n"
        "    for k in ct.range(4):\n        ct.store(A, i, ct.load(A, i, 4) * ct.pi)\n",
        "import tilec\n@tilec.kernel\ndef f[M](A: tilec.language.f32[M]):\n"
        "    x = tilec.language.exp(1.0)\n",
        "from tilec import f32 as F, load as ld\n@kernel\n"
        "def f[M](A: F[M]):\n    x = ld(A, 0, 4)\n",
        "import math\nfrom numpy import inf as top\n@kernel\n"
        "def f[M](A: f32[M], B: const = math.pi):\n    x = B + math.inf + top\n",
        "@kernel\ndef f[M](A: f32[M]):\n    x = tl.exp(1.0)\n",
    ],
)
def test_names_of_tilec_work_as_python_spells_them(frontend, text):
    assert frontend.analyze(text).name == "f"


def test_a_foreign_function_under_the_name_of_a_builtin():
    @kernel
    def compute(A: f32[M]):
        store(A, 0, maximum(fetch(A, 0, 4), 1.0))

    item = _error(compute)
    assert (item.code, "numpy" in item.message) == ("T0215", True)


def test_a_list_and_an_array_in_a_tuple_say_what_they_are():
    @kernel
    def first(A: f32[M]):
        x = SIZES  # noqa: F841

    @kernel
    def second(A: f32[M]):
        x = NESTED  # noqa: F841

    for function, part in ((first, "a list"), (second, "a tuple that holds a ndarray")):
        item = _error(function)
        assert (item.code, part in item.message) == ("T0215", True), item.message


def test_names_of_the_language_may_be_renamed():
    @kernel
    def compute(A: f32[M], B: const = UNIT):
        store(A, 0, least(fetch(A, 0, B), 1.0))

    names = _operations(compute)
    assert "minf" in names
    assert "maxf" not in names


def test_a_helper_under_another_name():
    @kernel
    def compute(A: f32[M]):
        store(A, 0, act(fetch(A, 0, 4)))

    assert "select" in _operations(compute)


@pytest.mark.parametrize("inner", [relu, act])
def test_a_helper_of_an_enclosing_function(inner):
    @kernel
    def compute(A: f32[M]):
        store(A, 0, inner(fetch(A, 0, 4)))

    assert "select" in _operations(compute)


def test_numbers_of_other_modules_are_the_same():
    @kernel
    def compute(A: f32[M]):
        store(A, 0, fetch(A, 0, 4) * math.pi + np.inf)

    assert "addf" in _operations(compute)


def test_parse_source_alone_knows_no_python_values(frontend):
    assert parse_source(frontend.parse(frontend.header + "    pass\n").source).globals == {}


def test_a_slip_in_an_imported_name_of_tilec_has_a_hint(frontend):
    text = "from tilec import laod\n@kernel\ndef f(A: f32[M]):\n    x = laod(A, 0, 4)\n"
    (item,) = frontend.failure(text).diagnostics
    assert (item.code, item.message) == ("T0214", "'tilec.laod' is not part of tilec")
    assert item.hint == "did you mean 'load'?"
