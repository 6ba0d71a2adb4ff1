"""A package holds the variants that launches of few blocks and few rounds take."""

import numpy as np
import pytest

import tilec
from tilec.cli.main import EXIT_OK, main
from tilec.runtime.compiled import CompiledKernel
from tilec.runtime.packaged_variants import pick

SUMS = """
@kernel
def sums[M, N](X: f32[M, N], S: f32[N], SCALE: f32):
    n = grid(cdiv(N, 16))
    total = zeros((32, 16), f32)
    for i in range(cdiv(M, 32)):
        total += load(X, (i, n), (32, 16))
    store(S, n, sum(total, axis=0) * SCALE)

@kernel
def copy[N](X: f32[N], Y: f32[N]):
    n = grid(cdiv(N, 256))
    store(Y, n, load(X, n, 256))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    path = tmp_path_factory.mktemp("package") / "sums.tilepkg"
    made = tilec.compile(SUMS)
    made.save(path)
    return made, tilec.load_package(path)


def facts_of(variant):
    metadata = variant.metadata
    return metadata.get("most_blocks", 0), "share_rounds" in metadata.get("disabled", ())


def test_a_package_has_all_that_launches_take_and_says_so(package):
    made, read = package
    found = [facts_of(variant) for variant in read.sums.variants]
    assert found[0] == (0, False), "the first one is for any launch"
    assert len(set(found)) == len(found) > 4
    assert {most for most, _ in found} >= {0, 66}
    assert {alone for _, alone in found} == {False, True}
    (said,) = (item.message for item in made.remarks if "the package has" in item.message)
    assert said.startswith(f"sums: the package has {len(found)} variants: any launch; at most 66")
    assert len(read.copy.variants) == 1


@pytest.mark.parametrize(
    ("rows", "columns"), [(64, 16), (1024, 16), (1024, 100), (1024, 1056), (64, 2000), (96, 40)]
)
def test_a_launch_of_a_package_takes_what_a_launch_from_source_takes(
    device, package, monkeypatch, rows, columns
):
    taken = []
    plan_launch = CompiledKernel.plan_launch

    def noting(self, *given):
        taken.append(self)
        return plan_launch(self, *given)

    monkeypatch.setattr(CompiledKernel, "plan_launch", noting)
    x = device.array((rows, columns), (-(-columns // 4) * 4, 1), "<f4")
    x.view(np.float32)[:] = np.random.default_rng(0).integers(-9, 9, (rows, columns))
    s = device.array((columns,), (1,), "<f4")
    package[1].sums(x, s, 2.0)
    np.testing.assert_array_equal(s.view(np.float32), 2 * x.view(np.float32).sum(axis=0))
    assert s.is_intact_around()
    source = tilec.loads(SUMS).sums.compile(x, s, 2.0)
    (packaged,) = taken
    names = ("stages", "spread", "share_rounds")
    assert [packaged.plan[name] for name in names] == [source.plan[name] for name in names]
    assert facts_of(packaged)[0] >= facts_of(source)[0]


def test_a_reason_of_all_variants_is_said_once(device, package):
    x, s = device.array((64, 100), (101, 1), "<f4"), device.array((100,), (1,), "<f4")
    text = r"^tilec: error\[T0706\]: sums: X\.strides\[0\] is 404 bytes, but it was compiled for "
    with pytest.raises(tilec.LaunchError, match=text) as caught:
        package[1].sums(x, s, 2.0)
    assert str(caught.value).count("404 bytes") == 1


def test_sizes_choose_one_variant():
    made = tilec.compile(SUMS, kernel="sums", sizes={"M": 64, "N": 100})
    (variant,) = made.sums.variants
    assert facts_of(variant) == (8, True)
    said = [item.message for item in made.remarks if item.code == "T0433"]
    assert "sums: the package has the variant for M = 64, N = 100 alone" in said[-1]
    (variant,) = tilec.compile(SUMS, kernel="sums", sizes={"M": 64, "N": 10_000}).sums.variants
    assert facts_of(variant) == (0, False)
    assert len(tilec.compile(SUMS, kernel="sums", sizes={"M": 64}).sums.variants) > 4


def test_the_command_packs_the_same(package, tmp_path, capsys):
    source, output = tmp_path / "sums.tile", tmp_path / "sums.tilepkg"
    source.write_text(SUMS)
    words = ["compile", str(source), "--emit", "package", "-o", str(output), "--kernel", "sums"]
    dumps = tmp_path / "dump"
    assert main([*words, "--dump-ir", str(dumps), "--remarks", "--timing"]) == EXIT_OK
    read = tilec.load_package(output)
    expected = [facts_of(item) for item in package[1].sums.variants]
    assert [facts_of(item) for item in read.sums.variants] == expected
    shown = capsys.readouterr().err
    assert "sums, at most 66 blocks:\nstage " in shown
    assert "planned for launches of at most 66 blocks" in shown
    folder = dumps / "at-most-66-blocks"
    assert 'variant = "at most 66 blocks"' in next(folder.glob("*-plan-kernel.mlir")).read_text()
    assert main(words) == EXIT_OK
    assert len(tilec.load_package(output).sums.variants) == len(read.sums.variants)


RULE = {"rounds": "M", "least": 16}
GENERAL = {"few_blocks": 66, "grid": ["N"], "shared_rounds": RULE}
EIGHT = {"most_blocks": 8, "shared_rounds": RULE}
TWELVE = {"most_blocks": 12}
ALONE, EIGHT_ALONE = {"disabled": ["share_rounds"]}, {**EIGHT, "disabled": ["share_rounds"]}


@pytest.mark.parametrize(
    ("variants", "sizes", "expected"),
    [
        ([GENERAL], {"M": 1, "N": 1}, 0),
        ([GENERAL, EIGHT], {"M": 1, "N": 1}, 1),
        ([GENERAL, TWELVE, EIGHT], {"M": 99, "N": 7}, 2),
        ([GENERAL, TWELVE, EIGHT], {"M": 99, "N": 9}, 1),
        ([GENERAL, TWELVE, EIGHT], {"M": 99, "N": 13}, 0),
        ([GENERAL, EIGHT, EIGHT_ALONE], {"M": 1, "N": 3}, 2),
        ([GENERAL, EIGHT, ALONE], {"M": 1, "N": 3}, 2),
        ([GENERAL, EIGHT, ALONE], {"M": 1, "N": 99}, 2),
        ([GENERAL, EIGHT, ALONE], {"M": 16, "N": 99}, 0),
        ([GENERAL, EIGHT, ALONE], {}, 0),
        ([{**GENERAL, "constants": {"N": "text"}}, EIGHT], {"M": 1}, 0),
        ([{**GENERAL, "constants": {"M": None}}, EIGHT], {"N": 99}, 0),
    ],
)
def test_which_variant_a_launch_takes(variants, sizes, expected):
    assert pick(variants, sizes) == expected
