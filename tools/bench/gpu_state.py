"""Cycles, power and temperature of the GPU, through NVML or, without its bindings, nvidia-smi."""

import subprocess
from typing import Any

FIELDS = ("sm_mhz", "memory_mhz", "power_w", "temperature_c")
"""What a reading holds; each value is a float."""
_QUERY = "clocks.sm,clocks.mem,power.draw,temperature.gpu"
_SMI_SECONDS = 20
Reading = dict[str, float]


class GpuMonitor:
    """Reads the state of one GPU.

    Attributes:
        source: `NVML`, `nvidia-smi`, or empty when neither answers.
    """

    def __init__(self, identifier: str = "") -> None:
        """Open the GPU.

        Args:
            identifier: Its UUID as CUDA reports it, without or with the prefix `GPU-`; empty
                takes the first GPU.
        """
        bare = identifier.removeprefix("GPU-")
        self._identifier = f"GPU-{bare}" if bare else "0"
        self._nvml, self._handle = _open_nvml(self._identifier)
        self.source = "NVML" if self._nvml is not None else "nvidia-smi"
        if not self.read():
            self.source = ""

    def read(self) -> Reading:
        """Return the present state, or nothing when it cannot be read."""
        if self.source == "NVML":
            return self._read_nvml()
        return self._read_smi() if self.source else {}

    def driver_version(self) -> str:
        """Return the version of the driver; empty when it cannot be read."""
        if self.source == "NVML":
            version = self._nvml.nvmlSystemGetDriverVersion()
            return version.decode() if isinstance(version, bytes) else version
        return _smi(self._identifier, "driver_version")

    def _read_nvml(self) -> Reading:
        nvml = self._nvml
        try:
            values = (
                nvml.nvmlDeviceGetClockInfo(self._handle, nvml.NVML_CLOCK_SM),
                nvml.nvmlDeviceGetClockInfo(self._handle, nvml.NVML_CLOCK_MEM),
                nvml.nvmlDeviceGetPowerUsage(self._handle) / 1000,
                nvml.nvmlDeviceGetTemperature(self._handle, nvml.NVML_TEMPERATURE_GPU),
            )
        except nvml.NVMLError:
            return {}
        return dict(zip(FIELDS, map(float, values), strict=True))

    def _read_smi(self) -> Reading:
        return parse_reading(_smi(self._identifier, _QUERY))


def parse_reading(line: str) -> Reading:
    """Return the reading in a line of nvidia-smi (`csv,noheader,nounits`); nothing if it is none.

    A field that the GPU does not report (`[N/A]`) is left out.
    """
    parts = [part.strip() for part in line.split(",")]
    if len(parts) != len(FIELDS):
        return {}
    reading: Reading = {}
    for name, part in zip(FIELDS, parts, strict=True):
        try:
            reading[name] = float(part)
        except ValueError:
            continue
    return reading


def _open_nvml(identifier: str) -> tuple[Any, Any]:
    """Return the NVML bindings and a handle of the GPU, or a pair of None."""
    try:
        import pynvml  # pyright: ignore[reportMissingImports] - optional
    except ImportError:
        return None, None
    try:
        pynvml.nvmlInit()
        if identifier == "0":
            return pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)
        return pynvml, pynvml.nvmlDeviceGetHandleByUUID(identifier)
    except pynvml.NVMLError:
        return None, None


def _smi(identifier: str, query: str) -> str:
    """Return the line that nvidia-smi answers; empty when it fails."""
    command = ["nvidia-smi", f"--id={identifier}", f"--query-gpu={query}"]
    try:
        result = subprocess.run(
            [*command, "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            check=True,
            timeout=_SMI_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return result.stdout.strip()
