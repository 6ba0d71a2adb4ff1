"""`print` in a kernel: the emulator prints what the CPU reference prints."""

import numpy as np
import pytest

import tilec
from tests.support.both_devices import host_array
from tests.support.print_cases import KERNELS, SOURCE, arrays
from tilec.testing.check import Arguments
from tools.emulator.device import launch_copies


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE)
    return tilec.load(path)


@pytest.mark.parametrize("name", KERNELS)
def test_both_print_the_same(device, kernels, capsys, name):
    scalars, expected = KERNELS[name]
    made = Arguments({key: host_array(key, item) for key, item in arrays(np).items()}, scalars)
    kernel = getattr(kernels, name)
    kernel(**made.copy().data(), **scalars)
    on_cpu = capsys.readouterr().out
    launch_copies(device, kernel, made)
    assert capsys.readouterr().out == on_cpu
    assert on_cpu.startswith(expected)
