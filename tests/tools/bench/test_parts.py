"""Small parts of the benchmarks: GPU state, progress, the choice of Triton's kernels."""

import io
import subprocess

from tools.bench import gpu_state
from tools.bench.gpu_state import GpuMonitor, parse_reading
from tools.bench.progress import Progress
from tools.bench.triton_gemm import POINTER_CONFIGS, TMA_CONFIGS, Config, takes_tma


def test_reading_of_nvidia_smi():
    assert parse_reading("1980, 3201, 512.25, 41\n") == {
        "sm_mhz": 1980,
        "memory_mhz": 3201,
        "power_w": 512.25,
        "temperature_c": 41,
    }
    assert parse_reading("1980, 3201, [N/A], 41") == {
        "sm_mhz": 1980,
        "memory_mhz": 3201,
        "temperature_c": 41,
    }
    assert parse_reading("No devices were found") == {}


def test_monitor_falls_back_to_nvidia_smi_and_then_to_nothing(monkeypatch):
    asked = []

    def run(command, **_):
        asked.append(command)
        answer = "580.1" if "driver" in command[2] else "1500, 3201, 600, 50"
        return subprocess.CompletedProcess(command, 0, f"{answer}\n", "")

    monkeypatch.setattr(gpu_state, "_open_nvml", lambda identifier: (None, None))
    monkeypatch.setattr(subprocess, "run", run)
    monitor = GpuMonitor("1234")
    assert monitor.source == "nvidia-smi"
    assert monitor.read()["sm_mhz"] == 1500
    assert monitor.driver_version() == "580.1"
    assert asked[0][1] == "--id=GPU-1234"

    def missing(command, **_):
        raise FileNotFoundError(command[0])

    monkeypatch.setattr(subprocess, "run", missing)
    monitor = GpuMonitor()
    assert (monitor.source, monitor.read(), monitor.driver_version()) == ("", {}, "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_estimates_the_rest():
    now = iter([0.0, 30.0, 30.0])
    progress = Progress(4, io.StringIO(), lambda: next(now))
    progress.finish()
    assert progress.line("next") == f"[{'#' * 6}{'.' * 18}] 1/4, 30 s, about 90 s left: next"
    progress.done = 0
    assert "left" not in progress.line("next")


def test_progress_redraws_a_terminal_and_writes_lines_to_a_log():
    for stream, expected in ((Terminal(), "\r\x1b[K"), (io.StringIO(), "\n")):
        progress = Progress(1, stream, lambda: 0.0)
        progress.start("case")
        progress.finish()
        assert stream.getvalue().endswith(expected)
        assert "0/1, 0 s: case" in stream.getvalue()


def test_what_tma_takes():
    assert takes_tma((4096, 4096), (4096, 1), 0, 2)
    assert takes_tma((4096, 4096), (1, 4096), 256, 2)  # column-major
    assert not takes_tma((4096, 4001), (4001, 1), 0, 2)  # pitch of 8002 bytes
    assert not takes_tma((4096, 4096), (4096, 1), 8, 2)
    assert not takes_tma((4096, 4096), (8192, 2), 0, 2)


def test_triton_configurations_are_possible():
    for config in (*TMA_CONFIGS, *POINTER_CONFIGS):
        extents = (config.bm, config.bn, config.bk)
        assert all(extent & (extent - 1) == 0 for extent in extents)
        assert config.bm * config.bn <= 128 * 256
    assert len({*TMA_CONFIGS}) == len(TMA_CONFIGS)
    assert str(Config(128, 256, 64, 4, 3, specialize=True)) == (
        "128x256x64, warps 4, stages 3, specialised"
    )
