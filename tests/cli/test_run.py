"""`tilec run`: inputs, the CPU reference, the check against the NumPy function."""

import shutil
from pathlib import Path

import pytest

from tests.support.runtime_fakes import FakeDriver
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, EXIT_USAGE, main

KERNEL = """\
@kernel
def scale[N](alpha: f32, A: f32[N], B: f32[N], BLOCK: const = 64):
    i = grid(cdiv(N, BLOCK))
    store(B, (i,), alpha * load(A, (i,), (BLOCK,)))
"""
REFERENCE = """\
def reference(alpha, A):
    return {"B": alpha * A}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "scale.tile"
    path.write_text(KERNEL)
    return path


def _run(path: Path, *words: str) -> int:
    return main(["run", str(path), "--device", "cpu", "--size", "N=100", "-D", "alpha=2", *words])


def test_result_is_summarised(kernel, capsys):
    assert _run(kernel) == EXIT_OK
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "scale: N=100"
    assert out[1] == "ran on the CPU reference"
    assert out[2].startswith("B: 100 float32, min ")


def test_same_seed_same_result(kernel, capsys):
    outputs = []
    for seed in ("1", "1", "2"):
        assert _run(kernel, "--seed", seed) == EXIT_OK
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]


@pytest.mark.parametrize("layout", ["row", "odd"])
def test_check_compares_with_the_numpy_function(kernel, capsys, layout):
    kernel.with_suffix(".py").write_text(REFERENCE)
    assert _run(kernel, "--check", "--layout", f"A={layout}") == EXIT_OK
    assert "check against the NumPy function: B: max abs error 0" in capsys.readouterr().out


def test_mismatch_is_an_error(kernel, capsys):
    kernel.with_suffix(".py").write_text(REFERENCE.replace("alpha * A", "alpha + A"))
    assert _run(kernel, "--check") == EXIT_DIAGNOSTICS
    captured = capsys.readouterr()
    assert "B: 100 of 100 elements differ" in captured.out
    assert "error[T0011]" in captured.err


def test_check_without_a_reference_fails_before_the_run(kernel, capsys):
    assert _run(kernel, "--check") == EXIT_DIAGNOSTICS
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error[T0019]: --check: there is nothing to compare" in captured.err
    assert f"define reference(...) in {kernel.with_suffix('.py')}" in captured.err


def test_check_with_a_reference_that_gives_no_output_fails(kernel, capsys):
    kernel.with_suffix(".py").write_text("def reference(A):\n    return {}\n")
    assert _run(kernel, "--check") == EXIT_DIAGNOSTICS
    assert "error[T0019]" in capsys.readouterr().err


def test_check_on_a_gpu_compares_with_the_cpu_reference_alone(kernel, capsys, fake_driver):
    words = ["run", str(kernel), "--size", "N=100", "-D", "alpha=2", "--device", "gpu"]
    assert main([*words, "--check"]) == EXIT_DIAGNOSTICS  # the stand-in writes nothing
    captured = capsys.readouterr()
    assert "check against the CPU reference: B: 100 of 100 elements differ" in captured.out
    assert "error[T0011]" in captured.err


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["-D", "alpha=big"], "T0008", "not a number"),
        (["-D", "beta=1"], "T0007", "no constant called 'beta'"),
        (["--layout", "A=spiral"], "T0008", "spiral"),
        (["--kernel", "shrink"], "T0006", "shrink"),
    ],
)
def test_wrong_options(kernel, capsys, words, code, text):
    assert _run(kernel, *words) == EXIT_DIAGNOSTICS
    errors = capsys.readouterr().err
    assert f"error[{code}]" in errors
    assert text in errors


def test_unknown_extent_is_named(kernel, capsys):
    assert main(["run", str(kernel), "--device", "cpu"]) == EXIT_DIAGNOSTICS
    assert "the extent of N is not known" in capsys.readouterr().err


def test_wrong_grid_is_a_usage_error(kernel):
    assert _run(kernel, "--grid", "many") == EXIT_USAGE


def test_imported_files_are_read_at_every_run_and_quoted(tmp_path, capsys):
    (tmp_path / "main.tile").write_text(
        "from parts import part\n@kernel\ndef first[M](A: f32[M], B: f32[M], n: i32):\n"
        "    i = grid(cdiv(M, 16))\n    store(B, i, part(load(A, i, 32), n))\n"
    )
    parts = tmp_path / "parts.tile"
    parts.write_text("def part(x, n):\n    return extract(x, n, 16)\n")
    words = ["run", str(tmp_path / "main.tile"), "--device", "cpu", "--size", "M=32", "-D", "n=7"]
    assert main(words) == EXIT_DIAGNOSTICS
    message = capsys.readouterr().err
    assert "parts.tile:2:12: error[T0575]" in message
    assert "\n      return extract(x, n, 16)\n             ^^^^" in message
    parts.write_text("def part(x, n):\n    return extract(x, n - 6, 16)\n")
    assert main(words) == EXIT_OK


SPILLS = """\
from __future__ import annotations

