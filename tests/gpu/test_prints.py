"""`print` in a kernel on a real device: Python's stdout gets what the CPU reference prints."""

import numpy as np
import pytest

import tilec
from tests.support.print_cases import KERNELS, SOURCE, arrays

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", KERNELS)
def test_the_device_prints_what_the_reference_prints(torch, tmp_path, capsys, name):
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE)
    kernel = getattr(tilec.load(path), name)
    scalars, _ = KERNELS[name]
    kernel(**arrays(np), **scalars)
    expected = capsys.readouterr().out
    on_device = {key: torch.from_numpy(item).cuda() for key, item in arrays(np).items()}
    kernel(**on_device, **scalars)
    assert capsys.readouterr().out == expected
