"""Imports between `.tile` files: what they mean, and every way in which one can be wrong."""

import os
from pathlib import Path

import pytest

from tilec.compiler.driver import emit_kernel
from tilec.compiler.program import Program
from tilec.frontend.semantics.analysis import analyze_kernel
from tilec.frontend.semantics.signature import ConstParam, DTypeParam, Signature, signature
from tilec.frontend.syntax.limits import MAX_CALL_DEPTH
from tilec.frontend.syntax.parser import kernels, parse_source
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile
from tilec.support.sources import read_source_file

KERNEL = (
    "@kernel\ndef f[M](A: f32[M], B: f32[M]):\n    i = grid(cdiv(M, 16))\n    store(B, i, {})\n"
)
HELPERS = """\
from tilec import maximum as most

SLOPE = 0.25
UNIT = 4 * 4
REAL = f32

def relu(x):
    return most(x, 0.0)

@function
def leaky(x, slope=SLOPE):
    return where(x > 0.0, x, x * slope)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Go to a folder and return a function that writes `name.tile` there."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        path = Path(f"{name}.tile")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return str(path)

    write("helpers", HELPERS)
    return write


def main(imports: str, value: str) -> str:
    return imports + KERNEL.format(value)


def operations(folder, text: str) -> list[str]:
    module = parse_source(read_source_file(folder("main", text)))
    return [op.name for op in analyze_kernel(module, None, Specialization()).body.operations]


def failure(folder, text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        operations(folder, text)
    return caught.value


def shown(folder, text: str) -> list[str]:
    return str(failure(folder, text)).splitlines()


def defaults(found: Signature) -> dict[str, object]:
    constants = (item for item in found.params if isinstance(item, ConstParam | DTypeParam))
    return {item.name: item.default for item in constants}


@pytest.mark.parametrize(
    ("imports", "value", "operation"),
    [
        ("from helpers import relu\n", "relu(load(A, i, 16))", "maxf"),
        ("from helpers import leaky as act, UNIT\n", "act(load(A, i, UNIT))", "select"),
        ("from helpers import (\n    relu,\n    leaky,\n)\n", "relu(load(A, i, 16))", "maxf"),
        ("import helpers\n", "helpers.leaky(load(A, i, helpers.UNIT))", "select"),
        ("import helpers as h\n", "h.relu(load(A, i, 16)) * h.SLOPE", "mulf"),
        ("from helpers import most\n", "most(load(A, i, 16), 0.0)", "maxf"),
        ("from helpers import relu; U = 16\n", "relu(load(A, i, U))", "maxf"),
    ],
)
def test_ways_to_import(folder, imports, value, operation):
    assert operation in operations(folder, main(imports, value))


def test_files_in_folders(folder):
    folder("nn/act", "from base import twice\ndef f(x):\n    return twice(x)\n")
    folder("nn/base", "def twice(x):\n    return x + x\n")
    for imports, value in (
        ("import nn.act\nimport nn.base\n", "nn.act.f(nn.base.twice(load(A, i, 16)))"),
        ("import nn.act as a\n", "a.f(load(A, i, 16))"),
        ("from nn import act\n", "act.f(load(A, i, 16))"),
        ("from nn.act import f as g\n", "g(load(A, i, 16))"),
        ("from nn.act import twice\n", "twice(load(A, i, 16))"),
    ):
        assert "addf" in operations(folder, main(imports, value))


def test_imported_names_in_signatures_and_grids(folder):
    text = (
        "import helpers as h\nfrom helpers import UNIT, REAL as real\n@kernel(stages=h.UNIT // 4)\n"
        "def f[M](A: h.REAL[M, h.UNIT], B: real[M, UNIT], BM: const = h.UNIT, *,"
        " T: dtype = real):\n"
        "    i = grid(cdiv(M, h.UNIT))\n    x: h.REAL[UNIT, UNIT] = load(A, (i, 0), (BM, UNIT))\n"
    )
    module = parse_source(read_source_file(folder("main", text)))
    found = signature(kernels(module)[0], module)
    assert [(item.dtype, item.dims) for item in found.arrays()] == [("f32", ("M", 16))] * 2
    assert defaults(found) == {"BM": 16, "T": "f32"}
    assert found.hints == {"stages": 4}
    assert analyze_kernel(module, None, Specialization()).metadata["grid"] == ["cdiv(M, 16)"]


def test_a_constant_of_a_file_sees_that_file_only(folder):
    folder("sizes", "UNIT = 2\nTWICE = 2 * UNIT\n")
    text = "from sizes import TWICE\nUNIT = 100\n@kernel\ndef f(A: f32[TWICE], N: const = TWICE):\n"
    module = parse_source(read_source_file(folder("main", text + "    x = load(A, 0, TWICE)\n")))
    found = signature(kernels(module)[0], module)
    assert (found.arrays()[0].dims, defaults(found)) == ((4,), {"N": 4})
    program = analyze_kernel(module, None, Specialization())
    assert str(program.body.operations[-1].results[0].type) == "f32[4]"


def test_a_file_is_read_once_and_held_by_the_module(folder):
    folder("left", "from helpers import relu\n")
    folder("right", "import helpers\nimport left\n")
    text = main("import left\nimport right\n", "left.relu(right.left.relu(load(A, i, 16)))")
    module = parse_source(read_source_file(folder("main", text)))
    assert [item.name for item in module.imports] == ["helpers.tile", "left.tile", "right.tile"]
    assert module.globals["left"].module is module.globals["right"].module.globals["left"].module


def test_a_program_reads_the_imported_files_once(folder):
    text = main("from helpers import relu\n", "relu(load(A, i, 16))")
    source = read_source_file(folder("main", text))
    program = Program(source)
    assert [item.name for item in program.sources] == ["main.tile", "helpers.tile"]
    folder("helpers", "def other(x):\n    return x\n")
    emit_kernel(program)
    with pytest.raises(CompileError, match=r"'helpers\.tile' has no 'relu'"):
        emit_kernel(Program(source))


def test_text_without_a_file_imports_from_the_current_folder(folder):
    text = main("from helpers import relu\n", "relu(load(A, i, 16))")
    assert parse_source(SourceFile("<string>", text)).imports[0].name == "helpers.tile"


def test_a_missing_file(folder):
    assert shown(folder, main("import tilec as tl\nfrom helper import relu\n", "relu(1.0)")) == [
        "main.tile:2:6: error[T0216]: there is no file 'helper.tile' to import",
        "  from helper import relu",
        "       ^^^^^^",
        "  hint: did you mean 'helpers'?",
    ]
    (item,) = failure(folder, main("import nn.act\n", "1.0")).diagnostics
    assert item.message == f"there is no file '{Path('nn', 'act.tile')}' to import"
    assert "an import names a '.tile' file, relative to this one" in (item.hint or "")


def test_a_missing_name(folder):
    assert shown(folder, main("from helpers import rleu\n", "rleu(1.0)")) == [
        "main.tile:1:21: error[T0201]: 'helpers.tile' has no 'rleu'",
        "  from helpers import rleu",
        "                      ^^^^",
        "  hint: did you mean 'relu'?",
    ]
    assert shown(folder, main("import helpers as h\n", "h.rleu(1.0)")) == [
        "main.tile:5:19: error[T0206]: the module 'helpers' has no 'rleu'",
        "      store(B, i, h.rleu(1.0))",
        "                    ^^^^",
        "  hint: did you mean 'relu'?",
    ]


def test_files_that_import_each_other(folder):
    folder("one", "import two\n")
    folder("two", "from one import x\n")
    assert shown(folder, main("import one\n", "1.0"))[:3] == [
        "two.tile:1:6: error[T0216]: 'one.tile' imports itself, through the files that it imports",
        "  from one import x",
        "       ^^^",
    ]
    assert shown(folder, main("import main\n", "1.0"))[:3] == [
        "main.tile:1:8: error[T0216]: 'main.tile' imports itself",
        "  import main",
        "         ^^^^",
    ]


def test_a_circle_through_a_link(folder):
    os.symlink(".", "again")
    text = main("import again.main\n", "1.0")
    assert "imports itself" in str(failure(folder, text))


def test_a_long_chain_of_files(folder):
    for number in range(MAX_CALL_DEPTH + 2):
        folder(f"m{number}", f"import m{number + 1}\n")
    folder(f"m{MAX_CALL_DEPTH + 2}", "X = 1\n")
    item = failure(folder, main("import m0\n", "1.0")).diagnostics[0]
    assert (item.code, "64 deep" in item.message) == ("T0207", True)


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("from helpers import relu\ndef relu(x):\n    return x\n", "relu", 2),
        ("import helpers as SIZE\nSIZE = 4\n", "SIZE", 2),
        ("from helpers import relu\nfrom helpers import leaky as relu\n", "relu", 2),
        ("import helpers\nfrom helpers import relu as helpers\n", "helpers", 2),
        ("from tilec import load\nfrom helpers import relu as load\n", "load", 2),
        ("from tilec import load\ndef load(x):\n    return x\n", "load", 2),
        ("import math\nimport helpers as math\n", "math", 2),
    ],
)
def test_names_that_clash(folder, text, name, line):
    found = failure(folder, main(text, "1.0"))
    (item,) = found.diagnostics
    assert (item.code, item.message) == ("T0203", f"'{name}' is defined twice")
    assert item.span is not None
    assert item.span.line == line
    assert item.notes[0].span is not None
    assert item.notes[0].span.line == 1


def test_the_same_name_twice_is_no_clash(folder):
    imports = "from helpers import relu\nfrom helpers import relu\nimport math\nimport math\n"
    assert "maxf" in operations(folder, main(imports, "relu(load(A, i, 16))"))


def test_mistakes_in_an_imported_file(folder):
    folder("broken", "def g(x)\n    return x\n")
    assert shown(folder, main("from broken import g\n", "g(1.0)")) == [
        "broken.tile:1:9: error[T0102]: expected ':' at the end of this 'def' line",
        "  def g(x)",
        "          ^",
        "  main.tile:1:6: note: imported from here",
        "    from broken import g",
        "         ^^^^^^",
    ]
    folder("wrong", "def f(x):\n    return x + zeros(3)\n")
    text = str(failure(folder, main("import wrong\n", "wrong.f(load(A, i, 16))")))
    assert "wrong.tile:2:22: error[T0303]" in text
    assert "return x + zeros(3)" in text
    assert "main.tile:5:17: note: 'f' is called from here" in text


def test_an_imported_file_that_cannot_be_read(folder):
    Path("bytes.tile").write_bytes(b"X = '\xff'\n")
    text = str(failure(folder, main("import bytes\n", "1.0")))
    assert "bytes.tile:1:6: error[T0003]" in text
    assert "main.tile:1:8: note: imported from here" in text


def test_a_kernel_of_another_file_cannot_be_called(folder):
    folder("other", main("", "load(A, i, 16)"))
    item = failure(folder, main("from other import f as g\n", "g(A, B)")).diagnostics[0]
    assert (item.code, item.message) == (
        "T0209",
        "'f' is a kernel and cannot be called from a kernel",
    )


def test_imports_inside_functions_say_where_they_belong(folder):
    text = "@kernel\ndef f(A: f32[4]):\n    import helpers\n"
    assert "imports belong at the top of the file" in str(failure(folder, text))