import tilec
from tilec.language import f32, grid, load, store, cdiv


@tilec.kernel(allow_spills=True, worker_warps=1)
def spills(A: f32[N], B: f32[N], C: f32[N]):
    i = grid(cdiv(N, 4096))
    a = load(A, i, 4096)
    b = load(B, i, 4096)
    store(C, i, a * b + a / b)
"""


@pytest.mark.spills
@pytest.mark.usefixtures("fake_driver")
def test_a_decorator_that_allows_spills_counts(tmp_path, capsys):
    path = tmp_path / "spills.py"
    compiling = ["compile", str(path), "-o", str(tmp_path / "out.ptx")]
    path.write_text(SPILLS)
    running = ["run", str(path), "--size", "N=4096", "--device", "gpu"]
    assert main(compiling) == EXIT_OK
    assert main(running) == EXIT_OK
    assert "T0608" not in capsys.readouterr().err
    assert main([*compiling, "--no-allow-spills"]) == EXIT_DIAGNOSTICS
    path.write_text(SPILLS.replace("=True", "=None"))
    for words in (compiling, running):
        capsys.readouterr()
        assert main(words) == EXIT_OK
        assert capsys.readouterr().err.count("warning[T0608]") == 1
    path.write_text(SPILLS.replace("=True", "=False"))
    assert main(compiling) == EXIT_DIAGNOSTICS
    assert "error[T0608]" in capsys.readouterr().err
    assert main([*compiling, "--allow-spills"]) == EXIT_OK


def test_gpu_without_driver_is_an_error(kernel, capsys, monkeypatch):
    from tilec.runtime.cuda import current
    from tilec.runtime.cuda.driver_errors import no_driver

    def fail():
        raise no_driver("libcuda.so.1: cannot open shared object file")

    monkeypatch.setattr(current, "get_driver", fail)
    words = ["run", str(kernel), "--size", "N=100", "-D", "alpha=2"]
    assert main([*words, "--device", "gpu"]) == EXIT_DIAGNOSTICS
    assert "error[T0801]: no NVIDIA driver found" in capsys.readouterr().err
    assert main([*words, "--device", "auto"]) == EXIT_OK
    assert "using the CPU reference" in capsys.readouterr().err


@pytest.fixture
def fake_driver(tmp_path, monkeypatch):
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path / "cache"))
    from tilec.runtime.cuda import current

    made = FakeDriver()
    previous = current.set_driver(made)
    yield made
    current.set_driver(previous)


def test_gpu_run_launches_and_notices_a_kernel_that_writes_nothing(kernel, capsys, fake_driver):
    kernel.with_suffix(".py").write_text(REFERENCE)
    words = ["run", str(kernel), "--size", "N=100", "-D", "alpha=2", "--device", "gpu"]
    assert main([*words, "--check"]) == EXIT_DIAGNOSTICS
    captured = capsys.readouterr()
    assert "ran on GPU 0 (Fake H200)" in captured.out
    assert "check against the NumPy function: B: 100 of 100 elements differ" in captured.out
    assert "check against the CPU reference: B: 100 of 100 elements differ" in captured.out
    (launch,) = fake_driver.launches
    assert launch.name == "scale"
    assert launch.shape.blocks == 2


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["matmul", "saxpy", "tile_add"])
def test_examples_on_the_gpu(name, examples, tmp_path, capsys):
    for suffix in (".tile", ".py"):
        shutil.copy(examples / f"{name}{suffix}", tmp_path)
    assert main(["run", str(tmp_path / f"{name}.tile"), "--device", "gpu", "--check"]) == EXIT_OK
    assert "check against the CPU reference" in capsys.readouterr().out


PRODUCT = """
@kernel
def product(A: f32[64, 64], B: f32[64, 64], C: f32[64, 64]):
    grid(1)
    store(C, (0, 0), mma(load(A, (0, 0), (64, 64)), load(B, (0, 0), (64, 64)), zeros((64, 64))))
"""


def test_gpu_run_passes_warnings_on(tmp_path, capsys, fake_driver):
    path = tmp_path / "product.tile"
    path.write_text(PRODUCT)
    main(["run", str(path), "--device", "gpu"])
    errors = capsys.readouterr().err
    assert errors.count("warning[T0541]: mma of 64 x 64 x 64") == 1
    assert len(fake_driver.launches) == 1


def test_compile_shows_warnings_without_being_asked(tmp_path, capsys):
    path = tmp_path / "product.tile"
    path.write_text(PRODUCT)
    assert main(["compile", str(path), "-o", str(tmp_path / "product.ptx")]) == EXIT_OK
    errors = capsys.readouterr().err
    assert "product.tile:5:" in errors
    assert "warning[T0541]" in errors
    assert "remark" not in errors
