"""The comparison of two checkouts; nothing here needs a GPU."""

import random

import pytest

from tilec.runtime.aot import load_package
from tools.bench import ab
from tools.bench.cases import FULL, SETS, Case, parse_case


def block(old, new, rounds=ab.BLOCK_ROUNDS):
    return [(tag, {ab.OLD: old, ab.NEW: new}[tag]()) for tag in ab.ORDER * rounds]


def test_a_clock_that_drifts_does_not_change_the_ratio():
    """Neighbours are slowed down alike; the medians of either side would be, too, but less so."""
    found = ab.compare(block(lambda x=x: 2.0 * x, lambda x=x: 1.6 * x) for x in (1.0, 1.3, 1.1))
    assert found.ratio == pytest.approx(1.25)
    assert found.null == pytest.approx(1)
    assert (found.low, found.high) == pytest.approx((1.25, 1.25))
    assert found.microseconds == pytest.approx({ab.OLD: 2.2, ab.NEW: 1.76})


def test_pairs_are_neighbours_of_two_checkouts_and_leave_out_the_first_unit():
    spent = iter([99.0, 2.0, 2.0, 4.0])
    found = ab.compare([[(tag, next(spent)) for tag in ab.ORDER]])
    assert (found.pairs, found.ratio, found.null) == (1, 2.0, 1.0)


def test_the_interval_holds_the_median_of_noise():
    dice = random.Random(0)
    looks = [[dice.gauss(1, 0.1) for _ in range(200)] for _ in range(200)]
    hits = sum(low <= 1 <= high for low, high in map(ab.median_interval, looks))
    assert 185 <= hits <= 198
    assert ab.median_interval([3.0]) == (3.0, 3.0)


def test_default_is_the_full_protocol(tmp_path):
    options = ab.parse_arguments([str(tmp_path)])
    assert options.cases == [case for name in FULL for case in SETS[name]]
    assert options.new == ab.ROOT
    chosen = ab.parse_arguments([str(tmp_path), "--set", "skinny", "--case", "8x8x8"])
    assert chosen.cases == [*SETS["skinny"], Case(8, 8, 8)]
    assert len(SETS["skinny"]) == 45


def test_either_checkout_compiles_its_packages_and_those_that_are_there_stay(tmp_path, capfd):
    case, folder = parse_case("64x72x128:bf16:NT"), tmp_path / "made"
    words = [str(ab.ROOT), "--case", str(case), "--packages", str(folder), "--compile-only"]
    old = ab.package_path(folder, ab.OLD, case)
    assert ab.main(words) == 0
    (kernel,) = load_package(old)
    assert kernel.variants[0].metadata["plan"] is not None
    old.write_bytes(b"kept")
    assert ab.main(words) == 0
    assert old.read_bytes() == b"kept"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "text",
    [
        "64x64x64:bf16:TN:fused",
        "2x64x64x64",
        "64x64x64:bf16:NN:f32",
        "d64:s128:causal:g2:h4:b1",
    ],
)
def test_every_kind_of_case_compiles(text, tmp_path):
    words = [str(ab.ROOT), "--case", text, "--packages", str(tmp_path), "--compile-only"]
    assert ab.main(words) == 0


def test_attention_backward_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        ab.parse_arguments([str(tmp_path), "--case", "backward:d64:s1024:full"])
    assert "only the forward pass" in capsys.readouterr().err


def test_a_kernel_that_does_not_compile_is_named(tmp_path, capfd):
    broken = tmp_path / "broken"
    (broken / "tilec").mkdir(parents=True)
    words = [str(broken), "--case", "64x64x64", "--packages", str(tmp_path), "--compile-only"]
    assert ab.main(words) == ab.EXIT_FAILED
    assert "old-64x64x64-bf16-NN.pkg: " in capfd.readouterr().err


def test_a_folder_that_is_no_checkout_is_refused(tmp_path, capsys):
    words = [str(tmp_path), "--case", "64x64x64", "--compile-only"]
    assert ab.main(words) == ab.EXIT_USAGE
    assert "is no checkout of tilec" in capsys.readouterr().err
