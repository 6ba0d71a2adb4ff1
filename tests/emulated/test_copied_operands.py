"""Operands that threads copy to shared memory by `cp.async`, on the emulator, against NumPy."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.both_devices import host_array
from tests.support.copied_cases import CASES, COPIED, LIMIT, PATH, one_row
from tilec.runtime.jit import load
from tilec.testing.check import Arguments
from tools.emulator import device as device_module
from tools.emulator.machine import DeadlockError, EmulatedFaultError

SEEDS = range(6)
ARRIVE = r"cp\.async\.mbarrier\.arrive\.noinc\.shared::cta\.b64 (\[%r\d+\]);"


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


@pytest.fixture
def multiply(device, launch, kernels):
    def run(name: str, seed: int = 0, kernels=kernels) -> Any:
        """Run a case and check its result; return its compiled kernel."""
        kernel, given, constants, exact = CASES[name]()
        made = {key: host_array(key, values) for key, values in given.items()}
        arguments, device.seed = Arguments(made, constants), seed
        launch(getattr(kernels, kernel), arguments)
        found = arguments.data()["Y"].astype(np.float64)
        np.testing.assert_allclose(found, exact, atol=LIMIT * np.abs(exact).max(), rtol=0)
        return getattr(kernels, kernel).compile(**arguments.data(), **constants)

    return run


@pytest.mark.parametrize("name", CASES)
def test_product(multiply, name):
    """Threads copy 16 bytes at a time, or as many as lie next to each other."""
    assert copied_sizes(multiply(name).ptx) == COPIED.get(name, {16})


def test_one_row_of_odd_pitch(device, launch, kernels):
    """No address of a copy is misaligned, also not where rows outside of the array are zeros."""
    kernel, given, constants, exact = one_row(136)
    made = {key: host_array(key, values) for key, values in given.items()}
    made["X"] = replace(made["X"], strides=(137, 1))
    arguments = Arguments(made, constants)
    launch(getattr(kernels, kernel), arguments)
    np.testing.assert_allclose(arguments.data()["Y"], exact, atol=LIMIT * np.abs(exact).max())
    assert copied_sizes(getattr(kernels, kernel).compile(**arguments.data()).ptx) == {16}


def copied_sizes(ptx):
    sizes = re.findall(r"cp\.async\.c[ag]\S+ \[%r\d+\], \[%rd\d+\], (\d+)", ptx)
    return set(map(int, sizes))


@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("rows of a wide tile", {"split_k": 5}),
        ("rows for one warpgroup", {"split_k": 3}),
        ("both from 4", {"split_k": 2}),
        ("every second row", {"split_k": 3}),
        ("without TMA", {"split_k": 7}),
        ("rows of a wide tile", {"snake_k": True}),
        ("two products", {"snake_k": True}),
    ],
)
def test_k_tiles_are_divided_and_run_backwards(multiply, device, tmp_path, name, plan):
    """Some splits have no k-tile; a CTA has several tiles."""
    path = tmp_path / PATH.name
    hints = ", ".join(f"{field}={value}" for field, value in plan.items())
    path.write_text(PATH.read_text().replace("@kernel", f"@kernel({hints})"))
    device.multiprocessors, kernels = 5, load(path)
    for seed in range(2):
        found = multiply(name, seed, kernels)
        assert copied_sizes(found.ptx)
        assert {field: found.plan[field] for field in plan} == plan


def arrives_at_once(ptx):
    return re.sub(ARRIVE, r"mbarrier.arrive.shared::cta.b64 _, \1;", ptx)


def expects(change):
    """Return an edit of the arrivals that the barriers of copies by 256 threads expect."""

    pattern = r"(mov\.b32 \t%r\d+, )256(;\n\tmbarrier\.init)"
    return lambda ptx: re.sub(pattern, rf"\g<1>{256 + change}\2", ptx)


def drop(pattern):
    return lambda ptx: re.sub(pattern, "", ptx)


FAULTS = {
    "no proxy fence": (drop(r"fence\.proxy\.async\.shared::cta;"), EmulatedFaultError),
    "arrivals do not wait for copies": (arrives_at_once, (EmulatedFaultError, AssertionError)),
    "no arrivals": (drop(ARRIVE), DeadlockError),
    "one more arrival expected": (expects(1), DeadlockError),
    "one arrival less expected": (expects(-1), (EmulatedFaultError, AssertionError)),
    "slots not released": (
        drop(r"@p mbarrier\.arrive\.shared::cta\.b64 _, \[%r\d+\];"),
        DeadlockError,
    ),
    "rows that are masked off": (
        lambda ptx: re.sub(r"(cp\.async\.cg\S+ \[%r\d+\], \[%rd\d+\], 16), %r\d+;", r"\1;", ptx),
        (EmulatedFaultError, AssertionError),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(multiply, monkeypatch, name):
    """Some order of events shows it."""
    change, errors = FAULTS[name]
    parse = device_module.parse

    def parse_changed(ptx):
        changed = change(ptx)
        assert changed != ptx, "nothing to change"
        return parse(changed)

    monkeypatch.setattr(device_module, "parse", parse_changed)
    found = []
    for seed in SEEDS:
        try:
            multiply("rows of a wide tile", seed, load(PATH))
        except (DeadlockError, EmulatedFaultError, AssertionError) as failure:
            found.append(failure)
            break
    assert found
    assert isinstance(found[0], errors)
    assert "nothing to change" not in str(found[0])
