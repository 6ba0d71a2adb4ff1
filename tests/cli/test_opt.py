"""`tilec opt` on dumps: the stamp of the result, and file names in messages about the protocol."""

import pytest

from tilec.cli.main import EXIT_DIAGNOSTICS
from tilec.cli.opt_command import moved_stamp
from tilec.passes.transforms.nv_tileas.verify.verify_async_protocol import NAME

FOLD, ATOMS = "nv-tileaa-fold-transpose", "nv-tileaa-select-copy-atoms"
BARRIER = '"nv_tileas.barrier"() {id = 2 : i64, per_warpgroup}'


@pytest.mark.parametrize(
    ("stamp", "names", "expected"),
    [
        ("frontend", ["canonicalize", "cse"], "cse"),
        ("frontend", ["convert-cuda-tile-to-nv-tileaa"], "convert-cuda-tile-to-nv-tileaa"),
        (FOLD, [ATOMS], ATOMS),
        (FOLD, [ATOMS, "cse"], ATOMS),
        (FOLD, ["cse{option=1}", ATOMS], ATOMS),
        ("frontend", ["nv-tileaa-infer-facts"], "frontend"),
        (FOLD, [], FOLD),
        (FOLD, ["cse"], FOLD),
        (FOLD, ["nv-tileaa-infer-facts"], FOLD),
        (
            FOLD,
            ["convert-nv-tileaa-to-nv-tileas", "nv-tileas-plan-kernel"],
            "nv-tileas-plan-kernel",
        ),
        ("canonicalize", ["cse", "cuda-tile-fuse-fma"], "cuda-tile-fuse-fma"),
        ("verify-llvm-legality", ["cse"], "verify-llvm-legality"),
        ("my-pass", ["cse"], "my-pass"),
    ],
)
def test_the_stamp_follows_the_pipeline(stamp, names, expected):
    assert moved_stamp(stamp, names) == expected


@pytest.fixture
def dumps(run_tilec, examples, tmp_path):
    options = ("--emit", "nv_tileas", "--dump-ir", tmp_path / "dump", "-o", tmp_path / "out.mlir")
    assert run_tilec("compile", examples / "matmul.tile", *options).returncode == 0
    return tmp_path / "dump"


def test_a_stepped_dump_resumes_as_the_pipeline_would(run_tilec, dumps, tmp_path):
    before = next(dumps.glob(f"*-{FOLD}.mlir"))
    assert run_tilec("opt", before, "--passes", ATOMS, "-o", tmp_path / "one.mlir").returncode == 0
    after = next(dumps.glob(f"*-{ATOMS}.mlir"))
    assert (tmp_path / "one.mlir").read_text() == after.read_text()


@pytest.mark.parametrize(
    "words", [("opt", "--passes", NAME), ("compile", "--start-from", "nv_tileas")]
)
def test_a_violation_names_the_dump(run_tilec, dumps, tmp_path, words):
    text = next(dumps.glob("*-nv-tileas-attach-tma-descriptors.mlir")).read_text()
    ahead = text[: text.index(BARRIER)]
    line, column = ahead.count("\n") + 1, len(ahead) - ahead.rindex("\n")
    (tmp_path / "bad.mlir").write_text(text.replace(BARRIER, BARRIER.replace("2", "0"), 1))
    command, *rest = words
    result = run_tilec(command, "bad.mlir", *rest)
    assert result.returncode == EXIT_DIAGNOSTICS
    assert f"bad.mlir:{line}:{column}: error[T0581]: {NAME}: barrier 0 of the" in result.stderr
