"""The report of what kernels cost before they run."""

import json

from tests.support.seeded_faults import ROOT
from tools.bench.kernel_costs import accesses, differences, main

TILE_ADD = ROOT / "examples" / "tile_add.tile"
VECTOR_ADD = ROOT / "examples" / "vector_add.tile"


def test_accesses_are_counted_by_width():
    text = """
    ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
    @%p1 st.shared.b16 [%r1], %rs1;    // st.shared.b32
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
    bar.sync 1, 128;
    shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1;
    ld.relaxed.gpu.global.b32 %r1, [%rd1];
    """
    assert accesses(text) == {
        "ld.global 16 B": 1,
        "ld.global 4 B": 1,
        "st.shared 2 B": 1,
        "ldmatrix 16 B": 1,
        "bar": 1,
        "shfl": 1,
    }


def test_reports_are_compared(tmp_path, capsys):
    before = tmp_path / "before.json"
    assert main(["-o", str(before), str(TILE_ADD), str(VECTOR_ADD)]) == 0
    entries = json.loads(before.read_text())
    assert set(entries) == {"tile_add/tile_add", "vector_add/vector_add"}
    assert "2 kernels, " in capsys.readouterr().out
    assert main(["--against", str(before), str(VECTOR_ADD)]) == 0
    assert "1 kernels have the same PTX" in capsys.readouterr().out


def test_what_differs_is_in_the_table():
    entry = {"conversions": {"shared": 64}, "barriers": 2, "seconds": 1.0, "ptx": 1}
    other = {"conversions": {"shuffles": 64}, "barriers": 0, "seconds": 2.0, "ptx": 2}
    table = differences({"k": entry, "same": entry}, {"k": other, "same": {**entry, "ptx": 3}})
    assert table.splitlines()[2:] == [
        "| k | barriers | 2 | 0 |",
        "| k | conversions: shared | 64 | 0 |",
        "| k | conversions: shuffles | 0 | 64 |",
        "| same | order of instructions | | |",
        "0 kernels have the same PTX",
    ]
