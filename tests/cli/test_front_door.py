"""One parsed program goes from the file to the result, and one rule chooses the kernel."""

import pytest

import tilec
from tests.support.runtime_fakes import FakeDriver
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, main
from tilec.compiler.driver import compile_kernel
from tilec.compiler.program import Program
from tilec.frontend.syntax import parser
from tilec.request.options import CompileOptions
from tilec.runtime.cuda import current
from tilec.support.diagnostics import CompileError, SourceFile
from tilec.support.kernel_selection import select_kernel

TWO = """\
@kernel
def copy[N](A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 64))
    store(B, (i,), load(A, (i,), (64,)))


@kernel
def double[N](A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 64))
    store(B, (i,), 2.0 * load(A, (i,), (64,)))
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "two.tile"
    file.write_text(TWO)
    return file


@pytest.fixture
def parses(monkeypatch):
    """Names of the sources that were parsed."""
    made = []
    real = parser.parse_source

    def counting(source, *rest):
        made.append(source.name)
        return real(source, *rest)

    monkeypatch.setattr(parser, "parse_source", counting)
    return made


@pytest.mark.parametrize(
    "words",
    [
        ["compile", "--kernel", "double", "--emit", "cuda_tile"],
        ["compile", "--emit", "package"],
        ["run", "--kernel", "copy", "--device", "cpu", "--size", "N=100"],
        ["run", "--kernel", "copy", "--device", "gpu", "--size", "N=100"],
    ],
)
def test_a_command_parses_its_file_once(path, parses, words, tmp_path):
    previous = current.set_driver(FakeDriver())
    try:
        output = ["-o", str(tmp_path / "out")] if words[0] == "compile" else []
        assert main([words[0], str(path), *words[1:], *output]) == EXIT_OK
    finally:
        current.set_driver(previous)
    assert parses == [str(path)]


def test_the_python_api_parses_a_file_once(path, parses):
    module = tilec.load(path)
    assert [item.__name__ for item in module] == ["copy", "double"]
    tilec.compile(module.copy)
    tilec.compile(module.double, kernel="double")
    assert parses == [str(path)]


def test_the_time_of_parsing_is_counted_once():
    program = Program(SourceFile("two.tile", TWO))
    assert program.signature("copy").name == "copy"
    options = CompileOptions(emit="cuda_tile")
    first, second = (compile_kernel(program, "copy", None, options) for _ in range(2))
    times = [
        next(item.seconds for item in made.timings if item.step == "parse")
        for made in (first, second)
    ]
    assert times[0] > 10 * times[1]


def messages(path, capsys):
    """Yield what each way to name a kernel says about one that does not exist."""
    for command in (["compile"], ["run", "--device", "cpu"]):
        assert main([*command, str(path), "--kernel", "doubel"]) == EXIT_DIAGNOSTICS
        yield capsys.readouterr().err
    for action in (
        lambda: tilec.load(path).doubel,
        lambda: tilec.compile(path, kernel="doubel"),
        lambda: compile_kernel(Program(SourceFile(str(path), TWO)), "doubel"),
    ):
        with pytest.raises(CompileError) as failure:
            action()
        yield str(failure.value)


def test_an_unknown_kernel_has_one_message_everywhere(path, capsys):
    found = list(messages(path, capsys))
    assert len(found) == 5
    for message in found:
        assert f"error[T0006]: {path} defines no kernel called 'doubel'" in message
        assert "hint: did you mean 'double'? it defines: copy, double" in message


def test_a_choice_is_asked_for_at_the_first_kernel(path, capsys):
    assert main(["compile", str(path)]) == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert f"{path}:2:5: error[T0006]: {path} defines 2 kernels, and none was chosen" in message
    assert "  def copy[N](" in message
    assert "hint: choose one with --kernel: copy, double" in message


def test_select_kernel():
    assert select_kernel(["one"], None, "f") == "one"
    assert select_kernel(["one", "two"], "two", "f") == "two"
    with pytest.raises(CompileError, match=r"f defines 0 kernels.*\n.*: none"):
        select_kernel([], None, "f")


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (lambda compiled: compiled.ir("nonsense"), "T0720"),
        (lambda compiled: type(compiled)(compiled.artifact).ir("llvm"), "T0721"),
    ],
)
def test_a_stage_that_is_not_there_has_a_code_of_its_own(path, action, code):
    compiled = tilec.compile(path, kernel="copy").copy.variants[0]
    with pytest.raises(CompileError) as failure:
        action(compiled)
    assert failure.value.diagnostics[0].code == code


def test_choices_made_for_the_user_come_before_those_of_the_compiler(tmp_path, capsys):
    source = tmp_path / "copy.tile"
    source.write_text(
        TWO[: TWO.index("\n\n\n")].replace("f32", "T").replace("):", ", *, T: dtype):")
    )
    words = ["compile", str(source), "--remarks", "--emit", "ptx", "-o", str(tmp_path / "out")]
    assert main(words) == EXIT_OK
    message = capsys.readouterr().err
    assert 0 <= message.index("remark[T0014]: no -D T=") < message.index("remark[T0431]")
