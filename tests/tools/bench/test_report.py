"""Merging processes, statistics and the table."""

import json

import pytest

from tests.support.bench_reports import CASE, DETAIL, FIRST, SECOND, report, timed
from tools.bench.report import (
    format_table,
    load_report,
    merge,
    rows,
    shortest_round,
    tile_name,
    write_report,
)


def test_medians_are_of_all_rounds_and_the_spread_of_process_medians():
    (row,) = rows(report(FIRST, SECOND))
    assert row.tflops["tilec"].median == pytest.approx(1)
    assert row.tflops["tilec"].processes == pytest.approx((0.5, 1))
    ratio = row.ratios["cublas"]  # 2, 1, 0.5 and 1, 2, 3
    assert (ratio.low, ratio.median, ratio.high) == pytest.approx((0.5, 1.5, 3))
    assert ratio.processes == pytest.approx((1, 2))
    assert row.cycles == {"tilec": 1450}


def test_ratios_pair_the_times_of_one_round():
    item = {"tilec": timed([1, 10]), "cublas": timed([2, 20])}
    (row,) = rows(report(item))
    assert (row.ratios["cublas"].low, row.ratios["cublas"].high) == (2, 2)


def test_a_contender_that_failed_has_a_reason_and_no_ratio():
    item = {"tilec": timed([1]), "triton": {"failed": "OutOfResources: shared memory"}}
    (row,) = rows(report(item))
    assert row.failures == {"triton": "OutOfResources: shared memory"}
    assert "triton" not in row.tflops
    assert row.ratios == {}
    assert f"{CASE}: triton: OutOfResources: shared memory" in format_table(report(item))


def test_a_variant_has_a_row_of_its_own():
    variants = {"tilec stages=3": timed([4, 4, 4], DETAIL), "tilec stages=9": {"failed": "T0425"}}
    data = report({**FIRST, **variants})
    planned, variant, failed = rows(data)
    assert planned.name == CASE
    assert list(planned.ratios) == list(variant.ratios) == ["cublas"]
    assert variant.name == f"{CASE} stages=3"
    assert variant.ratios["cublas"].median == 0.5
    assert failed.failures == {"tilec": "T0425"}
    table = format_table(data)
    assert f"| {CASE} stages=3 |" in table
    assert f"{CASE} stages=9: tilec: T0425" in table


def test_table_says_what_a_reader_needs():
    table = format_table(report(FIRST, SECOND)).splitlines()
    assert [cell.strip() for cell in table[0].strip("|").split("|")] == [
        *("case", "tile, plan", "tilec", "cuBLAS", "ratio to cuBLAS", "SM MHz")
    ]
    assert [cell.strip() for cell in table[2].strip("|").split("|")] == [
        *(CASE, "128x256x64, 4 stages", "1.0", "0.5"),
        *("1.500 (0.500..3.000) [1.000..2.000]", "1450"),
    ]
    assert len({len(line) for line in table}) == 1


def test_cases_with_other_contenders_get_a_table_of_their_own():
    data = report(FIRST)
    fused = {"tilec": timed([1]), "torch": timed([3]), "tilec-plain": timed([1])}
    data["processes"][0]["results"].append({"case": f"{CASE}:fused", "contenders": fused})
    first, second = format_table(data).split("\n\n")
    assert "cuBLAS" in first
    assert "ratio to torch" in second
    assert "ratio to tilec, plain" in second


def test_what_was_not_reached_is_named():
    assert format_table(report(FIRST, unreached=["8x8x8:bf16:NN"])).endswith("8x8x8:bf16:NN")


def test_merging_keeps_processes_and_refuses_other_hosts():
    merged = merge([report(FIRST), report(SECOND)])
    assert rows(merged) == rows(report(FIRST, SECOND))
    other = report(SECOND, host={"gpu": "H200", "driver": "581"})
    with pytest.raises(ValueError, match="other driver"):
        merge([report(FIRST), other])
    with pytest.raises(ValueError, match="no report"):
        merge([])


def test_report_survives_the_disk(tmp_path):
    path = tmp_path / "report.json"
    write_report(report(FIRST), path)
    assert load_report(path) == report(FIRST)


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"schema": 99, "processes": []})])
def test_other_files_are_no_report(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"other\.json"):
        load_report(path)
    with pytest.raises(ValueError, match=r"missing\.json"):
        load_report(tmp_path / "missing.json")


def test_shortest_round():
    assert shortest_round(report(FIRST, SECOND)) == 100
    assert shortest_round(report()) is None


def test_tile_name_shows_a_cluster_only_when_there_is_one():
    assert tile_name({**DETAIL, "plan": {"stages": 4, "cluster": [1, 1, 1]}}) == (
        "128x256x64, 4 stages"
    )
    assert tile_name({**DETAIL, "plan": {"cluster": [2, 1, 1]}}) == "128x256x64, cluster 2x1"


def test_tile_name_shows_the_warps_of_a_kernel_without_a_ring():
    plan = {"stages": 1, "consumer_warps": 8, "spread": 4}
    assert tile_name({"constants": {"N": 32768}, "plan": plan}) == "8 warps, spread 4"
    plan["spread"] = 1
    assert tile_name({"constants": {"BM": 1, "BN": 2048}, "plan": plan}) == "1x2048, 8 warps"
